"""A store in PostgreSQL, for any number of processes. There is no owner and no leader: the log's positions are unique.

The store does all work in its own tasks. A cancelled caller stops waiting; the work it began is finished.
"""

import asyncio
import re
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, Self, TypeVar

import asyncpg

from turnstile.kernel.values import Instant, LogId, is_log_id
from turnstile.store.columns import check_newest, cursors_of, id_of, reading_log_of, row_of
from turnstile.store.log import BEFORE_FIRST, Command, Damaged, Entry, Position, Snapshot
from turnstile.store.migrations import all_migrations
from turnstile.store.postgres import seats, statements
from turnstile.store.postgres.clock import DatabaseClock
from turnstile.store.postgres.connections import Address, Connections, Connector, Lost, close
from turnstile.store.postgres.directory import PostgresDirectory
from turnstile.store.postgres.faults import ERRORS
from turnstile.store.postgres.groups import Groups
from turnstile.store.postgres.listener import Listener
from turnstile.store.postgres.schema import migrate
from turnstile.store.postgres.writer import SILENT, Channel, Writer, notify
from turnstile.store.protocol import (
    INVALID_LOG_ID,
    OUTAGE_AFTER,
    CannotOpen,
    Change,
    Commit,
    Outage,
    Row,
    Saved,
    SeatLine,
    StoreFault,
    Unknown,
    Unstorable,
)

Found = TypeVar("Found")


