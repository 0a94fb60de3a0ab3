"""Results and ratings as players see them. A match at a private table is shown to its own players only."""

from collections.abc import Sequence

from turnstile.kernel.values import Instant, LogId, PlayerId, Value
from turnstile.server.people import People, Person
from turnstile.server.results.ratings import POOL
from turnstile.store.directory import Directory, MatchPlayer, MatchResult, Page, PageMark, Rating
from turnstile.table.values import How, Kind


class PlayerInMatch(Value, frozen=True):
    """How one player did. Winners share place 1; a halted match has no places."""

    player: PlayerId
    kind: Kind
    bot: str | None
    has_won: bool
    place: int | None
    score: int | None
    """The game's points, if the match was played to its end."""


class FinishedMatch(Value, frozen=True):
    """A match that is over. `players`: in the order of their seats."""

    table: LogId
    game: str
    finished: Instant
    how: How
    is_rated: bool
    is_public: bool
    players: tuple[PlayerInMatch, ...]


class GameRating(Value, frozen=True):
    """How strong a player is at a game.

    `mu` is the estimate, `sigma` how uncertain it is. `rating` is `mu - 3 * sigma`: the player is almost certainly at
    least this strong. `matches`: how many matches it comes from.
    """

    game: str
    rating: float
    mu: float
    sigma: float
    matches: int


class Leader(Value, frozen=True):
    """A player on a leader board."""

    player: PlayerId
    name: str
    rating: float
    mu: float
    sigma: float
    matches: int


class Results:
    """The results and ratings of a server."""

    def __init__(self, directory: Directory, people: People) -> None:
        self._directory = directory
        self._people = people

    async def own_matches(
        self, person: Person, game: str | None, after: PageMark | None, limit: int
    ) -> Page[FinishedMatch]:
        """All matches of a player, private ones included. For this player only."""
        return _matches(await self._directory.results_of(person.player, game=game, after=after, limit=limit))

    async def public_matches(
        self, person: Person, game: str | None, after: PageMark | None, limit: int
    ) -> Page[FinishedMatch]:
        found = await self._directory.results_of(person.player, game=game, is_public=True, after=after, limit=limit)
        return _matches(found)

    async def ratings(self, person: Person) -> tuple[GameRating, ...]:
        """The ratings of a player, in the order of the games."""
        return tuple(
            GameRating(each.game, each.ordinal, each.mu, each.sigma, each.matches)
            for each in await self._directory.ratings_of(person.player)
            if each.pool == POOL
        )

    async def leaders(self, game: str, after: PageMark | None, limit: int) -> Page[Leader]:
        """The players with the highest ratings at a game. One who is being deleted is left out."""
        found = await self._directory.leaders(game, POOL, after=after, limit=limit)
        names = await self._people.names(rating.player for rating in found.items)
        return Page(
            tuple(_leader(each, names[each.player]) for each in found.items if each.player in names), found.after
        )

    async def names(self, matches: Sequence[FinishedMatch]) -> dict[PlayerId, str]:
        """The names of the registered players in these matches. A deleted player has none."""
        return await self._people.names(each.player for match in matches for each in match.players)


def _leader(rating: Rating, name: str) -> Leader:
    return Leader(rating.player, name, rating.ordinal, rating.mu, rating.sigma, rating.matches)


def _matches(page: Page[MatchResult]) -> Page[FinishedMatch]:
    return Page(tuple(map(_finished, page.items)), page.after)


def _finished(match: MatchResult) -> FinishedMatch:
    return FinishedMatch(
        table=match.table,
        game=match.game,
        finished=match.finished,
        how=How(match.how),
        is_rated=match.is_rated,
        is_public=match.is_public,
        players=tuple(map(_player, match.players)),
    )


def _player(each: MatchPlayer) -> PlayerInMatch:
    return PlayerInMatch(each.player, Kind(each.kind), each.bot, each.has_won, each.place, each.score)
