"""`turnstile league status` and `start`: asking a manager, and what a league says of itself."""

import asyncio
from pathlib import Path

import pytest

from tests.agents.agents_in_process import run
from tests.agents.processes import AgentProcess
from tests.agents.wire.zoo import listening, written
from tests.cli.conftest import Turnstile
from turnstile.agents.page.scoreboard import Health, Place, Progress, Scoreboard
from turnstile.cli.league.show import Show, glimpse
from turnstile.kernel.values import PlayerId
from turnstile.league.protocol.words import LeagueId

NOBODY = "http://127.0.0.1:1/mcp"


@pytest.mark.parametrize("command", ["start", "status"])
def test_a_manager_that_is_not_there_is_one_sentence_and_1(turnstile: Turnstile, command: str) -> None:
    said = turnstile("league", command, "--manager", NOBODY)
    assert said.status == 1
    assert said.err.startswith(f"turnstile: {NOBODY} does not answer")
    assert len(said.err.splitlines()) == 1


@pytest.mark.parametrize("answer", [b"", b"[", b"{}", b'{"league_id": 7}', b'"\xff"', b"[" * 10_000])
def test_A4_a_manager_that_is_none_is_one_sentence_and_1(turnstile: Turnstile, answer: bytes) -> None:
    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(written(200, answer))
        await writer.drain()

    async def play() -> None:
        async with listening(say) as port:
            manager = f"http://127.0.0.1:{port}/mcp"
            said = await asyncio.to_thread(turnstile, "league", "status", "--manager", manager)
            sentence = "answers, but not like a league manager. Check the URL given with --manager."
            assert (said.status, said.err) == (1, f"turnstile: {manager} {sentence}\n")

    run(play())


def test_a_league_without_players_that_is_over_has_no_champion(capsys: pytest.CaptureFixture[str]) -> None:
    empty = Scoreboard(league_id=LeagueId("new"), progress=Progress.COMPLETED, places=(), rounds=())
    Show(as_json=False).finish(glimpse(empty))
    assert "Champion" not in capsys.readouterr().out


def test_A13_nothing_that_a_manager_says_reaches_the_terminal_as_a_control_sequence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    bad = "\x1b[31m"
    counts = dict.fromkeys(("played", "wins", "draws", "losses", "technical_losses", "points"), 0)
    shown = Scoreboard(
        league_id=LeagueId(bad),
        progress=Progress.PENDING,
        places=(Place(rank=1, player_id=PlayerId(bad), display_name=bad, **counts),),
        rounds=(),
        agents=(Health(address=bad, display_name=bad, condition=bad, is_well=False, refuses_matches=True),),
        waits_for=bad,
    )
    Show(as_json=False).finish(glimpse(shown))
    said = capsys.readouterr().out
    assert said.count("[31m") == 7  # of which none does anything
    assert "\x1b" not in said


def test_A20_the_draws_of_a_league_within_one_process_are_checked_in_its_report(
    turnstile: Turnstile, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    said = turnstile("league", "run", "--in-process", "--players", "4", "--strategy", "random", "--report", str(path))
    assert said.status == 0
    assert "6 draws checked: 6 fair, as their referees were bound to draw them." in path.read_text()


def test_a_manager_says_when_its_league_begins_and_where_it_goes_on(turnstile: Turnstile, tmp_path: Path) -> None:
    async def play() -> None:
        async with AgentProcess(tmp_path, "manager", "--players", "4") as manager:
            hint = "The league begins by itself when 4 players and a referee have registered."
            assert manager.ready["hint"] == hint

    run(play())
    words = ("--endpoint", "http://localhost:1/mcp", "--port", "0", "--data", tmp_path, "--log-file", tmp_path / "log")
    said = turnstile("league", "manager", *words)
    assert said.status == 2
    assert "Start it where it was, or with another --league, or with another --data." in said.err
