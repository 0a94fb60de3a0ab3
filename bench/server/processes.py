"""The server's side of a run: its processes on one core, and what they use of the machine."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

from tools import postgres

SERVER_CORE, CLIENT_CORE = min(os.sched_getaffinity(0)), max(os.sched_getaffinity(0))
"""Two different ones, where there are two."""
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
ENDLESS = "1000000"
"""A limit that no run reaches."""
ENOUGH = "500"
"""A limit that no player reaches at many tables, but an abuser does."""
UNLIMITED = ("--limit-factor", "1000")
"""For a run without an abuser: at a few tables, two players alone would reach some limits."""
OPTIONS = (
    *("--port", "0"),
    *("--operations-port", "0"),
    *("--trusted-proxies", "127.0.0.1"),
    *("--most-connections", "100000"),
    *("--requests-per-second", ENDLESS),
    *("--frames-per-second", ENOUGH),
    *("--commands-per-second", ENOUGH),
)


@contextmanager
def on_core(core: int) -> Iterator[None]:
    """What is started within this context runs on one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


# what processes use


def cpu_seconds(pids: Sequence[int]) -> float:
    """The CPU time of these processes, in user and system mode."""
    return sum(_cpu_ticks(pid) for pid in pids) / TICKS


def _cpu_ticks(pid: int) -> int:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0  # it has ended
    return sum(map(int, fields[11:15]))  # with the children that it has waited for


def resident_bytes(pids: Sequence[int]) -> int:
    return sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE for pid in pids)


def descendants(pid: int) -> list[int]:
    """A process and all that it has started."""
    found = [pid]
    for each in found:
        for task in Path(f"/proc/{each}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


# servers


class ServerEnded(Exception):
    """A server has ended by itself. The text is the last line of its log."""


class Servers:
    """The processes of one server, and the database below them if there is one."""

    def __init__(self, urls: Sequence[str], pids: Sequence[int], database: int | None) -> None:
        self.urls, self.pids, self._database = tuple(urls), tuple(pids), database

    def cpu(self) -> float:
        return cpu_seconds(self.pids)

    def database_cpu(self) -> float:
        return 0.0 if self._database is None else cpu_seconds(descendants(self._database))

    def memory(self) -> int:
        return resident_bytes(self.pids)


@asynccontextmanager
async def store_of(kind: str) -> AsyncIterator[tuple[str, int | None]]:
    """A new store, and the process of its database. The database runs on the server's core."""
    if kind == "sqlite":
        with TemporaryDirectory() as folder:
            yield f"{folder}/turnstile.db", None
        return
    with on_core(SERVER_CORE):
        database = postgres.Server("max_connections=200")
    try:
        database.start()
        yield database.dsn, database.pid
    finally:
        database.close()


@asynccontextmanager
async def serving(store: str, processes: int, database: int | None, *options: str) -> AsyncIterator[Servers]:
    """`turnstile serve`, so many times on one store, all of them on the server's core. They end cleanly."""
    async with AsyncExitStack() as stack:
        started = [await stack.enter_async_context(_process(store, options)) for _ in range(processes)]
        yield Servers([url for _, url in started], [process.pid for process, _ in started], database)


@asynccontextmanager
async def _process(store: str, options: Sequence[str]) -> AsyncIterator[tuple[Process, str]]:
    words = [sys.executable, "-m", "turnstile", "serve", "--store", store, *OPTIONS, *options]
    with TemporaryFile() as log:
        with on_core(SERVER_CORE):
            process = await asyncio.create_subprocess_exec(*words, stdout=PIPE, stderr=log)
        try:
            assert process.stdout is not None
            told = (await process.stdout.readline()).decode().split()
            assert told[:2] == ["turnstile", "serves"], f"the server did not start: {_last_line(log)}"
            yield process, told[2]
        finally:
            if process.returncode is not None:
                raise ServerEnded(_last_line(log))
            process.terminate()
            await process.communicate()


def _last_line(log: IO[bytes]) -> str:
    log.seek(0)
    return log.read().decode().strip().rpartition("\n")[2]
