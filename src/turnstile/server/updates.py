"""Streams over HTTP: server-sent events, or a line of JSON each. Both carry the frames of the WebSocket."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from enum import Enum
from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from turnstile.host import Update
from turnstile.host.answers import PASSING
from turnstile.kernel.values import PlayerId
from turnstile.net.serving import ABORT
from turnstile.server.people import Person
from turnstile.server.play.closing import OF_ENDING, CloseCode, Closed
from turnstile.server.play.frames import VERSION, Bye, Welcome, frame_of, status_frame, update_frame
from turnstile.server.readers import Reader

if TYPE_CHECKING:
    from turnstile.server.server import Server

log = logging.getLogger("turnstile.server")

EVENTS = "text/event-stream"
LINES = "application/x-ndjson"
KEEP_ALIVE_SECONDS = 15.0

Marked = tuple[bytes, str | None]
"""A frame, and the mark by which a reader of events goes on after the update in it."""


class Dialect(Enum):
    """How frames are written into a stream."""

    EVENTS = EVENTS
    LINES = LINES

    def write(self, frame: bytes, mark: str | None = None) -> bytes:
        if self is Dialect.LINES:
            return frame + b"\n"
        line = b"" if mark is None else f"id: {mark}\n".encode()
        return line + b"data: " + frame + b"\n\n"

    @property
    def keep_alive(self) -> bytes:
        return b"\n" if self is Dialect.LINES else b":\n\n"


def accepted_dialect(accept: str) -> Dialect | None:
    """The dialect that a request asks for; `None` for plain JSON."""
    return next((dialect for dialect in Dialect if dialect.value in accept), None)


class Stream(Response):
    """A response without an end of its own: its reader leaves, is replaced or too slow, or the server stops."""

    def __init__(
        self,
        server: "Server",
        frames: AsyncGenerator[Marked, None],
        dialect: Dialect,
        address: str,
        person: Person | None = None,
        token: bytes | None = None,
        write_bye: Callable[[Closed], bytes] | None = None,
    ) -> None:
        """`write_bye`: writes the last words of a stream that has other items than frames."""
        super().__init__(media_type=dialect.value, headers={"X-Accel-Buffering": "no"})
        self.raw_headers = [pair for pair in self.raw_headers if pair[0] != b"content-length"]
        self.address = address
        self.token = token
        self.player: PlayerId | None = None if person is None else person.player
        self._server = server
        self._frames = frames
        self._dialect = dialect
        self._closed: Closed | None = None
        self._write_bye = write_bye or self._bye_frame
        self._ended = asyncio.Event()

    def end(self, closed: Closed) -> None:
        """Say why, and close."""
        self._closed = self._closed or closed
        self._ended.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        server = self._server
        server.sessions.add(self)
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            await self._run(receive, send)
            if self._closed is not None and self._closed.code is CloseCode.TOO_SLOW:
                scope.get("extensions", {}).get(ABORT, _nothing)()
                return
            bye = b"" if self._closed is None else self._write_bye(self._closed)
            await send({"type": "http.response.body", "body": bye})
        finally:
            server.sessions.discard(self)

    def _bye_frame(self, closed: Closed) -> bytes:
        return self._dialect.write(frame_of(Bye(code=closed.code, retry_ms=closed.retry_ms, text=closed.text)))

    async def _run(self, receive: Receive, send: Send) -> None:
        """Send until the first of these ends: the frames, the client, the connection's right to be."""
        works = (self._carry(send), self._keep_alive(send), _until_left(receive), self._ended.wait())
        tasks: list[asyncio.Task[object]] = [asyncio.create_task(work) for work in works]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _carry(self, send: Send) -> None:
        try:
            async with aclosing(self._frames) as frames:
                async for frame, mark in frames:
                    await self._write(send, self._dialect.write(frame, mark))
        except Closed as closed:
            self.end(closed)
        except TimeoutError:
            self.end(Closed(CloseCode.TOO_SLOW))
        except PASSING as fault:
            log.warning("The store: %s", fault)
            self.end(Closed(CloseCode.OVERLOADED))
        except Exception:
            log.exception("A stream has failed")
            self.end(Closed(CloseCode.OVERLOADED))

    async def _keep_alive(self, send: Send) -> None:
        """Proxies close connections on which nothing happens."""
        while True:
            await asyncio.sleep(KEEP_ALIVE_SECONDS)
            try:
                await self._write(send, self._dialect.keep_alive)
            except TimeoutError:
                return self.end(Closed(CloseCode.TOO_SLOW))

    async def _write(self, send: Send, piece: bytes) -> None:
        async with asyncio.timeout(self._server.settings.slow_seconds):
            await send({"type": "http.response.body", "body": piece, "more_body": True})


async def _until_left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _nothing() -> None:
    pass


async def update_frames(server: "Server", reader: Reader) -> AsyncGenerator[Marked, None]:
    """The welcome, and then status and updates as they come. Raises `Closed` when the host ends the line."""
    try:
        yield frame_of(welcome(server, reader)), None
        async for item in reader:
            if isinstance(item, Update):
                yield update_frame(item), f"{item.seq}-{item.history}"
            else:
                yield status_frame(item.body), None
        raise Closed(OF_ENDING[reader.ending])
    finally:
        server.readers.close(reader)


def welcome(server: "Server", reader: Reader) -> Welcome:
    """The first frame of every stream, and of every WebSocket."""
    return Welcome(
        v=VERSION,
        table=reader.table,
        seat=reader.player,
        after=reader.after,
        resumed=reader.is_resumed,
        top=reader.top,
        now=server.host.store.now(),
        beat=server.settings.beat_seconds,
        here=server.readers.present(reader),
    )


async def list_frames(server: "Server", game: str | None, phase: str | None) -> AsyncGenerator[Marked, None]:
    """The list of open tables, and then its changes."""
    async with aclosing(server.lobby.watch(game, phase)) as changes:
        async for change in changes:
            yield change, None
