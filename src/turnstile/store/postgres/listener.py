"""What other processes have changed, as PostgreSQL's notifications tell. They are wake-ups: any of them may be lost."""

import asyncio
import logging
from collections.abc import AsyncIterator
from weakref import WeakSet

import asyncpg

from turnstile.kernel.values import LogId
from turnstile.store.postgres.connections import Connector, answered, close
from turnstile.store.postgres.faults import ERRORS
from turnstile.store.postgres.writer import Voice
from turnstile.store.protocol import StoreFault

LOOK_AGAIN = 10.0
"""Seconds after which a silent connection is asked whether it is still there."""

INBOX = 10_000
"""Changed tables that wait for one reader; more are dropped, and polling finds them."""

_log = logging.getLogger(__name__)


class Inbox(AsyncIterator[LogId]):
    """Changed tables, each once however often it changed before it was read."""

    def __init__(self) -> None:
        self._logs: dict[LogId, None] = {}
        self._news = asyncio.Event()
        self._is_closed = False

    def put(self, log: LogId) -> None:
        if len(self._logs) < INBOX:
            self._logs[log] = None
            self._news.set()

    def close(self) -> None:
        self._is_closed = True
        self._news.set()

    async def __anext__(self) -> LogId:
        while not self._logs:
            if self._is_closed:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        log = next(iter(self._logs))
        del self._logs[log]
        return log


class Listener:
    """Listens for as long as the store is open, on a connection of its own, which it makes anew when it breaks."""

    def __init__(self, connector: Connector, voice: Voice) -> None:
        self._connector = connector
        self._voice = voice
        self._inboxes: WeakSet[Inbox] = WeakSet()
        self._patience = connector.address.patience
        self._connection: asyncpg.Connection | None = None
        self._broken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False

    async def start(self) -> None:
        """Listen from here on."""
        await self._listen()
        self._task = asyncio.create_task(self._go_on())

    def inbox(self) -> Inbox:
        """A reader of its own for who asks; what happened before is not in it."""
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
        """Silence may be a broken line, too, so now and then the other side is asked."""
        while self._connection is not None and not self._connection.is_closed():
            try:
                async with asyncio.timeout(LOOK_AGAIN):
                    await self._broken.wait()
            except TimeoutError:
                asking = self._connection.execute("SELECT 1")
                await answered(self._connection, asking, self._connector.deadline())

    async def _listen(self) -> None:
        self._connection = await self._connector.connect()
        self._broken = asyncio.Event()
        self._connection.add_termination_listener(lambda _, broken=self._broken: broken.set())
        await self._connection.add_listener(self._voice.channel, self._hear)

    def _hear(self, _connection: object, _session: int, _channel: str, payload: object) -> None:
        origin, _, log = str(payload).partition(" ")
        if origin != self._voice.origin:
            for inbox in self._inboxes:
                inbox.put(LogId(log))
