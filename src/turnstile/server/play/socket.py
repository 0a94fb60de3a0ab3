"""The bytes of one WebSocket. It runs in place of uvicorn's own protocol, so that a frame costs no ASGI message.

Handshake, control frames, fragments and everything unusual are left to the sans-I/O protocol of `websockets`. A whole
text frame in one piece, which is what clients send nearly always, is read here, and frames are written here.

Nothing is buffered beyond a few frames on either side: reading stops while the session is behind, and the session
stops taking updates while the transport's buffer is full.
"""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

from uvicorn.config import Config
from uvicorn.server import ServerState
from websockets.datastructures import Headers
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import OPEN
from websockets.server import ServerProtocol
from websockets.speedups import apply_mask

from turnstile.kernel.values import encode
from turnstile.server.commands import MOST_COMMAND_BYTES
from turnstile.server.errors import Code, ErrorBody, Problem
from turnstile.server.play.closing import CloseCode, Closed

if TYPE_CHECKING:
    from turnstile.server.play.session import Session
    from turnstile.server.play.sessions import Sessions

MOST_FRAME = MOST_COMMAND_BYTES
MOST_WAITING = 16  # frames that were received and not taken yet
MOST_TOGETHER = 16 * 1024  # bytes that wait to be written together
PIECE = 2 * 1024  # bytes that `websockets` reads in one go: a few hundred frames at most
FULL = 64 * 1024  # bytes in the transport's buffer
CLOSE_SECONDS = 2.0  # how long a client may take to answer a close

TEXT = 0x81  # a whole text message
MASKED = 0x80

BINARY = None
"""Stands for a binary message, which no client may send."""


class Gone(Exception):
    """The connection is closed."""


