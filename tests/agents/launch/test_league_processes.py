"""A whole league of processes: it plays to its end, whoever is killed on the way, and can be watched meanwhile."""

import asyncio
import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
from msgspec.structs import replace
from playwright.sync_api import expect

from tools.browser import browser
from turnstile.agents.launch.children import MOST_RESTARTS, Child, DidNotStart
from turnstile.agents.launch.league_processes import LeagueProcesses
from turnstile.agents.launch.plan import Begun, CannotResume, Plan, refuse_to_resume
from turnstile.agents.page.scoreboard import Progress, Scoreboard, Verdict, verdict
from turnstile.durable.files import write_whole
from turnstile.kernel.values import encode
from turnstile.league.protocol.words import LeagueId

PACE = 0.2


def plan(folder: Path, players: int = 4, referees: int = 2) -> Plan:
    return Plan(
        league_id=LeagueId("league_of_processes"),
        strategies=["random", "history", "alternating", "always:even"][:players],
        referees=referees,
        data=folder,
        port=0,
        capacity=2,
        time_scale=PACE,
        seed="7",
    )


HONEST = {Verdict.FAIR, Verdict.UNWITNESSED}


def is_whole(board: Scoreboard) -> bool:
    """Everybody has met everybody once, the table is the sum of the results, and no draw was unfair.

    One is fair only if the manager was told of it before; while that is being started again, nobody can tell it.
    """
    met = Counter(frozenset(match.players) for match in board.matches if match.result is not None)
    players = [place.player_id for place in board.places]
    points = Counter(dict.fromkeys(players, 0))
    for match in board.matches:
        assert match.result is not None
        for player in match.players:
            points[player] += 3 * (match.result.winner == player) + (match.result.status == "DRAW")
    return (
        met == Counter(map(frozenset, combinations(players, 2)))
        and points == Counter({place.player_id: place.points for place in board.places})
        and {verdict(board.game_type, each.result) for each in board.matches if each.result} <= HONEST
    )


def test_A14_A15_a_league_goes_on_whoever_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one round the manager dies as in a power cut, then a referee, then a player; each is started again.

    One player does not choose before that, so no round is over too soon.
    """
    monkeypatch.setenv("GATES", str(tmp_path))
    victims = ["manager", "referee-1", "history-2"]
    killed: list[str] = []

    def kill(board: Scoreboard) -> None:
        if board.progress is Progress.RUNNING and len(killed) < board.current_round:
            killed.append(victims[len(killed)])
            os.kill(processes.pid_of(killed[-1]), signal.SIGKILL)
            (tmp_path / str(len(killed))).touch()

    usual = plan(tmp_path)
    strategies = ["python:tests.agents.waiting:choose", *usual.strategies[1:]]
    gated = replace(
        usual, strategies=strategies, time_scale=0.5
    )  # in which the slowest machine can start a process again
    processes = LeagueProcesses(gated, lambda home: None, kill)
    board = asyncio.run(processes.run())
    assert killed == victims
    assert board.progress is Progress.COMPLETED
    assert is_whole(board)
    assert processes.pids == []
    report = plan(tmp_path).report.read_text()
    assert all(place.display_name in report for place in board.places)


def test_a_league_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    seen: list[Scoreboard] = []

    async def stopped_after_a_match() -> None:
        enough = asyncio.Event()

        def see(board: Scoreboard) -> None:
            seen.append(board)
            if board.matches_completed:
                enough.set()

        running = asyncio.create_task(LeagueProcesses(plan(tmp_path, 3, 1), lambda home: None, see).run())
        await enough.wait()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(stopped_after_a_match())
    assert not seen[0].places  # the first look comes before anybody plays, so no round can be missed
    with pytest.raises(CannotResume, match=r"began with --players 3: give the same options again"):
        asyncio.run(LeagueProcesses(plan(tmp_path, 4, 1), lambda home: None, lambda board: None).run())
    board = asyncio.run(LeagueProcesses(plan(tmp_path, 3, 1), lambda home: None, lambda board: None).run())
    assert is_whole(board)
    again = LeagueProcesses(plan(tmp_path, 3, 1), lambda home: None, lambda board: None)
    assert asyncio.run(again.run()).places == board.places
    assert again.was_over
    before = {match.match_id: match.result for match in seen[-1].matches if match.result}
    assert before.items() <= {match.match_id: match.result for match in board.matches}.items()


def test_the_page_updates_itself_in_a_browser_and_reads_without_scripts(tmp_path: Path) -> None:
    """The page is opened once, before anybody has registered, and never loaded again."""
    homes: Queue[str] = Queue()
    hold = threading.Event()

    class Patient(LeagueProcesses):
        async def _end(self) -> None:  # the manager stays until the browser has seen the end
            await asyncio.get_running_loop().run_in_executor(None, hold.wait)
            await super()._end()

    processes = Patient(plan(tmp_path, 3, 1), homes.put, lambda board: None)
    league = threading.Thread(target=lambda: asyncio.run(processes.run()))
    league.start()
    try:
        home = homes.get(timeout=60)
        with browser() as running:
            page = running.new_page()
            faults: list[str] = []
            page.on("pageerror", lambda fault: faults.append(str(fault)))
            page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
            page.goto(f"{home}/")
            expect(page.locator("header.summary")).to_contain_text("completed", timeout=90_000)
            assert page.locator(".standings tbody tr").count() == 3
            assert page.locator(".verdict.fair").count() > 0
            assert faults == []
            plain = running.new_context(java_script_enabled=False).new_page()
            plain.goto(f"{home}/?round=1")
            assert plain.locator(".round h2").inner_text() == "Round 1: 1 of 1 finished"
            assert plain.goto(f"{home}/report").ok  # type: ignore[union-attr]
            assert plain.locator("polyline").count() == 3
    finally:
        hold.set()
        league.join()


def test_an_agent_that_cannot_start_is_named_with_its_reason(tmp_path: Path) -> None:
    child = Child("nobody", ("player", "--strategy", "none", "--data", str(tmp_path)), tmp_path)
    with pytest.raises(DidNotStart, match=r"nobody cannot run: .*There is no strategy 'none'.*nobody\.log\."):
        asyncio.run(child.start())


@pytest.mark.parametrize("words", ["Registration closed", "Registration closed."])
def test_last_words_are_a_sentence(tmp_path: Path, words: str) -> None:
    (tmp_path / "nobody.log").write_text(f"turnstile: {words}\n")
    assert Child("nobody", (), tmp_path)._last_words().startswith("Registration closed. Its log is ")


class Mortal(Child):
    """An agent that dies so many times before it listens, and then once more after it does."""

    def __init__(self, folder: Path, deaths: int) -> None:
        super().__init__("mortal", (), folder)
        self.lives = folder / "lives"
        self.deaths = deaths

    @property
    def command(self) -> Sequence[str]:
        return (sys.executable, "-c", MORTAL, str(self.lives), str(self.deaths))


MORTAL = """
import json, pathlib, sys
lives, deaths = pathlib.Path(sys.argv[1]), int(sys.argv[2])
before = len(lives.read_text()) if lives.exists() else 0
lives.write_text("x" * (before + 1))
if before < deaths:
    sys.exit(f"turnstile: Life {before + 1} was short.")
