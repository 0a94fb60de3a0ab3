"""Questions to the league manager. They are answered at any time to anybody in the league.

They change nothing, but for one thing: the referee of a match may say with its question which seed it is bound to.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from turnstile.kernel.chance import Commitment
from turnstile.kernel.values import PlayerId
from turnstile.league.manager import schedule
from turnstile.league.manager.calls import MOST_ANNOUNCED, referee_of
from turnstile.league.manager.results import past_match
from turnstile.league.manager.standings import rows_of, shown_to, standings
from turnstile.league.manager.state import LeagueMatch, Phase, State, match_id, match_of, player_id, put
from turnstile.league.protocol.answers import (
    GET_NEXT_MATCH,
    GET_PLAYER_STATS,
    GET_SCHEDULE,
    GET_STANDINGS,
    GET_STATUS,
    NextMatch,
    QueryData,
    QueryError,
    QueryParams,
    ScheduledMatch,
    ScheduledRound,
)
from turnstile.league.protocol.errors import LEAGUE_ERROR_CODES, LeagueErrorName
from turnstile.league.protocol.management import LeagueStatus
from turnstile.league.protocol.messages import LeagueQuery, LeagueQueryResponse
from turnstile.league.protocol.words import MatchId

COMMITMENT = re.compile("[0-9a-f]{64}")  # SHA-256
MOST_SCHEDULED = 256  # matches in one answer; of a longer schedule only one round is told
UNKNOWN_QUERY = QueryError(error_code="6002", error_description="UNKNOWN_QUERY_TYPE")
STATUS = {Phase.ACCEPTING_REGISTRATIONS: "pending", Phase.LEAGUE_COMPLETE: "completed"}

Answer = QueryData | QueryError


def answered(state: State, query: LeagueQuery) -> LeagueQueryResponse:
    """The answer to a question, or that there is none."""
    kind = query.query_type
    answer = ANSWERS[kind](state, query) if kind in ANSWERS else UNKNOWN_QUERY
    if isinstance(answer, QueryError):
        return LeagueQueryResponse(query_type=kind, success=False, error=answer)
    return LeagueQueryResponse(
        query_type=kind,
        success=True,
        standings=() if isinstance(answer.standings, UnsetType) else answer.standings,
        current_round=state.round_id,
        data=answer,
    )


def status_of(state: State) -> LeagueStatus:
    """How far the league has got."""
    return LeagueStatus(
        league_id=state.league_id,
        status=STATUS.get(state.phase, "running"),
        current_round=state.round_id,
        total_rounds=state.total_rounds,
        matches_completed=state.matches_completed,
    )


# commitments


def witnessed(state: State, query: LeagueQuery) -> State:
    """The league, with what the referee of a match that is played has committed to. Its first word counts."""
    told = _params(query)
    number = _number(state, told.match_id) if told.match_id and told.commitment else None
    if number is None or not COMMITMENT.fullmatch(told.commitment or ""):
        return state
    match = state.matches[number - 1]
    if match.commitment or match.outcome or query.sender != referee_of(state, match).address:
        return state
    bound = replace(match, commitment=Commitment(told.commitment or ""))
    return replace(state, matches=put(state.matches, number - 1, bound))


def commitment_of(state: State, match: MatchId) -> Commitment | None:
    """What the referee of a match of this round has committed to."""
    number = _number(state, match)
    return None if number is None else state.matches[number - 1].commitment


def _number(state: State, match: MatchId) -> int | None:
    named = match_of(match)
    is_here = named is not None and named[0] == state.round_id and 0 < named[1] <= len(state.matches)
    return named[1] if named is not None and is_here else None


# the kinds of questions


def _standings(state: State, query: LeagueQuery) -> Answer:
    wanted = _params(query).player_ids
    if isinstance(wanted, UnsetType):
        rows = shown_to(standings(state), _asking(query))
    else:
        rows = rows_of(state, wanted[:MOST_SCHEDULED])
    return QueryData(standings=rows, current_round=state.round_id)


def _schedule(state: State, query: LeagueQuery) -> Answer:
    """All rounds, or the one that was asked for. Of a long schedule one round is told, of a large round one's own.

    So a referee that comes back learns which matches are still its own.
    """
    wanted = _params(query).round_id
    if not wanted and schedule.matches(len(state.players)) > MOST_SCHEDULED:
        wanted = state.round_id
    told = (round_id for round_id in _rounds(state) if wanted in (UNSET, None, round_id))
    return QueryData(
        rounds=tuple(ScheduledRound(round_id=each, matches=tuple(_entries(state, each, query))) for each in told)
    )


def _next_match(state: State, query: LeagueQuery) -> Answer:
    place = _place(state, query)
    if isinstance(place, QueryError):
        return place
    for round_id in _rounds(state)[len(state.finished) :]:
        number = schedule.number_of(len(state.players), round_id, place)
        match = None if number is None else _current(state, round_id, number)
        if number is not None and (match is None or match.outcome is None):
            return QueryData(next_match=_upcoming(state, round_id, number, place))
    return QueryData(next_match=None)


def _rounds(state: State) -> range:
    """The rounds of the league, which nobody knows before all its players are there."""
    return range(1, state.total_rounds + 1) if state.round_id else range(0)


def _player_stats(state: State, query: LeagueQuery) -> Answer:
    place = _place(state, query)
    if isinstance(place, QueryError):
        return place
    (row,) = rows_of(state, [player_id(place + 1)])
    return QueryData(**{field: getattr(row, field) for field in row.__struct_fields__})


def _status(state: State, query: LeagueQuery) -> Answer:
    told = status_of(state)
    return QueryData(
        status=told.status,
        current_round=told.current_round,
        total_rounds=told.total_rounds,
        matches_completed=told.matches_completed,
    )


ANSWERS: dict[str, Callable[[State, LeagueQuery], Answer]] = {
    GET_STANDINGS: _standings,
    GET_SCHEDULE: _schedule,
    GET_NEXT_MATCH: _next_match,
    GET_PLAYER_STATS: _player_stats,
    GET_STATUS: _status,
}


# whom a question is about


def _params(query: LeagueQuery) -> QueryParams:
    return query.query_params or QueryParams()


def _asking(query: LeagueQuery) -> PlayerId | None:
    role, _, agent = (query.sender or "").partition(":")
    return PlayerId(agent) if role == "player" else None


def _place(state: State, query: LeagueQuery) -> int | QueryError:
    """The place of the player that is meant, or of the one that asks."""
    player = _params(query).player_id or _asking(query)
    if player is None:
        return _error(LeagueErrorName.MISSING_REQUIRED_FIELD)
    place = state.player_at(player)
    return _error(LeagueErrorName.PLAYER_NOT_REGISTERED) if place is None else place


def _error(name: LeagueErrorName) -> QueryError:
    return QueryError(error_code=LEAGUE_ERROR_CODES[name], error_description=name)


# the schedule


def _entries(state: State, round_id: int, query: LeagueQuery) -> Iterator[ScheduledMatch]:
    count = schedule.matches_a_round(len(state.players))
    numbers = range(1, count + 1)
    is_large = count > MOST_ANNOUNCED
    return (_entry(state, round_id, number) for number in (_own(state, round_id, query) if is_large else numbers))


def _own(state: State, round_id: int, query: LeagueQuery) -> Iterable[int]:
    """The matches of the agent that asks, by their numbers: the one it plays in, or those it has as a referee."""
    place = _place(state, query)
    if isinstance(place, QueryError):
        matches = state.matches if round_id == state.round_id else ()
        return [at for at, match in enumerate(matches, 1) if query.sender == referee_of(state, match).address]
    number = schedule.number_of(len(state.players), round_id, place)
    return [] if number is None else [number]


def _entry(state: State, round_id: int, number: int) -> ScheduledMatch:
    a, b = schedule.pairing(len(state.players), round_id, number)
    match = _begun(state, round_id, number)
    referee = None if match is None else referee_of(state, match)
    return ScheduledMatch(
        match_id=match_id(round_id, number),
        game_type=state.options.game_type,
        player_a_id=player_id(a + 1),
        player_b_id=player_id(b + 1),
        referee_endpoint=None if referee is None else referee.contact_endpoint,
        referee_id=None if referee is None else referee.referee_id,
        reassignments=UNSET if match is None else match.reassignments or UNSET,
    )


def _begun(state: State, round_id: int, number: int) -> LeagueMatch | None:
    """A match of a round that is played, or is over."""
    is_over = round_id <= len(state.finished)
    return past_match(state, round_id, number) if is_over else _current(state, round_id, number)


def _current(state: State, round_id: int, number: int) -> LeagueMatch | None:
    """A match, if it is one of the round that is played."""
    return state.matches[number - 1] if state.matches and round_id == state.round_id else None


def _upcoming(state: State, round_id: int, number: int, place: int) -> NextMatch:
    match = _entry(state, round_id, number)
    opponent = match.player_b_id if match.player_a_id == player_id(place + 1) else match.player_a_id
    return NextMatch(
        match_id=match.match_id, round_id=round_id, opponent_id=opponent, referee_endpoint=match.referee_endpoint
    )
