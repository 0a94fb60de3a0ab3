"""Answers to LEAGUE_QUERY, which every agent of the league may send at any time.

A query changes nothing, with one exception: a referee may send the commitment to the seed of its match with it.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from turnstile.kernel.chance import Commitment
from turnstile.kernel.values import PlayerId
from turnstile.league.manager import schedule
from turnstile.league.manager.calls import MOST_ANNOUNCED, referee_of
from turnstile.league.manager.results import find_match, match_at, put_match
from turnstile.league.manager.standings import rows_for, rows_of, standings
from turnstile.league.manager.state import Phase, State, match_id, player_id
from turnstile.league.protocol.errors import LEAGUE_ERROR_CODES, LeagueErrorName
from turnstile.league.protocol.management import LeagueStatus
from turnstile.league.protocol.messages import LeagueQuery, LeagueQueryResponse
from turnstile.league.protocol.values import (
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
from turnstile.league.protocol.words import MatchId

COMMITMENT = re.compile("[0-9a-f]{64}")  # SHA-256
MOST_SCHEDULED = 256  # matches in one answer; of a longer schedule the answer has one round
UNKNOWN_QUERY = QueryError(error_code="6002", error_description="UNKNOWN_QUERY_TYPE")
STATUS = {Phase.ACCEPTING_REGISTRATIONS: "pending", Phase.LEAGUE_COMPLETE: "completed"}

Answer = QueryData | QueryError


def answer(state: State, query: LeagueQuery) -> LeagueQueryResponse:
    """The answer to a query, or the error."""
    kind = query.query_type
    found = ANSWERS[kind](state, query) if kind in ANSWERS else UNKNOWN_QUERY
    if isinstance(found, QueryError):
        return LeagueQueryResponse(query_type=kind, success=False, error=found)
    return LeagueQueryResponse(
        query_type=kind,
        success=True,
        standings=found.standings or (),
        current_round=state.round_id,
        data=found,
    )


def status_of(state: State) -> LeagueStatus:
    """The progress of the league."""
    return LeagueStatus(
        league_id=state.league_id,
        status=STATUS.get(state.phase, "running"),
        current_round=state.round_id,
        total_rounds=state.total_rounds,
        matches_completed=state.matches_completed,
    )


# commitments


def record_commitment(state: State, query: LeagueQuery) -> State:
    """The league with the commitment in a referee's query to the seed of its match. The first one counts."""
    params = _params(query)
    match = find_match(state, params.match_id) if params.match_id else None
    commitment = params.commitment or ""
    if match is None or match.commitment or match.outcome or not COMMITMENT.fullmatch(commitment):
        return state
    if query.sender != referee_of(state, match).address:
        return state
    return put_match(state, replace(match, commitment=Commitment(commitment)))


def commitment_of(state: State, match: MatchId) -> Commitment | None:
    """The commitment of the referee of a match of this round."""
    found = find_match(state, match)
    return None if found is None else found.commitment


# the kinds of queries


def _standings(state: State, query: LeagueQuery) -> Answer:
    wanted = _params(query).player_ids
    if isinstance(wanted, UnsetType):
        asking = _asking(query)
        rows = rows_for(standings(state), next(iter(rows_of(state, [asking])), None) if asking else None)
    else:
        rows = rows_of(state, wanted[:MOST_SCHEDULED])
    return QueryData(standings=rows, current_round=state.round_id)


def _schedule(state: State, query: LeagueQuery) -> Answer:
    """All rounds, or the one in the query; of a long schedule one round, of a large round the sender's own matches.

    A referee that comes back learns from it which matches are still its own.
    """
    wanted = _params(query).round_id
    if not wanted and schedule.matches(len(state.players)) > MOST_SCHEDULED:
        wanted = state.round_id
    chosen = (round_id for round_id in _rounds(state) if wanted in (UNSET, None, round_id))
    return QueryData(
        rounds=tuple(ScheduledRound(round_id=each, matches=tuple(_entries(state, each, query))) for each in chosen)
    )


def _next_match(state: State, query: LeagueQuery) -> Answer:
    place = _place(state, query)
    if isinstance(place, QueryError):
        return place
    for round_id in _rounds(state)[len(state.finished) :]:
        number = schedule.number_of(len(state.players), round_id, place)
        match = None if number is None else match_at(state, round_id, number)
        if number is not None and (match is None or match.outcome is None):
            return QueryData(next_match=_upcoming(state, round_id, number, place))
    return QueryData(next_match=None)


def _rounds(state: State) -> range:
    """The rounds of the league. There are none before all players are known."""
    return range(1, state.total_rounds + 1) if state.round_id else range(0)


def _player_stats(state: State, query: LeagueQuery) -> Answer:
    place = _place(state, query)
    if isinstance(place, QueryError):
        return place
    (row,) = rows_of(state, [player_id(place + 1)])
    return QueryData(**{field: getattr(row, field) for field in row.__struct_fields__})


def _status(state: State, query: LeagueQuery) -> Answer:
    progress = status_of(state)
    return QueryData(
        status=progress.status,
        current_round=progress.current_round,
        total_rounds=progress.total_rounds,
        matches_completed=progress.matches_completed,
    )


ANSWERS: dict[str, Callable[[State, LeagueQuery], Answer]] = {
    GET_STANDINGS: _standings,
    GET_SCHEDULE: _schedule,
    GET_NEXT_MATCH: _next_match,
    GET_PLAYER_STATS: _player_stats,
    GET_STATUS: _status,
}


# the player that a query is about


def _params(query: LeagueQuery) -> QueryParams:
    return query.query_params or QueryParams()


def _asking(query: LeagueQuery) -> PlayerId | None:
    role, _, agent = (query.sender or "").partition(":")
    return PlayerId(agent) if role == "player" else None


def _place(state: State, query: LeagueQuery) -> int | QueryError:
    """The place of the player in the query, or of the player that sent it."""
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
    """The numbers of the sender's matches: the one it plays in, or those it referees."""
    place = _place(state, query)
    if isinstance(place, QueryError):
        matches = state.matches if round_id == state.round_id else ()
        return [at for at, match in enumerate(matches, 1) if query.sender == referee_of(state, match).address]
    number = schedule.number_of(len(state.players), round_id, place)
    return [] if number is None else [number]


def _entry(state: State, round_id: int, number: int) -> ScheduledMatch:
    a, b = schedule.pairing(len(state.players), round_id, number)
    match = match_at(state, round_id, number)
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


def _upcoming(state: State, round_id: int, number: int, place: int) -> NextMatch:
    match = _entry(state, round_id, number)
    opponent = match.player_b_id if match.player_a_id == player_id(place + 1) else match.player_a_id
    return NextMatch(
        match_id=match.match_id, round_id=round_id, opponent_id=opponent, referee_endpoint=match.referee_endpoint
    )
