"""Runs a whole league on one machine: a manager, referees and players, each in its own process."""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress

import aiohttp
import msgspec
from msgspec.structs import replace

from turnstile.agents.launch.children import STOP_SECONDS, Child
from turnstile.agents.launch.plan import Begun, Plan, refuse_to_resume
from turnstile.agents.page.scoreboard import Progress, Scoreboard
from turnstile.agents.player.failures import Failing
from turnstile.durable.files import write_whole
from turnstile.kernel.values import decode

AT_ONCE = 2 * (os.cpu_count() or 1)  # processes that start at the same time
AGAIN_SECONDS = 0.3  # before a silent manager is asked again
ANSWER_SECONDS = 30.0
NO_ANSWER = (aiohttp.ClientError, TimeoutError)
"""The errors of a request to a manager that is dead, or too busy to answer in time."""


class LeagueProcesses:
    """The processes of a league."""

    def __init__(self, plan: Plan, begun: Callable[[str], None], show: Callable[[Scoreboard], None]) -> None:
        """`begun` is called with the URL of the league's page, `show` with the scoreboard after every change."""
        self.plan = plan
        self._begun = begun
        self._show = show
        self._children: list[Child] = []
        self._turns = asyncio.Semaphore(AT_ONCE)
        self.was_over = False
        """The league was over before this run."""
        self._is_complete = False
        """The league is over: no agent is started any more."""

    @property
    def pids(self) -> list[int]:
        """The ids of the running processes."""
        return [child.pid for child in self._children if child.is_running]

    def pid_of(self, name: str) -> int:
        return next(child.pid for child in self._children if child.name == name)

    def failing(self) -> tuple[Failing, ...]:
        """The strategies that have failed in this run, from the logs of their players."""
        strategies = dict(zip(self.plan.names, self.plan.strategies, strict=True))
        told: dict[str, Failing] = {}
        for child in self._children:
            if (strategy := strategies.get(child.name)) and (failures := child.failures()):
                new = Failing(strategy=strategy, failures=0, first=failures[0], log=str(child.log_file))
                before = told.get(strategy, new)
                told[strategy] = replace(before, failures=before.failures + len(failures))
        return tuple(told.values())

    async def run(self) -> Scoreboard:
        """Play the league, or the rest of it. The last scoreboard. Raises `DidNotStart` and `CannotResume`."""
        self.plan.stores.mkdir(parents=True, exist_ok=True, mode=0o700)  # logs contain tokens and seeds
        refuse_to_resume(self.plan)
        self.plan.logs.mkdir(parents=True, exist_ok=True)
        try:
            async with asyncio.TaskGroup() as group:
                home = await self._start_manager(group)
                self.was_over = await self._is_over(home)
                starting = None if self.was_over else self._start_others(group, home)
                board = await self._follow(home)
                self._dismiss()
                if starting is not None:
                    await starting
                await self._end()
            return board
        except ExceptionGroup as faults:
            raise faults.exceptions[0] from None
        finally:
            await self._stop()

    async def _stop(self) -> None:
        """Stop the referees first: to a referee, a stopped player would be unreachable."""
        for role in ("referee", "player", "manager"):
            await asyncio.gather(*(child.stop() for child in self._children if child.role == role))

    # the start

    async def _start_manager(self, group: asyncio.TaskGroup) -> str:
        """Start the manager, which all others need. The URL of its page."""
        plan, players = self.plan, str(len(self.plan.strategies))
        manager = await self._start(
            group,
            "manager",
            *("--league", plan.league_id, "--game", plan.game_type),
            *("--players", players, "--most-players", players, "--port", str(plan.port)),
        )
        write_whole(plan.begun, msgspec.json.encode(Begun.of(plan)))
        return manager.endpoint.removesuffix("/mcp")

    async def _is_over(self, home: str) -> bool:
        """Whether the league is over already: then referees and players are not needed.

        If the manager dies now, `_follow` asks it again. This is also the first look at the scoreboard: rounds may be
        over when the last player has started.
        """
        with suppress(*NO_ANSWER):
            async with aiohttp.ClientSession() as session:
                return (await self._look(session, home)).progress is Progress.COMPLETED
        return False

    def _start_others(self, group: asyncio.TaskGroup, home: str) -> asyncio.Task[None]:
        """Start players and referees. Meanwhile the league is followed: it may be over before the last has started."""
        self._begun(home)
        return group.create_task(self._start_in_order(group, f"{home}/mcp"))

    async def _start_in_order(self, group: asyncio.TaskGroup, manager: str) -> None:
        """Start the players first: a referee that continues its matches needs them."""
        plan = self.plan
        at = ("--manager", manager, "--port", "0")
        referees = (
            self._start(group, "referee", "--name", f"referee-{number}", "--capacity", str(plan.capacity), *at)
            for number in range(1, plan.referees + 1)
        )
        players = (
            self._start(group, "player", "--name", name, "--strategy", strategy, *self._seed(name), *at)
            for name, strategy in zip(plan.names, plan.strategies, strict=True)
        )
        for starting in (players, referees):
            await asyncio.wait([group.create_task(start) for start in starting])  # if one fails, the group cancels all

    def _seed(self, name: str) -> tuple[str, ...]:
        return () if self.plan.seed is None else ("--seed", f"{self.plan.seed} {name}")

    async def _start(self, group: asyncio.TaskGroup, role: str, *arguments: str) -> Child:
        plan = self.plan
        name = arguments[1] if role != "manager" else role
        kept = ("--data", str(plan.data), "--store", str(plan.log_of(name)))
        common = (*kept, "--time-scale", str(plan.time_scale))
        child = Child(name, (role, *arguments, *common), plan.logs)
        self._children.append(child)
        async with self._turns:
            if self._is_complete:
                return child
            await child.start()
        group.create_task(child.outlast())
        return child

    def _dismiss(self) -> None:
        """The league is over. A referee that registers now is rejected, so none is started or restarted any more."""
        self._is_complete = True
        for child in self._children:
            child.dismiss()

    # the league

    async def _follow(self, home: str) -> Scoreboard:
        """Show every change until the league is over, and save its report. A manager that dies is restarted."""
        async with aiohttp.ClientSession() as session:
            while True:
                with suppress(*NO_ANSWER):
                    board = await self._watch(session, home)
                    if board.progress is Progress.COMPLETED:
                        write_whole(self.plan.report, await _fetch(session, f"{home}/report"))
                        return board
                await asyncio.sleep(AGAIN_SECONDS)

    async def _watch(self, session: aiohttp.ClientSession, home: str) -> Scoreboard:
        """Show the scoreboard after every change, until the league is over or the manager is gone."""
        async with session.get(f"{home}/events", timeout=aiohttp.ClientTimeout(sock_connect=5)) as news:
            board = await self._look(session, home)
            async for line in news.content:
                if board.progress is Progress.COMPLETED:
                    break
                if line.startswith(b"data:"):
                    board = await self._look(session, home)
            return board

    async def _look(self, session: aiohttp.ClientSession, home: str) -> Scoreboard:
        board = decode(await _fetch(session, f"{home}/board.json"), Scoreboard)
        self._show(board)
        return board

    async def _end(self) -> None:
        """Players and referees end by themselves after the league. Stop those that do not."""
        manager, *others = self._children
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_SECONDS * self.plan.time_scale + 1):
                await asyncio.gather(*(child.ended() for child in others if child.is_running))
        for child in (*others, manager):
            await child.stop()


async def _fetch(session: aiohttp.ClientSession, url: str) -> bytes:
    async with session.get(url, timeout=aiohttp.ClientTimeout(total=ANSWER_SECONDS)) as answer:
        answer.raise_for_status()
        return await answer.read()
