"""Listens to PostgreSQL's notifications of what other processes changed. They are wake-ups: any may be lost."""

import asyncio
import logging
from collections.abc import AsyncIterator
from weakref import WeakSet

import asyncpg

from turnstile.kernel.values import LogId
from turnstile.store.log import Position
from turnstile.store.postgres.connections import Connector, close, wait_for_answer
from turnstile.store.postgres.faults import ERRORS
from turnstile.store.postgres.writer import Channel
from turnstile.store.protocol import Change, StoreFault

LOOK_AGAIN = 10.0
"""Seconds of silence after which the listener checks that the connection still works."""

INBOX = 10_000
"""Changed logs that may wait for one reader. Further ones are dropped, and polling finds them."""

_log = logging.getLogger(__name__)


class Inbox(AsyncIterator[Change]):
    """Changed logs. A log that changes several times before it is read appears once, with its newest position."""

    def __init__(self) -> None:
        self._logs: dict[LogId, Position | None] = {}
        self._news = asyncio.Event()
        self._is_closed = False

    def put(self, log: LogId, position: Position | None) -> None:
        """A change that is not an entry prevails over entries: the log may be gone."""
        if len(self._logs) < INBOX:
            known = self._logs.get(log, -1)
            self._logs[log] = None if position is None or known is None else max(position, known)
            self._news.set()

    def close(self) -> None:
        self._is_closed = True
        self._news.set()

    async def __anext__(self) -> Change:
        while not self._logs:
            if self._is_closed:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        log = next(iter(self._logs))
        return Change(log, self._logs.pop(log))


class Listener:
    """Listens while the store is open, on its own connection. It reconnects when the connection breaks."""

    def __init__(self, connector: Connector, channel: Channel) -> None:
        self._connector = connector
        self._channel = channel
        self._inboxes: WeakSet[Inbox] = WeakSet()
        self._patience = connector.address.patience
        self._connection: asyncpg.Connection | None = None
        self._broken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False

    async def start(self) -> None:
        """Connect and start to listen."""
        await self._listen()
        self._task = asyncio.create_task(self._go_on())

    def inbox(self) -> Inbox:
        """A new inbox for one reader. It holds only changes from now on."""
        inbox = Inbox()
        if self._is_closed:
            inbox.close()
        else:
            self._inboxes.add(inbox)
        return inbox

    async def close(self) -> None:
        self._is_closed = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))
        if self._connection is not None:
            await close(self._connection, self._patience)
        for inbox in tuple(self._inboxes):
            inbox.close()

    async def _go_on(self) -> None:
        while True:
            try:
                await self._until_it_breaks()
                await self._listen()
            except (StoreFault, *ERRORS) as error:
                _log.warning("No notifications from PostgreSQL for now: %s", error)
                if self._connection is not None:
                    self._connection.terminate()

    async def _until_it_breaks(self) -> None:
        """A silent connection may be broken, so ask the database from time to time."""
        while self._connection is not None and not self._connection.is_closed():
            try:
                async with asyncio.timeout(LOOK_AGAIN):
                    await self._broken.wait()
            except TimeoutError:
                asking = self._connection.execute("SELECT 1")
                await wait_for_answer(self._connection, asking, self._connector.deadline())

    async def _listen(self) -> None:
        self._connection = await self._connector.connect()
        self._broken = asyncio.Event()
        self._connection.add_termination_listener(lambda _, broken=self._broken: broken.set())
        await self._connection.add_listener(self._channel.name, self._hear)

    def _hear(self, _connection: object, _session: int, _channel: str, payload: object) -> None:
        origin, *changes = str(payload).split("\n")
        if origin == self._channel.origin:
            return
        for change in changes:
            position, _, log = change.partition(" ")
            for inbox in self._inboxes:
                inbox.put(LogId(log), int(position) if position.isdecimal() else None)
