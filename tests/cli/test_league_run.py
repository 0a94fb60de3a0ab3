"""`turnstile league run`: what it says of a league, and strategies of one's own within one process."""

import json
import sys
from pathlib import Path
from subprocess import PIPE, Popen

import pytest
from msgspec.structs import replace

from tests.agents.boards import board
from tests.cli.conftest import Turnstile
from turnstile.cli.league_show import Show, glimpse

OWN = """
import sys

print("imported")

def talks(known):
    print("asked")
    return "odd"

def by_id(known):
    assert type(known) is dict
    return "odd" if known["opponent_id"] == "P02" else {"choice": "EVEN"}

def raises(known):
    return known["no such thing"]

def leaves(known):
    sys.exit(3)

def rubbish(known):
    return object()
"""


def test_one_line_of_json_for_each_round(turnstile: Turnstile) -> None:
    said = turnstile("league", "run", "--in-process", "--players", "4", "--json", "--seed", "7")
    lines = [json.loads(line) for line in said.out.splitlines()]
    assert [(line["rounds_completed"], line["matches_completed"]) for line in lines] == [(1, 2), (2, 4), (3, 6)]
    assert [line["progress"] for line in lines] == ["running", "running", "completed"]


def test_a_league_that_is_followed_from_outside_gets_the_same_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """Boards come whenever something changes: within rounds, twice, and for a league that had begun before."""
    show = Show(as_json=True)
    for played, more in ((1, 0), (1, 2), (2, 0), (2, 0), (2, 1), (4, 1), (5, 0)):
        seen = board(played)
        show.update(glimpse(replace(seen, matches_completed=seen.matches_completed + more)))
    show.finish(glimpse(board(5)))
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["rounds_completed"] for line in lines] == [2, 3, 4, 5]
    assert [line["matches_completed"] for line in lines] == [6, 9, 12, 15]


@pytest.mark.parametrize("as_json", [False, True])
def test_rounds_that_end_between_two_looks_are_told_of_one_by_one(
    as_json: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    show = Show(as_json=as_json)
    for played in (0, 0, 3, 3, 5):
        show.update(glimpse(board(played)))
    said = capsys.readouterr()
    lines = said.out.splitlines() if as_json else said.err.splitlines()
    told = [json.loads(line)["rounds_completed"] if as_json else int(line.split()[1]) for line in lines]
    assert told == [1, 2, 3, 4]
    show.finish(glimpse(board(5)))
    assert ('"rounds_completed":5' in capsys.readouterr().out) is as_json


def test_a_league_that_is_stopped_says_no_round_twice(capsys: pytest.CaptureFixture[str]) -> None:
    show = Show(as_json=True)
    for played in (0, 1, 2):
        show.update(glimpse(board(played)))
    show.finish(glimpse(board(3)))
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["rounds_completed"] for line in lines] == [1, 2, 3]


def test_a_league_that_was_over_is_one_line_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    show = Show(as_json=True)
    show.update(glimpse(board(5)))
    show.finish(glimpse(board(5)))
    assert [json.loads(line)["rounds_completed"] for line in capsys.readouterr().out.splitlines()] == [5]


