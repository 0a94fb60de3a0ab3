"""Between a machine and its log: which entry an event makes, and which state a log leads to. No I/O, no waiting.

Entry 0 is the header: how the machine began. Every other entry is one event. Every 16th entry, and the last one of a
log that is closed, has the fingerprint of the state that it led to. A snapshot is such a state itself; it is a cache,
and the log vouches for it.
"""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from turnstile.kernel.machine import Rejection, S, Step
from turnstile.kernel.values import Instant, LogId, Malformed, decode
from turnstile.store.log import (
    BEFORE_FIRST,
    NO_FINGERPRINT,
    Command,
    Damaged,
    Entry,
    Link,
    Position,
    Snapshot,
    entry,
    verify,
    verify_snapshot,
)
from turnstile.store.protocol import Commit, Row, Saved

E = TypeVar("E")
T = TypeVar("T")

FINGERPRINT_EVERY = 16
"""Entries. To write the whole state for each entry would make a move dearer the longer a match lasts."""


class BadSnapshot(Damaged):
    """A snapshot is not what it should be. It is a cache: the log still has everything."""


class Gone(Exception):
    """The log was pruned, or put aside by another process."""


class CannotGoOn(Exception):
    """This release cannot go on with a log, and why."""

    def __init__(self, refused: Rejection) -> None:
        super().__init__(refused.sentence)
        self.refused = refused


class Outdated(CannotGoOn):
    """A log of an older version. No later release will go on with it either."""


class Unplayable(CannotGoOn):
    """A log of a game that is not installed here, or of a later release. Others may go on with it: it is left alone."""


class OtherKind(CannotGoOn):
    """A log of another kind of machine."""


class StateTooLarge(Exception):
    """The state of a machine has grown without bound: a bug of its author."""


class Kept(msgspec.Struct, Generic[S], frozen=True, gc=False):
    """A machine as far as its log was read: the state, and the entry that led to it."""

    state: S
    position: Position
    link: Link


class Kind(Protocol[S, E]):
    """How one kind of machine is written. `S` is all that is kept of it, `E` what can happen to it."""

    tag: str
    """What the header of such a log says it is."""
    snapshot_every: int
    """After how many entries a snapshot is kept."""
    largest_state: int | None
    """Bytes of a state as it is written; a machine whose state grows beyond them has failed."""

    def open(self, name: LogId, header: bytes, at: Instant) -> S:
        """The machine when it began. Raises `Damaged`, `Outdated` or `Unplayable`."""

    def read_event(self, name: LogId, found: Entry) -> E:
        """The event of an entry. Raises `Damaged`."""

    def write_event(self, event: E) -> bytes: ...

    def apply(self, state: S, event: E, at: Instant) -> S | Rejection:
        """The state that an event leads to."""

    def step(self, state: S, event: E, at: Instant) -> Step[S] | Rejection:
        """The same with effects. A step that leaves the state as it is is not written, unless it is a command."""

    def write_state(self, state: S) -> bytes: ...

    def read_state(self, start: S, written: bytes) -> S:
        """A state from a snapshot; `start` is how the machine began. Raises `Malformed`."""

    def row(self, state: S) -> Row: ...

    def players(self, state: S) -> tuple[str, ...]:
        """The players of the row, without the rest of it: asked at every step."""

    def command(self, event: E) -> Command | None:
        """What makes a player's command unique in its log; `None` for an event that is not a command."""

    def answer(self, event: E, after: S) -> bytes:
        """What the sender of a command is told."""

    def end_without_replay(self, name: LogId, header: bytes, last: Entry) -> S | None:
        """The state of a log whose last entry ended it without understanding what came before; `None` for others."""


# writing


def begin(kind: Kind[S, Any], name: LogId, header: bytes, at: Instant) -> tuple[Entry, Kept[S]]:
    """Entry 0 of a new log, and what is kept then. Raises `Unplayable` where there cannot be such a machine."""
    state = kind.open(name, header, at)
    made = entry(BEFORE_FIRST, 0, at, header, fingerprint(kind.write_state(state)))
    return made, Kept(state, 0, made.link)