class PlaySocket(asyncio.Protocol):
    """One connection. `session` takes what it receives."""

    def __init__(self, sessions: "Sessions", config: Config, server_state: ServerState, app_state: Any) -> None:
        self._sessions = sessions
        self._connections = server_state.connections
        self._loop = asyncio.get_running_loop()
        self._conn = ServerProtocol(max_size=MOST_FRAME, logger=_QUIET)
        self._inbox: deque[bytes | None] = deque()
        self._outbox: list[bytes] = []
        self._outbox_bytes = 0
        self._parts: list[bytes] = []
        self._is_text = True
        self._waiter: asyncio.Future[None] | None = None
        self._drainer: asyncio.Future[None] | None = None
        self._stay: asyncio.Timeout | None = None
        """Ends what is done only while the client is here."""
        self._is_open = self._is_gone = self._is_paused = False
        self._is_writable = True
        self.session: Session | None = None
        self.transport: asyncio.Transport
        self.rate, self.burst = sessions.frame_rate
        self._left, self._since = self.burst, self._loop.time()

    # the protocol of asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.transport.set_write_buffer_limits(FULL)
        self._connections.add(self)  # type: ignore[arg-type]

    def connection_lost(self, exc: Exception | None) -> None:
        """Wake who waits. The parts let go of each other, so that they need no garbage collection."""
        self._connections.discard(self)
        self._is_open, self._is_gone, self._is_writable = False, True, True
        self._sessions.forget(self)
        _wake(self._waiter)
        _wake(self._drainer)
        if self._stay is not None:
            self._stay.reschedule(self._loop.time())
        self._conn.receive_eof()
        self.session = None
        del self.transport

    def pause_writing(self) -> None:
        self._is_writable = False
        self._pause()

    def resume_writing(self) -> None:
        self._is_writable = True
        _wake(self._drainer)
        if len(self._inbox) < MOST_WAITING:
            self._resume()

    def shutdown(self) -> None:
        """The server has stopped, and every session with it."""
        self.transport.close()

    def data_received(self, data: bytes) -> None:
        conn = self._conn
        if self._is_open and not conn.reader.buffer and conn.current_size is None:
            data = self._read_whole_frames(data)
            if not data:
                return
        for start in range(0, len(data), PIECE):
            if self._is_unread:
                return
            self._read(data[start : start + PIECE])

    def eof_received(self) -> bool:
        return False

    # receiving

    @property
    def _is_unread(self) -> bool:
        """Whether what still comes is forgotten unread: its sender floods, or has broken the WebSocket protocol."""
        return self._left < 0 or self._conn.parser_exc is not None or self._conn.handshake_exc is not None

    def _read(self, data: bytes) -> None:
        """Let `websockets` read some data, and do what it says."""
        conn = self._conn
        conn.receive_data(data)
        for event in conn.events_received():
            if isinstance(event, Frame):
                self._take(event)
            elif isinstance(event, Request):
                self._connect(event)
        if conn.handshake_exc is not None:
            return self._refuse(Problem(Code.BAD_REQUEST, f"Invalid WebSocket handshake: {conn.handshake_exc}."))
        if conn.parser_exc is not None:
            self._fail()
        return self._flush()

    def _read_whole_frames(self, data: bytes) -> bytes:
        """Take all short and whole text frames at the start of the data; what is left is for `websockets`."""
        start, end = 0, len(data)
        while end - start >= 6 and data[start] == TEXT and self._left >= 0:
            length = data[start + 1] - MASKED
            if not 0 <= length <= 125 and length != 126:
                break
            head = start + 2
            if length == 126:
                length = int.from_bytes(data[head : head + 2], "big")
                head += 2
                if not 126 <= length <= MOST_FRAME:
                    break
            stop = head + 4 + length
            if stop > end:
                break
            self._receive(apply_mask(data[head + 4 : stop], data[head : head + 4]))
            start = stop
        return data[start:] if start else data

    def _take(self, frame: Frame) -> None:
        """A frame that `websockets` has read. Control frames count as frames, too: they cost as much."""
        if frame.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
            if frame.opcode is not Opcode.CONT:
                self._parts, self._is_text = [], frame.opcode is Opcode.TEXT
            self._parts.append(bytes(frame.data))
            if not frame.fin:
                self._spend()
            else:
                whole, self._parts = b"".join(self._parts), []
                self._receive(whole if self._is_text else BINARY)
        elif frame.opcode is Opcode.CLOSE:
            self._end()
        else:
            self._spend()

    def _receive(self, frame: bytes | None) -> None:
        if not self._spend() or not self._is_open:
            return
        self._inbox.append(frame)
        _wake(self._waiter)
        if len(self._inbox) >= MOST_WAITING:
            self._pause()

    def _spend(self) -> bool:
        """Take one of the frames that the client may send now; without any, the connection ends."""
        now = self._loop.time()
        self._left = min(self.burst, self._left + (now - self._since) * self.rate) - 1
        self._since = now
        if self._left < 0 and self._is_open and self.session is not None:
            self.session.end(Closed(CloseCode.TOO_FAST))
        return self._left >= 0

    async def receive(self) -> bytes | None:
        """The next text frame, or `BINARY` in place of a binary one. Raises `Gone`."""
        inbox = self._inbox
        while not inbox:
            if not self._is_open:
                raise Gone
            self._waiter = self._loop.create_future()
            await self._waiter
        frame = inbox.popleft()
        if self._is_paused and self._is_writable and len(inbox) < MOST_WAITING:
            self._resume()
        return frame

    @property
    def has_frames(self) -> bool:
        """Whether frames of the client wait to be taken."""
        return bool(self._inbox)

    @asynccontextmanager
    async def while_here(self) -> AsyncIterator[None]:
        """Break off what is done within this context when the client leaves. Raises `Gone` then."""
        if not self._is_open:
            raise Gone
        try:
            async with asyncio.timeout(None) as self._stay:
                yield
        except TimeoutError:
            if self._is_gone:
                raise Gone from None
            raise
        finally:
            self._stay = None

    def _pause(self) -> None:
        if not self._is_paused and not self._is_gone:
            self._is_paused = True
            self.transport.pause_reading()

    def _resume(self) -> None:
        if self._is_paused and not self._is_gone:
            self._is_paused = False
            self.transport.resume_reading()

    # sending

    def send(self, frame: bytes) -> None:
        """Write a text frame, together with all others of this turn of the loop: an answer, and the update after it.

        A full buffer is no reason not to: `drain` waits for it afterwards.
        """
        if not self._is_open:
            return
        size = len(frame)
        if size < 126:
            head = b"\x81" + size.to_bytes(1, "big")
        elif size < 65_536:
            head = b"\x81\x7e" + size.to_bytes(2, "big")
        else:
            head = b"\x81\x7f" + size.to_bytes(8, "big")
        if not self._outbox:
            self._loop.call_soon(self._write)
        self._outbox += (head, frame)
        self._outbox_bytes += size
        if self._outbox_bytes >= MOST_TOGETHER:
            self._write()

    def _write(self) -> None:
        """Write what waits in the outbox."""
        if self._outbox and not self._is_gone:
            self.transport.write(b"".join(self._outbox))
        self._outbox.clear()
        self._outbox_bytes = 0

    @property
    def is_writable(self) -> bool:
        """Whether the buffer has room."""
        return self._is_writable

    async def drain(self, seconds: float) -> None:
        """Wait until the buffer has room. Raises `Closed` if the client reads too slowly."""
        try:
            async with asyncio.timeout(seconds):
                while not self._is_writable:
                    if self._drainer is None or self._drainer.done():
                        self._drainer = self._loop.create_future()
                    await asyncio.shield(self._drainer)
        except TimeoutError:
            raise Closed(CloseCode.TOO_SLOW) from None

    def close(self, code: int, reason: str) -> None:
        """Close with a code. A client that does not answer is cut off."""
        if not self._is_open:
            return
        self._write()
        self._end()
        if self._conn.state is OPEN:
            self._conn.send_close(code, reason[:100])
            self._flush()
        self._resume()

    def _end(self) -> None:
        """The client or the session ends the connection. What cannot be written soon is not written."""
        self._is_open = False
        _wake(self._waiter)
        self._loop.call_later(CLOSE_SECONDS, self.transport.abort)

    def _flush(self) -> None:
        for data in self._conn.data_to_send():
            if data:
                self.transport.write(data)
            else:
                self.transport.close()

    def _fail(self) -> None:
        """The client has broken the WebSocket protocol. `websockets` has a close frame ready, which says how."""
        if self.session is None:
            return
        sent = self._conn.close_sent
        if sent is not None and sent.code == CloseCode.TOO_LARGE:
            self.session.end(Closed(CloseCode.TOO_LARGE, f"A frame may have {MOST_FRAME} bytes at most."))
        else:
            self.session.end(Closed(CloseCode.BROKEN))

    # the handshake

    def _connect(self, request: Request) -> None:
        response = self._conn.accept(request)
        if response.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
            return  # `_read` refuses it
        pairs = [(name.lower().encode(), value.encode("latin-1")) for name, value in request.headers.raw_items()]
        peer = self.transport.get_extra_info("peername")
        try:
            address = self._sessions.admit(request.path, pairs, peer)
        except Problem as problem:
            self._refuse(problem)
        else:
            self._conn.send_response(response)
            self._is_open = True
            self.session = self._sessions.open(self, address)

    def _refuse(self, problem: Problem) -> None:
        """Refuse the handshake as any other request is refused, and not as `websockets` may have done it already."""
        self._sessions.count_refusal(problem)
        response = _refusal(problem)
        if not self._conn.eof_sent:
            self._conn.send_response(response)
        self._conn.data_to_send()
        self.transport.write(response.serialize())
        self.transport.close()


def _refusal(problem: Problem) -> Response:
    body = encode(ErrorBody(problem.details))
    headers = Headers({"Content-Type": "application/json", "Content-Length": str(len(body)), "Connection": "close"})
    if problem.retry_after is not None:
        headers["Retry-After"] = str(problem.retry_after)
    status = HTTPStatus(problem.status)
    return Response(status.value, status.phrase, headers, body)


def _wake(waiter: asyncio.Future[None] | None) -> None:
    if waiter is not None and not waiter.done():
        waiter.set_result(None)


_QUIET = logging.getLogger("turnstile.server.socket")
_QUIET.setLevel(logging.CRITICAL)
