"""`turnstile league run`: strategies of one's own within one process, and leagues that are stopped and go on later."""

import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from typing import Any

import pytest

from tests.cli.conftest import Turnstile
from turnstile.agents.launch.league_processes import LeagueProcesses
from turnstile.store.sqlite.files import FileLock

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


def test_virtual_time_has_no_scale_and_who_gives_one_is_told_so(turnstile: Turnstile) -> None:
    plain = ("league", "run", "--in-process", "--players", "2")
    assert "--time-scale" not in turnstile(*plain).err
    assert "--time-scale has no effect with --in-process" in turnstile(*plain, "--time-scale", "0.5").err
    said = " ".join(turnstile("league", "run", "--help").out.split())
    assert "A python: strategy that hangs stops the league, and command: strategies are refused." in said


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules in this folder are found by whatever is started."""
    (tmp_path / "own_strategies.py").write_text(OWN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("game", ["even_odd", "e-card"])
def test_within_one_process_a_strategy_that_fails_costs_its_choice_alone(program: Turnstile, game: str) -> None:
    names = ("raises", "leaves", "rubbish")
    strategies = [f"--strategy=python:own_strategies:{name}" for name in names]
    said = program("league", "run", "--in-process", "--players", "3", "--game", game, *strategies)
    assert said.status == 0, said.err
    assert "3 of 3 matches" in said.out
    for name in names:
        assert f"python:own_strategies:{name} has failed" in said.err
    assert "Traceback" not in said.err


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("how", [(), ("--in-process",)])
def test_a_strategy_that_fails_is_told_of_at_the_end(program: Turnstile, tmp_path: Path, how: tuple[str, ...]) -> None:
    failing, fine = "python:own_strategies:raises", "python:own_strategies:by_id"
    words = ("--players", "3", "--strategy", failing, "--strategy", fine, "--data", tmp_path / "kept", "--json")
    said = program("league", "run", *how, *words)
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
def test_within_one_process_a_strategy_is_given_a_dictionary(program: Turnstile, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    words = ("--players", "2", "--strategy", "python:own_strategies:by_id", "--report", report)
    said = program("league", "run", "--in-process", *words)
    assert "has failed" not in said.err
    assert "P01 odd, P02 even" in report.read_text()


@pytest.mark.usefixtures("own")
def test_within_one_process_what_a_strategy_prints_is_kept_out_of_the_answer(program: Turnstile) -> None:
    words = ("--players", "2", "--json", "--strategy", "python:own_strategies:talks")
    said = program("league", "run", "--in-process", *words)
    assert [json.loads(line)["progress"] for line in said.out.splitlines()] == ["completed"]
    assert (said.err.count("imported"), said.err.count("asked")) == (1, 2)


def test_A14_a_league_whose_launcher_is_killed_is_taken_up_by_the_same_command(
    program: Turnstile, tmp_path: Path
) -> None:
    """Nobody is left behind who would still have a log, or an address, that is needed again."""
    sizes = ("--players", "3", "--referees", "1", "--time-scale", "0.2")
    words = ("league", "run", *sizes, "--data", str(tmp_path), "--json")
    with Popen([sys.executable, "-m", "turnstile", *words], stdout=PIPE, stderr=PIPE) as launcher:
        assert launcher.stdout is not None
        first = json.loads(launcher.stdout.readline())
        launcher.kill()
    assert first["rounds_completed"] < 3
    said = program(*words)
    assert (said.status, "Traceback" in said.err) == (0, False), said.err
    assert json.loads(said.out.splitlines()[-1])["progress"] == "completed"
    for log in tmp_path.glob("logs/*/*.log"):
        assert "Traceback" not in log.read_text()
        assert log.stat().st_mode & 0o777 == 0o600


SMALL = ("--players", "3", "--referees", "1", "--time-scale", "0.2")


def test_a_league_that_is_run_by_another_process_is_refused_at_once(turnstile: Turnstile, tmp_path: Path) -> None:
    """No process is started that would wait for it: the manager's log is the first thing that one would make."""
    stores = tmp_path / "state" / "league_2025_even_odd"
    stores.mkdir(parents=True)
    other = FileLock(stores / "run")
    said = turnstile("league", "run", *SMALL, "--data", tmp_path)
    other.let_go()
    assert said.status == 2
    assert said.err.startswith("turnstile: The league league_2025_even_odd is running already: ")
    assert f"(process {os.getpid()})" in said.err
    assert not (stores / "manager.db").exists()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_A14_a_league_that_is_stopped_again_and_again_leaves_nobody_behind(
    tmp_path: Path, number: signal.Signals, status: int
) -> None:
    words = ("league", "run", *SMALL, "--data", str(tmp_path), "--json")
    with Popen([sys.executable, "-m", "turnstile", *words], stdout=PIPE, stderr=PIPE) as launcher:
        assert launcher.stdout is not None
        assert launcher.stderr is not None
        launcher.stdout.readline()
        launcher.send_signal(number)
        while number is signal.SIGINT and launcher.poll() is None:  # by somebody impatient
            launcher.send_signal(signal.SIGINT)
            with suppress(TimeoutExpired):
                launcher.wait(0.02)
        said = launcher.stderr.read()
        launcher.wait()
    assert (launcher.returncode, b"Traceback" in said) == (status, False), said
    assert b"run the same command again to resume" in said
    for store in (tmp_path / "state" / "league_2025_even_odd").glob("*.db"):
        FileLock(store).let_go()  # which it would not be, were its agent still there


