"""Commits to PostgreSQL, in groups: commits that arrive while one group is written form the next, with one sync.

Entries carry their positions, so writing a group again does no harm. When the connection breaks during a group, the
writer first ends the old session (a session that hangs behind a dead connection could still write the group). It then
makes an empty commit, to be sure that everything before it is as durable as the group would have been, and reads the
log to see what was written.
"""

import asyncio
import logging
import random
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import asyncpg

from turnstile.kernel.values import LogId
from turnstile.store.postgres import statements
from turnstile.store.postgres.connections import Connector, close, wait_for_answer
from turnstile.store.postgres.faults import ERRORS, UNDONE, fault_of, is_lost
from turnstile.store.postgres.seats import seat_arguments
from turnstile.store.protocol import Busy, Commit, StoreFault, Unknown

GROUP = 200
"""The most commits in one group."""

QUEUE = 5_000
"""The most commits that may wait. Further ones fail with `Busy`."""


ATTEMPTS = 3
"""How often the writer tries a group when the database rolls it back or connections break, while there is time."""

_log = logging.getLogger(__name__)


class Channel(NamedTuple):
    """Where a process notifies the others of its changes, and the origin by which it ignores its own."""

    name: str
    origin: str


SILENT = Channel("", "")


class _Waiting(NamedTuple):
    commit: Commit
    answer: asyncio.Future[bool]


