"""A small pool of connections to PostgreSQL. It connects when needed and reconnects after a failure. Every wait ends.

Only tasks of the store use a connection, so a cancelled caller never leaves a connection in the middle of a statement.
"""

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple, TypeVar

import asyncpg

from turnstile.store.postgres.faults import ERRORS, fault_of, is_lost
from turnstile.store.protocol import BAD_ADDRESS, Busy, CannotOpen

FIRST_PAUSE, LONGEST_PAUSE = 0.02, 1.0
"""Seconds between two attempts to connect. The pause doubles from the first to the longest, minus a random part."""

LOCK_WAIT = 0.2
"""The part of its patience that a store waits for a locked row: an operator in a shell may hold the lock."""

_HOPELESS = (
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.ClientConfigurationError,
)

_SETTINGS = {
    # Every statement has an index. A plan from when the SQL tables were small must not scan them when they are large.
    "enable_seqscan": "off",
    "jit": "off",
    "idle_in_transaction_session_timeout": "10000",
    "default_transaction_isolation": "read committed",  # the statements rely on it
}

_log = logging.getLogger(__name__)
Found = TypeVar("Found")


class Lost(Exception):
    """The connection broke during the work, so it may or may not be done."""


class Address(NamedTuple):
    """Where a store is, and how long to wait for it."""

    dsn: str
    schema: str
    patience: float
    """Seconds that a call waits for the database before it fails."""


class Connector:
    """Opens connections one at a time, with growing pauses after failures: a restarting database is not overrun."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._turn = asyncio.Lock()
        self._failures = 0
        self._not_before = 0.0

    async def connect(self, deadline: float | None = None) -> asyncpg.Connection:
        """A new connection. Raises `Busy` when there is none in time, `CannotOpen` when there will never be one."""
        why: Exception | None = None
        try:
            async with asyncio.timeout_at(self.deadline() if deadline is None else deadline):
                while True:
                    try:
                        return await self._attempt()
                    except _HOPELESS as error:
                        raise CannotOpen(f"PostgreSQL refuses the connection: {error}.") from error
                    except ERRORS as error:
                        why = error
                    except ValueError:  # its text may have a part of a password in it
                        raise CannotOpen(BAD_ADDRESS) from None
        except TimeoutError as late:
            raise Busy(f"PostgreSQL cannot be reached: {why or 'it does not answer'}.") from (why or late)

    def deadline(self) -> float:
        """When a wait that begins now must end, by the clock of the event loop."""
        return asyncio.get_running_loop().time() + self.address.patience

    async def _attempt(self) -> asyncpg.Connection:
        clock = asyncio.get_running_loop().time
        async with self._turn:
            await asyncio.sleep(max(0.0, self._not_before - clock()))
            try:
                connection = await self._open()
            except (CannotOpen, *ERRORS):
                longest = min(LONGEST_PAUSE, self.address.patience / 4)  # leaves a new caller a few attempts
                pause = min(longest, FIRST_PAUSE * 2**self._failures)
                self._failures = min(self._failures + 1, 10)
                self._not_before = clock() + pause * random.uniform(0.5, 1)
                raise
            self._failures = 0
            return connection

    async def _open(self) -> asyncpg.Connection:
        schema = self.address.schema
        settings = {
            **_SETTINGS,
            "application_name": f"turnstile {schema}",
            "search_path": schema,
            "lock_timeout": f"{round(self.address.patience * LOCK_WAIT * 1000)}ms",
        }
        connection = await asyncpg.connect(self.address.dsn, server_settings=settings, timeout=self.address.patience)
        try:
            await _check_durable(connection)
        except BaseException:
            connection.terminate()
            raise
        return connection


class Connections:
    """At most `size` connections, lent for one piece of work each."""

    def __init__(self, connector: Connector, size: int) -> None:
        self._connector = connector
        self._patience = connector.address.patience
        self._places = asyncio.Semaphore(size)
        self._idle: list[asyncpg.Connection] = []
        self._is_closed = False

    async def run(self, work: Callable[[asyncpg.Connection], Awaitable[Found]]) -> Found:
        """Run work that may be done twice: when the connection breaks, run it again on another, while there is time."""
        deadline = self._connector.deadline()
        while True:
            try:
                return await self._run(work, deadline)
            except Lost as lost:
                if asyncio.get_running_loop().time() >= deadline:
                    raise Busy(f"PostgreSQL does not answer: {lost.__cause__}.") from lost

    async def run_once(self, work: Callable[[asyncpg.Connection], Awaitable[Found]]) -> Found:
        """Run work that must not be done twice. Raises `Lost` when its outcome is unknown."""
        return await self._run(work, self._connector.deadline())

    async def _run(self, work: Callable[[asyncpg.Connection], Awaitable[Found]], deadline: float) -> Found:
        async with self._lend(deadline) as connection:
            try:
                return await wait_for_answer(connection, work(connection), deadline)
            except ERRORS as error:
                if is_lost(connection, error):
                    connection.terminate()
                    raise Lost from error
                raise fault_of(error) from error

    async def close(self) -> None:
        """Close all connections: idle ones now, the others when their work is done."""
        self._is_closed = True
        while self._idle:
            await close(self._idle.pop(), self._patience)

    @asynccontextmanager
    async def _lend(self, deadline: float) -> AsyncIterator[asyncpg.Connection]:
        try:
            async with asyncio.timeout_at(deadline):
                await self._places.acquire()
        except TimeoutError as error:
            raise Busy("Too many requests are waiting for PostgreSQL.") from error
        try:
            connection = self._idle_connection() or await self._connector.connect(deadline)
            try:
                yield connection
            finally:
                await self._take_back(connection)
        finally:
            self._places.release()

    def _idle_connection(self) -> asyncpg.Connection | None:
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed():
                return connection
        return None

    async def _take_back(self, connection: asyncpg.Connection) -> None:
        if connection.is_closed():
            return
        if connection.is_in_transaction():
            connection.terminate()  # a failed piece of work left it open
        elif self._is_closed:
            await close(connection, self._patience)
        else:
            self._idle.append(connection)


async def wait_for_answer(connection: asyncpg.Connection, work: Awaitable[Found], deadline: float) -> Found:
    """Wait for the database until a deadline; then close the connection, which ends the work with an error.

    Cancelling the work instead would make asyncpg ask the database to stop, and wait for that: forever, when the
    connection is dead.
    """
    watch = asyncio.get_running_loop().call_at(deadline, connection.terminate)
    try:
        return await work
    finally:
        watch.cancel()


async def close(connection: asyncpg.Connection, patience: float) -> None:
    """Close a connection, and wait at most `patience` seconds for that."""
    try:
        await connection.close(timeout=patience)
    except ERRORS as error:
        _log.info("A connection did not close cleanly: %s.", error)


async def _check_durable(connection: asyncpg.Connection) -> None:
    """Commits must reach the disk. Every connection checks that: the server may restart with other settings."""
    found = await connection.fetchrow(
        "SELECT current_setting('fsync'), current_setting('synchronous_commit'), current_setting('full_page_writes')"
    )
    assert found is not None
    fsync, synchronous, full_pages = found
    for name, value in (("fsync", fsync), ("synchronous_commit", synchronous)):
        if value == "off":
            raise CannotOpen(f"PostgreSQL runs with {name} = off and may lose commits: set it to on.")
    if full_pages == "off":  # fine on file systems that never write half a page (ZFS, btrfs); it cannot be queried
        _log.warning("PostgreSQL runs with full_page_writes = off: safe only where a page is never written in part.")
