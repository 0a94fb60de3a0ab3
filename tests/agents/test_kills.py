"""The real thing: agents killed with SIGKILL in the middle of a league and started again. It goes on as if nothing was.

The players wait at the gate of a round for the test; so it is known where everybody is when somebody dies.
"""

import asyncio
import json
from collections.abc import Sequence
from contextlib import AsyncExitStack
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.agents.agents_in_process import pairings, points_of, run, standings_of
from tests.agents.loops import LONGEST, be_patient, until
from tests.agents.processes import AgentProcess
from turnstile.agents.process.keeper import MachineKeeper
from turnstile.agents.process.logs import LEAGUES, own_prefix
from turnstile.kernel.values import LogId
from turnstile.store.sqlite.store import SqliteStore

PACE = "0.2"  # long enough for a process to start within the retries of those who call it
NAMES = ("Juniper", "Sorrel", "Tansy", "Yarrow")
WAITING = ("--strategy", "python:tests.agents.waiting:choose")


class League:
    """Manager, referees and players: one of those and four of these, unless it is said otherwise."""

    def __init__(self, data: Path, gates: Path, names: Sequence[str] = NAMES) -> None:
        self.data, self.gates, self.names = data, gates, names
        self.manager = AgentProcess(data, "manager", "--players", str(len(names)), "--time-scale", PACE)
        self.referees: list[AgentProcess] = []
        self.players: list[AgentProcess] = []

    async def begin(self, stack: AsyncExitStack, *referees: str) -> None:
        """Referees register in this order."""
        await stack.enter_async_context(self.manager)
        where = ("--manager", self.manager.ready["endpoint"], "--time-scale", PACE)
        for name in referees or ("Whistle",):
            referee = AgentProcess(self.data, "referee", "--name", name, *where)
            self.referees.append(await stack.enter_async_context(referee))
            await until(lambda log=referee.log: "REGISTERING -> REGISTERED" in log.read_text())  # type: ignore[misc]
        self.players = [AgentProcess(self.data, "player", "--name", name, *where, *WAITING) for name in self.names]
        await asyncio.gather(*(stack.enter_async_context(player) for player in self.players))

    @property
    def referee(self) -> AgentProcess:
        return self.referees[0]

    def open(self, *rounds: int) -> None:
        for round_id in rounds:
            (self.gates / str(round_id)).touch()

    def matches(self) -> dict[str, Any]:
        files = self.data.glob("data/matches/*/*.json")
        return {path.stem: json.loads(path.read_text()) for path in files}

    async def until_choosing(self, *names: str, times: int = 1) -> None:
        """Both players of each of these matches have been asked, so many times anew, and wait at the gate."""
        calls = [f"[{name}] State transition: WAITING_FOR_CHOICE_REQUEST -> CHOOSING_PARITY" for name in names]
        await until(lambda: all(self._said(call) == 2 * times for call in calls))

    def _said(self, line: str) -> int:
        return sum(player.log.read_text().count(line) for player in self.players)

    async def until_over(self) -> None:
        for agent in (*self.players, *self.referees):
            assert await agent.ended() == 0

    async def check(self) -> None:
        """Every pairing was played once, and the table is what the files of the matches add up to."""
        files = self.matches()
        pairs = sorted(combinations([f"P{number:02}" for number in range(1, len(self.names) + 1)], 2))
        assert pairings(files) == pairs
        assert all(match["result"] is not None for match in files.values())
        await self.manager.kill()
        store = await SqliteStore.open(self.data / "state" / "manager-league_2025_even_odd.db")
        kept = await MachineKeeper.restore(store, LogId(own_prefix("manager", "league_2025_even_odd")), LEAGUES)
        await store.close()
        assert kept is not None
        assert points_of(files) == standings_of(kept.state)
        assert sum(tally.played for tally in kept.state.tallies) == 2 * len(pairs)
        for player in {player for pair in pairs for player in pair}:
            history = json.loads((self.data / "data" / "players" / player / "history.json").read_text())
            assert sorted(match["match_id"] for match in history["matches"]) == sorted(
                name for name, match in files.items() if player in match["players"].values()
            )


@pytest.mark.parametrize("victims", ["manager", "referee", "player", "everybody"])
def test_A15_whoever_is_killed_in_a_round_and_started_again_the_league_is_played_to_its_end(
    tmp_path: Path, victims: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    gates = tmp_path / "gates"
    gates.mkdir()
    monkeypatch.setenv("GATES", str(gates))

    async def play() -> None:
        league = League(tmp_path, gates)
        async with AsyncExitStack() as stack:
            await league.begin(stack)
            league.open(1)
            await league.until_choosing("R2M1", "R2M2")
            named = {
                "manager": [league.manager],
                "referee": [league.referee],
                "player": league.players[:1],
                "everybody": [league.manager, league.referee, *league.players],
            }[victims]
            for victim in named:
                await victim.kill()
            await asyncio.gather(*(victim.start() for victim in named))
            league.open(2, 3)
            await league.until_over()
            await league.check()

    run(play())


def test_a_match_is_begun_anew_by_a_referee_that_was_killed_when_the_next_that_had_it_is_killed_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gates = tmp_path / "gates"
    gates.mkdir()
    monkeypatch.setenv("GATES", str(gates))

    async def play() -> None:
        be_patient(LONGEST)  # two referees are given up, each after five periods of two seconds
        league = League(tmp_path, gates, NAMES[:2])
        async with AsyncExitStack() as stack:
            await league.begin(stack, "Whistle", "Flute")
            first, second = league.referees
            await league.until_choosing("R1M1")
            await first.kill()
            await league.until_choosing("R1M1", times=2)
            await second.kill()
            await first.start()
            await league.until_choosing("R1M1", times=3)
            league.open(1)
            await second.start()
            await league.until_over()
            (match,) = league.matches().values()
            assert match["referee_id"] == "REF01"
            assert match["result"]["status"] != "TECHNICAL_LOSS"
            await league.check()

    run(play())