def draft(kind: Kind[S, E], name: LogId, kept: Kept[S], event: E, at: Instant, after: S) -> tuple[Commit, Kept[S]]:
    """What to store when `event` leads from what is kept to `after`, and what is kept then."""
    position, row, command = kept.position + 1, kind.row(after), kind.command(event)
    answer = None if command is None else kind.answer(event, after)
    is_snapshot = position % kind.snapshot_every == 0 or not row.is_open
    written = kind.write_state(after) if is_snapshot or position % FINGERPRINT_EVERY == 0 else None
    if written is not None and row.is_open and len(written) > (kind.largest_state or len(written)):
        raise StateTooLarge(f"A state has {len(written):,} bytes; at most {kind.largest_state:,} are kept.")
    seal = NO_FINGERPRINT if written is None else fingerprint(written)
    made = entry(kept.link, position, at, kind.write_event(event), seal, command, answer)
    seats = None if kind.players(kept.state) == row.players else row.players
    snapshot = written if is_snapshot else None
    return Commit(name, made, kept.link, row, snapshot, seats), Kept(after, position, made.link)


def fingerprint(written: bytes) -> bytes:
    return sha256(written).digest()


# reading


class _Tagged(msgspec.Struct, frozen=True):
    log: str = ""


def tag_of(header: Entry) -> str:
    """Which kind of log this is, by the tag in its header; empty where there is none."""
    try:
        return decode(header.event, _Tagged).log
    except Malformed:
        return ""


def replay(kind: Kind[S, Any], name: LogId, saved: Saved) -> Kept[S]:
    """The machine that a log leads to. Every hash on the way is checked, and so is every fingerprint of a state.

    Raises `Damaged` or `CannotGoOn`.
    """
    verify(name, BEFORE_FIRST, -1, [saved.header])
    if (tag := tag_of(saved.header)) not in ("", kind.tag):
        raise OtherKind(Rejection("OtherKind", f"{name} is the log of a {tag}."))
    if saved.entries:
        ended = kind.end_without_replay(name, saved.header.event, last := saved.entries[-1])
        if ended is not None:
            return Kept(ended, last.position, last.link)
    state = kind.open(name, saved.header.event, saved.header.at)
    if saved.snapshot is None:
        kept = Kept(state, 0, saved.header.link)
    else:
        kept = _begin_at_snapshot(kind, name, state, saved.snapshot)
    return follow(kind, name, kept, saved.entries)


def _begin_at_snapshot(kind: Kind[S, Any], name: LogId, start: S, snapshot: Snapshot) -> Kept[S]:
    try:
        verify_snapshot(name, snapshot)
        state = kind.read_state(start, snapshot.state)
    except (Damaged, Malformed) as fault:
        raise BadSnapshot(name, f"its snapshot at {snapshot.position} cannot be read: {fault}") from None
    return Kept(state, snapshot.position, snapshot.link)


def follow(kind: Kind[S, Any], name: LogId, kept: Kept[S], entries: Sequence[Entry]) -> Kept[S]:
    """What is kept after these further entries."""
    verify(name, kept.link, kept.position, entries)
    for found in entries:
        state = _decide_again(kind, name, kept.state, found, kind.apply)
        kept = _keep(kind, name, state, found)
    return kept


def follow_steps(
    kind: Kind[S, E], name: LogId, kept: Kept[S], entries: Sequence[Entry]
) -> Iterator[tuple[Kept[S], E, Step[S]]]:
    """Every event of these entries, with the step that it made and what is kept then."""
    verify(name, kept.link, kept.position, entries)
    for found in entries:
        step = _decide_again(kind, name, kept.state, found, kind.step)
        kept = _keep(kind, name, step.state, found)
        yield kept, kind.read_event(name, found), step


def _decide_again(
    kind: Kind[S, E], name: LogId, state: S, found: Entry, decide: Callable[[S, E, Instant], T | Rejection]
) -> T:
    """Decide an event again. A machine that fails or refuses now is not the one that wrote the log."""
    event = kind.read_event(name, found)
    try:
        decided = decide(state, event, found.at)
    except Exception as bug:
        why = f"entry {found.position} makes {kind.row(state).game} fail: {type(bug).__name__}: {bug}"
        raise Damaged(name, why) from bug
    if isinstance(decided, Rejection):
        raise Damaged(name, f"entry {found.position} is refused: {decided.sentence}")
    return decided


def _keep(kind: Kind[S, Any], name: LogId, state: S, found: Entry) -> Kept[S]:
    """What is kept after an entry, if the state is the one whose fingerprint the entry has."""
    if found.state == NO_FINGERPRINT:
        return Kept(state, found.position, found.link)
    try:
        written = kind.write_state(state)
    except Exception as bug:
        raise Damaged(name, f"the state after entry {found.position} cannot be written: {bug}") from bug
    if fingerprint(written) != found.state:
        raise Damaged(name, f"it no longer leads to the state it led to at entry {found.position}")
    return Kept(state, found.position, found.link)
