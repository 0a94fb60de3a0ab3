"""A seat at a table over the WebSocket: its updates in order, its commands until they are answered.

`connection` holds the WebSocket. An update is folded into the view before it, and is
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

from turnstile.client.backoff import Backoff
from turnstile.client.connection import ABNORMAL, Connection
from turnstile.client.errors import Closed, Refused
from turnstile.client.frames import (
    VERSION,
    Answer,
    AnyFrame,
    Error,
    Ping,
    Presence,
    Refusal,
    TableStatus,
    Update,
    Welcome,
    write_frame,
)
from turnstile.client.values import Status, Turn
from turnstile.kernel.changes import apply_change

DONE = 1000
CLOSED = '"phase":"Closed"'
"""In the status of a table that is closed. A status is decoded only when it is wanted."""
ACKS_MISSING = "AcksMissing"
BAD_FRAME = "BadFrame"
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
        self._token = token
        self._hear = hear or _ignore
        self._chance = chance or SystemRandom()
        self._connection = Connection(session, f"{server}/api/play", self, self._chance)
        self._task: asyncio.Task[None] | None = None
        self._turns: deque[Turn] = deque()
        self._taken: int | None = None
        """The newest update that was given out."""
        self._acked = self._top = 0
        self._history: str | None = None
        """That of the newest update, so that the server notices a restored store."""
        self._welcomed_at: str | None = None
        """The table of the last welcome: the frames that follow are about it."""
        self._is_closed = False
        self._waiters: list[asyncio.Future[None]] = []
        self._pending: dict[str, tuple[str, asyncio.Future[Answer]]] = {}
        """Commands without an answer: what is sent, and who waits."""
        self.fault: Exception | None = None
        """Why nothing more will come, such as `Closed`."""

    @property
    def status(self) -> Status | None:
        """The newest status of the table."""
        return msgspec.json.decode(self._status, type=Status) if self._status else None

    @property
    def is_connected(self) -> bool:
        return self._connection.is_open

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
        try:
            await self._acknowledge()
        finally:
            self._task.cancel()
            self._end(Closed(DONE, "The seat was left."))
        await asyncio.wait({self._task})  # unlike `await self._task`, it raises only if the caller is cancelled
        if not self._task.cancelled():
            self._task.result()

    def _end(self, fault: Exception) -> None:
        """Nothing more will come: tell all who wait."""
        self.fault = self.fault or fault
        self._drop_commands(fault)
        self._wake()

    def _drop_commands(self, fault: Exception) -> None:
        """No answer will come to the commands that wait for one."""
        for _, waiting in self._pending.values():
            if not waiting.done():
                waiting.set_exception(fault)

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

    async def rematch(self) -> str:
        """Agree to play again. Returns the id of the next table when all have agreed: `move_to` goes on there.

        Raises `Refused`, also if the next table could not be opened.
        """
        await self.command("rematch")
        while (status := self.status) is None or status.phase != "Closed":
            await self.wait_for_news()
        if status.successor is None:
            raise Refused("NoRematch", "The table of the rematch could not be opened.")
        return status.successor

    async def move_to(self, table: str) -> None:
        """Go on at another table, such as that of a rematch, over the same connection. Its turns come next."""
        await self._acknowledge()
        self._drop_commands(_left())
        self.table, self.turn, self.is_over = table, None, False
        self._status, self._is_closed, self._taken = b"", False, None
        self._forget_stream()
        await self._connection.send(self.hello())

    async def ask(self, kind: str, /, **fields: Any) -> Answer:
        """The answer to a command, which may be a refusal, after any number of connections."""
        name, table, backoff = token_hex(8), self.table, Backoff(self._chance)
        frame = write_frame(kind, id=name, **fields)
        while True:
            if self.fault is not None:
                raise self.fault
            if self.table != table:
                raise _left()
            waiting: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
            self._pending[name] = frame, waiting
            try:
                await self._send(frame)
                answer = await waiting
            finally:
                self._pending.pop(name, None)
            if answer.error is UNSET or answer.error.code not in TRY_AGAIN:
                return answer
            self.resent += 1
            await asyncio.sleep(backoff.seconds(ABNORMAL, answer.error.seconds or 0.0))

    # sending

    async def _send(self, frame: str) -> None:
        """Send a frame that also says what has arrived."""
        if self._connection.is_open and self._has_news_to_acknowledge():
            self._acked = self.seq or 0
            frame = f'{frame[:-1]},"upto":{self.seq}}}'
        await self._connection.send(frame)

    def _has_news_to_acknowledge(self) -> bool:
        return self.player is not None and self.seq is not None and self.seq > self._acked

    async def _acknowledge(self) -> None:
        """Acknowledge what has arrived, if there is something new."""
        if self._has_news_to_acknowledge():
            self._acked = self.seq or 0
            await self._connection.send(write_frame("ack", upto=self.seq))

    # what the connection brings

    async def _stay_connected(self) -> None:
        try:
            self._end(await self._connection.run())
        except Exception as fault:
            self._end(fault)
            raise

    def hello(self) -> str:
        """The first frame of a connection: who, where, and what has arrived."""
        return write_frame(
            "hello", v=VERSION, table=self.table, token=self._token, last=self.seq, history=self._history
        )

    def lose(self) -> None:
        """The connection broke."""
        self._hear(self, Notice.LOST)

    async def take(self, frame: AnyFrame, text: str) -> None:
        """A frame from the server. What it still says about a table that was left is passed over."""
        if self._welcomed_at != self.table and not isinstance(frame, (Welcome, Ping)):
            return
        match frame:
            case Update():
                await self._take_update(frame)
            case Answer():
                self._settle(frame)
            case Refusal():
                self._refuse(frame)
            case TableStatus():
                self._take_status(text)
            case Welcome():
                await self._begin(frame)
            case Ping():
                await self._send(write_frame("pong"))
            case Presence():
                (self.here.add if frame.here else self.here.discard)(frame.player)
                self._hear(self, Notice.PRESENCE)

    async def _begin(self, welcome: Welcome) -> None:
        """Go on after what has arrived; where the server knows nothing of that, start over."""
        self._welcomed_at = welcome.table
        if welcome.table != self.table:
            return
        if self.player != welcome.seat or (self.seq is not None and welcome.after != self.seq):
            self._forget_stream()
        self._acked = self.seq or 0
        self.player, self.here, self._top = welcome.seat, set(welcome.here), welcome.top
        for frame, waiting in tuple(self._pending.values()):
            if not waiting.done():
                self.resent += 1
                await self._connection.send(frame)
        self._hear(self, Notice.CONNECTED)
        self._wake()

    def _forget_stream(self) -> None:
        self.seq, self._acked, self._history = None, 0, None
        self._turns.clear()

    async def _take_update(self, update: Update) -> None:
        if self.seq is not None and update.seq != self.seq + 1:
            return await self._connection.send(self.hello())  # a gap: say again what we have, on the same connection
        view = update.view
        if update.changed is not UNSET:
            assert self.turn is not None, "the first update on a connection has the whole view"
            view = apply_change(self.turn.view, update.changed)
        self.seq, self._history = update.seq, update.history
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

    def _refuse(self, refusal: Refusal) -> None:
        """A frame that the server cannot read gets no answer. Answers come in the order of the commands, so it is the
        oldest command without one."""
        unanswered = (name for name, (_, waiting) in self._pending.items() if not waiting.done())
        if refusal.code == BAD_FRAME and (name := next(unanswered, None)) is not None:
            self._settle(Answer(name, 0, Error(refusal.code, refusal.message)))


def _left() -> Closed:
    return Closed(DONE, "The table was left.")


def _refused(answer: Answer) -> Refused:
    assert answer.error is not UNSET
    return Refused(answer.error.code, answer.error.message, seq=answer.seq, seconds=answer.error.seconds)


def _ignore(seat: Seat, notice: Notice) -> None:
    """A seat without listeners."""
