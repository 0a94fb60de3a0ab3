"""What a server says, as types. Fields that a newer server adds are ignored."""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qs, quote, unquote, urlsplit

import msgspec

T = TypeVar("T")

TABLE_PAGE = "/table/"


class Answered(msgspec.Struct, frozen=True, rename="camel"):
    """The base of everything that a server answers."""


class Account(Answered, frozen=True):
    player: str
    name: str


class AccountWithToken(Answered, frozen=True):
    player: str
    name: str
    token: str


class DeviceCode(Answered, frozen=True):
    """A code that takes a player to another device, once."""

    code: str
    link: str
    expires: int


class SeatRange(Answered, frozen=True):
    fewest: int
    most: int


class Bot(Answered, frozen=True):
    name: str
    about: str


class Game(Answered, frozen=True):
    """A game that is installed on the server."""

    name: str
    title: str
    version: int
    seats: SeatRange
    bots: tuple[Bot, ...]


class ListedTable(Answered, frozen=True):
    table: str
    game: str
    phase: str
    players: tuple[str, ...]
    opened: int
    changed: int


class TableSeat(Answered, frozen=True):
    player: str
    kind: str = "person"
    bot: str | None = None
    is_away: bool = False


class Status(Answered, frozen=True):
    """A table as anyone may see it."""

    table: str
    game: str
    phase: str
    admin: str
    seats: tuple[TableSeat, ...]
    clocks: dict[str, int] = {}
    result: Any = None
    agreed: tuple[str, ...] = ()
    successor: str | None = None

    @property
    def is_over(self) -> bool:
        return self.phase in ("Finished", "Rematched", "Closed")


class NewTable(Answered, frozen=True):
    """A table that was opened, and the secret of its invitation."""

    table: str
    invite: str


class Page(msgspec.Struct, Generic[T], frozen=True):
    tables: tuple[T, ...]
    next: str | None = None


class Turn(msgspec.Struct, frozen=True, gc=False):
    """One update of a seat: what happened, what the player sees now, and what it may do. All of it is plain JSON."""

    seq: int
    messages: list[Any]
    view: Any
    actions: list[Any]

    @property
    def is_last(self) -> bool:
        """Whether the match is over: no update follows."""
        return any(message.get("type") == "MatchEnded" for message in self.messages)


class Invitation(msgspec.Struct, frozen=True):
    """A table of a server, and perhaps the secret that lets a player join it."""

    server: str
    table: str
    invite: str | None = None

    @property
    def link(self) -> str:
        """The page of the table. The secret is behind `#`, so that no server or proxy on the way sees it."""
        secret = "" if self.invite is None else f"#invite={quote(self.invite, safe='')}"
        return f"{self.server}{TABLE_PAGE}{quote(self.table, safe='')}{secret}"

    @classmethod
    def of(cls, link: str) -> "Invitation":
        """The invitation in a link. Raises `ValueError`."""
        parts = urlsplit(link)
        found: Mapping[str, list[str]] = parse_qs(parts.fragment)
        path, _, table = parts.path.rpartition(TABLE_PAGE)
        if parts.scheme not in ("http", "https") or not parts.netloc or not table or "/" in table:
            raise ValueError(f"{link!r} is not an invitation: it looks like https://server/table/...#invite=...")
        invite = found["invite"][0] if "invite" in found else None
        return cls(f"{parts.scheme}://{parts.netloc}{path}", unquote(table), invite)
