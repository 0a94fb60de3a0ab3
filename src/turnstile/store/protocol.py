"""What every store does. The log is the truth; all that stands beside it can be made anew from it.

A store knows bytes, positions and times. It decides one thing only: whether an entry gets its place behind the one that
its writer last saw. Every store passes the tests in tests/store, unchanged.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Protocol

import msgspec

from turnstile.kernel.values import LONGEST_ID, Instant, LogId
from turnstile.store.log import Command, Entry, Link, Position, Snapshot


class Row(msgspec.Struct, frozen=True, gc=False):
    """What a list of tables shows, and when somebody must look at the table. A cache: the state says the same."""

    game: str
    phase: str
    players: tuple[str, ...]
    is_open: bool
    """Whether the table still has something to do; a finished one may be exported and pruned."""
    is_listed: bool
    opened: Instant
    changed: Instant
    due: Instant | None
    """When the next timer runs out, or when somebody must see whether work was left undone."""
    note: str = ""
    """Why a table was put aside, for the operator; empty for all others."""


class Commit(msgspec.Struct, frozen=True, gc=False):
    """One entry for one table, at the position after the one its writer saw, and the caches that follow from it."""

    table: LogId
    entry: Entry
    before: Link
    """The link of the entry that it follows: a log that has gone another way to the same position is not its log."""
    row: Row
    snapshot: bytes | None = None
    """The state after the entry, where it is time to keep one."""


class Saved(msgspec.Struct, frozen=True, gc=False):
    """What is stored of a table, from some point on: the header, where reading begins, and all entries after that."""

    header: Entry
    snapshot: Snapshot | None
    entries: tuple[Entry, ...]
    """The entries after the snapshot; without one, after the header."""


class Outage(msgspec.Struct, frozen=True, gc=False):
    """A time in which no server was there; nobody's clock runs in it."""

    start: Instant
    end: Instant


class StoreFault(Exception):
    """A store that cannot do what it was asked. Nothing has changed; the sentence is for the operator."""


class StorageFull(StoreFault):
    """There is no room. Reading goes on; writing does too, once there is."""


class Busy(StoreFault):
    """Too much is waiting, or the store could not be reached in time. The same may be tried again later."""


class ReadOnly(StoreFault):
    """Writing is not permitted any more. Reading goes on."""


class Unstorable(StoreFault):
    """What was asked cannot be stored as it is: an id of another form, a text that is none, something too long."""


class Unknown(StoreFault):
    """The connection broke while something was being written: it may be there or not. Reading will tell."""


class Broken(StoreFault):
    """The disk did not keep what it was given. Nothing can be promised: the process must end and start anew."""


class CannotOpen(StoreFault):
    """The store cannot be used at all: another process has it, its schema is newer, a setting was not obeyed."""


class InUse(CannotOpen):
    """Another process has it, and may soon let go of it."""


NO_ID = f"The id of a table has 1 to {LONGEST_ID} characters, all of them visible ones."

OUTAGE_AFTER = 3_000
"""Milliseconds without a beat after which nobody was there."""


class Store(Protocol):
    """Where tables rest between two events. Once it is closed, all it does is raise `StoreFault`."""

    is_shared: bool
    """Whether other processes may write to the same tables."""

    def now(self) -> Instant:
        """The one clock for all deadlines. It never goes back."""

    async def close(self) -> None:
        """Finish what was begun, and let go."""

    # writing

    async def create(self, table: LogId, header: Entry, row: Row) -> bool:
        """The table, with its header as entry 0; `False` when one of that id exists.

        Raises `Unstorable` for an id that is none (see `is_table_id`). All else that is asked about such an id finds
        nothing and changes nothing.
        """

    async def commit(self, commit: Commit) -> bool:
        """The entry with everything that belongs to it, durable when this returns; `False`, and nothing, when its
        position is not the next one, the newest entry is not the one it follows, its command id is taken, or the
        table is gone or put aside.

        Commits of many tables share one sync; a lone one never waits for others.
        """

    async def acknowledge(self, table: LogId, cursors: Mapping[str, int]) -> dict[str, int]:
        """Move these seats' cursors forward, never back; all cursors of the table as they are then, others' included.

        A table that is gone has none and gets none. In a store that processes share, a cursor outlives a crash, for
        nobody says it again. Where the process goes with its store one may be lost: its seat is then sent something
        again.
        """

    async def put_aside(self, table: LogId, why: str) -> None:
        """Mark a table as damaged: it is not open any more, needs nobody, and its row's note says why (never nothing).

        Its log is left as it is; no commit changes it. `rebuild` is the way back, for an operator.
        """

    async def prune(self, table: LogId) -> bool:
        """Forget a table that is not open any more; `False` when it is, or does not exist."""

    # reading

    async def load(self, table: LogId) -> Saved | None:
        """A table from its latest snapshot on. Raises `Damaged` when the log ends before its row says it does."""

    async def snapshot(self, table: LogId, at_most: Position) -> Snapshot | None:
        """The latest snapshot at or before a position."""

    async def entries(self, table: LogId, after: Position, limit: int | None = None) -> tuple[Entry, ...]:
        """The entries after a position (-1: from the header on), all of them or the first few."""

    async def positions(self, tables: Sequence[LogId]) -> dict[LogId, Position]:
        """The newest position of each of these tables; those that are gone are left out."""

    async def find(self, table: LogId, command: Command) -> Entry | None:
        """The entry of a command."""

    async def cursors(self, table: LogId) -> dict[str, int]:
        """How far each seat has acknowledged."""

    async def row(self, table: LogId) -> Row | None:
        """The row; one that cannot be read any more says so in its note, as if the table were put aside."""

    async def tables(
        self, *, is_open: bool | None = None, after: LogId | None = None, limit: int = 100
    ) -> list[tuple[LogId, Row]]:
        """Tables in the order of their ids, a page at a time."""

    # time

    async def claim(self, until: Instant, hold: int, limit: int) -> list[LogId]:
        """Tables due at `until` or before, the earliest first, for the caller alone for `hold` milliseconds.

        A commit to a table ends the claim, whoever made it; after `hold` somebody else may have it.
        """

    async def beat(self) -> Outage | None:
        """Say that a server is here. When nobody said so for too long, that was an outage: kept, and given back.

        Too long is more than `OUTAGE_AFTER`. The first beat of all is no outage.
        """

    async def outages(self, since: Instant) -> list[Outage]:
        """The outages that ended after an instant, in order."""

    # elsewhere

    def changes(self) -> AsyncIterator[LogId]:
        """Tables that other processes have changed, as far as is known; a wake-up only, and it may miss some.

        It ends when the store is closed.
        """

    # caches

    async def rebuild(self, rows: Sequence[tuple[LogId, Row]]) -> None:
        """Replace these tables' rows by ones made anew from their logs, and drop their snapshots."""