def test_how_fast_a_league_was_is_counted_until_its_last_match(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr("turnstile.cli.league_show.time.monotonic", lambda: now)
    show = Show(as_json=False)
    show.update(glimpse(board(0)))
    now = 3.0
    show.update(glimpse(board(5)))
    now = 100.0  # when the last agent has left
    show.finish(glimpse(board(5)))
    assert "15 of 15 matches, 5.0 a second" in capsys.readouterr().out


def test_a_league_that_was_over_has_no_rate(capsys: pytest.CaptureFixture[str]) -> None:
    show = Show(as_json=False)
    show.update(glimpse(board(5)))
    show.finish(glimpse(board(5)))
    out = capsys.readouterr().out
    assert "15 of 15 matches" in out
    assert "a second" not in out


def test_virtual_time_has_no_scale_and_who_gives_one_is_told_so(turnstile: Turnstile) -> None:
    plain = ("league", "run", "--in-process", "--players", "2")
    assert "--time-scale" not in turnstile(*plain).err
    assert "--time-scale changes nothing here" in turnstile(*plain, "--time-scale", "0.5").err
    said = " ".join(turnstile("league", "run", "--help").out.split())
    assert "a python: strategy that hangs hangs the league, and command: is refused" in said


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules in this folder are found by whatever is started."""
    (tmp_path / "own_strategies.py").write_text(OWN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("game", ["even_odd", "e-card"])
def test_within_one_process_a_strategy_that_fails_costs_its_choice_alone(turnstile: Turnstile, game: str) -> None:
    names = ("raises", "leaves", "rubbish")
    strategies = [f"--strategy=python:own_strategies:{name}" for name in names]
    said = turnstile("league", "run", "--in-process", "--players", "3", "--game", game, *strategies)
    assert said.status == 0, said.err
    assert "3 of 3 matches" in said.out
    for name in names:
        assert f"python:own_strategies:{name} has failed" in said.err
    assert "Traceback" not in said.err


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("how", [(), ("--in-process",)])
def test_a_strategy_that_fails_is_told_of_at_the_end(
    turnstile: Turnstile, tmp_path: Path, how: tuple[str, ...]
) -> None:
    failing, fine = "python:own_strategies:raises", "python:own_strategies:by_id"
    words = ("--players", "3", "--strategy", failing, "--strategy", fine, "--data", tmp_path / "kept", "--json")
    said = turnstile("league", "run", *how, *words)
    assert said.status == 0, said.err
    told = json.loads(said.out.splitlines()[-1])["failing"]
    assert [(each["strategy"], each["failures"]) for each in told] == [(failing, 4)]
    assert told[0]["first"].endswith("M1: KeyError: 'no such thing'")
    where = "" if how else f" (see {told[0]['log']})"
    assert f"{failing} has failed 4 times, first in {told[0]['first']}{where}\n" in said.err
    assert how or "CRITICAL: The strategy has failed" in Path(told[0]["log"]).read_text()


@pytest.mark.parametrize("strategy", ["bot", "bot:equilibrium", "random"])
def test_a_strategy_that_fits_its_game_is_run(turnstile: Turnstile, strategy: str) -> None:
    words = ("--players", "2", "--game", "e-card", "--strategy", strategy)
    assert turnstile("league", "run", "--in-process", *words).status == 0


@pytest.mark.usefixtures("own")
def test_within_one_process_a_strategy_is_given_a_dictionary(turnstile: Turnstile, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    words = ("--players", "2", "--strategy", "python:own_strategies:by_id", "--report", report)
    said = turnstile("league", "run", "--in-process", *words)
    assert "has failed" not in said.err
    assert "P01 odd, P02 even" in report.read_text()


@pytest.mark.usefixtures("own")
def test_within_one_process_what_a_strategy_prints_is_kept_out_of_the_answer(turnstile: Turnstile) -> None:
    words = ("--players", "2", "--json", "--strategy", "python:own_strategies:talks")
    said = turnstile("league", "run", "--in-process", *words)
    assert [json.loads(line)["progress"] for line in said.out.splitlines()] == ["completed"]
    assert (said.err.count("imported"), said.err.count("asked")) == (1, 2)


def test_A14_a_league_whose_launcher_is_killed_is_taken_up_by_the_same_command(
    turnstile: Turnstile, tmp_path: Path
) -> None:
    """Nobody is left behind who would still have a log, or an address, that is needed again."""
    sizes = ("--players", "3", "--referees", "1", "--time-scale", "0.2")
    words = ("league", "run", *sizes, "--data", str(tmp_path), "--json")
    with Popen([sys.executable, "-m", "turnstile", *words], stdout=PIPE, stderr=PIPE) as launcher:
        assert launcher.stdout is not None
        first = json.loads(launcher.stdout.readline())
        launcher.kill()
    assert first["rounds_completed"] < 3
    said = turnstile(*words)
    assert (said.status, "Traceback" in said.err) == (0, False), said.err
    assert json.loads(said.out.splitlines()[-1])["progress"] == "completed"
    for log in tmp_path.glob("logs/*/*.log"):
        assert "Traceback" not in log.read_text()
