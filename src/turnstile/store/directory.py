"""The protocol of the directory: what a server keeps about people beside the logs.

Players with the hashes of their tokens, one-time codes, invitations, who sits at which table, results and ratings; and
who is connected to which process. The directory never sees a secret: tokens, codes and invitations arrive as SHA-256
hashes. Every change is durable when its method returns, unless it says otherwise, and every list comes in pages. Every
directory passes the tests in tests/store, unchanged.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from typing import Generic, NamedTuple, Protocol, TypeVar

import msgspec

from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.store.protocol import Busy, Row, Store

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


class MatchPlayer(msgspec.Struct, frozen=True, gc=False):
    """How one player of a finished match did."""

    player: PlayerId
    has_won: bool
    place: int | None = None
    score: int | None = None
    kind: str = "person"
    """`person`, `agent` or `bot`."""
    bot: str | None = None
    """The name of the bot, if a bot played."""


class MatchResult(msgspec.Struct, frozen=True, gc=False):
    """A finished match. It stays when its table is pruned."""

    table: LogId
    game: str
    finished: Instant
    how: str
    is_rated: bool
    is_public: bool
    """Whether anyone may see it. The match of a private table is for its own players."""
    players: tuple[MatchPlayer, ...]
    """In the order of their seats."""


class Rating(msgspec.Struct, frozen=True, gc=False):
    """How strong a player is thought to be at a game, within a pool of players who are compared with each other."""

    player: PlayerId
    game: str
    pool: str
    mu: float
    sigma: float
    matches: int
    """How many rated matches it comes from. It is also the version: a new rating has one more than the stored one."""

    @property
    def ordinal(self) -> float:
        """What the leaders are sorted by: the player is almost certainly at least this strong."""
        return self.mu - 3 * self.sigma


class PlayerAtTable(NamedTuple):
    """A seated player who is connected."""

    table: LogId
    player: PlayerId


class Booked(Enum):
    """What became of a request to book a match."""

    NOW = "now"
    ALREADY = "already"
    """The match was booked before. Nothing has changed."""
    STALE = "stale"
    """A rating has changed since it was read. Nothing has changed: read the ratings again."""


class PageMark(msgspec.Struct, frozen=True, gc=False):
    """Where a page ended: what its last item is sorted by, and the item's id."""

    value: int | float
    id: str


class Page(msgspec.Struct, Generic[T], frozen=True):
    """A part of a list."""

    items: tuple[T, ...]
    after: PageMark | None
    """Where the next page begins; `None`: there is no next page. A page with a mark may have few items, or none."""


MOST_ON_A_PAGE = 500
MOST_TRIES = 100
"""Attempts to book one match while other matches change the ratings of its players."""
MOST_TOKENS = 50
"""Valid tokens of one player. A further one makes the oldest void."""
MOST_CODES = 10
"""Valid codes of one player. A further one makes the one that expires first void."""


