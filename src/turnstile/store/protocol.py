"""The protocol that every store implements: it keeps logs, and small caches that can be rebuilt from them.

A store knows bytes, positions and times. It decides one thing only: whether an entry may follow the entry that its
writer last saw. Every store passes the tests in tests/store, unchanged.
"""

from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from typing import Protocol

import msgspec

from turnstile.kernel.values import LONGEST_ID, Instant, LogId
from turnstile.store.log import Command, Entry, Link, Position, Snapshot


class Row(msgspec.Struct, frozen=True, gc=False):
    """What a list of logs shows, and when a log is next due. It is a cache: the state says the same.

    `game`, `is_listed` and `opened` never change.
    """

    game: str
    phase: str
    players: tuple[str, ...]
    is_open: bool
    """Whether the log may still grow. A closed log may be exported and pruned."""
    is_listed: bool
    opened: Instant
    changed: Instant
    due: Instant | None
    """When the next timer runs out, or when a server must check for unfinished work."""
    note: str = ""
    """For the operator: why a log was put aside. Empty for all other logs."""


class Commit(msgspec.Struct, frozen=True, gc=False):
    """One entry for one log, at the position after the one its writer saw, with the caches that follow from it."""

    log: LogId
    entry: Entry
    before: Link
    """The link of the entry that it follows. It tells apart two histories that reached the same position."""
    row: Row
    snapshot: bytes | None = None
    """The state after the entry, when a snapshot is due."""
    seats: tuple[str, ...] | None = None
    """The players of the row, when they have changed; `None`: the index of seats stays as it is."""


class Saved(msgspec.Struct, frozen=True, gc=False):
    """What a reader needs to restore a log's state: the header, the latest snapshot, and all entries after it."""

    header: Entry
    snapshot: Snapshot | None
    entries: tuple[Entry, ...]
    """The entries after the snapshot; without a snapshot, the entries after the header."""


class Outage(msgspec.Struct, frozen=True, gc=False):
    """A time in which no server ran. Players' clocks stand still during it."""

    start: Instant
    end: Instant


class Change(msgspec.Struct, frozen=True, gc=False):
    """A log that another process has changed."""

    log: LogId
    position: Position | None
    """The position of the newest entry. `None` if something else has changed: the log may be gone or put aside."""


class SeatLine(msgspec.Struct, frozen=True, gc=False):
    """A line on which a seat is told what happens, with its number among all lines of the seat."""

    log: LogId
    seat: str
    number: int


class StoreFault(Exception):
    """The store could not do what it was asked. Nothing has changed. The sentence is for the operator."""


class StorageFull(StoreFault):
    """The disk is full. Reading works; writing works again when there is room."""


class Busy(StoreFault):
    """Too many requests are waiting, or the store did not answer in time. The caller may try again later."""


class ReadOnly(StoreFault):
    """Writing is no longer permitted. Reading works."""


class Unstorable(StoreFault):
    """The values cannot be stored as they are: an invalid id, an invalid text, or something too long."""


class Unknown(StoreFault):
    """The connection broke during a write, so it may or may not have happened. Reading will tell."""


class Broken(StoreFault):
    """The disk lost what it was given. The store can promise nothing more: the process must end and restart."""


class CannotOpen(StoreFault):
    """The store cannot be opened: another process has it, its schema is newer, or a setting had no effect."""


class InUse(CannotOpen):
    """Another process has the store open. It may close it soon."""


BAD_ADDRESS = (
    "The address of the database cannot be read: it looks like postgresql://user@host:5432/database. In a password, "
    "write / as %2F, @ as %40 and : as %3A."
)
INVALID_LOG_ID = f"Invalid log id: it must have 1 to {LONGEST_ID} characters, all of them visible."

OUTAGE_AFTER = 3_000
"""Milliseconds without a beat after which no server was running."""


