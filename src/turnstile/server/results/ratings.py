"""What follows from a match that is over: its result, and new ratings for its players. Values in, values out.

A rating says how strong a player is thought to be at a game. There is one pool: matches at public tables, between
players who are all registered. A match with a bot, at a private table, or that was halted has a result and changes no
rating.
"""

from collections.abc import Mapping, Sequence

from openskill.models import PlackettLuce

from turnstile.kernel.game import Players, places
from turnstile.kernel.values import ByPlayer, PlayerId
from turnstile.store.directory import MatchPlayer, MatchResult, Rating
from turnstile.table.machine import Table
from turnstile.table.values import How, Kind, Result

POOL = "public"
NO_SCORES = ByPlayer[int]()

_model = PlackettLuce()  # for two players as for many, with ties


def result_of(state: Table) -> MatchResult:
    """The result of the match that has just ended at this table.

    `is_rated` says whether it may change ratings: the directory knows whether its players are registered.
    """
    result, header = state.result, state.header
    assert result is not None, "the match has ended"
    place_of, scores = places_of(result, state.players), result.scores or NO_SCORES
    players = [
        MatchPlayer(
            seat.player,
            seat.player in result.winners,
            place_of.get(seat.player),
            scores.get(seat.player),
            seat.kind.value,
            seat.bot,
        )
        for seat in state.seats
    ]
    is_among_players = len(players) >= 2 and all(seat.kind is not Kind.BOT for seat in state.seats)
    return MatchResult(
        table=header.table,
        game=header.game,
        finished=state.now,
        how=result.how.value,
        is_rated=header.settings.is_listed and is_among_players and result.how is not How.HALTED,
        is_public=header.settings.is_listed,
        players=tuple(players),
    )


def places_of(result: Result, players: Players) -> dict[PlayerId, int]:
    """The place of each player; none of a halted match."""
    if result.how is How.HALTED:
        return {}
    return places(players, result.winners, result.scores or NO_SCORES)


def new_ratings(match: MatchResult, stored: Mapping[PlayerId, Rating]) -> Sequence[Rating]:
    """The ratings of all players after this match. A player without a stored one begins at the model's average."""
    players = [each.player for each in match.players]
    before = [stored.get(player) for player in players]
    teams = [[_model.rating() if old is None else _model.rating(mu=old.mu, sigma=old.sigma)] for old in before]
    after = _model.rate(teams, ranks=[float(each.place or 1) for each in match.players])
    return [
        Rating(player, match.game, POOL, new.mu, new.sigma, 1 + (0 if old is None else old.matches))
        for player, old, (new,) in zip(players, before, after, strict=True)
    ]
