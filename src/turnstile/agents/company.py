"""A whole league on one machine: a manager, referees and players, each a process, from the first to the last table."""

import asyncio
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import aiohttp
import msgspec

from turnstile.agents.board import Board, Progress
from turnstile.agents.files import part_of_path, write_whole
from turnstile.agents.launch import STOP_SECONDS, Child
from turnstile.kernel.values import decode
from turnstile.league.words import GAME_TYPE, LeagueId

AT_ONCE = 2 * (os.cpu_count() or 1)  # processes that are being started
AGAIN_SECONDS = 0.3  # before a manager that does not answer is asked again


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What a league is made of."""

    league_id: LeagueId
    strategies: Sequence[str]
    """One for each player."""
    referees: int
    data: Path
    port: int
    capacity: int
    pace: float
    seed: str | None
    game_type: str = GAME_TYPE

    @property
    def report(self) -> Path:
        return self.data / "data" / "reports" / f"{self.league_id}.html"

    @property
    def logs(self) -> Path:
        return self.data / "logs" / self.league_id

    @property
    def names(self) -> list[str]:
        """The players are called after their strategies."""
        return [f"{_name_of(strategy)}-{number}" for number, strategy in enumerate(self.strategies, 1)]


def _name_of(strategy: str) -> str:
    """The last part of a strategy's name, or the program's. What is no name of a file is called a player."""
    kind, _, rest = strategy.partition(":")
    word = Path(rest.split()[0]).name if kind == "command" and rest.split() else strategy.rpartition(":")[2]
    return part_of_path(word) or "player"


class Company:
    """The processes of a league."""

    def __init__(self, plan: Plan, begun: Callable[[str], None], show: Callable[[Board], None]) -> None:
        """`begun` is told where the league can be watched, `show` how it goes, whenever something has changed."""
        self.plan = plan
        self._begun = begun
        self._show = show
        self._children: list[Child] = []
        self._turns = asyncio.Semaphore(AT_ONCE)

    @property
    def pids(self) -> list[int]:
        """The processes that run now."""
        return [child.pid for child in self._children if child.is_running]

    def pid_of(self, name: str) -> int:
        return next(child.pid for child in self._children if child.name == name)

    async def run(self) -> Board:
        """Play the league, or what is left of it, and give its last board. Raises `DidNotStart`."""
        self.plan.logs.mkdir(parents=True, exist_ok=True)
        try:
            async with asyncio.TaskGroup() as group:
                home = await self._start_all(group)
                board = await self._follow(home)
                await self._end()
            return board
        except ExceptionGroup as faults:
            raise faults.exceptions[0] from None
        finally:
            await asyncio.gather(*(child.stop() for child in self._children))

    # its beginning

    async def _start_all(self, group: asyncio.TaskGroup) -> str:
        """Everybody in the order in which they need each other; where the manager is."""
        plan = self.plan
        manager = await self._start(
            group,
            "manager",
            *("--league", plan.league_id, "--game", plan.game_type),
            *("--players", str(len(plan.names)), "--port", str(plan.port)),
        )
        home = manager.endpoint.removesuffix("/mcp")
        self._begun(home)
        at = ("--manager", manager.endpoint, "--port", "0")
        referees = (
            self._start(group, "referee", "--name", f"referee-{number}", "--capacity", str(plan.capacity), *at)
            for number in range(1, plan.referees + 1)
        )
        players = (
            self._start(group, "player", "--name", name, "--strategy", strategy, *self._seed(name), *at)
            for name, strategy in zip(plan.names, plan.strategies, strict=True)
        )
        await asyncio.gather(*referees, *players)
        return home

    def _seed(self, name: str) -> tuple[str, ...]:
        return () if self.plan.seed is None else ("--seed", f"{self.plan.seed} {name}")

    async def _start(self, group: asyncio.TaskGroup, role: str, *arguments: str) -> Child:
        plan = self.plan
        name = arguments[1] if role != "manager" else role
        store = plan.data / "state" / plan.league_id / f"{name}.db"
        store.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        common = ("--data", str(plan.data), "--store", str(store), "--time-scale", str(plan.pace))
        child = Child(name, (role, *arguments, *common), plan.logs)
        self._children.append(child)
        async with self._turns:
            await child.start()
        group.create_task(child.outlast())
        return child

    # its course

    async def _follow(self, home: str) -> Board:
        """Show every change until the league is over; keep its report. A manager that dies comes back."""
        async with aiohttp.ClientSession() as session:
            while True:
                with suppress(aiohttp.ClientError):
                    board = await self._watch(session, home)
                    if board.progress is Progress.COMPLETED:
                        write_whole(self.plan.report, await _fetched(session, f"{home}/report"))
                        return board
                await asyncio.sleep(AGAIN_SECONDS)

    async def _watch(self, session: aiohttp.ClientSession, home: str) -> Board:
        """Show the board whenever the manager says that it has changed, until the league or the manager is gone."""
        async with session.get(f"{home}/events", timeout=aiohttp.ClientTimeout(sock_connect=5)) as news:
            board = await self._look(session, home)
            async for line in news.content:
                if board.progress is Progress.COMPLETED:
                    break
                if line.startswith(b"data:"):
                    board = await self._look(session, home)
            return board

    async def _look(self, session: aiohttp.ClientSession, home: str) -> Board:
        board = decode(await _fetched(session, f"{home}/board.json"), Board)
        self._show(board)
        return board

    async def _end(self) -> None:
        """Players and referees leave by themselves when they hear that the league is over; who does not is ended."""
        manager, *others = self._children
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_SECONDS * self.plan.pace + 1):
                await asyncio.gather(*(child.ended() for child in others))
        for child in (*others, manager):
            await child.stop()


async def _fetched(session: aiohttp.ClientSession, url: str) -> bytes:
    async with session.get(url, timeout=aiohttp.ClientTimeout(total=30)) as answer:
        answer.raise_for_status()
        return await answer.read()