class Store(Protocol):
    """Keeps logs between two events. After `close`, every method that reads or writes raises `StoreFault`."""

    is_shared: bool
    """Whether other processes may write to the same logs."""

    def now(self) -> Instant:
        """The one clock for all deadlines. It never goes back."""

    async def close(self) -> None:
        """Finish the work that has begun, then release the store."""

    # writing

    async def create(self, log: LogId, header: Entry, row: Row) -> bool:
        """Create a log with its header as entry 0; `False` when a log with that id exists.

        The players of the row are its seats, and it is listed from now on if the row says so, until it is closed.
        Raises `Unstorable` for an invalid id (see `is_log_id`). All other methods find nothing and change nothing
        for an invalid id.
        """

    def commit(self, commit: Commit) -> Awaitable[bool]:
        """Append the entry and update the caches. The commit is durable when this is done.

        Returns `False`, and changes nothing, when the position is not the next one, the newest entry is not the one
        it follows, its command id is taken, or the log is gone or put aside.

        Commits to many logs share one sync; a single commit never waits for others. Commits to one log are written in
        the order of the calls, and the commit of a caller that is cancelled is written all the same.
        """

    async def acknowledge(self, log: LogId, cursors: Mapping[str, int]) -> dict[str, int]:
        """Move the cursors of these seats forward, never back. Returns all cursors of the log as they are then.

        A log that is gone has no cursors and gets none. In a store that processes share, a cursor survives a crash.
        In a store of one process, a crash may lose one: its seat then receives some updates again.
        """

    async def put_aside(self, log: LogId, why: str) -> None:
        """Mark a log as damaged: it is no longer open or due, and the note of its row says why (never empty).

        The log itself stays as it is, and commits to it fail. An operator brings it back with `rebuild`.
        """

    async def prune(self, log: LogId) -> bool:
        """Delete a log that is no longer open; `False` when it is open or does not exist."""

    # reading

    async def load(self, log: LogId) -> Saved | None:
        """A log from its latest snapshot on. Raises `Damaged` when the log ends before the position in its row."""

    async def snapshot(self, log: LogId, at_most: Position) -> Snapshot | None:
        """The latest snapshot at or before a position."""

    async def entries(self, log: LogId, after: Position, limit: int | None = None) -> tuple[Entry, ...]:
        """The entries after a position (-1: from the header on), all of them or the first `limit`."""

    async def positions(self, logs: Sequence[LogId]) -> dict[LogId, Position]:
        """The newest position of each of these logs. Logs that are gone are left out."""

    async def find(self, log: LogId, command: Command) -> Entry | None:
        """The entry of a command."""

    async def cursors(self, log: LogId) -> dict[str, int]:
        """How far each seat has acknowledged."""

    async def row(self, log: LogId) -> Row | None:
        """The row of a log. An unreadable row says so in its note, as if the log were put aside."""

    async def logs(
        self, *, is_open: bool | None = None, after: LogId | None = None, limit: int = 100
    ) -> list[tuple[LogId, Row]]:
        """A page of logs with their rows, in the order of their ids."""

    # time

    async def claim(self, until: Instant, hold: int, limit: int) -> list[LogId]:
        """Logs due at `until` or before, the earliest first. No other caller gets them for `hold` milliseconds.

        Any commit to a log ends its claim.
        """

    async def beat(self) -> Outage | None:
        """Record that a server is running. If the last beat is too old, record the outage since then and return it.

        Too old is more than `OUTAGE_AFTER`. The very first beat is not an outage.
        """

    async def outages(self, since: Instant) -> list[Outage]:
        """The outages that ended after an instant, in order."""

    # elsewhere

    async def number_line(self, log: LogId, seat: str) -> SeatLine | None:
        """Number a new line of a seat, higher than all before, and notify other processes by a change.

        `None` when the log is gone. Only stores that processes share write anything, because a process knows its own
        lines: all others return `None`.
        """

    async def replaced_lines(self, lines: Sequence[SeatLine]) -> list[SeatLine]:
        """Those of these lines that are not the newest of their seat any more."""

    def changes(self) -> AsyncIterator[Change]:
        """The logs that other processes have changed. It is a wake-up only: it may miss some.

        It ends when the store is closed.
        """

    # caches

    async def rebuild(self, rows: Sequence[tuple[LogId, Row]]) -> None:
        """Replace the rows of these logs by rows that were derived from the logs again, and drop their snapshots."""
