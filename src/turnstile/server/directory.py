"""What the server needs from the directory of players. The types are those of the directory in `store`."""

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

import msgspec

from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.store.protocol import Row

T = TypeVar("T")


class RegisteredPlayer(msgspec.Struct, frozen=True, gc=False):
    """A player that has registered. Names need not be unique."""

    id: PlayerId
    name: str | None
    """`None`: the player was deleted. Its finished matches stay under its id."""
    added: Instant


class Invitation(msgspec.Struct, frozen=True, gc=False):
    """What is settled about joining a table, before the table is created."""

    table: LogId
    admin: PlayerId
    secret: bytes
    """The hash of the secret in the invitation."""
    is_required: bool
    """Whether only players with the invitation may join."""


class PageMark(msgspec.Struct, frozen=True, gc=False):
    """Where a page ended: what its last item is sorted by, and the item's id."""

    value: int | float
    id: str


class Page(msgspec.Struct, Generic[T], frozen=True):
    """A part of a list."""

    items: tuple[T, ...]
    after: PageMark | None
    """Where the next page begins; `None`: there is no next page. A page with a mark may have few items, or none."""


class Directory(Protocol):
    """Keeps people. It never sees a secret: tokens, codes and invitations arrive as SHA-256 hashes."""

    async def add_player(self, player: PlayerId, name: str, token: bytes, at: Instant) -> bool:
        """Register a player with the hash of its first token; `False` when the id or the token is taken."""

    async def player(self, player: PlayerId) -> RegisteredPlayer | None:
        """A player, deleted ones included."""

    async def players(self, players: Sequence[PlayerId]) -> dict[PlayerId, RegisteredPlayer]:
        """These players, deleted ones included; unknown ones are left out."""

    async def player_by_token(self, token: bytes) -> RegisteredPlayer | None:
        """The player with a valid token of this hash."""

    async def rename(self, player: PlayerId, name: str) -> bool:
        """Give a player another name; `False` when there is no such player, or it was deleted."""

    async def add_token(self, player: PlayerId, token: bytes, at: Instant) -> bool:
        """Add a token for another device; `False` when there is no such player, or the token is taken."""

    async def replace_tokens(self, player: PlayerId, token: bytes, at: Instant) -> bool:
        """Make all tokens and codes of a player void, and add a token: log out everywhere."""

    async def delete_player(self, player: PlayerId) -> bool:
        """Delete a player's name, tokens, codes and ratings. Its id stays."""

    async def add_code(self, code: bytes, player: PlayerId, expires: Instant) -> bool:
        """Add a code for a player; `False` when there is no such player, or the code is taken."""

    async def use_code(self, code: bytes, now: Instant) -> PlayerId | None:
        """The player of a code that has not expired. Of all callers in all processes, one gets it."""

    async def add_invitation(self, invitation: Invitation) -> bool:
        """Settle who may join a table; `False` when that is settled already. Call it before the table is created."""

    async def invitation(self, table: LogId) -> Invitation | None: ...

    async def remove_invitation(self, table: LogId) -> bool:
        """Delete the invitation of a table that was not created after all; `False` when the table exists."""

    async def count_open(self, admin: PlayerId) -> int:
        """How many open tables a player has opened, by their invitations."""

    async def tables_of(
        self, player: PlayerId, *, is_open: bool | None = None, after: PageMark | None = None, limit: int = 50
    ) -> Page[tuple[LogId, Row]]:
        """The tables at which a player sits or sat to the end, the newest first."""

    async def listed(
        self, *, game: str | None = None, phase: str | None = None, after: PageMark | None = None, limit: int = 50
    ) -> Page[tuple[LogId, Row]]:
        """The open tables that are listed, the newest first."""
