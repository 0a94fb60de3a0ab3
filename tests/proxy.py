"""A line to a server that a test can damage: it goes deaf, freezes, breaks, or breaks on one side only."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit


class Line:
    """Carries bytes between clients and a server's socket."""

    def __init__(self, target: str | tuple[str, int]) -> None:
        self._target = target
        self._pairs: list[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = []
        self._carrying: set[asyncio.Task[None]] = set()
        self._flows = asyncio.Event()
        self._flows.set()
        self.is_deaf = False
        """What the server says is lost."""
        self.is_cut = False
        """Nobody gets through."""

    async def meet(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        if self.is_cut:
            client.transport.abort()
            return
        if isinstance(self._target, str):
            from_server, server = await asyncio.open_unix_connection(self._target)
        else:
            from_server, server = await asyncio.open_connection(*self._target)
        self._pairs.append((client, server))
        for source, sink, is_server in ((reader, server, False), (from_server, client, True)):
            task = asyncio.create_task(self._carry(source, sink, is_server))
            self._carrying.add(task)
            task.add_done_callback(self._carrying.discard)

    def freeze(self) -> None:
        """From now on no byte arrives, in either direction, and nobody is told."""
        self._flows.clear()

    def cut(self) -> None:
        """Break every connection, on both sides."""
        for pair in self._pairs:
            for end in pair:
                end.transport.abort()
        self._pairs.clear()

    def abandon(self) -> None:
        """Break every connection on the client's side only: the server goes on as if somebody were there."""
        for client, _ in self._pairs:
            client.transport.abort()

    def mend(self) -> None:
        self.is_deaf = self.is_cut = False
        self._flows.set()

    async def close(self) -> None:
        self.is_cut = True
        self.cut()
        for task in tuple(self._carrying):
            task.cancel()
        if self._carrying:
            await asyncio.wait(self._carrying)

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, is_server: bool) -> None:
        try:
            while some := await source.read(65536):
                await self._flows.wait()
                if not (is_server and self.is_deaf):
                    sink.write(some)
            if is_server:
                sink.transport.abort()
        except ConnectionError:
            return  # one of the two has gone; the other is told by `cut`, or deliberately not


@asynccontextmanager
async def line_to(dsn: str) -> AsyncIterator[tuple[Line, str]]:
    """A line to the server at an address, and the address at which its near end is."""
    far = urlsplit(dsn)
    options = dict(parse_qsl(far.query))
    folder = options.pop("host", None)
    line = Line(f"{folder}/.s.PGSQL.{far.port or 5432}" if folder else (far.hostname or "", far.port or 5432))
    near = await asyncio.start_server(line.meet, "127.0.0.1", 0)
    port = near.sockets[0].getsockname()[1]
    who, _, _ = far.netloc.rpartition("@")
    try:
        yield line, urlunsplit(far._replace(netloc=f"{who}@127.0.0.1:{port}", query=urlencode(options)))
    finally:
        near.close()
        await line.close()