print(json.dumps({"endpoint": "http://127.0.0.1:1/mcp"}), flush=True)
sys.exit(3 if before == deaths else 0)
"""


def test_A14_who_dies_before_it_listens_is_started_again(tmp_path: Path) -> None:
    child = Mortal(tmp_path, MOST_RESTARTS - 1)

    async def live() -> None:
        await child.start()
        await child.outlast()

    asyncio.run(live())
    assert len(child.lives.read_text()) == MOST_RESTARTS + 1


def test_A14_an_agent_that_others_terminate_is_started_again(tmp_path: Path) -> None:
    """Otherwise a league whose manager was terminated would wait for it without end."""
    child = Child("manager", ("manager", "--port", "0", "--data", str(tmp_path)), tmp_path)

    async def live() -> None:
        await child.start()
        first = child.pid
        lasting = asyncio.create_task(child.outlast())
        os.kill(first, signal.SIGTERM)
        while child.pid == first and not lasting.done():
            await asyncio.sleep(0.02)
        is_restarted = not lasting.done()
        await child.stop()
        await lasting
        assert is_restarted

    asyncio.run(live())


def test_who_dies_too_often_ends_the_league_with_its_last_words(tmp_path: Path) -> None:
    child = Mortal(tmp_path, 100)
    last = MOST_RESTARTS + 1
    with pytest.raises(
        DidNotStart, match=rf"mortal has died {last} times, the last time with: Life {last} was short\."
    ):
        asyncio.run(child.start())


@pytest.mark.parametrize(
    ("strategy", "name"),
    [
        ("always:even", "even-1"),
        ("python:mine:choose", "choose-1"),
        ("command:./run --dir /tmp/", "run-1"),
        ("command:/", "player-1"),
        ("command:'a b' c", "player-1"),
        ("command:/opt/" + "x" * 300, "x" * 40 + "-1"),
        ("command:./referee", "player-1"),
    ],
)
def test_players_are_called_after_their_strategies(tmp_path: Path, strategy: str, name: str) -> None:
    assert replace(plan(tmp_path), strategies=[strategy]).names == [name]


@pytest.mark.parametrize(
    ("strategies", "names"),
    [
        (["python:ana:choose", "python:bo:choose"], ["ana.choose-1", "bo.choose-2"]),
        (["python:ana:choose", "python:ana:choose"], ["choose-1", "choose-2"]),
        (["python:ana.one:choose", "python:ana.two:choose"], ["ana.one.choose-1", "ana.two.choose-2"]),
        (["always:even", "python:mine:even", "random"], ["always.even-1", "mine.even-2", "random-3"]),
        (["command:python a.py", "command:python b.py"], ["python.a.py-1", "python.b.py-2"]),
        (["command:./a/run", "command:./b/run"], ["a.run-1", "b.run-2"]),
        (["command:/opt/a/run -x", "command:/opt/a/run -y"], ["opt.a.run.-x-1", "opt.a.run.-y-2"]),
        (["command:'a b'", "command:'a c'"], ["a.b-1", "a.c-2"]),
        (["command:a/?/run", "command:a/!/run"], ["a.run-1", "a.run-2"]),
    ],
)
def test_players_of_strategies_with_one_last_word_are_called_by_more_of_them(
    tmp_path: Path, strategies: list[str], names: list[str]
) -> None:
    assert replace(plan(tmp_path), strategies=strategies).names == names


def begin(begun: Plan) -> None:
    write_whole(begun.begun, encode(Begun.of(begun)))
    begun.log_of("manager").write_bytes(b"some log")


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ({"strategies": ["random", "random", "random", "random"]}, "--strategy random --strategy history "),
        ({"game_type": "e-card"}, "--game even_odd: "),
        ({"time_scale": 1.0}, "--time-scale 0.2: "),
        ({"strategies": ["history", "random", "alternating", "always:even"]}, "--strategy random --strategy history "),
        ({"league_id": LeagueId("another")}, None),
        ({"referees": 5, "capacity": 9}, None),
    ],
)
def test_a_league_that_has_begun_is_not_run_with_other_options(
    tmp_path: Path, other: dict[str, Any], sentence: str | None
) -> None:
    begun = plan(tmp_path)
    begin(begun)
    refuse_to_resume(begun)
    if sentence is None:
        refuse_to_resume(replace(begun, **other))
    else:
        with pytest.raises(CannotResume, match=sentence):
            refuse_to_resume(replace(begun, **other))


@pytest.mark.parametrize(
    "text", [b"", b'{"x": 1}', b'{"strategies": ["random"], "game_type": "even_odd", "time_scale": null}']
)
def test_a_damaged_file_of_options_is_one_sentence(tmp_path: Path, text: bytes) -> None:
    begun = plan(tmp_path)
    begin(begun)
    begun.begun.write_bytes(text)
    with pytest.raises(
        CannotResume,
        match=r"begun\.json, which has the first options of the league, is damaged: .* Restore it, or delete it and ",
    ):
        refuse_to_resume(begun)


def test_a_league_whose_log_is_gone_is_not_begun_anew(tmp_path: Path) -> None:
    begun = plan(tmp_path)
    begin(begun)
    log = begun.log_of("manager")
    log.write_bytes(b"")
    with pytest.raises(
        CannotResume, match=r"has begun, but its log .*manager\.db is gone: restore it, or begin another"
    ):
        asyncio.run(LeagueProcesses(begun, lambda home: None, lambda board: None).run())
    log.unlink()
    with pytest.raises(CannotResume, match=r"manager\.db is gone"):
        refuse_to_resume(begun)


def test_a_manager_that_is_too_busy_is_asked_by_who_follows_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnstile.agents.launch.league_processes.ANSWER_SECONDS", 0.05)

    async def ask() -> bool:
        hung_up = asyncio.Event()

        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            writer.close()
            hung_up.set()

        async with await asyncio.start_server(silent, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            processes = LeagueProcesses(plan(tmp_path), lambda home: None, lambda board: None)
            is_over = await processes._is_over(f"http://127.0.0.1:{port}")
            await hung_up.wait()
            return is_over

    assert asyncio.run(ask()) is False


def test_referees_that_come_too_late_are_not_needed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The first referee has led the only match before the next has started. A league that is over rejects that one."""
    seen: list[Scoreboard] = []
    processes = LeagueProcesses(plan(tmp_path, 2, 4), lambda home: None, seen.append)
    processes._turns = asyncio.Semaphore(1)
    board = asyncio.run(processes.run())
    assert board.progress is Progress.COMPLETED
    assert "has died" not in caplog.text
    assert not (tmp_path / "logs" / "league_of_processes" / "referee-4.log").exists()
    assert any(len(each.places) == 1 for each in seen)  # the league is followed while its agents start


def test_who_cannot_start_ends_those_that_are_being_started(tmp_path: Path) -> None:
    """Nothing goes on behind the back of whoever is told."""
    begun = replace(plan(tmp_path), strategies=["random", "none", "random", "random", "random", "random"])
    processes = LeagueProcesses(begun, lambda home: None, lambda board: None)
    with pytest.raises(DidNotStart, match="none-2 cannot run: "):
        asyncio.run(processes.run())
    assert processes.pids == []
