"""The log of a table: entries, one after the other, chained by their hashes. It knows bytes and positions, no games.

Entry 0 is the header of the table, written when it is created; every later entry is one accepted event. An entry says
when it happened, which command it was (if somebody's), what that was answered, and the fingerprint of the state it led
to. Its `link` is a hash over all that and the link before, so that a changed bit anywhere is noticed.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import NewType

import msgspec

from turnstile.kernel.values import Instant, LogId

Position = int
"""Which entry of a log: 0 is the header."""

Command = NewType("Command", str)
"""Whose command an entry is, and the id its sender gave it: unique in its table, for the life of the match."""

Link = bytes
BEFORE_FIRST: Link = b""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """Something that happened, as it is stored."""

    position: Position
    at: Instant
    event: bytes
    """What happened, in canonical bytes; in entry 0 the header."""
    state: bytes
    """The SHA-256 of the state it led to."""
    link: Link
    command: Command | None = None
    answer: bytes | None = None
    """What its sender was told; a command that is repeated is told the same."""


class Snapshot(msgspec.Struct, frozen=True, gc=False):
    """The state after an entry, and what that entry says of it: where reading may begin. It is a cache."""

    position: Position
    link: Link
    state: bytes
    fingerprint: bytes
    """The SHA-256 of the state, as the entry has it: the log vouches for the snapshot, not the snapshot for itself."""


class Damaged(Exception):
    """Something stored is not what was written, or does not lead where it led. The table is put aside, unchanged."""

    def __init__(self, table: LogId, why: str) -> None:
        super().__init__(f"Table {table} is damaged: {why}.")
        self.table = table
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


def verify(table: LogId, before: Link, after: Position, entries: Iterable[Entry]) -> None:
    """Raises `Damaged` unless these entries follow, one by one, the one at `after` with the link `before`."""
    for number, found in enumerate(entries, start=after + 1):
        if found.position != number:
            raise Damaged(table, f"entry {number} is missing")
        made = _link(before, number, found.at, found.event, found.state, found.command, found.answer)
        if made != found.link:
            raise Damaged(table, f"the hash of entry {number} does not follow from what is written")
        before = found.link


def verify_snapshot(table: LogId, snapshot: Snapshot) -> None:
    """Raises `Damaged` unless this is the state that its entry led to."""
    if sha256(snapshot.state).digest() != snapshot.fingerprint:
        raise Damaged(table, f"the snapshot at {snapshot.position} is not the state that entry led to")


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
