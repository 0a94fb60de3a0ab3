"""A league of agents in one process, each with its own store and its own port on this machine.

`async with in_process_agents(tmp_path) as here: await here.manager(2)`. Nothing here waits for a time: everything waits
for something to happen, and `run` ends a test that hangs. Where a timer is to run out, the test says so
(`run_out`), and then it has: the clock of everybody here is set forth. No other timer is so short that it could run
out because the machine is slow.
"""

import asyncio
import gc
import io
import json
import time
import warnings
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.agents import loops
from tests.agents.loops import until
from turnstile.agents.manager.process import ManagerProcess
from turnstile.agents.player.process import PlayerProcess
from turnstile.agents.process.process import AgentProcess, Ready, Settings
from turnstile.agents.process.running import RunningMachine
from turnstile.agents.referee.process import RefereeProcess
from turnstile.league.manager.state import Options
from turnstile.store import opening
from turnstile.store.opening import is_database
from turnstile.store.protocol import Store
from turnstile.store.sqlite.store import SqliteStore

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    dropped = Running.dropped
    try:
        return loops.run(work)
    finally:
        if Running.dropped > dropped:
            gc.collect()  # what was left open is found here, and not by the next test


async def open_store(where: str) -> Store:
    """A store whose clock is that of the loop, when it is set forth, too."""
    loop = loops.current()
    ahead = loop.ahead
    if is_database(where):
        return await opening.open_store(where)
    return await SqliteStore.open(
        where, wall=lambda: time.time_ns() + round(ahead * 1e9), monotonic=lambda: round(loop.time() * 1e9)
    )


class Running:
    """An agent that runs: how it is reached, and how it is stopped, in good order or not."""

    dropped = 0
    """How many were, in all."""

    def __init__(self, host: AgentProcess, task: asyncio.Task[None], stop: asyncio.Event, ready: Ready) -> None:
        self.host: Any = host
        self.task = task
        self.endpoint = ready.endpoint
        self.port = ready.port
        self._stop = stop

    async def stop(self) -> None:
        self._stop.set()
        await self.task

    async def drop(self) -> None:
        """End it at once: its calls are dropped, files are not written to last, what waits for it hears that it stops.

        What a kill leaves behind is tried with processes (`processes.py`). Connections stay open here until the rest of
        the test is forgotten.
        """
        warnings.filterwarnings("ignore", "unclosed", ResourceWarning)  # until the end of the test
        Running.dropped += 1
        self.task.cancel()
        await asyncio.wait([self.task])

    async def run_out(self, *timers: str) -> None:
        """As soon as one of its machines waits for nothing but one of these timers, it has run out."""
        await until(lambda: self._left(timers) > 0)
        loops.pass_time(self._left(timers))

    def _left(self, timers: tuple[str, ...]) -> float:
        """Seconds, of the one that runs longest."""
        now = self.host.agent.store.now()
        matches = getattr(self.host, "_matches", None)
        works: list[RunningMachine[Any]] = [self.host.work, *(matches._all.values() if matches else ())]
        waiting = [work.keeper.timers for work in works if len(work.keeper.timers) == 1]
        dues = (timer.due for each in waiting for timer in each if timer.name in timers)
        return max((due - now for due in dues), default=0) / 1000

    @asynccontextmanager
    async def running_out(self, *timers: str) -> AsyncIterator[None]:
        """Within this, that happens whenever a machine of its so waits."""

        async def time_passes() -> None:
            while True:
                await self.run_out(*timers)

        passing = asyncio.create_task(time_passes())
        try:
            yield
        finally:
            passing.cancel()

    async def ended(self) -> AgentProcess:
        """Wait until it ends by itself."""
        await self.task
        return self.host  # type: ignore[no-any-return]


class InProcessAgents:
    """Starts agents, all in one data folder and with one journal."""

    def __init__(self, data: Path, time_scale: float) -> None:
        self.data = data
        self.time_scale = time_scale
        self.store: str | None = None
        """One store for all of them, instead of a file for each."""
        self.journal = io.StringIO()
        self.url = ""
        self.running: list[Running] = []
        test = asyncio.current_task()
        assert test is not None
        self._test = test

    def settings(self, name: str, **more: Any) -> Settings:
        known = {
            "name": name,
            "data": self.data,
            "manager": self.url,
            "time_scale": self.time_scale,
            "log": self.journal,
            "store": self.store,
        }
        return Settings(**{**known, **more})

    async def start(self, host: AgentProcess) -> Running:
        ready: asyncio.Future[Ready] = asyncio.get_running_loop().create_future()
        stop = asyncio.Event()
        task = asyncio.create_task(host.run(stop, ready.set_result))
        told: list[asyncio.Future[Any]] = [task, ready]
        await asyncio.wait(told, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
        running = Running(host, task, stop, await ready)
        self.running.append(running)
        task.add_done_callback(self._ended)
        return running

    def _ended(self, task: asyncio.Task[None]) -> None:
        """An agent that breaks down ends the test."""
        if not task.cancelled() and task.exception() is not None:
            self._test.cancel()

    async def manager(self, expected: int | None = None, **more: Any) -> Running:
        settings = {key: more.pop(key) for key in ("port", "reach") if key in more}
        options = Options(expected_players=expected, **more.pop("options", {}))
        running = await self.start(ManagerProcess(self.settings("league", **settings), options, **more))
        self.url = running.endpoint
        return running

    async def referee(self, name: str = "Whistle", port: int = 0, **more: Any) -> Running:
        settings = {key: more.pop(key) for key in ("reach",) if key in more}
        return await self.start(RefereeProcess(self.settings(name, port=port, **settings), **more))

    async def player(self, name: str, strategy: str = "random", port: int = 0, **more: Any) -> Running:
        return await self.start(PlayerProcess(self.settings(name, port=port), strategy, **more))

    # what is left of it

    def match_files(self) -> dict[str, Any]:
        files = self.data.glob("data/matches/*/*.json")
        return {path.stem: json.loads(path.read_text()) for path in files}

    def history(self, player: str) -> Any:
        return json.loads((self.data / "data" / "players" / player / "history.json").read_text())


@asynccontextmanager
async def in_process_agents(data: Path, time_scale: float = 1.0) -> AsyncIterator[InProcessAgents]:
    """At its end whatever still runs is stopped."""
    here = InProcessAgents(data, time_scale)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("turnstile.agents.process.process.open_store", open_store)
        try:
            yield here
        finally:
            for running in here.running:
                if not running.task.cancelled():
                    await running.stop()


def points_of(files: dict[str, Any]) -> dict[str, int]:
    """What the files of all matches add up to."""
    points: dict[str, int] = {}
    for match in files.values():
        for player, score in match["result"]["score"].items():
            points[player] = points.get(player, 0) + score
    return points


def standings_of(state: Any) -> dict[str, int]:
    return {f"P{place + 1:02}": tally.points for place, tally in enumerate(state.tallies)}


def pairings(files: dict[str, Any]) -> list[tuple[str, str]]:
    return sorted(tuple(sorted(match["players"].values())) for match in files.values())