class Directory(Protocol):
    """Keeps people, results and ratings.

    What cannot be stored raises `Unstorable`: an invalid id, an invalid name, a hash of the wrong size. A look-up or a
    change of something with an invalid id finds nothing and changes nothing. A limit above `MOST_ON_A_PAGE` counts as
    that. A row that cannot be read is left out of lists.

    The methods raise the faults of the store. If a shared store loses its connection, a change may raise `Unknown`:
    then it may or may not have happened. `rename` and `book` never do, because doing them twice does no harm.
    """

    # players

    async def add_player(self, player: PlayerId, name: str, token: bytes, at: Instant) -> bool:
        """Register a player with the hash of its first token; `False` when the id or the token is taken."""

    async def player(self, player: PlayerId) -> RegisteredPlayer | None:
        """A player, deleted ones included."""

    async def players(self, players: Sequence[PlayerId]) -> dict[PlayerId, RegisteredPlayer]:
        """These players, deleted ones included; unknown ones are left out. Raises `Unstorable` for too many."""

    async def player_by_token(self, token: bytes) -> RegisteredPlayer | None:
        """The player with a valid token of this hash."""

    async def valid_tokens(self, tokens: Sequence[bytes]) -> set[bytes]:
        """Those of these hashes that belong to a valid token, for servers that check many connections at once."""

    async def rename(self, player: PlayerId, name: str) -> bool:
        """Give a player another name; `False` when there is no such player, or it was deleted."""

    async def add_token(self, player: PlayerId, token: bytes, at: Instant) -> bool:
        """Add a token for another device; `False` when there is no such player, or the token is taken.

        A player has at most `MOST_TOKENS`; the oldest one becomes void.
        """

    async def replace_tokens(self, player: PlayerId, token: bytes, at: Instant) -> bool:
        """Make all tokens and codes of a player void, and add a token: log out everywhere."""

    async def delete_player(self, player: PlayerId) -> bool:
        """Delete a player's name, tokens, codes and ratings. Its id stays, so its finished matches have a player."""

    # one-time codes

    async def add_code(self, code: bytes, player: PlayerId, expires: Instant) -> bool:
        """Add a code for a player; `False` when there is no such player, or the code is taken."""

    async def use_code(self, code: bytes, token: bytes, now: Instant) -> RegisteredPlayer | None:
        """Exchange a code for a token, in one transaction. Of all callers in all processes, one gets the player.

        `None` when there is no such code, it has expired, its player was deleted, or the token is taken: then nothing
        changes. A player has at most `MOST_TOKENS`; the oldest one becomes void.
        """

    async def sweep_codes(self, now: Instant, limit: int = 1_000) -> int:
        """Delete up to `limit` expired codes. Returns how many there were."""

    # tables

    async def add_invitation(self, invitation: Invitation) -> bool:
        """Settle who may join a table; `False` when that is settled already. Call it before the table is created.

        It is deleted when the table is pruned.
        """

    async def invitation(self, table: LogId) -> Invitation | None: ...

    async def remove_invitation(self, table: LogId) -> bool:
        """Delete the invitation of a table that was not created after all; `False` when the table exists."""

    async def count_open(self, admin: PlayerId) -> int:
        """How many open tables a player has opened, by their invitations."""

    async def opened_by(self, admin: PlayerId) -> list[LogId]:
        """The open tables that a player has opened, by their invitations, whether it sits there or not."""

    async def tables_of(
        self, player: PlayerId, *, is_open: bool | None = None, after: PageMark | None = None, limit: int = 50
    ) -> Page[tuple[LogId, Row]]:
        """The tables at which a player sits or sat to the end, the newest first.

        A table that was closed counts as closed from then on, although a rematch opens its log for a moment.
        """

    async def listed(
        self, *, game: str | None = None, phase: str | None = None, after: PageMark | None = None, limit: int = 50
    ) -> Page[tuple[LogId, Row]]:
        """The open tables that are listed, the newest first.

        `phase` is a filter over the newest ones, because a phase may change at every move: a page looks at no more than
        `MOST_ON_A_PAGE` tables, so it may have few items although others follow.
        """

    # results

    async def unbooked(self, after: LogId | None = None, limit: int = 100) -> list[LogId]:
        """Closed logs whose matches are not booked, in the order of their ids. Logs that are put aside are left out.

        It includes logs without a match to book, such as tables that were closed before the match: see `skip_booking`.
        """

    async def skip_booking(self, table: LogId) -> None:
        """There is nothing to book: `unbooked` leaves this log out from now on."""

    async def book(self, match: MatchResult, ratings: Sequence[Rating] = ()) -> Booked:
        """Store a result and the ratings that follow from it, together and once for each table.

        Each rating replaces the stored one whose `matches` is one less; the first one of a player has 1. If another
        match has changed a rating meanwhile, nothing is stored. Ratings of deleted players are left out.
        """

    async def results_of(
        self,
        player: PlayerId,
        *,
        game: str | None = None,
        is_public: bool | None = None,
        after: PageMark | None = None,
        limit: int = 50,
    ) -> Page[MatchResult]:
        """The finished matches of a person or an agent, the newest first."""

    async def ratings_of(self, player: PlayerId) -> tuple[Rating, ...]:
        """All ratings of a player, in the order of games and pools, up to `MOST_ON_A_PAGE`."""

    async def ratings(self, players: Sequence[PlayerId], game: str, pool: str) -> dict[PlayerId, Rating]:
        """The ratings of these players at a game; those without one are left out."""

    async def leaders(self, game: str, pool: str, *, after: PageMark | None = None, limit: int = 50) -> Page[Rating]:
        """The ratings at a game by their `ordinal`, the highest first."""

    # presence

    async def share_presence(self, process: str, present: Collection[PlayerAtTable], until: Instant) -> None:
        """Record who is connected to a process, in place of what it has recorded before.

        It counts until an instant, because a process may die. It is the one thing here that is not durable. Only stores
        that processes share write anything.
        """

    async def present_elsewhere(self, process: str, tables: Collection[LogId], now: Instant) -> set[PlayerAtTable]:
        """Who is connected to other processes, at these tables."""


class DirectoryStore(Store, Protocol):
    """A store with its directory: what a server needs. They share one file or one database."""

    @property
    def directory(self) -> Directory: ...


Rate = Callable[[Mapping[PlayerId, Rating]], Sequence[Rating]]
"""New ratings from the stored ones. A player without a stored rating is missing there."""


async def book_rated(directory: Directory, match: MatchResult, pool: str, rate: Rate) -> Booked:
    """Book a match with the ratings that `rate` gives its players; rate again whenever another match came first.

    Each time that it must try again, another match was booked. Raises `Busy` if that happens too often, or if a stored
    rating is damaged, so that it can be neither read nor replaced.
    """
    players = [player.player for player in match.players]
    for _ in range(MOST_TRIES):
        ratings = rate(await directory.ratings(players, match.game, pool))
        booked = await directory.book(match, ratings)
        if booked is not Booked.STALE:
            return booked
    raise Busy(f"The ratings of the players at {match.table} change too often.")
