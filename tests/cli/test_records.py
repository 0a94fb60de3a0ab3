"""Records on the command line."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Turnstile
from turnstile.registry import names


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
    assert ran.out.splitlines()[-1].startswith("unfinished  the match was left after")
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


def test_replay_tells_the_match_in_the_words_of_the_terminal(turnstile: Turnstile, record: Path) -> None:
    ran = turnstile("replay", record)
    assert ran.status == 0
    assert ran.out.startswith("E-Card: you, bot. Told to you.\n   1  The match begins.")
    assert "   3  > Slave\n   4  The other player has laid a card face down.\n      Your Slave meets bot's " in ran.out
    assert re.search(r"\n(You win|bot wins): you \d+, bot \d+\.\n$", ran.out)
    assert "{" not in ran.out


def test_replay_tells_the_match_as_another_player_heard_it(turnstile: Turnstile, record: Path) -> None:
    ran = turnstile("replay", record, "--player", "bot")
    assert ran.out.startswith("E-Card: you, bot. Told to bot.\n")
    assert "meets you's" in ran.out
    ran = turnstile("replay", record, "--player", "cy")
    assert (ran.status, ran.out) == (2, "")
    assert "cy did not play in this match. Choose one of: you, bot." in ran.err


@pytest.mark.parametrize("game", names())
def test_replay_tells_what_was_told_at_the_table(turnstile: Turnstile, tmp_path: Path, game: str) -> None:
    path = tmp_path / "match.jsonl"
    played = turnstile("play", game, "--seed", "4", "--bot", "random", "--record", path, given="1\n0\n" * 2_000)
    assert played.status == 0, played.err
    at_the_table, again = (" ".join(text.split()) for text in (played.out, turnstile("replay", path).out))
    sentences = re.findall(r"(?:You|bot) (?:win|wins|bets?|plays?|shows?|stops?|takes?|said)\b[^.]*\.", at_the_table)
    assert len(sentences) > 5
    assert [sentence for sentence in sentences if sentence not in again] == []


def test_replay_stops_where_it_is_told_and_shows_the_match(turnstile: Turnstile, record: Path) -> None:
    ran = turnstile("replay", record, "--until", 2)
    assert "│ Slave │ │ Citizen │ │ Citizen │ │ Citizen │ │ Citizen │" in ran.out
    assert "   3  " not in ran.out


def test_replay_says_when_a_match_is_unfinished(turnstile: Turnstile, tmp_path: Path) -> None:
    path = tmp_path / "left.jsonl"
    turnstile("play", "e-card", "--record", path, given="2\nq\n")
    assert turnstile("replay", path).out.splitlines()[-1].startswith("unfinished  the match was left after")


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
