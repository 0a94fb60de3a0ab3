"""Connections to PostgreSQL: a few, made when they are needed, made anew when they break. No wait is without an end.

Nobody else holds one: what a caller asks for runs in a task of the store's, so a caller that goes away leaves no
connection in the middle of something.
"""

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple, TypeVar

import asyncpg

from turnstile.store.postgres.faults import ERRORS, ended, meaning
from turnstile.store.protocol import Busy, CannotOpen

FIRST_PAUSE, LONGEST_PAUSE = 0.02, 1.0
"""Seconds between two attempts to connect; they double from the first to the longest, less a random part."""

LOCK_WAIT = 0.2
"""The part of its patience that a store waits for a row somebody else holds, an operator in a shell for instance."""

_HOPELESS = (
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.ClientConfigurationError,
)

_SETTINGS = {
    # Every statement here has its index. A plan made while the tables were small must not read them whole ever after.
    "enable_seqscan": "off",
    "jit": "off",
    "idle_in_transaction_session_timeout": "10000",
    "default_transaction_isolation": "read committed",  # what the statements were written for
}

_log = logging.getLogger(__name__)
Found = TypeVar("Found")


class Lost(Exception):
    """The connection broke during the work: it may have been done or not."""


class Address(NamedTuple):
    """Where a store is, and how long to try to reach it."""

    dsn: str
    schema: str
    patience: float
    """Seconds until somebody who waits for the database is told that it is away."""


class Connector:
    """Makes connections, one at a time, and slower while that fails: a database that comes back is not overrun."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._turn = asyncio.Lock()
        self._failures = 0
        self._not_before = 0.0

    async def connect(self, deadline: float | None = None) -> asyncpg.Connection:
        """A new connection; `Busy` when there is none in time, `CannotOpen` when there will be none."""
        why: Exception | None = None
        try:
            async with asyncio.timeout_at(self.deadline() if deadline is None else deadline):
                while True:
                    try:
                        return await self._attempt()
                    except _HOPELESS as error:
                        raise CannotOpen(f"PostgreSQL does not let us in: {error}.") from error
                    except ERRORS as error:
                        why = error
        except TimeoutError as late:
            raise Busy(f"PostgreSQL cannot be reached: {why or 'it does not answer'}.") from (why or late)

    def deadline(self) -> float:
        """When who begins to wait now has waited long enough, by the clock of the event loop."""
        return asyncio.get_running_loop().time() + self.address.patience

    async def _attempt(self) -> asyncpg.Connection:
        clock = asyncio.get_running_loop().time
        async with self._turn:
            await asyncio.sleep(max(0.0, self._not_before - clock()))
            try:
                connection = await self._open()
            except (CannotOpen, *ERRORS):
                longest = min(LONGEST_PAUSE, self.address.patience / 4)  # who comes new has some attempts, too
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
        """Work that may be done twice: when the connection breaks it is begun again on another, while there is time."""
        deadline = self._connector.deadline()
        while True:
            try:
                return await self._run(work, deadline)
            except Lost as lost:
                if asyncio.get_running_loop().time() >= deadline:
                    raise Busy(f"PostgreSQL does not answer: {lost.__cause__}.") from lost

    async def run_once(self, work: Callable[[asyncpg.Connection], Awaitable[Found]]) -> Found:
        """Work that must not be done twice; `Lost` when its outcome is not known."""
        return await self._run(work, self._connector.deadline())

    async def _run(self, work: Callable[[asyncpg.Connection], Awaitable[Found]], deadline: float) -> Found:
        async with self._lent(deadline) as connection:
            try:
                return await answered(connection, work(connection), deadline)
            except ERRORS as error:
                if ended(connection, error):
                    connection.terminate()
                    raise Lost from error
                raise meaning(error) from error

    async def close(self) -> None:
        """Close all, now or when they come back."""
        self._is_closed = True
        while self._idle:
            await close(self._idle.pop(), self._patience)

    @asynccontextmanager
    async def _lent(self, deadline: float) -> AsyncIterator[asyncpg.Connection]:
        try:
            async with asyncio.timeout_at(deadline):
                await self._places.acquire()
        except TimeoutError as error:
            raise Busy("Too much is waiting for PostgreSQL.") from error
        try:
            connection = self._rested() or await self._connector.connect(deadline)
            try:
                yield connection
            finally:
                await self._take_back(connection)
        finally:
            self._places.release()

    def _rested(self) -> asyncpg.Connection | None:
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed():
                return connection
        return None

    async def _take_back(self, connection: asyncpg.Connection) -> None:
        if connection.is_closed():
            return
        if connection.is_in_transaction():
            connection.terminate()  # whatever is in there, nobody meant it to be
        elif self._is_closed:
            await close(connection, self._patience)
        else:
            self._idle.append(connection)


async def answered(connection: asyncpg.Connection, work: Awaitable[Found], deadline: float) -> Found:
    """Wait for the database until a deadline; then hang up, which ends the work with an error.

    To cancel it would have asyncpg ask the database to stop, and wait for that: for ever, when the line is dead.
    """
    watch = asyncio.get_running_loop().call_at(deadline, connection.terminate)
    try:
        return await work
    finally:
        watch.cancel()


async def close(connection: asyncpg.Connection, patience: float) -> None:
    """Say goodbye, but not for ever."""
    try:
        await connection.close(timeout=patience)
    except ERRORS as error:
        _log.info("A connection did not close in order: %s.", error)


async def _check_durable(connection: asyncpg.Connection) -> None:
    """What is committed must be on disk. Every connection is asked: a server may be started with other settings."""
    found = await connection.fetchrow(
        "SELECT current_setting('fsync'), current_setting('synchronous_commit'), current_setting('full_page_writes')"
    )
    assert found is not None
    fsync, synchronous, full_pages = found
    for name, value in (("fsync", fsync), ("synchronous_commit", synchronous)):
        if value == "off":
            raise CannotOpen(f"PostgreSQL runs with {name} = off and may lose what it has promised: set it to on.")
    if full_pages == "off":  # right on file systems that never write half a page (ZFS, btrfs); nobody can ask which
        _log.warning("PostgreSQL runs with full_page_writes = off: safe only where a page is never written in part.")
