"""A store in memory, for simulations and tests. It uses the clock it is given.

A `Disk` holds its contents. Several stores may share one disk, as processes share one database: a new store on the
disk of a closed one simulates a restart, two open stores on one disk simulate two servers.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

from msgspec.structs import replace

from turnstile.kernel.values import Instant, LogId, is_log_id
from turnstile.store.log import Command, Entry, Position, Snapshot
from turnstile.store.memory.directory import MemoryDirectory
from turnstile.store.memory.disk import Disk, DiskLog
from turnstile.store.protocol import (
    INVALID_LOG_ID,
    OUTAGE_AFTER,
    Change,
    Commit,
    Outage,
    Row,
    Saved,
    SeatLine,
    StoreFault,
    Unstorable,
)


class MemoryStore:
    """Logs in memory. `clock` gives milliseconds since 1970; while it goes back, the store's time stands still."""

    def __init__(self, clock: Callable[[], int], disk: Disk | None = None, *, is_shared: bool = True) -> None:
        self.is_shared = is_shared
        self._clock = clock
        self._disk = Disk() if disk is None else disk
        self._disk.stores.append(self)
        self._is_open = True
        self.directory = MemoryDirectory(self._open_disk)
        self._listeners: list[asyncio.Queue[Change | None]] = []

    def now(self) -> Instant:
        self._disk.newest = Instant(max(self._disk.newest, self._clock()))
        return self._disk.newest

    async def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._disk.stores.remove(self)
            for listener in self._listeners:
                listener.put_nowait(None)

    # writing

    async def create(self, log: LogId, header: Entry, row: Row) -> bool:
        logs = self._logs()
        if not is_log_id(log):
            raise Unstorable(INVALID_LOG_ID)
        if log in logs:
            return False
        commands = {} if header.command is None else {header.command: header}
        logs[log] = DiskLog(row, [header], commands, row.players, not row.is_open)
        self._tell_others(Change(log, 0))
        return True

    async def commit(self, commit: Commit) -> bool:
        kept = self._logs().get(commit.log)
        if kept is None or kept.row.note or commit.entry.position != len(kept.entries):
            return False
        if commit.before != kept.entries[-1].link:
            return False
        command = commit.entry.command
        if command is not None and command in kept.commands:
            return False
        kept.entries.append(commit.entry)
        kept.row = commit.row
        kept.claimed_until = None
        if command is not None:
            kept.commands[command] = commit.entry
        if commit.seats is not None:
            kept.seats = commit.seats
        if commit.snapshot is not None:
            kept.snapshots[commit.entry.position] = commit.snapshot
        if not commit.row.is_open:
            kept.is_closed = True
            kept.snapshots = dict(sorted(kept.snapshots.items())[-1:])
        self._tell_others(Change(commit.log, commit.entry.position))
        return True

    async def acknowledge(self, log: LogId, cursors: Mapping[str, int]) -> dict[str, int]:
        kept = self._logs().get(log)
        if kept is None:
            return {}
        for seat, cursor in cursors.items():
            kept.cursors[seat] = max(cursor, kept.cursors.get(seat, cursor))
        return dict(kept.cursors)

    async def put_aside(self, log: LogId, why: str) -> None:
        assert why, "putting a log aside needs a reason"
        kept = self._logs().get(log)
        if kept is not None:
            kept.row = replace(kept.row, is_open=False, due=None, note=why)
            kept.claimed_until, kept.is_closed = None, True
            self._tell_others(Change(log, None))

    async def prune(self, log: LogId) -> bool:
        kept = self._logs().get(log)
        if kept is None or kept.row.is_open:
            return False
        del self._logs()[log]
        self._disk.people.invitations.pop(log, None)
        self._tell_others(Change(log, None))
        return True

    # reading

    async def load(self, log: LogId) -> Saved | None:
        kept = self._logs().get(log)
        if kept is None:
            return None
        snapshot = await self.snapshot(log, len(kept.entries))
        begin = 0 if snapshot is None else snapshot.position
        return Saved(kept.entries[0], snapshot, tuple(kept.entries[begin + 1 :]))

    async def snapshot(self, log: LogId, at_most: Position) -> Snapshot | None:
        kept = self._logs().get(log)
        positions = [] if kept is None else [position for position in kept.snapshots if position <= at_most]
        if kept is None or not positions:
            return None
        its = kept.entries[max(positions)]
        return Snapshot(its.position, its.link, kept.snapshots[its.position], its.state)

    async def entries(self, log: LogId, after: Position, limit: int | None = None) -> tuple[Entry, ...]:
        kept = self._logs().get(log)
        return () if kept is None else tuple(kept.entries[after + 1 :][:limit])

    async def positions(self, logs: Sequence[LogId]) -> dict[LogId, Position]:
        kept = self._logs()
        return {log: len(kept[log].entries) - 1 for log in logs if log in kept}

    async def find(self, log: LogId, command: Command) -> Entry | None:
        kept = self._logs().get(log)
        return None if kept is None else kept.commands.get(command)

    async def cursors(self, log: LogId) -> dict[str, int]:
        kept = self._logs().get(log)
        return {} if kept is None else dict(kept.cursors)

    async def row(self, log: LogId) -> Row | None:
        kept = self._logs().get(log)
        return None if kept is None else kept.row

    async def logs(
        self, *, is_open: bool | None = None, after: LogId | None = None, limit: int = 100
    ) -> list[tuple[LogId, Row]]:
        found = [
            (log, kept.row)
            for log, kept in sorted(self._logs().items())
            if (after is None or log > after) and (is_open is None or kept.row.is_open is is_open)
        ]
        return found[:limit]

    # time

    async def claim(self, until: Instant, hold: int, limit: int) -> list[LogId]:
        now = self.now()
        due = [
            (kept.row.due, log)
            for log, kept in self._logs().items()
            if kept.row.due is not None
            and kept.row.due <= until
            and (kept.claimed_until is None or kept.claimed_until <= now)
        ]
        claimed = [log for _, log in sorted(due)[:limit]]
        for log in claimed:
            self._disk.logs[log].claimed_until = Instant(now + hold)
        return claimed

    async def beat(self) -> Outage | None:
        self._logs()
        before, now = self._disk.beat, self.now()
        self._disk.beat = now
        if before is None or now - before <= OUTAGE_AFTER:
            return None
        self._disk.outages.append(Outage(before, now))
        return self._disk.outages[-1]

    async def outages(self, since: Instant) -> list[Outage]:
        self._logs()
        return [outage for outage in self._disk.outages if outage.end > since]

    # elsewhere

    async def number_line(self, log: LogId, seat: str) -> SeatLine | None:
        kept = self._logs().get(log)
        if kept is None or not self.is_shared:
            return None
        kept.lines[seat] = kept.lines.get(seat, 0) + 1
        self._tell_others(Change(log, None))
        return SeatLine(log, seat, kept.lines[seat])

    async def replaced_lines(self, lines: Sequence[SeatLine]) -> list[SeatLine]:
        logs = self._logs()
        return [line for line in lines if line.log in logs and logs[line.log].lines.get(line.seat, 0) > line.number]

    async def changes(self) -> AsyncIterator[Change]:
        heard: asyncio.Queue[Change | None] = asyncio.Queue()
        self._listeners.append(heard)
        try:
            while self._is_open and (change := await heard.get()) is not None:
                yield change
        finally:
            self._listeners.remove(heard)

    # caches

    async def rebuild(self, rows: Sequence[tuple[LogId, Row]]) -> None:
        for log, row in rows:
            kept = self._logs().get(log)
            if kept is not None:
                kept.row, kept.snapshots, kept.claimed_until = row, {}, None
                kept.seats, kept.is_closed = row.players, not row.is_open

    # helpers

    def _open_disk(self) -> Disk:
        if not self._is_open:
            raise StoreFault("The store is closed.")
        return self._disk

    def _logs(self) -> dict[LogId, DiskLog]:
        return self._open_disk().logs

    def _tell_others(self, change: Change) -> None:
        for store in self._disk.stores:
            if store is not self:
                for listener in store._listeners:
                    listener.put_nowait(change)
