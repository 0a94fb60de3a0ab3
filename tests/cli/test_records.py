"""Records on the command line."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Turnstile


@pytest.fixture
def record(turnstile: Turnstile, tmp_path: Path) -> Path:
    path = tmp_path / "match.jsonl"
    assert turnstile("play", "e-card", "--seed", "4", "--record", path, given="1\n" * 200).status == 0
    return path


def test_verify_says_what_it_checked(turnstile: Turnstile, record: Path) -> None:
    ran = turnstile("verify", record)
    assert ran.status == 0
    assert [line.split()[0] for line in ran.out.splitlines()] == ["passed", "passed", "passed", "finished"]
    checks = {"chain": "passed", "replay": "passed", "deal": "passed"}
    answer = json.loads(turnstile("verify", record, "--json").out)
    assert answer == {"passed": True, "checks": checks, "finished": True}


def test_verify_says_when_a_match_is_unfinished(turnstile: Turnstile, tmp_path: Path) -> None:
    path = tmp_path / "left.jsonl"
    turnstile("play", "e-card", "--record", path, given="2\nq\n")
    ran = turnstile("verify", path)
    assert ran.status == 0
    assert ran.out.splitlines()[-1].startswith("unfinished  the match was left before its end")
    assert json.loads(turnstile("verify", path, "--json").out)["finished"] is False


def test_verify_reads_from_standard_input(turnstile: Turnstile, record: Path) -> None:
    assert turnstile("verify", "-", given=record.read_bytes()).status == 0


def test_verify_finds_a_changed_card(turnstile: Turnstile, record: Path) -> None:
    record.write_bytes(record.read_bytes().replace(b'"card":"C"', b'"card":"E"', 1))
    ran = turnstile("verify", record)
    assert ran.status == 1
    assert "damaged" in ran.out
    answer = json.loads(turnstile("verify", record, "--json").out)
    assert answer["checks"]["chain"]["code"] == "DamagedRecord"
    assert answer["finished"] is None


def test_replay_shows_every_event_and_every_hop(turnstile: Turnstile, record: Path) -> None:
    ran = turnstile("replay", record)
    assert ran.status == 0
    assert '   1  {"type":"Start","seed":"4"}\n      Lobby -> RoundSetup\n' in ran.out
    assert "Picking -> Reveal (both picked), Reveal -> RoundSetup (decisive)" in ran.out
    assert ran.out.splitlines()[-1].strip().endswith("Reveal -> Finished (match over)")


def test_replay_stops_where_it_is_told_and_shows_the_state(turnstile: Turnstile, record: Path) -> None:
    *_, state = turnstile("replay", record, "--until", 2).out.splitlines()
    assert json.loads(state)["phase"] == "Picking"


def test_replay_for_programs_is_a_line_a_step(turnstile: Turnstile, record: Path) -> None:
    steps = [json.loads(line) for line in turnstile("replay", record, "--json").out.splitlines()]
    assert [step["number"] for step in steps] == list(range(1, len(steps) + 1))
    assert steps[-1]["state"]["phase"] == "Finished"
    assert steps[-1]["effects"][-1]["batches"][0]["you"]["seed"] == "4"


def test_replay_refuses_a_damaged_record(turnstile: Turnstile, record: Path) -> None:
    record.write_bytes(record.read_bytes()[:-1])
    ran = turnstile("replay", record)
    assert ran.status == 1
    assert ran.out == ""
    assert "damaged" in ran.err


def test_a_record_of_a_game_that_is_not_installed_is_refused(turnstile: Turnstile, tmp_path: Path) -> None:
    other = Path(__file__).parent.parent / "data" / "record-of-no-game.jsonl"
    ran = turnstile("verify", other)
    assert ran.status == 2
    assert "not installed" in ran.err
