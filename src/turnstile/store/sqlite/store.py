"""The embedded store: one SQLite file, for one process. Nothing to install, nothing to start.

One thread writes and one reads, each with its own connection (see `lanes`). The write-ahead log is synced at every
commit, so an answered commit is on the disk. A lock file beside the store keeps a second server out.

The file is complete only together with its `-wal` file: a copy without it, made while a server runs or after a kill,
lacks the newest moves. Copy with SQLite's own backup, or after a clean shutdown, when there is no `-wal` file.
"""

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import apsw

from turnstile.kernel.values import Instant, LogId, is_log_id
from turnstile.store.log import Command, Damaged, Entry, Position, Snapshot
from turnstile.store.protocol import (
    INVALID_LOG_ID,
    CannotOpen,
    Change,
    Commit,
    Outage,
    Row,
    Saved,
    SeatLine,
    StoreFault,
    Unstorable,
)
from turnstile.store.sqlite import files, statements
from turnstile.store.sqlite.clock import Clock
from turnstile.store.sqlite.commits import CommitWork, do_together
from turnstile.store.sqlite.connection import connect_reader, connect_writer, require_version
from turnstile.store.sqlite.directory import SqliteDirectory
from turnstile.store.sqlite.lanes import Health, Kind, ReadGate, ReadLane, Work, WriteLane

FULL = 2
"""`synchronous`: a commit is on the disk when it returns. Only a test uses less, to show what that would lose."""

_log = logging.getLogger(__name__)