class Writer:
    """Writes commits, those to one log in the order they arrive. It has its own connection."""

    def __init__(self, connector: Connector, channel: Channel) -> None:
        self._connector = connector
        self._patience = connector.address.patience
        self._channel = channel
        self._fence = random.SystemRandom().getrandbits(63)
        self._queue: deque[_Waiting] = deque()
        self._running: asyncio.Task[None] | None = None
        self._connection: asyncpg.Connection | None = None

    async def write(self, commit: Commit) -> bool:
        """Whether the entry was added. A caller that is cancelled does not stop the write."""
        if len(self._queue) >= QUEUE:
            raise Busy("Too many commits are waiting for PostgreSQL.")
        waiting = _Waiting(commit, asyncio.get_running_loop().create_future())
        self._queue.append(waiting)
        if self._running is None:
            self._running = asyncio.create_task(self._write_all())
        return await waiting.answer

    async def close(self) -> None:
        """Write all waiting commits, then close the connection."""
        while self._running is not None:
            await asyncio.wait((self._running,))
        if self._connection is not None:
            await close(self._connection, self._patience)

    async def _write_all(self) -> None:
        group: list[_Waiting] = []
        try:
            while self._queue:
                group = self._next_group()
                await self._settle(group)
        except Exception as error:  # passed to the waiting callers: no other code would see it
            for waiting in (*group, *self._queue):
                _fail(waiting, error if isinstance(error, StoreFault) else StoreFault(f"The writer failed: {error!r}."))
            self._queue.clear()
            if not isinstance(error, StoreFault):
                raise
        finally:
            self._running = None

    def _next_group(self) -> list[_Waiting]:
        """The commits that have waited longest, at most one to each log. A second one waits for the next group."""
        group: dict[LogId, _Waiting] = {}
        later: list[_Waiting] = []
        while self._queue and len(group) < GROUP:
            waiting = self._queue.popleft()
            if waiting.commit.log in group:
                later.append(waiting)
            else:
                group[waiting.commit.log] = waiting
        self._queue.extendleft(reversed(later))
        return list(group.values())

    async def _settle(self, group: Sequence[_Waiting]) -> None:
        """Answer every commit of the group. Raises `Busy` when the database is away: later commits fail, too."""
        channel = self._channel
        deadline = self._connector.deadline()
        for attempt in range(ATTEMPTS):
            if attempt > 0 and asyncio.get_running_loop().time() >= deadline:
                break
            connection = await self._connect()
            try:
                added = await self._add(connection, group, channel)
            except UNDONE:
                continue
            except ERRORS as error:
                if isinstance(error, asyncpg.ProgramLimitExceededError) and channel is not SILENT:
                    _log.warning("Other processes will not be notified of some commits: %s.", error)
                    channel = SILENT  # a listener does not read, and the notification queue is full
                    continue
                if not is_lost(connection, error):
                    return await self._settle_one_by_one(group, error)
                group = await self._missing(group, error)
                if not group:
                    return None
            else:
                for waiting in group:
                    _answer(waiting, waiting.commit.log in added)
                return None
        for waiting in group:
            _fail(waiting, Busy("PostgreSQL was repeatedly busy or unreachable."))
        return None

    async def _settle_one_by_one(self, group: Sequence[_Waiting], error: Exception) -> None:
        """One commit of the group cannot be written. Write each alone, so that only that one fails."""
        if len(group) == 1:
            _fail(group[0], fault_of(error))
            return
        for waiting in group:
            await self._settle([waiting])

    async def _add(
        self, connection: asyncpg.Connection, group: Sequence[_Waiting], channel: Channel
    ) -> frozenset[LogId]:
        commits = [waiting.commit for waiting in group]
        columns, seats = statements.commit_arguments(commits), seat_arguments(commits)
        if seats is None:
            added = await self._ask(connection, statements.COMMIT, *columns, *channel)
        else:
            added = await self._ask(connection, statements.COMMIT_WITH_SEATS, *columns, *channel, *seats)
        return frozenset(log for chunk in added for log in chunk["logs"])

    async def _missing(self, group: Sequence[_Waiting], why: Exception) -> list[_Waiting]:
        """After the connection broke: confirm the commits that are in the log, and return the others.

        When the log cannot be read, every commit of the group fails with `Unknown`, and none is returned.
        """
        try:
            added = await self._read_back(group)
        except (StoreFault, *ERRORS) as error:
            self._hang_up()
            for waiting in group:
                _fail(waiting, Unknown(f"PostgreSQL went away during a commit ({why}) and cannot be asked: {error}"))
            return []
        for waiting in group:
            if waiting.commit.log in added:
                _answer(waiting, True)
        return [waiting for waiting in group if waiting.commit.log not in added]

    async def _read_back(self, group: Sequence[_Waiting]) -> frozenset[LogId]:
        self._hang_up()
        connection = await self._connect()
        # The entry may be on this server but not on a standby yet. When this commit is everywhere, so is the entry.
        await self._ask(connection, statements.BEHIND_ALL)
        keys = [(waiting.commit.log, waiting.commit.entry.position, waiting.commit.entry.link) for waiting in group]
        found = await self._ask(connection, statements.ADDED, *zip(*keys, strict=True))
        return frozenset(line["table_id"] for line in found)

    async def _ask(self, connection: asyncpg.Connection, statement: str, *arguments: object) -> list[asyncpg.Record]:
        return await wait_for_answer(connection, connection.fetch(statement, *arguments), self._connector.deadline())

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None

    async def _connect(self) -> asyncpg.Connection:
        """The connection; or a new one, once no earlier session of this writer is left."""
        if self._connection is None or self._connection.is_closed():
            self._connection = None
            connection = await self._connector.connect()
            try:
                await self._stand_alone(connection)
            except BaseException:
                connection.terminate()
                raise
            self._connection = connection
        return self._connection

    async def _stand_alone(self, connection: asyncpg.Connection) -> None:
        """End the previous session, and wait until it is gone: it holds the lock while it lives."""
        high, low = self._fence >> 32, self._fence & 0xFFFF_FFFF
        try:
            await self._ask(connection, statements.END_SESSION, high, low)
            await self._ask(connection, "SELECT pg_advisory_lock($1)", self._fence)
        except ERRORS as error:
            raise Busy(f"PostgreSQL does not end an earlier session: {error}.") from error


async def notify(connection: asyncpg.Connection, channel: Channel, log: LogId) -> None:
    """Notify other processes of a change other than an entry, if the notification queue has room."""
    try:
        await connection.execute(statements.NOTIFY, *channel, log)
    except asyncpg.ProgramLimitExceededError as error:
        _log.warning("Other processes will not be notified of a change: %s.", error)


def _answer(waiting: _Waiting, added: bool) -> None:
    if not waiting.answer.done():  # it is done when its caller was cancelled
        waiting.answer.set_result(added)


def _fail(waiting: _Waiting, fault: StoreFault) -> None:
    if not waiting.answer.done():
        waiting.answer.set_exception(fault)
