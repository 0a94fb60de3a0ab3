"""One WebSocket that lasts: it connects again when it breaks, until the server closes it for good."""

import asyncio
from contextlib import suppress
from random import Random
from typing import Protocol

import aiohttp

from turnstile.client.backoff import Backoff, is_final
from turnstile.client.errors import Closed
from turnstile.client.frames import AnyFrame, Bye, Update, Welcome, read_frame

CONNECT_SECONDS = 10.0  # from the first byte to the welcome
SILENT_BEATS = 2.5  # after so many beats without a frame, the connection is dead
CLOSE_SECONDS = 2.0
LARGEST_FRAME = 16 * 1024 * 1024

ABNORMAL = 1006  # no close frame came
BAD_REQUEST = 4000
STOP_STATUSES = range(400, 500)
TOO_MANY_REQUESTS = 429


class Owner(Protocol):
    """Who talks over the connection."""

    def hello(self) -> str:
        """The first frame of every connection."""

    async def take(self, frame: AnyFrame, text: str) -> None:
        """A frame from the server, decoded and as it came."""

    def lose(self) -> None:
        """The connection broke. It is made again after a while."""


class Connection:
    """The connection of one owner. `run` is its life."""

    def __init__(self, session: aiohttp.ClientSession, url: str, owner: Owner, chance: Random) -> None:
        self._session, self._url, self._owner = session, url, owner
        self._backoff = Backoff(chance)
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        """The open WebSocket, once the server has said welcome."""
        self._bye: Bye | None = None
        self._heard_at = 0.0
        self._check: asyncio.TimerHandle | None = None

    @property
    def is_open(self) -> bool:
        return self._socket is not None

    async def run(self) -> Closed:
        """Stay connected; why the server has closed the connection for good."""
        while True:
            code, text = await self._connect()
            if is_final(code):
                return Closed(code, text)
            self._owner.lose()
            retry = 0.0 if self._bye is None else self._bye.retry_ms / 1000
            await asyncio.sleep(self._backoff.seconds(code, retry))

    async def send(self, frame: str) -> None:
        """Send a frame, if there is a connection. Whether it arrives is not known: the answer says it."""
        if self._socket is not None:
            with suppress(aiohttp.ClientError, ConnectionError):  # the reading side learns of it, too
                await self._socket.send_str(frame)

    async def _connect(self) -> tuple[int, str]:
        """One connection, from its handshake to its end: its close code, and the sentence that explains it."""
        try:
            code = await self._converse()
            text = f"The connection was closed with code {code}."
        except aiohttp.WSServerHandshakeError as fault:
            is_refused = fault.status in STOP_STATUSES and fault.status != TOO_MANY_REQUESTS
            return (BAD_REQUEST if is_refused else ABNORMAL), f"The server refuses the WebSocket: {fault.status}."
        except (aiohttp.ClientError, OSError, TimeoutError) as fault:
            code, text = ABNORMAL, str(fault)
        finally:
            self._stop_checking()
            self._socket = None
        return (code, text) if self._bye is None else (self._bye.code, self._bye.text)

    async def _converse(self) -> int:
        """Say hello and read until the connection ends. A `bye` says why; proxies turn close codes into others."""
        self._bye = None
        timeout = aiohttp.ClientWSTimeout(ws_close=CLOSE_SECONDS)
        async with (
            asyncio.timeout(CONNECT_SECONDS) as limit,
            self._session.ws_connect(self._url, max_msg_size=LARGEST_FRAME, timeout=timeout) as socket,
        ):
            await socket.send_str(self._owner.hello())
            await self._read(socket, limit)
        return socket.close_code or ABNORMAL

    async def _read(self, socket: aiohttp.ClientWebSocketResponse, limit: asyncio.Timeout) -> None:
        loop, take = asyncio.get_running_loop(), self._owner.take
        while (message := await socket.receive()).type is aiohttp.WSMsgType.TEXT:
            self._heard_at = loop.time()
            frame = read_frame(message.data)
            if isinstance(frame, Bye):
                self._bye = frame
                continue
            if isinstance(frame, Welcome):
                limit.reschedule(None)
                self._check_beat(limit, frame.beat)
                self._socket = socket
            elif isinstance(frame, Update):
                self._backoff.reset()  # a welcome is not enough: a server that fails right after it is left alone
            if frame is not None:
                await take(frame, message.data)

    def _check_beat(self, limit: asyncio.Timeout, beat: float) -> None:
        """End the connection when the server has been silent for too long. It says something at every beat."""
        loop = asyncio.get_running_loop()
        self._stop_checking()
        if loop.time() - self._heard_at > SILENT_BEATS * beat:
            limit.reschedule(loop.time())
        else:
            self._check = loop.call_later(beat, self._check_beat, limit, beat)

    def _stop_checking(self) -> None:
        if self._check is not None:
            self._check.cancel()