class SqliteStore:
    """Logs in a file. See `turnstile.store.protocol.Store` for what each method does."""

    is_shared = False

    def __init__(self, file: files.FileLock, writer: apsw.Connection, reader: apsw.Connection, clock: Clock) -> None:
        health, gate = Health(), ReadGate()
        self._file = file
        self._clock = clock
        self._closed = asyncio.Event()
        self._write = WriteLane("turnstile-writer", writer, health, gate, do_together)
        self._read = ReadLane("turnstile-reader", reader, health, gate)
        self.directory = SqliteDirectory(self._write, self._read)

    @classmethod
    async def open(
        cls,
        path: str | os.PathLike[str],
        *,
        wall: Callable[[], int] = time.time_ns,
        monotonic: Callable[[], int] = time.monotonic_ns,
        vfs: str | None = None,
        synchronous: int = FULL,
    ) -> "SqliteStore":
        """Open the store in this file, and create it if it does not exist. Raises `CannotOpen`."""
        require_version(apsw.sqlite_lib_version())
        real = Path(path).resolve()
        _warn_of_network(real)
        file = files.FileLock(real)
        try:
            writer = connect_writer(real, vfs, synchronous)
            try:
                clock = Clock(statements.newest(writer), wall, monotonic)
                reader = connect_reader(real, vfs)
            except BaseException:
                writer.close()
                raise
        except (apsw.Error, CannotOpen) as error:
            file.let_go()
            raise CannotOpen(f"{real} cannot be opened. {error}") from error
        except BaseException:
            file.let_go()
            raise
        return cls(file, writer, reader, clock)

    def now(self) -> Instant:
        return self._clock.now()

    async def close(self) -> None:
        self._closed.set()
        failure: StoreFault | None = None
        for lane in (self._read, self._write):  # the writer last: its last checkpoint must be alone
            try:
                await lane.end()
            except StoreFault as fault:
                failure = fault
        self._file.let_go()  # not reached when cancelled: the writer may still write
        if failure is not None:
            raise failure

    # writing

    async def create(self, log: LogId, header: Entry, row: Row) -> bool:
        if not is_log_id(log):
            raise Unstorable(INVALID_LOG_ID)
        return await self._write.ask(partial(statements.create, log=log, header=header, row=row))

    def commit(self, commit: Commit) -> Awaitable[bool]:
        return self._write.ask(CommitWork(commit))  # an invalid id has no row

    async def acknowledge(self, log: LogId, cursors: Mapping[str, int]) -> dict[str, int]:
        return await self._change(log, partial(statements.acknowledge, log=log, given=dict(cursors)), {})

    async def put_aside(self, log: LogId, why: str) -> None:
        assert why, "putting a log aside needs a reason"
        try:
            if await self._look(log, partial(statements.exists, log=log), False):
                await self._write.ask(partial(statements.put_aside, log=log, why=why))
        except Damaged as fault:  # its page cannot be written; `row` says that it is damaged
            _log.error("Log %s cannot be marked as damaged (%s): %s", log, fault.why, why)

    async def prune(self, log: LogId) -> bool:
        return await self._change(log, partial(statements.prune, log=log), False)

    # reading

    async def load(self, log: LogId) -> Saved | None:
        return await self._look(log, partial(statements.load, log=log), None)

    async def snapshot(self, log: LogId, at_most: Position) -> Snapshot | None:
        return await self._look(log, partial(statements.snapshot, log=log, at_most=at_most), None)

    async def entries(self, log: LogId, after: Position, limit: int | None = None) -> tuple[Entry, ...]:
        return await self._look(log, partial(statements.entries, log=log, after=after, limit=limit), ())

    async def positions(self, logs: Sequence[LogId]) -> dict[LogId, Position]:
        return await self._read.ask(partial(statements.positions, logs=tuple(filter(is_log_id, logs))))

    async def find(self, log: LogId, command: Command) -> Entry | None:
        return await self._look(log, partial(statements.find, log=log, command=command), None)

    async def cursors(self, log: LogId) -> dict[str, int]:
        return await self._look(log, partial(statements.cursors, log=log), {})

    async def row(self, log: LogId) -> Row | None:
        return await self._look(log, partial(statements.row, log=log), None)

    async def logs(
        self, *, is_open: bool | None = None, after: LogId | None = None, limit: int = 100
    ) -> list[tuple[LogId, Row]]:
        if after is not None and not is_log_id(after):
            return []
        return await self._read.ask(partial(statements.logs, is_open=is_open, after=after, limit=limit))

    # time

    async def claim(self, until: Instant, hold: int, limit: int) -> list[LogId]:
        return await self._write.ask(lambda db: statements.claim(db, self.now(), until, hold, limit))

    async def beat(self) -> Outage | None:
        def work(db: apsw.Connection) -> Outage | None:
            self._file.check()
            return statements.beat(db, self.now())

        return await self._write.ask(work)

    async def outages(self, since: Instant) -> list[Outage]:
        return await self._read.ask(partial(statements.outages, since=since))

    # elsewhere

    async def number_line(self, log: LogId, seat: str) -> SeatLine | None:
        """No other process has lines, so nothing is written."""
        return None

    async def replaced_lines(self, lines: Sequence[SeatLine]) -> list[SeatLine]:
        return []

    async def changes(self) -> AsyncIterator[Change]:
        """No other process has the file open, so there are no changes."""
        await self._closed.wait()
        no_changes: tuple[Change, ...] = ()
        for change in no_changes:
            yield change

    # caches

    async def rebuild(self, rows: Sequence[tuple[LogId, Row]]) -> None:
        await self._write.ask(partial(statements.rebuild, rows=tuple(rows)))

    # helpers

    async def _change(self, log: LogId, work: Work[Kind], nothing: Kind) -> Kind:
        """Write to one log; do nothing for an invalid id."""
        return await self._write.ask(work) if is_log_id(log) else nothing

    async def _look(self, log: LogId, work: Work[Kind], nothing: Kind) -> Kind:
        """Read one log; find nothing for an invalid id."""
        return await self._read.ask(work, log) if is_log_id(log) else nothing


def _warn_of_network(path: Path) -> None:
    mounts = Path("/proc/mounts")
    if mounts.exists() and (kind := files.network_file_system(path, mounts.read_text(encoding="utf-8"))):
        _log.warning("%s is on a network file system (%s): moves may be lost there. Use a local disk.", path, kind)