def test_ctrl_c_at_the_very_beginning_is_not_the_end_of_the_league(
    turnstile: Turnstile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The signal comes before the command has handlers for signals: while it loads what it needs."""

    class Interrupted(LeagueProcesses):
        def __init__(self, *given: Any) -> None:
            signal.raise_signal(signal.SIGINT)
            super().__init__(*given)

    monkeypatch.setattr("turnstile.agents.launch.league_processes.LeagueProcesses", Interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # as in a program of its own
    try:
        said = turnstile("league", "run", *SMALL, "--data", tmp_path)
    finally:
        signal.signal(signal.SIGINT, before)
    assert said.status == 130
    assert "run the same command again to resume" in said.err
    assert "The report" not in said.err


@pytest.mark.parametrize("more", [(), ("--in-process",)])
def test_A14_whoever_has_heard_enough_of_a_league_ends_it_as_any_program(tmp_path: Path, more: tuple[str, ...]) -> None:
    words = ("league", "run", *SMALL, "--data", str(tmp_path), "--json", *more)
    with Popen([sys.executable, "-m", "turnstile", *words], stdout=PIPE, stderr=PIPE) as launcher:
        assert launcher.stdout is not None
        launcher.stdout.close()
        assert launcher.stderr is not None
        said = launcher.stderr.read()
    assert (launcher.returncode, b"Traceback" in said) == (-signal.SIGPIPE, False), said
    for store in tmp_path.glob("state/*/*.db"):
        FileLock(store).let_go()


def test_where_nobody_listens_at_all_a_league_is_played(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    words = ("league", "run", "--in-process", "--players", "3", "--json", "--report", str(report))
    shell = ("bash", "-c", 'exec "$@" >&- 2>&-', "bash", sys.executable, "-m", "turnstile", *words)
    with Popen(shell, stdin=DEVNULL) as league:
        pass
    assert (league.returncode, report.exists()) == (0, True)


def test_a_report_that_cannot_be_written_is_found_before_anything_is_played(
    turnstile: Turnstile, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    report = tmp_path / "file" / "report.html"
    said = turnstile("league", "run", "--in-process", "--players", "3", "--report", report)
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith(f"turnstile: The report {report} cannot be written: ")
    assert len(said.err.splitlines()) == 1


def test_a_report_to_what_is_no_file_is_refused_before_anything_is_played(turnstile: Turnstile, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for report in ("", pipe):
        said = turnstile("league", "run", "--in-process", "--players", "3", "--report", report)
        assert (said.status, said.out) == (2, "")
        assert len(said.err.splitlines()) == 1
    assert pipe.is_fifo()


def test_a_league_that_was_over_cannot_be_watched_any_more(turnstile: Turnstile, tmp_path: Path) -> None:
    words = ("league", "run", "--players", "2", "--referees", "1", "--time-scale", "0.2", "--data", tmp_path)
    first, again = turnstile(*words), turnstile(*words)
    assert (first.status, again.status) == (0, 0)
    assert ("can be watched at" in first.err, "can be watched at" in again.err) == (True, False)
    assert "Round 1 of 1 is over" in first.err
    assert "This league was over already." in again.err


def test_every_game_has_a_league_of_its_own(turnstile: Turnstile) -> None:
    for words, league in (((), "league_2025_even_odd"), (("--game", "e-card"), "league_2025_e-card")):
        said = turnstile("league", "run", "--in-process", "--players", "2", "--json", *words)
        assert json.loads(said.out)["league_id"] == league
