"""Servers in processes of their own, to be killed, paused and started again, and a proxy in front of several."""

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path
from subprocess import Popen
from types import TracebackType

from tests.proxy import Line

BEAT = 0.5  # seconds: a client notices a paused server soon


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server in a process of its own, for tests that are not asynchronous themselves."""
    words = ["serve", "--port", "0", "--operations-port", "0", "--store", str(folder / "turnstile.db")]
    with Popen([sys.executable, "-m", "turnstile", *words], stdout=PIPE) as serving:
        assert serving.stdout is not None
        try:
            yield serving.stdout.readline().decode().split()[2]
        finally:
            serving.terminate()


class ServerProcess:
    """`turnstile serve` on a store: `async with ServerProcess(store) as server`. It is gone at the end.

    Started again, it listens on the same port.
    """

    def __init__(self, store: str, *options: str) -> None:
        self._words = ["--store", store, "--operations-port", "0", "--beat-seconds", str(BEAT), *options]
        self._process: Process | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> "ServerProcess":
        try:
            await self.start()
        except BaseException:
            await self.kill()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.kill()

    async def start(self) -> None:
        command = [sys.executable, "-W", "error", "-m", "turnstile", "serve", "--port", str(self.port), *self._words]
        self._process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE)
        assert self._process.stdout is not None
        words = (await self._process.stdout.readline()).decode().split()
        if words[:2] != ["turnstile", "serves"]:
            raise AssertionError(f"The server did not start: {await self._errors()}")
        self.port = int(words[2].rpartition(":")[2])

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    async def kill(self) -> None:
        """SIGKILL: at once, even if it is paused."""
        if self._process is None:
            return
        if self._process.returncode is None:
            self._process.kill()
        await self._process.communicate()

    async def stop(self) -> None:
        """SIGTERM: it finishes what was begun, and reports no error."""
        assert self._process is not None
        self._process.terminate()
        _, errors = await self._process.communicate()
        assert self._process.returncode == 0, f"The server ended with {self._process.returncode}: {errors.decode()}"

    async def _errors(self) -> str:
        assert self._process is not None
        assert self._process.stderr is not None
        return (await self._process.stderr.read()).decode()


@asynccontextmanager
async def several(number: int, store: str, *options: str) -> AsyncIterator[list[ServerProcess]]:
    """So many servers on one store."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(ServerProcess(store, *options)) for _ in range(number)]


@asynccontextmanager
async def round_robin(servers: Sequence[ServerProcess]) -> AsyncIterator[str]:
    """A proxy that gives each new connection to the next server, or to the one after it if nothing listens there."""
    lines = [Line(("127.0.0.1", server.port)) for server in servers]
    turns = count()

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = next(turns)
        for number in range(len(lines)):
            try:
                return await lines[(first + number) % len(lines)].meet(reader, writer)
            except ConnectionError:
                continue  # it was killed
        writer.transport.abort()
        return None

    near = await asyncio.start_server(meet, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{near.sockets[0].getsockname()[1]}"
    finally:
        near.close()
        for line in lines:
            await line.close()
