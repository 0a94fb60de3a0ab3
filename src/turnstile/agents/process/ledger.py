"""Between a machine of the league and its log: which entry an event makes, and where a log leads. No I/O, no waiting.

An entry is one event that changed something, told at its instant. Its fingerprint is that of the state *and* the timers
it led to, so that both come back as they were, or the damage is noticed. One entry is no event of the machine: that the
process was away, and no timer has run meanwhile.
"""

import re
from collections.abc import Callable
from hashlib import sha256
from typing import Any, Generic, TypeVar

from msgspec import Raw

from turnstile.kernel.machine import Machine, Rejection, S, Step
from turnstile.kernel.timers import TimedMachine, Timer
from turnstile.kernel.values import LONGEST_ID, Event, Instant, LogId, Malformed, Timeout, Value, decode, encode
from turnstile.store.log import BEFORE_FIRST, Damaged, Entry, Link, Position, Snapshot, entry, verify, verify_snapshot
from turnstile.store.protocol import Commit, Row, Saved

T = TypeVar("T")

VERSION = 1  # of the header, and of how events are written
SNAPSHOT_EVERY = 256  # entries

Watcher = Callable[[Instant, Event, Step[Any] | Rejection], None]
"""Who wants to know what happened, once more, while a log is replayed."""


class Header(Value, frozen=True):
    """Entry 0: which machine this is, how it began, and what its host wants to know again after a restart."""

    machine: str
    time_scale: float
    start: Raw
    about: Raw = Raw(b"null")
    version: int = VERSION


class Away(Event, frozen=True):
    """The process was not there: what had time left then still has it."""

    milliseconds: int


AWAY = b'{"type":"Away",'


class _Standing(Value, frozen=True):
    """A machine between two events, as it is written."""

    state: Any
    timers: dict[str, Timer]


class _ReadTimer(Value, frozen=True):
    due: Instant
    event: Raw


class _ReadStanding(Value, frozen=True):
    state: Raw
    timers: dict[str, _ReadTimer]


class Kept(Generic[S]):
    """A machine as far as its log was read, and the entry that led there."""

    __slots__ = ("fingerprint", "header", "link", "opened", "position", "timed")

    def __init__(self, header: Header, timed: TimedMachine[S], first: Entry) -> None:
        self.header = header
        self.timed = timed
        self.opened = first.at
        self.position: Position = first.position
        self.link: Link = first.link
        self.fingerprint = first.state

    def moved(self, found: Entry | Snapshot, fingerprint: bytes) -> None:
        self.position, self.link, self.fingerprint = found.position, found.link, fingerprint


def table_of(kind: str, *names: str) -> LogId:
    """The id of a machine's table. Names that others chose and that are too long, or odd, are hashed."""
    plain = "/".join((kind, *names))
    if len(plain) <= LONGEST_ID and all(re.fullmatch(r"[A-Za-z0-9_.-]+", name) for name in names):
        return LogId(plain)
    room = LONGEST_ID - len(kind) - 1
    return LogId(f"{kind}/{sha256(encode(names)).hexdigest()[:room]}")


# writing


def opened(machine: Machine[S], start: S, time_scale: float, about: object, at: Instant) -> tuple[Kept[S], Entry]:
    """A machine that begins, and entry 0 of its log."""
    header = Header(machine=machine.name, time_scale=time_scale, start=Raw(encode(start)), about=Raw(encode(about)))
    timed = TimedMachine(machine, start, time_scale)
    first = entry(BEFORE_FIRST, 0, at, encode(header), _fingerprint(_written(timed)))
    return Kept(header, timed, first), first


def drafted(kept: Kept[S], table: LogId, event: Event, at: Instant, is_open: bool) -> Commit | None:
    """What to store now that an event has happened to what is kept; nothing, where it has changed nothing."""
    written = _written(kept.timed)
    fingerprint = _fingerprint(written)
    if fingerprint == kept.fingerprint:
        return None
    position = kept.position + 1
    made = entry(kept.link, position, at, encode(event), fingerprint)
    is_time = position % SNAPSHOT_EVERY == 0
    return Commit(table, made, kept.link, row_of(kept, at, is_open), written if is_time else None)


