"""A seat at a table over the WebSocket: its updates in order, its commands until they are answered.

One task holds the connection, and connects again when it breaks. An update is folded into the view before it, and is
acknowledged when it has arrived; if the player moves at once, the acknowledgement travels with the move.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from random import Random, SystemRandom
from secrets import token_hex
from types import TracebackType
from typing import Any

import aiohttp
import msgspec
from msgspec import UNSET

from turnstile.client.backoff import Backoff, is_final
from turnstile.client.errors import Closed, Refused
from turnstile.client.frames import (
    VERSION,
    Answer,
    Bye,
    Ping,
    Presence,
    TableStatus,
    Update,
    Welcome,
    read_frame,
    write_frame,
)
from turnstile.client.values import Status, Turn
from turnstile.kernel.changes import apply_change

CONNECT_SECONDS = 10.0  # from the first byte to the welcome
SILENT_BEATS = 2.5  # after so many beats without a frame, the connection is dead
CLOSE_SECONDS = 2.0
LARGEST_FRAME = 16 * 1024 * 1024

ABNORMAL = 1006  # no close frame came
DONE = 1000
BAD_REQUEST = 4000
STOP_STATUSES = range(400, 500)
TOO_MANY_REQUESTS = 429

CLOSED = '"phase":"Closed"'
"""In the status of a table that is closed. A status is decoded only when it is wanted."""
ACKS_MISSING = "AcksMissing"
TRY_AGAIN = frozenset({"Busy", "OutcomeUnknown", "Stopping"})
"""Refusals that say nothing about the command: it is sent again, with its id."""
GATE_WAIT = 0.02  # seconds before a move is tried again that came before other players' acknowledgements
LONGEST_GATE_WAIT = 1.0


class Notice(StrEnum):
    """What a seat tells a listener at once; `turn`, `status` and `here` have the details."""

    CONNECTED = "connected"
    LOST = "lost"
    """The connection broke, and the seat connects again."""
    TURN = "turn"
    """An update has arrived. It is also given out in its turn."""
    STATUS = "status"
    PRESENCE = "presence"


Hear = Callable[["Seat", Notice], None]


class Seat:
    """One player's, or one spectator's, way to a table. Use it as a context, and iterate over its turns.

    Iterating ends with the match. It raises `Closed` if the server closes the connection for good.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        server: str,
        table: str,
        token: str | None = None,
        *,
        hear: Hear | None = None,
        chance: Random | None = None,
    ) -> None:
        self.table = table
        self.player: str | None = None
        """Who sits here; `None` for a spectator."""
        self.seq: int | None = None
        """The newest update that has arrived."""
        self.turn: Turn | None = None
        """The newest update, whether it was given out or not."""
        self.here: set[str] = set()
        """The players who are connected."""
        self.is_over = False
        self.resent = 0
        """How many commands were sent again: the answer to one of them may not be that to its first sending."""
        self._status = b""
        self._session, self._url, self._token = session, f"{server}/api/play", token
        self._hear = hear or _ignore
        self._chance = chance or SystemRandom()
        self._backoff = Backoff(self._chance)
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._task: asyncio.Task[None] | None = None
        self._turns: deque[Turn] = deque()
        self._taken: int | None = None
        """The newest update that was given out."""
        self._acked = self._top = 0
        self._is_closed = False
        self._waiters: list[asyncio.Future[None]] = []
        self._pending: dict[str, tuple[str, asyncio.Future[Answer]]] = {}
        """Commands without an answer: what is sent, and who waits."""
        self.fault: Exception | None = None
        """Why nothing more will come, such as `Closed`."""
        self._bye: Bye | None = None
        self._heard_at = 0.0
        self._check: asyncio.TimerHandle | None = None

    @property
    def status(self) -> Status | None:
        """The newest status of the table."""
        return msgspec.json.decode(self._status, type=Status) if self._status else None

    @property
    def is_connected(self) -> bool:
        return self._socket is not None

    # its life

    async def __aenter__(self) -> "Seat":
        self._task = asyncio.create_task(self._stay_connected())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.leave()

    async def leave(self) -> None:
        """Close the connection. The seat is kept: the same player may come back to it."""
        assert self._task is not None, "use it as `async with me.play(table) as seat`"
        await self._acknowledge()
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        self._end(Closed(DONE, "The seat was left."))

    def _end(self, fault: Exception) -> None:
        """Nothing more will come: tell all who wait."""
        self.fault = self.fault or fault
        for _, waiting in self._pending.values():
            if not waiting.done():
                waiting.set_exception(fault)
        self._wake()

    # turns

    def __aiter__(self) -> "Seat":
        return self

    async def __anext__(self) -> Turn:
        while not self._turns:
            if self.is_over:
                raise StopAsyncIteration
            await self.wait_for_news()
        turn = self._turns.popleft()
        self._taken = turn.seq
        return turn

    async def wait_for_news(self) -> None:
        """Wait until something arrives: an update, a status, a connection. Raises `fault` if nothing more will come."""
        if self.fault is not None:
            raise self.fault
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        await waiter

    def _wake(self) -> None:
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._waiters.clear()

    # commands

    async def act(self, move: Any, *, seen: int | None = None) -> bool:
        """Make a move that was decided on the last turn, or on the update `seen`.

        Returns whether it took effect: `False`, if the table has moved on meanwhile; then the next turn says what may
        be done. Raises `Refused`. A move that comes before all players have the last messages waits for them.
        """
        seen, wait = self._taken if seen is None else seen, GATE_WAIT
        while True:
            answer = await self.ask("act", move=move, seen=seen)
            if answer.error is UNSET:
                return True
            if seen is not None and answer.seq > seen:
                return False
            if answer.error.code != ACKS_MISSING:
                raise _refused(answer)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._chance.uniform(wait / 2, wait)):
                    await self.wait_for_news()
            if self._turns:
                return False
            wait = min(2 * wait, LONGEST_GATE_WAIT)

    async def command(self, kind: str, /, **fields: Any) -> int:
        """Any command. Returns the number of the newest update when it took effect. Raises `Refused`."""
        answer = await self.ask(kind, **fields)
        if answer.error is not UNSET:
            raise _refused(answer)
        return answer.seq

    async def resign(self) -> None:
        await self.command("resign")

    async def ask(self, kind: str, /, **fields: Any) -> Answer:
        """The answer to a command, which may be a refusal, after any number of connections."""
        name, backoff = token_hex(8), Backoff(self._chance)
        frame = write_frame(kind, id=name, **fields)
        while True:
            if self.fault is not None:
                raise self.fault
            waiting: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
            self._pending[name] = frame, waiting
            try:
                await self._send(frame, is_ack=True)
                answer = await waiting
            finally:
                self._pending.pop(name, None)
            if answer.error is UNSET or answer.error.code not in TRY_AGAIN:
                return answer
            self.resent += 1
            await asyncio.sleep(backoff.seconds(ABNORMAL, answer.error.seconds or 0.0))

    # sending

    async def _send(self, frame: str, *, is_ack: bool = False) -> None:
        """Send a frame, if there is a connection. `is_ack`: it may say what has arrived."""
        if self._socket is None:
            return
        if is_ack and self.player is not None and self.seq is not None and self.seq > self._acked:
            self._acked = self.seq
            frame = f'{frame[:-1]},"upto":{self.seq}}}'
        with suppress(aiohttp.ClientError, ConnectionError):  # the reading side learns of it, too
            await self._socket.send_str(frame)

    async def _acknowledge(self) -> None:
        """Acknowledge what has arrived, if there is something new."""
        if self.player is not None and self.seq is not None and self.seq > self._acked:
            self._acked = self.seq
            await self._send(write_frame("ack", upto=self.seq))

    # the connection

    async def _stay_connected(self) -> None:
        try:
            while True:
                code, text = await self._connect()
                if is_final(code):
                    return self._end(Closed(code, text))
                self._hear(self, Notice.LOST)
                retry = 0.0 if self._bye is None else self._bye.retry_ms / 1000
                await asyncio.sleep(self._backoff.seconds(code, retry))
        except asyncio.CancelledError:
            raise
        except Exception as fault:
            self._end(fault)
            raise

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
            await socket.send_str(self._hello())
            await self._read(socket, limit)
        return socket.close_code or ABNORMAL

    def _hello(self) -> str:
        return write_frame("hello", v=VERSION, table=self.table, token=self._token, last=self.seq)

    async def _read(self, socket: aiohttp.ClientWebSocketResponse, limit: asyncio.Timeout) -> None:
        loop = asyncio.get_running_loop()
        while True:
            message = await socket.receive()
            if message.type is not aiohttp.WSMsgType.TEXT:
                return
            self._heard_at = loop.time()
            match read_frame(message.data):
                case Update() as update:
                    await self._take(update)
                case Answer() as answer:
                    self._settle(answer)
                case TableStatus():
                    self._take_status(message.data)
                case Welcome() as welcome:
                    limit.reschedule(None)
                    self._check_beat(limit, welcome.beat)
                    await self._begin(socket, welcome)
                case Ping():
                    await self._send(write_frame("pong"), is_ack=True)
                case Presence() as presence:
                    (self.here.add if presence.here else self.here.discard)(presence.player)
                    self._hear(self, Notice.PRESENCE)
                case Bye() as bye:
                    self._bye = bye

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

    async def _begin(self, socket: aiohttp.ClientWebSocketResponse, welcome: Welcome) -> None:
        """Go on after what has arrived; where the server knows nothing of that, start over."""
        if self.player != welcome.seat or (self.seq is not None and welcome.after != self.seq):
            self.seq, self._acked = None, 0
            self._turns.clear()
        self._acked = self.seq or 0
        self.player, self.here, self._top = welcome.seat, set(welcome.here), welcome.top
        self._socket = socket
        for frame, waiting in tuple(self._pending.values()):
            if not waiting.done():
                self.resent += 1
                await self._send(frame)
        self._hear(self, Notice.CONNECTED)
        self._wake()

    async def _take(self, update: Update) -> None:
        if self.seq is not None and update.seq != self.seq + 1:
            return await self._send(self._hello())  # a gap: say again what we have, on the same connection
        self._backoff.reset()
        view = update.view
        if update.changed is not UNSET:
            assert self.turn is not None, "the first update on a connection has the whole view"
            view = apply_change(self.turn.view, update.changed)
        self.seq = update.seq
        self.turn = turn = Turn(update.seq, update.messages, view, update.actions)
        self.is_over = turn.is_last or self._has_all_of_closed_table()
        self._turns.append(turn)
        self._hear(self, Notice.TURN)
        self._wake()
        await asyncio.sleep(0)  # a move that is made at once acknowledges, too
        return await self._acknowledge()

    def _take_status(self, text: str) -> None:
        self._status = text.encode()
        self._is_closed = CLOSED in text
        self.is_over = self.is_over or self._has_all_of_closed_table()
        self._hear(self, Notice.STATUS)
        self._wake()

    def _has_all_of_closed_table(self) -> bool:
        """Whether the table is closed, and every update has arrived. The status may come before them."""
        return self._is_closed and (self.seq or 0) >= self._top

    def _settle(self, answer: Answer) -> None:
        _, waiting = self._pending.get(answer.id, (None, None))
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)


def _refused(answer: Answer) -> Refused:
    assert answer.error is not UNSET
    return Refused(answer.error.code, answer.error.message, seq=answer.seq, seconds=answer.error.seconds)


def _ignore(seat: Seat, notice: Notice) -> None:
    """A seat without listeners."""
