"""The log of a machine: a sequence of entries, chained by their hashes. It knows bytes and positions, not games.

Entry 0 is the header, written when the log is created. Every later entry is one accepted event. An entry holds its
time, the command that caused it (if one did), the answer to that command, and in many entries the fingerprint of the
state that it led to. Its `link` is a hash of all that and of the previous link, so `verify` detects a changed bit
anywhere.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import NewType

import msgspec

from turnstile.kernel.values import Instant, LogId

Position = int
"""The number of an entry in its log: 0 is the header."""

Command = NewType("Command", str)
"""The sender of a command and the id that the sender gave it. It is unique in its log."""

Link = bytes
BEFORE_FIRST: Link = b""
NO_FINGERPRINT = b""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One event as it is stored."""

    position: Position
    at: Instant
    event: bytes
    """The event in canonical bytes; in entry 0, the header."""
    state: bytes
    """The SHA-256 of the state that the event led to, or nothing: not every entry has one."""
    link: Link
    command: Command | None = None
    answer: bytes | None = None
    """The answer to the sender. A repeated command gets the same answer."""


class Snapshot(msgspec.Struct, frozen=True, gc=False):
    """The state after an entry, so that a reader need not start at the header. It is a cache."""

    position: Position
    link: Link
    state: bytes
    fingerprint: bytes
    """The SHA-256 of the state, taken from the entry: the log proves the snapshot, the snapshot does not."""


class Damaged(Exception):
    """A log does not hold what was written, or replays to a different state. The log is put aside, unchanged."""

    def __init__(self, log: LogId, why: str) -> None:
        super().__init__(f"Log {log} is damaged: {why}.")
        self.log = log
        self.why = why


def entry(
    before: Link,
    position: Position,
    at: Instant,
    event: bytes,
    state: bytes,
    command: Command | None = None,
    answer: bytes | None = None,
) -> Entry:
    """The entry that follows the one with the link `before`."""
    link = _link(before, position, at, event, state, command, answer)
    return Entry(position, at, event, state, link, command, answer)


def verify(log: LogId, before: Link, after: Position, entries: Iterable[Entry]) -> None:
    """Raises `Damaged` unless these entries follow, one by one, the one at `after` with the link `before`."""
    for number, found in enumerate(entries, start=after + 1):
        if found.position != number:
            raise Damaged(log, f"entry {number} is missing")
        made = _link(before, number, found.at, found.event, found.state, found.command, found.answer)
        if made != found.link:
            raise Damaged(log, f"the hash of entry {number} does not match its content")
        before = found.link


def verify_snapshot(log: LogId, snapshot: Snapshot) -> None:
    """Raises `Damaged` unless this is the state that its entry led to."""
    if sha256(snapshot.state).digest() != snapshot.fingerprint:
        raise Damaged(log, f"the snapshot at {snapshot.position} is not the state that entry led to")


def _link(
    before: Link,
    position: Position,
    at: Instant,
    event: bytes,
    state: bytes,
    command: Command | None,
    answer: bytes | None,
) -> Link:
    numbers = f"{position}:{at}:{len(event)}:{len(state)}:{'' if answer is None else len(answer)}:"
    named = "" if command is None else f"{len(command.encode())}:{command}"
    return sha256(b"".join((before, numbers.encode(), event, state, answer or b"", named.encode()))).digest()
