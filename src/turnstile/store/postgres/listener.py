"""What other processes have changed, as PostgreSQL's notifications tell. They are wake-ups: any of them may be lost."""

import asyncio
import logging
from collections.abc import AsyncIterator
from weakref import WeakSet

import asyncpg

from turnstile.store.log import TableId
from turnstile.store.postgres.connections import Connector, close
from turnstile.store.postgres.faults import ERRORS
from turnstile.store.postgres.writer import Voice
from turnstile.store.protocol import StoreFault

LOOK_AGAIN = 10.0
"""Seconds after which a silent connection is asked whether it is still there."""

INBOX = 10_000
"""Changed tables that wait for one reader; more are dropped, and polling finds them."""

_log = logging.getLogger(__name__)


class Inbox(AsyncIterator[TableId]):
    """Changed tables, each once however often it changed before it was read."""

    def __init__(self) -> None:
        self._tables: dict[TableId, None] = {}
        self._news = asyncio.Event()
        self._is_closed = False

    def put(self, table: TableId) -> None:
        if len(self._tables) < INBOX:
            self._tables[table] = None
            self._news.set()

    def close(self) -> None:
        self._is_closed = True
        self._news.set()

    async def __anext__(self) -> TableId:
        while not self._tables:
            if self._is_closed:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        table = next(iter(self._tables))
        del self._tables[table]
        return table


class Listener:
    """Listens for as long as the store is open, on a connection of its own, which it makes anew when it breaks."""

    def __init__(self, connector: Connector, voice: Voice) -> None:
        self._connector = connector
        self._voice = voice
        self._inboxes: WeakSet[Inbox] = WeakSet()
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False

    async def start(self) -> None:
        """Listen from here on."""
        connection = await self._listen()
        self._task = asyncio.create_task(self._go_on(connection))

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
        for inbox in tuple(self._inboxes):
            inbox.close()

    async def _go_on(self, connection: asyncpg.Connection) -> None:
        while True:
            try:
                await self._until_it_breaks(connection)
            finally:
                await close(connection, self._connector.address.patience)
            connection = await self._listen_again()

    async def _until_it_breaks(self, connection: asyncpg.Connection) -> None:
        broken = asyncio.Event()
        connection.add_termination_listener(lambda _: broken.set())
        while not connection.is_closed():
            try:
                async with asyncio.timeout(LOOK_AGAIN):
                    await broken.wait()
            except TimeoutError:
                try:
                    await connection.execute("SELECT 1", timeout=self._connector.address.patience)
                except ERRORS as error:
                    _log.warning("Notifications from PostgreSQL stopped: %s.", error)
                    return

    async def _listen_again(self) -> asyncpg.Connection:
        while True:
            try:
                return await self._listen()
            except (StoreFault, *ERRORS) as error:
                _log.warning("No notifications from PostgreSQL for now: %s", error)

    async def _listen(self) -> asyncpg.Connection:
        connection = await self._connector.connect()
        await connection.add_listener(self._voice.channel, self._hear)
        return connection

    def _hear(self, _connection: object, _session: int, _channel: str, payload: object) -> None:
        origin, _, table = str(payload).partition(" ")
        if origin != self._voice.origin:
            for inbox in self._inboxes:
                inbox.put(TableId(table))
