"""A league of agents in one process, each with its own store and its own port on this machine.

`async with company(tmp_path) as here: await here.manager(2)`. Nothing here waits for a time: everything waits
for something to happen, and a test that hangs is ended by `LONGEST`.
"""

import asyncio
import gc
import io
import json
import warnings
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from turnstile.agents.host import Host, Ready, Settings
from turnstile.agents.manager import ManagerHost
from turnstile.agents.player import PlayerHost
from turnstile.agents.referee import RefereeHost
from turnstile.league.manager_state import Options

T = TypeVar("T")
H = TypeVar("H", bound=Host)

LONGEST = 60.0  # seconds, for a machine that has much else to do


def run(work: Coroutine[Any, Any, T]) -> T:
    async def bounded() -> T:
        async with asyncio.timeout(LONGEST):
            return await work

    dropped = Running.dropped
    try:
        return asyncio.run(bounded())
    finally:
        if Running.dropped > dropped:
            gc.collect()  # what was left open is found here, and not by the next test


class Running:
    """An agent that runs: how it is reached, and how it is stopped, in good order or not."""

    dropped = 0
    """How many were, in all."""

    def __init__(self, host: Host, task: asyncio.Task[None], stop: asyncio.Event, ready: Ready) -> None:
        self.host: Any = host
        self.task = task
        self.endpoint = ready.endpoint
        self.port = ready.port
        self._stop = stop

    async def stop(self) -> None:
        self._stop.set()
        await self.task

    async def drop(self) -> None:
        """End it as a crash would: nothing is finished, nobody is told. The file is let go, as the system would.

        It would close the connections, too; here they stay open until the rest of the test is forgotten.
        """
        warnings.filterwarnings("ignore", "unclosed", ResourceWarning)  # until the end of the test
        Running.dropped += 1
        self.task.cancel()
        await asyncio.wait([self.task])

    async def ended(self) -> Host:
        """Wait until it ends by itself."""
        await self.task
        return self.host  # type: ignore[no-any-return]


class Company:
    """Starts agents, all in one data folder and with one journal."""

    def __init__(self, data: Path, pace: float) -> None:
        self.data = data
        self.pace = pace
        self.journal = io.StringIO()
        self.url = ""
        self.running: list[Running] = []
        test = asyncio.current_task()
        assert test is not None
        self._test = test

    def settings(self, name: str, **more: Any) -> Settings:
        known = {"name": name, "data": self.data, "manager": self.url, "pace": self.pace, "log": self.journal}
        return Settings(**{**known, **more})

    async def start(self, host: Host) -> Running:
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
        running = await self.start(ManagerHost(self.settings("league", **settings), options, **more))
        self.url = running.endpoint
        return running

    async def referee(self, name: str = "Whistle", port: int = 0, **more: Any) -> Running:
        settings = {key: more.pop(key) for key in ("reach",) if key in more}
        return await self.start(RefereeHost(self.settings(name, port=port, **settings), **more))

    async def player(self, name: str, strategy: str = "random", port: int = 0, **more: Any) -> Running:
        return await self.start(PlayerHost(self.settings(name, port=port), strategy, **more))

    # what is left of it

    def match_files(self) -> dict[str, Any]:
        files = self.data.glob("data/matches/*/*.json")
        return {path.stem: json.loads(path.read_text()) for path in files}

    def history(self, player: str) -> Any:
        return json.loads((self.data / "data" / "players" / player / "history.json").read_text())


@asynccontextmanager
async def company(data: Path, pace: float = 1.0) -> AsyncIterator[Company]:
    """At its end whatever still runs is stopped."""
    here = Company(data, pace)
    try:
        yield here
    finally:
        for running in here.running:
            if not running.task.cancelled():
                await running.stop()


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that nobody announces; others go on meanwhile."""
    while not condition():
        await asyncio.sleep(0.001)


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