class PostgresStore:
    """Logs in one schema of a PostgreSQL database. Open it with `await PostgresStore.open(dsn)`."""

    is_shared = True

    def __init__(self, connector: Connector, size: int, clock: DatabaseClock) -> None:
        self._channel = Channel(f"turnstile_{connector.address.schema}", secrets.token_hex(8))
        self._connections = Connections(connector, size)
        self._acknowledgements = Groups(self._connections, _acknowledge_all)
        self._readings = Groups(self._connections, _read_all)
        self._numberings = Groups(self._connections, self._number_all)
        self._writer = Writer(connector, self._channel)
        self._listener = Listener(connector, self._channel)
        self.directory = PostgresDirectory(self._run, self._run_once)
        self._clock = clock
        self._under_way: set[asyncio.Task[Any]] = set()
        self._is_open = True

    @classmethod
    async def open(
        cls,
        dsn: str,
        *,
        schema: str = "turnstile",
        connections: int = 4,
        patience: float = 10.0,
        monotonic: Callable[[], int] = time.monotonic_ns,
    ) -> Self:
        """Open the store in a schema. The schema is created or migrated first.

        It uses up to `connections` for reading and small writes, one for commits and one for notifications.
        `patience` is how many seconds a call waits for the database. Raises `CannotOpen` when the database does not
        sync its commits (`fsync` or `synchronous_commit` is off).
        """
        if not re.fullmatch("[a-z_][a-z0-9_]{0,40}", schema):
            raise CannotOpen(f"Invalid schema name {schema!r}: use small letters, digits and underscores only.")
        connector = Connector(Address(dsn, schema, patience))
        store = cls(connector, connections, DatabaseClock(monotonic))
        try:
            await _prepare(connector)
            await store._ask_the_time()
            await store._listener.start()
        except (StoreFault, *ERRORS) as error:
            await store.close()
            if isinstance(error, CannotOpen):
                raise
            raise CannotOpen(f"The store in PostgreSQL cannot be opened: {error}") from error
        return store

    def now(self) -> Instant:
        return self._clock.now()

    async def close(self) -> None:
        if not self._is_open:
            return
        self._is_open = False
        while self._under_way:
            await asyncio.wait(self._under_way)
        await self._acknowledgements.close()
        await self._readings.close()
        await self._numberings.close()
        await self._writer.close()
        await self._listener.close()
        await self._connections.close()

    # writing

    async def create(self, log: LogId, header: Entry, row: Row) -> bool:
        assert header.position == 0, "a log begins with entry 0"
        self._check_open()
        if not is_log_id(log):
            raise Unstorable(INVALID_LOG_ID)
        return await self._writer.write(Commit(log, header, BEFORE_FIRST, row, seats=row.players))

    async def commit(self, commit: Commit) -> bool:
        self._check_open()
        if commit.entry.position < 1 or not is_log_id(commit.log):
            return False  # `create` writes entry 0
        return await self._writer.write(commit)

    async def acknowledge(self, log: LogId, cursors: Mapping[str, int]) -> dict[str, int]:
        self._check_open()
        return await self._acknowledgements.ask((log, cursors)) if is_log_id(log) else {}

    async def put_aside(self, log: LogId, why: str) -> None:
        assert why, "putting a log aside needs a reason"

        async def work(connection: asyncpg.Connection) -> None:
            async with connection.transaction():
                await connection.execute(statements.PUT_ASIDE, log, why)
                for statement in seats.CLOSE:
                    await connection.execute(statement, log)
            await notify(connection, self._channel, log)

        if is_log_id(log):
            await self._run(work)

    async def prune(self, log: LogId) -> bool:
        async def work(connection: asyncpg.Connection) -> bool:
            async with connection.transaction():
                if not await connection.fetch(statements.PRUNE, log):
                    return False
                for rest in statements.PRUNE_REST:
                    await connection.execute(rest, log)
            await notify(connection, self._channel, log)
            return True

        return await self._run_once(work) if is_log_id(log) else False

    # reading

    async def load(self, log: LogId) -> Saved | None:
        with reading_log_of(log):
            found = await self._look(log, statements.LOAD)
        if not found or (newest := found[0]["newest"]) is None:
            return None
        if found[0]["position"] is None:
            raise Damaged(log, "entry 0 is missing")
        header, *entries = (Entry(*line[:7]) for line in found)
        state = found[1]["snapshot"] if entries else None
        snapshot = None
        if state is not None:
            its = entries.pop(0)
            snapshot = Snapshot(its.position, its.link, state, its.state)
        saved = Saved(header, snapshot, tuple(entries))
        check_newest(log, newest, saved)
        return saved

    async def snapshot(self, log: LogId, at_most: Position) -> Snapshot | None:
        found = await self._look(log, statements.SNAPSHOT, at_most)
        return Snapshot(*found[0]) if found else None

    async def entries(self, log: LogId, after: Position, limit: int | None = None) -> tuple[Entry, ...]:
        self._check_open()
        with reading_log_of(log):
            return await self._readings.ask((log, after, limit)) if is_log_id(log) else ()

    async def positions(self, logs: Sequence[LogId]) -> dict[LogId, Position]:
        return dict(await self._fetch(statements.POSITIONS, list(filter(is_log_id, logs))))

    async def find(self, log: LogId, command: Command) -> Entry | None:
        with reading_log_of(log):
            found = await self._look(log, statements.FIND, command)
        return Entry(*found[0]) if found else None

    async def cursors(self, log: LogId) -> dict[str, int]:
        return await self.acknowledge(log, {})

    async def row(self, log: LogId) -> Row | None:
        found = await self._look(log, statements.ONE_ROW)
        return row_of(found[0]) if found else None

    async def logs(
        self, *, is_open: bool | None = None, after: LogId | None = None, limit: int = 100
    ) -> list[tuple[LogId, Row]]:
        if after is not None and not is_log_id(after):
            return []
        if is_open is None:
            found = await self._fetch(statements.PAGE, after or "", limit)
        else:
            found = await self._fetch(statements.PAGE_OF, after or "", limit, is_open)
        return [(log, row_of(columns)) for name, *columns in found if (log := id_of(name)) is not None]

    # time

    async def claim(self, until: Instant, hold: int, limit: int) -> list[LogId]:
        claimed = await self._fetch(statements.CLAIM, until, hold, limit)
        return [log for _, found in sorted(map(tuple, claimed)) if (log := id_of(found)) is not None]

    async def beat(self) -> Outage | None:
        async def work(connection: asyncpg.Connection) -> Outage | None:
            asked = self._clock.reading()
            found = await connection.fetchrow(statements.BEAT, OUTAGE_AFTER)
            assert found is not None, "the schema creates the heartbeat"
            self._clock.learn(asked, found["clock"], self._clock.reading())
            return None if found["began"] is None else Outage(found["began"], found["ended"])

        return await self._run_once(work)

    async def outages(self, since: Instant) -> list[Outage]:
        return [Outage(*line) for line in await self._fetch(statements.OUTAGES, since)]

    # elsewhere

    async def number_line(self, log: LogId, seat: str) -> SeatLine | None:
        self._check_open()
        return await self._numberings.ask((log, seat)) if is_log_id(log) else None

    async def _number_all(
        self, connection: asyncpg.Connection, group: Sequence[tuple[LogId, str]]
    ) -> list[SeatLine | None]:
        columns = tuple(zip(*group, strict=True))
        try:
            found = await connection.fetch(statements.NUMBER_LINES, *columns, *self._channel)
        except asyncpg.ProgramLimitExceededError:  # the notification queue is full; others find the lines by asking
            found = await connection.fetch(statements.NUMBER_LINES, *columns, *SILENT)
        numbers = {(line["table_id"], line["seat"]): line["number"] for line in found}
        return [SeatLine(*key, numbers[key]) if key in numbers else None for key in group]

    async def replaced_lines(self, lines: Sequence[SeatLine]) -> list[SeatLine]:
        known = [line for line in lines if is_log_id(line.log)]
        columns = [[line.log for line in known], [line.seat for line in known], [line.number for line in known]]
        found = await self._fetch(statements.REPLACED_LINES, *columns) if known else []
        return [known[line["place"] - 1] for line in found]

    def changes(self) -> AsyncIterator[Change]:
        return self._listener.inbox()

    # caches

    async def rebuild(self, rows: Sequence[tuple[LogId, Row]]) -> None:
        columns = statements.rebuild_arguments(rows)

        async def work(connection: asyncpg.Connection) -> None:
            async with connection.transaction():
                await connection.execute(statements.HOLD, columns[0])
                await connection.execute(statements.REBUILD, *columns)
                for statement in seats.REBUILD:
                    await connection.execute(statement, columns[0])
                await connection.execute(seats.REBUILD_SEATS, *seats.rebuild_arguments(rows))

        if rows:
            await self._run(work)

    # helpers

    async def _ask_the_time(self) -> None:
        async def work(connection: asyncpg.Connection) -> None:
            asked = self._clock.reading()
            database = await connection.fetchval(statements.TIME)
            self._clock.learn(asked, database, self._clock.reading())

        await self._connections.run(work)

    async def _fetch(self, statement: str, *arguments: object) -> list[asyncpg.Record]:
        return await self._run(lambda connection: connection.fetch(statement, *arguments))

    async def _look(self, log: LogId, statement: str, *arguments: object) -> list[asyncpg.Record]:
        """What a statement finds for one log; nothing for an invalid id."""
        return await self._fetch(statement, log, *arguments) if is_log_id(log) else []

    async def _run(self, work: Callable[[asyncpg.Connection], Awaitable[Found]]) -> Found:
        self._check_open()
        return await self._finish(self._connections.run(work))

    async def _run_once(self, work: Callable[[asyncpg.Connection], Awaitable[Found]]) -> Found:
        self._check_open()
        try:
            return await self._finish(self._connections.run_once(work))
        except Lost as lost:
            raise Unknown(
                f"The connection to PostgreSQL was lost, and the result is unknown: {lost.__cause__}."
            ) from lost

    async def _finish(self, work: Coroutine[Any, Any, Found]) -> Found:
        """Finish the work even when its caller is cancelled."""
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._end)
        return await asyncio.shield(task)

    def _end(self, task: asyncio.Task[Any]) -> None:
        """Work is done. If it has failed, its caller is told; one that was cancelled does not want to know."""
        self._under_way.discard(task)
        if not task.cancelled():
            task.exception()

    def _check_open(self) -> None:
        if not self._is_open:
            raise StoreFault("The store is closed.")


