"""Commits to PostgreSQL, in groups: what is asked for while one group is written goes in the next, with one sync.

Entries carry their positions, so a group may be written again without harm. When the connection breaks under one, its
session is fenced off first (a session that hangs behind a dead connection could write it yet). Then something is
committed behind it, to be as safe as the group would have been, and the log is read.
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
from turnstile.store.postgres.connections import Connector, answered, close
from turnstile.store.postgres.faults import ERRORS, UNDONE, ended, meaning
from turnstile.store.protocol import Busy, Commit, StoreFault, Unknown

GROUP = 200
"""Commits that are written together, at most."""

QUEUE = 5_000
"""Commits that may wait; whoever comes then is told that the store is busy."""


ATTEMPTS = 3
"""How often a group is begun, when the database gives way to others or connections break; while there is time."""

_log = logging.getLogger(__name__)


class Voice(NamedTuple):
    """How a process tells the others what it has changed."""

    channel: str
    origin: str


SILENT = Voice("", "")


class _Waiting(NamedTuple):
    commit: Commit
    answer: asyncio.Future[bool]


class Writer:
    """Writes what it is given, in the order of asking for each table. It has a connection of its own."""

    def __init__(self, connector: Connector, voice: Voice) -> None:
        self._connector = connector
        self._patience = connector.address.patience
        self._voice = voice
        self._fence = random.SystemRandom().getrandbits(63)
        self._queue: deque[_Waiting] = deque()
        self._running: asyncio.Task[None] | None = None
        self._connection: asyncpg.Connection | None = None

    async def write(self, commit: Commit) -> bool:
        """Whether the entry was added. Who stops waiting does not stop the writing."""
        if len(self._queue) >= QUEUE:
            raise Busy("Too many commits are waiting for PostgreSQL.")
        waiting = _Waiting(commit, asyncio.get_running_loop().create_future())
        self._queue.append(waiting)
        if self._running is None:
            self._running = asyncio.create_task(self._write_all())
        return await waiting.answer

    async def close(self) -> None:
        """Write what waits, then let go."""
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
        except Exception as error:  # told to everybody who waits: nobody else would hear of it
            for waiting in (*group, *self._queue):
                _fail(waiting, error if isinstance(error, StoreFault) else StoreFault(f"The writer failed: {error!r}."))
            self._queue.clear()
            if not isinstance(error, StoreFault):
                raise
        finally:
            self._running = None

    def _next_group(self) -> list[_Waiting]:
        """Those that have waited longest, each table once; a second one of a table waits for the next group."""
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
        """Answer everybody in the group. `Busy` is raised when the database is away: it concerns those behind, too."""
        voice = self._voice
        deadline = self._connector.deadline()
        for attempt in range(ATTEMPTS):
            if attempt > 0 and asyncio.get_running_loop().time() >= deadline:
                break
            connection = await self._connected()
            try:
                added = await self._add(connection, group, voice)
            except UNDONE:
                continue
            except ERRORS as error:
                if isinstance(error, asyncpg.ProgramLimitExceededError) and voice is not SILENT:
                    _log.warning("Nobody will be notified of some commits: %s.", error)
                    voice = SILENT  # somebody listens and does not read, and there is no more room
                    continue
                if not ended(connection, error):
                    return await self._settle_one_by_one(group, error)
                group = await self._missing(group, error)
                if not group:
                    return None
            else:
                for waiting in group:
                    _answer(waiting, waiting.commit.log in added)
                return None
        for waiting in group:
            _fail(waiting, Busy("PostgreSQL was busy or went away again and again."))
        return None

    async def _settle_one_by_one(self, group: Sequence[_Waiting], error: Exception) -> None:
        """Something in the group cannot be written: only what it was in may fail for it."""
        if len(group) == 1:
            _fail(group[0], meaning(error))
            return
        for waiting in group:
            await self._settle([waiting])

    async def _add(self, connection: asyncpg.Connection, group: Sequence[_Waiting], voice: Voice) -> frozenset[LogId]:
        columns = statements.commit_arguments([waiting.commit for waiting in group])
        added = await self._ask(connection, statements.COMMIT, *columns, *voice)
        return frozenset(found["table_id"] for found in added)

    async def _missing(self, group: Sequence[_Waiting], why: Exception) -> list[_Waiting]:
        """After the connection broke: who is in the log is told so, the others are given back.

        When that cannot be found out, everybody in the group is told that, and nobody is given back.
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
        connection = await self._connected()
        # The entry may be on this server and on no standby yet. Once this is where it should be, so is the entry.
        await self._ask(connection, statements.BEHIND_ALL)
        keys = [(waiting.commit.log, waiting.commit.entry.position, waiting.commit.entry.link) for waiting in group]
        found = await self._ask(connection, statements.ADDED, *zip(*keys, strict=True))
        return frozenset(line["table_id"] for line in found)

    async def _ask(self, connection: asyncpg.Connection, statement: str, *arguments: object) -> list[asyncpg.Record]:
        return await answered(connection, connection.fetch(statement, *arguments), self._connector.deadline())

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None

    async def _connected(self) -> asyncpg.Connection:
        """The connection, or a new one that stands behind the fence: no earlier session of ours is left."""
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
        """End the session before this one, and wait until it is gone: as long as it lives it holds the lock."""
        high, low = self._fence >> 32, self._fence & 0xFFFF_FFFF
        try:
            await self._ask(connection, statements.END_SESSION, high, low)
            await self._ask(connection, "SELECT pg_advisory_lock($1)", self._fence)
        except ERRORS as error:
            raise Busy(f"PostgreSQL does not let go of an earlier session: {error}.") from error


async def tell(connection: asyncpg.Connection, voice: Voice, log: LogId) -> None:
    """Let others know of a change that is no entry, if there is room for the news."""
    try:
        await connection.execute(statements.TELL, *voice, log)
    except asyncpg.ProgramLimitExceededError as error:
        _log.warning("Nobody will be notified of a change: %s.", error)


def _answer(waiting: _Waiting, added: bool) -> None:
    if not waiting.answer.done():  # it is when its caller has stopped waiting
        waiting.answer.set_result(added)


def _fail(waiting: _Waiting, fault: StoreFault) -> None:
    if not waiting.answer.done():
        waiting.answer.set_exception(fault)
