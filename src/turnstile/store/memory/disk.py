"""What stores in memory hold. Several stores may share one disk, as processes share one database."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.store.directory import Invitation, MatchResult, PlayerAtTable, Rating, RegisteredPlayer
from turnstile.store.log import Command, Entry, Position
from turnstile.store.protocol import Outage, Row

if TYPE_CHECKING:
    from turnstile.store.memory.store import MemoryStore


@dataclass
class DiskLog:
    """A log, and what is stored with it."""

    row: Row
    entries: list[Entry]
    commands: dict[Command, Entry]
    seats: tuple[str, ...]
    is_closed: bool
    """For the directory: whether it was closed since it was created or rebuilt."""
    snapshots: dict[Position, bytes] = field(default_factory=dict)
    cursors: dict[str, int] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    """The number of the newest line of each seat."""
    claimed_until: Instant | None = None
    is_booked: bool = False


@dataclass
class People:
    """What a directory holds."""

    players: dict[PlayerId, RegisteredPlayer] = field(default_factory=dict)
    tokens: dict[bytes, tuple[PlayerId, Instant]] = field(default_factory=dict)
    """The player of each token, and since when."""
    codes: dict[bytes, tuple[PlayerId, Instant]] = field(default_factory=dict)
    """The player of each code, and when it expires."""
    invitations: dict[LogId, Invitation] = field(default_factory=dict)
    results: dict[LogId, MatchResult] = field(default_factory=dict)
    ratings: dict[tuple[PlayerId, str, str], Rating] = field(default_factory=dict)
    """By player, game and pool."""
    presence: dict[str, tuple[Instant, frozenset[PlayerAtTable]]] = field(default_factory=dict)
    """Who is connected to each process, and until when that counts."""


@dataclass
class Disk:
    """What stores share. It outlives them."""

    logs: dict[LogId, DiskLog] = field(default_factory=dict)
    people: People = field(default_factory=People)
    outages: list[Outage] = field(default_factory=list)
    beat: Instant | None = None
    newest: Instant = field(default=Instant(0))
    stores: list["MemoryStore"] = field(default_factory=list)
    """The open stores. Each is notified of the changes of the others."""
