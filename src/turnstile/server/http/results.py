"""Results and ratings over HTTP: a player's page, the caller's own results, the leaders of a game."""

from turnstile.kernel.values import PlayerId, Value
from turnstile.server.endpoint import Auth, Call, endpoint
from turnstile.server.errors import Code
from turnstile.server.http.pages import Mark, PageSize, mark_of, text_of
from turnstile.server.limits import LimitName
from turnstile.server.results.results import FinishedMatch, GameRating, Leader
from turnstile.server.tables import find_installed


class ResultQuery(Value, frozen=True):
    """Matches of one game, or of all, and after which page to go on."""

    game: str | None = None
    after: Mark | None = None
    limit: PageSize = 50


class LeaderQuery(Value, frozen=True):
    after: Mark | None = None
    limit: PageSize = 50


class PlayerPage(Value, frozen=True):
    """A player as anyone may see it: its ratings, and its matches at public tables, the newest first."""

    player: PlayerId
    name: str
    ratings: tuple[GameRating, ...]
    matches: tuple[FinishedMatch, ...]
    names: dict[PlayerId, str]
    """The names of the registered players in these matches. A deleted player has none."""
    next: Mark | None = None
    """Give it as `after` for the next page; `null` after the last."""


class MatchList(Value, frozen=True):
    """A page of matches, the newest first. `next`: give it as `after` for the next page; `null` after the last."""

    matches: tuple[FinishedMatch, ...]
    names: dict[PlayerId, str]
    next: Mark | None = None


class LeaderList(Value, frozen=True):
    """A page of a leader board, the highest rating first. `next`: give it as `after` for the next page."""

    leaders: tuple[Leader, ...]
    next: Mark | None = None


@endpoint(
    "GET",
    "/api/players/{player}",
    query=ResultQuery,
    response=PlayerPage,
    auth=Auth.ANYONE,
    errors=(Code.NO_PLAYER,),
    limit=LimitName.RESULTS,
)
async def get_player(call: Call[None, ResultQuery]) -> PlayerPage:
    """A player: its name, its ratings, and its finished matches at public tables."""
    query, results = call.query, call.server.results
    person = await call.server.people.find(PlayerId(call.path["player"]))
    found = await results.public_matches(person, query.game, mark_of(query.after), query.limit)
    names = await results.names(found.items)
    ratings = await results.ratings(person)
    return PlayerPage(person.player, person.name, ratings, found.items, names, text_of(found.after))


@endpoint("GET", "/api/me/results", query=ResultQuery, response=MatchList, limit=LimitName.RESULTS)
async def list_my_results(call: Call[None, ResultQuery]) -> MatchList:
    """The finished matches of the caller, at public and at private tables."""
    query, results = call.query, call.server.results
    found = await results.own_matches(call.person, query.game, mark_of(query.after), query.limit)
    return MatchList(found.items, await results.names(found.items), text_of(found.after))


@endpoint(
    "GET",
    "/api/games/{game}/leaders",
    query=LeaderQuery,
    response=LeaderList,
    auth=Auth.ANYONE,
    errors=(Code.NO_GAME,),
    limit=LimitName.RESULTS,
)
async def list_leaders(call: Call[None, LeaderQuery]) -> LeaderList:
    """The players with the highest ratings at a game."""
    game = find_installed(call.path["game"])
    found = await call.server.results.leaders(game.name, mark_of(call.query.after), call.query.limit)
    return LeaderList(found.items, text_of(found.after))


ENDPOINTS = (get_player, list_my_results, list_leaders)