async def _acknowledge_all(
    connection: asyncpg.Connection, group: Sequence[tuple[LogId, Mapping[str, int]]]
) -> list[dict[str, int]]:
    """Move the cursors of a group. The answers are all cursors of each log.

    Two statements: this process commits before it reads, so at least one of two processes sees both.
    """
    if moved := statements.acknowledge_arguments(group):
        await connection.execute(statements.ACKNOWLEDGE, *moved)
    cursors: dict[LogId, list[tuple[bytes, int]]] = {log: [] for log, _ in group}
    for log, seat, cursor in await connection.fetch(statements.CURSORS, list(cursors)):
        cursors[log].append((seat, cursor))
    return [cursors_of(cursors[log]) for log, _ in group]


async def _read_all(
    connection: asyncpg.Connection, group: Sequence[tuple[LogId, Position, int | None]]
) -> list[tuple[Entry, ...]]:
    """The entries that each request of a group asks for."""
    answers: list[list[Entry]] = [[] for _ in group]
    for number, *columns in await connection.fetch(statements.ENTRIES, *zip(*group, strict=True)):
        answers[number - 1].append(Entry(*columns))
    return list(map(tuple, answers))


async def _prepare(connector: Connector) -> None:
    connection = await connector.connect()
    try:
        await migrate(connection, connector.address.schema, all_migrations("postgres"))
    finally:
        await close(connection, connector.address.patience)
