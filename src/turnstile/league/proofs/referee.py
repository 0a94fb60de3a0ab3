"""The referee in a small world: one match, and every order of all that players, manager, network and time may do.

Both players may join, decline, choose well or badly, change their minds, acknowledge, speak of another match or say
nothing; a stranger speaks up; every call may get lost; every timer may run out, those of calls that are past included.
What the referee turns down leads nowhere and is not walked. `sound` says what must be so in every state.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import product

from msgspec import UNSET
from msgspec.structs import replace

from turnstile.games.evenodd import drawn_number
from turnstile.kernel.chance import Seed
from turnstile.kernel.check import World
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import Event, PlayerId
from turnstile.league.protocol.messages import (
    AnnouncedMatch,
    ChooseParityResponse,
    GameJoinAck,
    GameMoveResponse,
    GameOverAck,
    GameResult,
    LeagueQueryResponse,
    MatchResultAck,
)
from turnstile.league.protocol.words import (
    GAME_TYPE,
    LEAGUE_MANAGER,
    MAX_RETRIES,
    MOST_MOVES,
    Awaited,
    DeliveryFailed,
    LeagueId,
    MatchId,
    RefereeId,
    Registration,
    Status,
    player_address,
)
from turnstile.league.referee.boards import fault_of, options_of, replay_outcome
from turnstile.league.referee.calls import result_of_number, sole_winner
from turnstile.league.referee.machine import new, referee
from turnstile.league.referee.play import refuse_assignment
from turnstile.league.referee.state import (
    CleanupComplete,
    MatchAssigned,
    MatchWithdrawn,
    Phase,
    State,
    TimeoutLeagueManager,
    TimeoutNotification,
    TimeoutPlayerA,
    TimeoutPlayerB,
)

ANA, BO, STRANGER = PlayerId("P01"), PlayerId("P02"), PlayerId("P09")
MATCH, OTHER_MATCH = MatchId("R1M1"), MatchId("R1M2")
SEEDS = (Seed("1"), Seed("2"))  # one gives an even number, the other an odd one
CHOICES = ("even", "odd", "seven")
OF_PLAYERS = (Awaited.GAME_JOIN_ACK, Awaited.CHOOSE_PARITY_RESPONSE, Awaited.GAME_OVER_ACK)
OF_MANAGER = (Awaited.LEAGUE_QUERY_RESPONSE, Awaited.MATCH_RESULT_ACK)
WITH_RESULT = (Phase.NOTIFYING_PLAYERS, Phase.REPORTING_RESULT, Phase.MATCH_COMPLETE)


def worlds() -> Iterator[World[State]]:
    """Everything that can happen; and the same without what leads nowhere, which shows how long a match can last."""
    yield _world("one match, everything that can happen", moves)
    yield _world("one match, without repeats and second thoughts", lambda state: filter(_leads_on(state), moves(state)))


def _world(setting: str, offered: Callable[[State], Iterable[Event]]) -> World[State]:
    return World(
        machine=referee,
        starts=[new(RefereeId("REF01"))],
        moves=offered,
        over=lambda state: state.phase is Phase.MATCH_COMPLETE,
        violation=violation,
        setting=setting,
    )


# what can happen


def moves(state: State) -> Iterator[Event]:
    """All of what may happen that the referee does not turn down."""
    return (event for event in HAPPENINGS if not isinstance(referee.apply(state, event), Rejection))


def _leads_on(state: State) -> Callable[[Event], bool]:
    """Whether an event changes more than a player's mind, and the match goes on."""

    def leads_on(event: Event) -> bool:
        if isinstance(event, ChooseParityResponse):
            seat = state.seat_of(event.player_id)
            if seat is not None and seat.has_answered:
                return False
        if isinstance(event, MatchWithdrawn):
            return False
        return referee.apply(state, event) != state

    return leads_on


def happenings() -> Iterator[Event]:
    """Anything that may happen to a referee, in whatever phase it is."""
    yield from (assigned(seed) for seed in SEEDS)
    yield CleanupComplete()
    yield from (MatchWithdrawn(match_id=match) for match in (MATCH, OTHER_MATCH))
    for player, match in product((ANA, BO, STRANGER), (MATCH, OTHER_MATCH)):
        yield from (GameJoinAck(match_id=match, player_id=player, accept=accept) for accept in (True, False))
        yield from (ChooseParityResponse(match_id=match, player_id=player, parity_choice=word) for word in CHOICES)
        yield GameMoveResponse(match_id=match, player_id=player)
        yield GameOverAck(match_id=match, player_id=player)
    yield LeagueQueryResponse(success=True)
    for status, match in product((*Registration, "RECEIVED"), (MATCH, OTHER_MATCH)):
        yield MatchResultAck(status=status, match_id=match)
    yield from troubles()


def troubles() -> Iterator[Event]:
    """Every timer that could have been armed, and every call that could have got lost."""
    counts = [(MATCH, count) for count in range(MAX_RETRIES + 1)]
    for match, count in (*counts, (OTHER_MATCH, 0)):
        for awaited in OF_PLAYERS:
            yield TimeoutPlayerA(match_id=match, waiting_for=awaited, retry_count=count)
            yield TimeoutPlayerB(match_id=match, waiting_for=awaited, retry_count=count)
            for player in (ANA, BO):
                to = player_address(player)
                yield DeliveryFailed(to=to, match_id=match, waiting_for=awaited, retry_count=count)
        for awaited in OF_MANAGER:
            yield TimeoutLeagueManager(match_id=match, waiting_for=awaited, retry_count=count)
            yield DeliveryFailed(to=LEAGUE_MANAGER, match_id=match, waiting_for=awaited, retry_count=count)
        yield TimeoutNotification(match_id=match, waiting_for=Awaited.GAME_OVER_ACK, retry_count=count)


