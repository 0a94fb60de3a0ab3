"""What an operator does with stored logs of any kind: list, read, check, export, rebuild.

Every function does one log, or goes through them one by one, and says what is wrong as a value. Logs that are being
written may be checked; nothing here changes one.
"""

from collections.abc import AsyncIterator, Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from turnstile.durable.log import CannotGoOn, Kept, Kind, replay, tag_of
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import Instant, LogId
from turnstile.store.log import BEFORE_FIRST, Command, Damaged, Entry, verify, verify_snapshot
from turnstile.store.protocol import Row, Saved, Store

Kinds = Mapping[str, Kind[Any, Any]]
"""The kinds of logs that are known, by their tags."""

ATTEMPTS = 10  # to make a row anew while its log grows
PAGE = 500  # logs that are listed in one go


class Code(StrEnum):
    """What is wrong with a stored log, or why it is not exported. Add to them, never rename one."""

    NO_LOG = "NoSuchLog"
    DAMAGED = "DamagedLog"
    STALE_CACHE = "StaleCache"
    PUT_ASIDE = "PutAside"
    OTHER_VERSION = "OtherVersion"
    NOT_OVER = "NotOver"
    NO_MATCH = "NoMatch"
    NOT_BOOKED = "NotBooked"


async def every(store: Store, is_open: bool | None = None) -> AsyncIterator[tuple[LogId, Row]]:
    """All logs, in the order of their ids; or only those that are open, or that are not."""
    after: LogId | None = None
    while page := await store.logs(is_open=is_open, after=after, limit=PAGE):
        for found in page:
            yield found
        after = page[-1][0]


async def read_entries(store: Store, name: LogId) -> Saved | Rejection:
    """A whole log, unread."""
    try:
        header, *entries = await store.entries(name, -1) or (None,)
    except Damaged as fault:
        return Rejection(Code.DAMAGED, str(fault))
    if header is None:
        return Rejection(Code.NO_LOG, f"There is no log {name}.")
    return Saved(header, None, tuple(entries))


def kind_of(kinds: Kinds, saved: Saved) -> Kind[Any, Any]:
    """How a log is written. One without a tag is read as a table: it then says itself what is wrong."""
    return kinds.get(tag_of(saved.header)) or kinds["table"]


class Reading(NamedTuple):
    """A whole log as it was read: its kind, and where it leads."""

    kind: Kind[Any, Any]
    kept: Kept[Any]

    @property
    def row(self) -> Row:
        """What its row should be."""
        return self.kind.row(self.kept.state)


async def read(kinds: Kinds, store: Store, name: LogId) -> Reading | Rejection:
    """The machine that its whole log leads to. Every link and every fingerprint on the way is checked."""
    newest = (await store.positions([name])).get(name, 0)
    log = await read_entries(store, name)
    if isinstance(log, Rejection):
        return log
    kind = kind_of(kinds, log)
    try:
        verify(name, BEFORE_FIRST, -1, (log.header, *log.entries))
        if len(log.entries) < newest:
            raise Damaged(name, f"the entries after {len(log.entries)} are missing")
        return Reading(kind, replay(kind, name, log))
    except Damaged as fault:
        return Rejection(Code.DAMAGED, str(fault))
    except CannotGoOn as fault:
        return Rejection(Code.OTHER_VERSION, str(fault))


async def check(kinds: Kinds, store: Store, name: LogId) -> Rejection | None:
    """What is wrong with a log: a broken chain, a replay that leads elsewhere, a cache that says something else."""
    reading = await read(kinds, store, name)
    if isinstance(reading, Rejection):
        return reading
    kept, row = reading.kept, await store.row(name)
    if row is not None and row.note:
        return Rejection(Code.PUT_ASIDE, f"{name} was put aside, and its log is whole now; rebuild brings it back.")
    newest = (await store.positions([name])).get(name, kept.position)
    if newest < kept.position or (newest == kept.position and row not in (None, reading.row)):
        return Rejection(Code.STALE_CACHE, f"The row of {name} is not what its log says; rebuild mends it.")
    try:
        if (snapshot := await store.snapshot(name, kept.position)) is not None:
            verify_snapshot(name, snapshot)
    except Damaged as fault:
        return Rejection(Code.STALE_CACHE, f"{fault} The log is whole; rebuild mends it.")
    return None


async def rebuild(kinds: Kinds, store: Store, name: LogId) -> Rejection | None:
    """Make the caches of a log anew, or say why that cannot be done. A log that was put aside is back then."""
    for _ in range(ATTEMPTS):
        reading = await read(kinds, store, name)
        if isinstance(reading, Rejection):
            return reading
        await store.rebuild([(name, reading.row)])
        position = reading.kept.position
        if (await store.positions([name])).get(name, position) == position:
            return None  # otherwise the log has grown meanwhile, and the row may be older than it is
    return Rejection(Code.STALE_CACHE, f"{name} grows faster than its row is made anew; try again later.")


# logs as text


class Line(msgspec.Struct, frozen=True):
    """An entry as a line of text."""

    position: int
    at: Instant
    event: str
    state: str
    link: str
    command: Command | None
    answer: str | None


def save_entries(entries: Iterable[Entry]) -> bytes:
    """A log as lines of JSON."""
    return b"".join(msgspec.json.encode(_line_of(entry)) + b"\n" for entry in entries)


def load_entries(data: bytes) -> tuple[Entry, ...]:
    return tuple(_entry_of(msgspec.json.decode(line, type=Line)) for line in data.splitlines())


def _line_of(entry: Entry) -> Line:
    answer = None if entry.answer is None else entry.answer.decode()
    state, link = entry.state.hex(), entry.link.hex()
    return Line(entry.position, entry.at, entry.event.decode(), state, link, entry.command, answer)


def _entry_of(line: Line) -> Entry:
    answer = None if line.answer is None else line.answer.encode()
    state, link = bytes.fromhex(line.state), bytes.fromhex(line.link)
    return Entry(line.position, line.at, line.event.encode(), state, link, line.command, answer)
