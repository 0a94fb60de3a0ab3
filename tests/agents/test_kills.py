"""The real thing: agents killed with SIGKILL in the middle of a league and started again. It goes on as if nothing was.

The players wait at the gate of a round for the test; so it is known where everybody is when somebody dies.
"""

import asyncio
import json
from contextlib import AsyncExitStack
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.agents.company import pairings, points_of, run, standings_of
from tests.agents.loops import until
from tests.agents.processes import AgentProcess
from turnstile.agents.keeper import Keeper
from turnstile.agents.manager import TABLE
from turnstile.league.manager import manager as machine
from turnstile.store.sqlite import SqliteStore

PACE = "0.2"  # long enough for a process to start within the retries of those who call it
NAMES = ("Juniper", "Sorrel", "Tansy", "Yarrow")
WAITING = ("--strategy", "python:tests.agents.waiting:choose")
PAIRS = sorted(combinations(("P01", "P02", "P03", "P04"), 2))


class League:
    """Manager, referee and four players."""

    def __init__(self, data: Path, gates: Path) -> None:
        self.data, self.gates = data, gates
        self.manager = AgentProcess(data, "manager", "--players", "4", "--time-scale", PACE)
        self.referee: AgentProcess
        self.players: list[AgentProcess] = []

    async def begin(self, stack: AsyncExitStack) -> None:
        await stack.enter_async_context(self.manager)
        where = ("--manager", self.manager.ready["endpoint"], "--time-scale", PACE)
        self.referee = AgentProcess(self.data, "referee", "--name", "Whistle", *where)
        await stack.enter_async_context(self.referee)
        self.players = [AgentProcess(self.data, "player", "--name", name, *where, *WAITING) for name in NAMES]
        await asyncio.gather(*(stack.enter_async_context(player) for player in self.players))

    def open(self, *rounds: int) -> None:
        for round_id in rounds:
            (self.gates / str(round_id)).touch()

    def matches(self) -> dict[str, Any]:
        files = self.data.glob("data/matches/*/*.json")
        return {path.stem: json.loads(path.read_text()) for path in files}

    async def until_choosing(self, *names: str) -> None:
        """Both players of each of these matches have been asked, and wait at the gate."""
        calls = [f"[{name}] State transition: WAITING_FOR_CHOICE_REQUEST -> CHOOSING_PARITY" for name in names]
        await until(lambda: all(self._said(call) == 2 for call in calls))

    def _said(self, line: str) -> int:
        return sum(player.log.read_text().count(line) for player in self.players)

    async def until_over(self) -> None:
        for player in self.players:
            assert await player.ended() == 0
        assert await self.referee.ended() == 0

    async def check(self) -> None:
        """Every pairing was played once, and the table is what the files of the matches add up to."""
        files = self.matches()
        assert pairings(files) == PAIRS
        assert all(match["result"] is not None for match in files.values())
        await self.manager.kill()
        store = await SqliteStore.open(self.data / "state" / "manager-league_2025_even_odd.db")
        kept = await Keeper.restore(store, TABLE, machine, is_open=lambda _: True)
        await store.close()
        assert kept is not None
        assert points_of(files) == standings_of(kept.state)
        assert sum(tally.played for tally in kept.state.tallies) == 2 * len(PAIRS)
        for player in ("P01", "P02", "P03", "P04"):
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
