"""Servers in processes of their own, to be killed, paused and started again, and a proxy in front of several."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path
from subprocess import PIPE, Popen

from tests.child_process import ChildProcess
from tests.proxy import Line

BEAT = 0.5  # seconds: a client notices a paused server soon


@contextmanager
def served(folder: Path, *options: str) -> Iterator[str]:
    """The address of a server in a process of its own, for tests that are not asynchronous themselves."""
    words = ["serve", "--port", "0", "--operations-port", "0", "--store", str(folder / "turnstile.db"), *options]
    with Popen([sys.executable, "-m", "turnstile", *words], stdout=PIPE) as serving:
        assert serving.stdout is not None
        try:
            yield serving.stdout.readline().decode().split()[2]
        finally:
            serving.terminate()
            assert serving.wait(30) == 0


class ServerProcess(ChildProcess):
    """`turnstile serve` on a store: `async with ServerProcess(store) as server`.

    Started again, it listens on the same port.
    """

    def __init__(self, store: str, *options: str) -> None:
        self._options = ("--store", store, "--operations-port", "0", "--beat-seconds", str(BEAT), *options)
        super().__init__(*self._words(0))
        self.port = 0

    def _words(self, port: int) -> tuple[str, ...]:
        return ("-m", "turnstile", "serve", "--port", str(port), *self._options)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def take_ready(self, line: str) -> None:
        words = line.split()
        assert words[:2] == ["turnstile", "serves"], line
        self.port = int(words[2].rpartition(":")[2])
        self.words = self._words(self.port)


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
