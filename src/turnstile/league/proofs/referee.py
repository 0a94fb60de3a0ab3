"""The referee in small worlds: one match of Even/Odd, and the ends of matches of moves, with every order of events.

Both players may join, decline, answer well or badly, change their choice, acknowledge, name another match or stay
silent. A stranger may interfere. Every call may be lost. Every timer may run out, even a stale one. Rejected events are
not walked.

A whole match of moves has too many states, so each starts a few answers before its end: one game in which both players
choose at a time, one in which they take turns and the last cards play themselves, one that ends with cards left over.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import product

from msgspec import UNSET, Raw
from msgspec.structs import replace

from turnstile.games.evenodd import drawn_number
from turnstile.kernel.chance import Seed
from turnstile.kernel.check import World
from turnstile.kernel.values import Event, PlayerId
from turnstile.league.proofs.worlds import accepted_events, changing_events, state_after
from turnstile.league.protocol import messages
from turnstile.league.protocol.values import AnnouncedMatch, GameResult, MoveData
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
from turnstile.league.referee.calls import call_count, expiry_of, result_of_number, sole_winner
from turnstile.league.referee.machine import new, referee
from turnstile.league.referee.play import refuse_assignment
from turnstile.league.referee.state import (
    CleanupComplete,
    MatchAssigned,
    MatchWithdrawn,
    Phase,
    Seat,
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
NONSENSE = Raw(b'{"type":"Nonsense"}')
LAST_ANSWERS = {"even-odd": 4, "up-down": 3, "e-card": 2}  # before the end of each match of moves
WITH_RESULT = (Phase.NOTIFYING_PLAYERS, Phase.REPORTING_RESULT, Phase.MATCH_COMPLETE)


def worlds() -> Iterator[World[State]]:
    """One match with all events; the same without repeats, which shows how long a match can last; matches of moves."""
    idle, moves = [new(RefereeId("REF01"))], accepted_events(referee, HAPPENINGS)
    yield _world("one match, everything that can happen", idle, moves)
    yield _world("one match, without repeats and second thoughts", idle, lambda state: _progress(state, moves(state)))
    ends = [before_the_end(game, answers) for game, answers in LAST_ANSWERS.items()]
    settings = f"the ends of matches of {', '.join(LAST_ANSWERS)}"
    yield _world(settings, ends, changing_events(referee, _move_moves), move_state_key)


def _world(
    setting: str,
    starts: list[State],
    moves: Callable[[State], Iterable[Event]],
    state_key: Callable[[State], Hashable] = lambda state: state,
) -> World[State]:
    return World(
        machine=referee,
        starts=starts,
        moves=moves,
        over=lambda state: state.phase is Phase.MATCH_COMPLETE,
        violation=violation,
        state_key=state_key,
        setting=setting,
    )


def _progress(state: State, moves: Iterable[Event]) -> Iterator[Event]:
    """The moves that bring the match on: not a second choice of a player, and not the withdrawal of the match."""
    for event in moves:
        seat = state.seat_of(event.player_id) if isinstance(event, messages.ChooseParityResponse) else None
        is_second_choice = seat is not None and seat.has_answered
        if not is_second_choice and not isinstance(event, MatchWithdrawn) and referee.apply(state, event) != state:
            yield event


# events in a match of Even/Odd


def happenings() -> Iterator[Event]:
    """All events of a referee, in any phase."""
    yield from (assigned(seed) for seed in SEEDS)
    yield CleanupComplete()
    yield from (MatchWithdrawn(match_id=match) for match in (MATCH, OTHER_MATCH))
    for player, match in product((ANA, BO, STRANGER), (MATCH, OTHER_MATCH)):
        yield from (messages.GameJoinAck(match_id=match, player_id=player, accept=accept) for accept in (True, False))
        yield from (
            messages.ChooseParityResponse(match_id=match, player_id=player, parity_choice=word) for word in CHOICES
        )
        yield messages.GameMoveResponse(match_id=match, player_id=player)
        yield messages.GameOverAck(match_id=match, player_id=player)
    yield messages.LeagueQueryResponse(success=True)
    for status, match in product((*Registration, "RECEIVED"), (MATCH, OTHER_MATCH)):
        yield messages.MatchResultAck(status=status, match_id=match)
    yield from troubles()


def troubles() -> Iterator[Event]:
    """Every timer that could have been armed, and every call that could have been lost."""
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


# events in a match of moves


def before_the_end(game: str, answers: int) -> State:
    """A match this many answers before its end, in which both players always take the last option."""
    way = [asking(game)]
    while way[-1].phase is Phase.COLLECTING_CHOICES:
        seat = next(seat for seat in way[-1].seats if seat.is_awaited)
        way.append(state_after(referee, way[-1], _answers(way[-1], seat)[-1]))
    return way[-1 - answers]


def asking(game: str, seed: Seed = SEEDS[0]) -> State:
    """A match whose players are asked for their first move."""
    joins = (messages.GameJoinAck(match_id=MATCH, player_id=player, accept=True) for player in (ANA, BO))
    return state_after(
        referee, new(RefereeId("REF01")), assigned(seed, game), *joins, messages.LeagueQueryResponse(success=True)
    )


ENDING = tuple(
    event
    for event in HAPPENINGS
    if not isinstance(event, MatchAssigned | MatchWithdrawn | CleanupComplete)
    and getattr(event, "match_id", MATCH) == MATCH
    and getattr(event, "player_id", ANA) != STRANGER
    and getattr(event, "waiting_for", Awaited.GAME_OVER_ACK) in (Awaited.GAME_OVER_ACK, Awaited.MATCH_RESULT_ACK)
)
"""The events at the end of any match. Strangers and other matches change nothing, as Even/Odd shows."""


def move_happenings(state: State) -> Iterator[Event]:
    """All events of a referee during this match."""
    yield from ENDING
    for seat in state.seats:
        yield from _answers(state, seat)
        yield from _move_troubles(state, seat)


def _move_moves(state: State) -> Iterator[Event]:
    return accepted_events(referee, move_happenings(state))(state)


def _answers(state: State, seat: Seat) -> list[messages.GameMoveResponse]:
    """Invalid answers, answers to other questions, and at last every legal answer."""
    number, player = seat.move_number, seat.player_id
    options = () if state.board is None else options_of(state.board, player)
    data = [MoveData(choice=option) for option in (NONSENSE, *options)]
    answers = [(number, None), (number - 1, data[-1]), (number + 1, data[-1]), *((number, each) for each in data)]
    return [
        messages.GameMoveResponse(match_id=MATCH, player_id=player, move_number=number, move_data=each)
        for number, each in answers
    ]


def _move_troubles(state: State, seat: Seat) -> Iterator[Event]:
    awaited, count = Awaited.GAME_MOVE_RESPONSE, call_count(seat)
    yield expiry_of(state, seat, awaited)
    for each in (count, count - 1):
        to = player_address(seat.player_id)
        yield DeliveryFailed(to=to, match_id=MATCH, waiting_for=awaited, retry_count=each)


def move_state_key(state: State) -> Hashable:
    """What later events depend on: the position, not the moves that led to it; the result, not its reason."""
    board = None if state.board is None else bytes(state.board.match)
    result = None if state.result is None else (state.result.status, state.result.winner_player_id)
    return state.phase, state.seats, board, result, state.retry_count, state.is_reported


# invariants


def violation(state: State) -> str | None:
    """The first invariant that a referee violates; `None` for every reachable referee."""
    return next(_faults(state), None)


def _faults(state: State) -> Iterator[str]:
    if state.phase is Phase.IDLE:
        if state != new(state.referee_id):
            yield "An idle referee has only its id."
    elif state.assignment is None or [seat.player_id for seat in state.seats] != _players(state):
        yield "A busy referee has a match, with its players in their seats."
    else:
        yield from _faults_of_seats(state)
        yield from _faults_of_board(state)
        yield from _faults_of_result(state)


def _players(state: State) -> list[PlayerId]:
    match = state.given.match
    return [match.player_a_id, match.player_b_id] if match.player_a_id != match.player_b_id else []


def _faults_of_seats(state: State) -> Iterator[str]:
    if any(seat.retry_count not in range(MAX_RETRIES + 1) for seat in state.seats):
        yield "A referee calls a player at most four times."
    if any(seat.has_answered and seat.is_out for seat in state.seats):
        yield "A player that is out has not answered."
    if state.phase in (Phase.REPORTING_RESULT, Phase.MATCH_COMPLETE):
        return
    if state.phase is Phase.DRAWING_NUMBER or not any(seat.is_awaited for seat in state.seats):
        yield "The referee waits for a player."
    chosen = [seat.choice is not None for seat in state.seats]
    if state.phase is Phase.WAITING_FOR_PLAYERS and (any(chosen) or state.standings is not None):
        yield "Before the call for choices there are no choices and no standings."
    is_chosen = state.phase is Phase.COLLECTING_CHOICES and state.is_even_odd
    if is_chosen and chosen != [seat.has_answered for seat in state.seats]:
        yield "A player has answered exactly when it has chosen."


def _faults_of_board(state: State) -> Iterator[str]:
    """A match of moves is on the board from the first question to its end."""
    is_asked = state.phase is Phase.COLLECTING_CHOICES and state.standings is not None and not state.is_even_odd
    if (state.board is not None) != is_asked:
        yield "A match is on the board only while its players are asked for moves."
    elif state.board is None:
        refused = None if state.result else refuse_assignment(state.given.match, state.given.seed)
        yield from [refused.sentence] if refused else []
    elif fault := fault_of(state.board, tuple(_players(state)), state.given.seed):
        yield fault
    elif [seat for seat in state.seats if seat.has_answered == bool(options_of(state.board, seat.player_id))]:
        yield "The referee asks exactly the players that have a decision to make."


def _faults_of_result(state: State) -> Iterator[str]:
    if (state.result is not None) != (state.phase in WITH_RESULT):
        yield "A match has exactly one result, from its end on."
    if state.result is not None and state.result != replace(_true_result(state), reason=state.result.reason):
        yield "The result follows from the match."
    if any(seat.move_number not in range(MOST_MOVES + 1) for seat in state.seats):
        yield "A player has no more moves than a match may have."
    if state.retry_count not in range(MAX_RETRIES + 1) or (state.retry_count and state.phase not in WITH_RESULT[1:]):
        yield "A referee reports at most four times."
    if state.is_reported and state.phase is not Phase.MATCH_COMPLETE:
        yield "A reported match is complete."


def _true_result(state: State) -> GameResult:
    """The result that this match must have: from the number, or without one if a player never answered."""
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
    """The result of a match of moves, replayed from its moves. A match that was broken off has no scores."""
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