def assigned(seed: Seed, game: str = GAME_TYPE) -> MatchAssigned:
    match = AnnouncedMatch(
        match_id=MATCH, player_a_id=ANA, player_b_id=BO, referee_endpoint="http://localhost:8001/mcp", game_type=game
    )
    return MatchAssigned(league_id=LeagueId("league"), round_id=1, match=match, seed=seed)


HAPPENINGS = tuple(happenings())


# what must be so


def violation(state: State) -> str | None:
    """What is wrong with a referee; `None` for every one that can be reached."""
    return next(_faults(state), None)


def _faults(state: State) -> Iterator[str]:
    if state.phase is Phase.IDLE:
        if state != new(state.referee_id):
            yield "An idle referee has nothing but its id."
    elif state.assignment is None or [seat.player_id for seat in state.seats] != _players(state):
        yield "There is no match, or its players do not sit where they should."
    else:
        yield from _faults_of_seats(state)
        yield from _faults_of_board(state)
        yield from _faults_of_result(state)


def _players(state: State) -> list[PlayerId]:
    match = state.given.match
    return [match.player_a_id, match.player_b_id] if match.player_a_id != match.player_b_id else []


def _faults_of_seats(state: State) -> Iterator[str]:
    if any(seat.retry_count not in range(MAX_RETRIES + 1) for seat in state.seats):
        yield "Nobody is called more than four times."
    if any(seat.has_answered and seat.is_out for seat in state.seats):
        yield "Who is out has not answered."
    if state.phase in (Phase.REPORTING_RESULT, Phase.MATCH_COMPLETE):
        return
    if state.phase is Phase.DRAWING_NUMBER or not any(seat.is_awaited for seat in state.seats):
        yield "The referee waits for nobody."
    chosen = [seat.choice is not None for seat in state.seats]
    if state.phase is Phase.WAITING_FOR_PLAYERS and (any(chosen) or state.standings is not None):
        yield "Nobody has been asked to choose."
    is_chosen = state.phase is Phase.COLLECTING_CHOICES and state.is_even_odd
    if is_chosen and chosen != [seat.has_answered for seat in state.seats]:
        yield "Who has answered has chosen."


def _faults_of_board(state: State) -> Iterator[str]:
    """A match of another game than Even/Odd is on the board from the first question to its end."""
    is_asked = state.phase is Phase.COLLECTING_CHOICES and state.standings is not None and not state.is_even_odd
    if (state.board is not None) != is_asked:
        yield "A match is on the board while its players are asked for moves, and only then."
    elif state.board is None:
        refused = None if state.result else refuse_assignment(state.given.match, state.given.seed)
        yield from [refused.sentence] if refused else []
    elif fault := fault_of(state.board, tuple(_players(state)), state.given.seed):
        yield fault
    elif [seat for seat in state.seats if seat.has_answered == bool(options_of(state.board, seat.player_id))]:
        yield "Who has a decision to make is asked for it, and nobody else."


def _faults_of_result(state: State) -> Iterator[str]:
    if (state.result is not None) != (state.phase in WITH_RESULT):
        yield "A match has exactly one result, from its end on."
    if state.result is not None and state.result != replace(_true_result(state), reason=state.result.reason):
        yield "The result is not what came of the match."
    if any(seat.move_number not in range(MOST_MOVES + 1) for seat in state.seats):
        yield "Nobody is asked for more moves than a match may have."
    if state.retry_count not in range(MAX_RETRIES + 1) or (state.retry_count and state.phase not in WITH_RESULT[1:]):
        yield "Nothing is reported more than four times."
    if state.is_reported and state.phase is not Phase.MATCH_COMPLETE:
        yield "What is reported is complete."


def _true_result(state: State) -> GameResult:
    """The result that this match must have: of the number, or without one where somebody never answered."""
    assert state.result is not None
    if state.result.status is not Status.TECHNICAL_LOSS and not state.is_even_odd:
        return _true_result_of_moves(state, state.result)
    if state.result.status is not Status.TECHNICAL_LOSS:
        if any(seat.choice is None for seat in state.seats):
            return replace(state.result, choices=type(state.result.choices)())
        return result_of_number(state, drawn_number(state.given.seed, 0))
    winner = state.result.winner_player_id
    return replace(
        state.result,
        drawn_number=None,
        number_parity=None,
        winner_player_id=winner if winner in _players(state) else None,
        seed=state.given.seed,
    )


def _true_result_of_moves(state: State, result: GameResult) -> GameResult:
    """The result of a match of another game: what its moves lead to. One that was broken off has no scores."""
    true = replace(result, drawn_number=None, number_parity=None, seed=state.given.seed)
    if result.scores is UNSET:
        return replace(true, status=Status.DRAW, winner_player_id=None)
    if result.moves is UNSET:
        return true
    outcome = replay_outcome(state.given.match.game_type, tuple(_players(state)), state.given.seed, result.moves)
    if outcome is None:
        return replace(true, scores=UNSET)
    winner = sole_winner(outcome)
    status = Status.WIN if winner else Status.DRAW
    return replace(true, status=status, winner_player_id=winner, scores=outcome.scores)
