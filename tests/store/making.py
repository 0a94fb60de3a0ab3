"""Tables for tests of stores: headers, entries that follow one another, rows. What is in them is nobody's game."""

from hashlib import sha256

from msgspec.structs import replace

from turnstile.kernel.values import Instant, LogId
from turnstile.store.log import BEFORE_FIRST, Command, Entry, Link, Position, entry
from turnstile.store.protocol import Commit, Row, Saved, Store

LONG = 3_600_000
"""An hour: longer than any test."""

ROW = Row(
    game="doors",
    phase="open",
    players=("alice", "bob"),
    is_open=True,
    is_listed=True,
    opened=Instant(1_000),
    changed=Instant(1_000),
    due=None,
)
_before: dict[Link, Link] = {}
"""What each entry made here follows: an entry alone does not say."""

FINISHED = replace(ROW, phase="over", is_open=False)


def state(position: Position) -> bytes:
    """The state after the entry at a position."""
    return b"state %d" % position


def header(at: int = 1_000, about: bytes = b"header") -> Entry:
    return entry(BEFORE_FIRST, 0, Instant(at), about, sha256(state(0)).digest())


def following(before: Entry, command: str | None = None, at: int | None = None, event: bytes = b"a move") -> Entry:
    position = before.position + 1
    named = None if command is None else Command(command)
    answer = None if command is None else b"answer %d" % position
    when = Instant(before.at + 1 if at is None else at)
    made = entry(before.link, position, when, event, sha256(state(position)).digest(), named, answer)
    _before[made.link] = before.link
    return made


def chain(length: int, first: Entry | None = None) -> list[Entry]:
    """A header and `length` entries after it."""
    entries = [header() if first is None else first]
    for _ in range(length):
        entries.append(following(entries[-1]))
    return entries


def commit_of(
    table: LogId, made: Entry, row: Row = ROW, *, with_snapshot: bool = False, before: Link | None = None
) -> Commit:
    follows = _before.get(made.link, BEFORE_FIRST) if before is None else before
    return Commit(table, made, follows, row, state(made.position) if with_snapshot else None)


async def stored(
    store: Store, table: LogId, length: int, *, row: Row = ROW, snapshots: tuple[Position, ...] = ()
) -> list[Entry]:
    """A table of so many entries after its header, with snapshots at these positions; its last row is `row`."""
    entries = chain(length)
    assert await store.create(table, entries[0], row if length == 0 else ROW)
    for made in entries[1:]:
        now = row if made.position == length else ROW
        assert await store.commit(commit_of(table, made, now, with_snapshot=made.position in snapshots))
    return entries


async def reading(store: Store, table: LogId) -> Saved:
    saved = await store.load(table)
    assert saved is not None
    return saved