def row_of(kept: Kept[S], at: Instant, is_open: bool) -> Row:
    """What a list of tables shows. The agent that runs the machine watches its timers itself: nobody else is due."""
    return Row(
        game=kept.header.machine,
        phase=kept.timed.state.phase.value,
        players=(),
        is_open=is_open,
        is_listed=False,
        opened=kept.opened,
        changed=at,
        due=None,
    )


def _written(timed: TimedMachine[S]) -> bytes:
    return encode(_Standing(timed.state, timed.timers))


def _fingerprint(written: bytes) -> bytes:
    return sha256(written).digest()


# reading


def replayed(table: LogId, machine: Machine[S], saved: Saved, watch: Watcher | None = None) -> Kept[S]:
    """The machine that a log leads to, timers included. Every hash on the way is checked, and so is the end."""
    verify(table, BEFORE_FIRST, -1, [saved.header])
    header = read_header(table, saved.header)
    if (header.machine, header.version) != (machine.name, VERSION):
        raise Damaged(table, f"it is the log of {header.machine}, version {header.version}")
    kept = Kept(
        header, TimedMachine(machine, _read_state(table, machine, header.start), header.time_scale), saved.header
    )
    if saved.snapshot is not None:
        _restore(table, kept, saved.snapshot)
    verify(table, kept.link, kept.position, saved.entries)
    for found in saved.entries:
        _repeat(table, kept, found, watch)
    if _fingerprint(_written(kept.timed)) != kept.fingerprint:
        raise Damaged(table, f"it no longer leads to where it led at entry {kept.position}")
    return kept


def read_header(table: LogId, first: Entry) -> Header:
    try:
        return decode(first.event, Header)
    except Malformed as fault:
        raise Damaged(table, f"its header cannot be read: {fault}") from None


def _restore(table: LogId, kept: Kept[S], snapshot: Snapshot) -> None:
    """Begin at a snapshot: its state, and its timers with the instants at which they are due."""
    verify_snapshot(table, snapshot)
    machine = kept.timed.machine
    try:
        standing = decode(snapshot.state, _ReadStanding)
    except Malformed as fault:
        raise Damaged(table, f"its snapshot at {snapshot.position} cannot be read: {fault}") from None
    kept.timed.state = _read_state(table, machine, standing.state)
    kept.timed.timers = {
        name: Timer(timer.due, _read_timeout(table, machine, timer.event)) for name, timer in standing.timers.items()
    }
    kept.moved(snapshot, snapshot.fingerprint)


def _repeat(table: LogId, kept: Kept[S], found: Entry, watch: Watcher | None) -> None:
    """What happened once happens again. A timer that came too late was turned down then, and is so now."""
    if found.event.startswith(AWAY):
        kept.timed.put_off(_read_away(table, found.event).milliseconds)
        kept.moved(found, found.state)
        return
    event = _read_event(table, kept.timed.machine, found.event)
    result = kept.timed.take(event, found.at)
    kept.moved(found, found.state)
    if watch is not None:
        watch(found.at, event, result)


def _read_state(table: LogId, machine: Machine[S], written: Raw) -> S:
    state = machine.read_state(bytes(written))
    if isinstance(state, Rejection):
        raise Damaged(table, state.sentence)
    return state


def _read_event(table: LogId, machine: Machine[S], written: bytes) -> Event:
    event = machine.read_event(written)
    if isinstance(event, Rejection):
        raise Damaged(table, event.sentence)
    return event


def _read_away(table: LogId, written: bytes) -> Away:
    try:
        return decode(written, Away)
    except Malformed as fault:
        raise Damaged(table, f"it cannot be read for how long nobody was there: {fault}") from None


def _read_timeout(table: LogId, machine: Machine[S], written: Raw) -> Timeout:
    event = _read_event(table, machine, bytes(written))
    if not isinstance(event, Timeout):
        raise Damaged(table, "a timer of its snapshot brings about something that is no timeout")
    return event


def read_about(header: Header, as_type: type[T]) -> T:
    """What the host had written down for itself when the machine began."""
    return decode(bytes(header.about), as_type)
