"""How a match is played: its players are invited and asked, and answer, until there is a result.

The handlers of the referee up to the end of a match. The table of their rows is in `machine.py`.

In Even/Odd both players are asked once. In any other game a player is asked as soon as it has a decision to make, and
its question stands as long as its options do, whatever the other player does meanwhile. Each question has its own 30
seconds and its own three retries.
"""

from msgspec.structs import replace

from turnstile.games.evenodd import Parity
from turnstile.kernel.chance import Seed
from turnstile.kernel.effects import Disarm, Effect, Send
from turnstile.kernel.machine import Next, Rejection
from turnstile.kernel.values import ByPlayer, PlayerId
from turnstile.league.protocol.messages import (
    ChooseParityResponse,
    GameJoinAck,
    GameMoveResponse,
    LeagueQueryResponse,
)
from turnstile.league.protocol.values import AnnouncedMatch, PlayerStandings, StandingsRow
from turnstile.league.protocol.words import (
    GAME_TYPE,
    LEAGUE_MANAGER,
    MAX_RETRIES,
    MOST_MOVES,
    Awaited,
    DeliveryFailed,
    ErrorName,
)
from turnstile.league.referee import calls
from turnstile.league.referee.boards import Board, apply_move, open_board, options_of, outcome_of
from turnstile.league.referee.ending import NOT_REACHED, end_by_default, end_match
from turnstile.league.referee.state import (
    Assignment,
    Code,
    MatchAssigned,
    Phase,
    PlayerTimeout,
    Seat,
    State,
    TimeoutLeagueManager,
    fresh,
    put,
)

DECLINED = "declined the invitation"
CHOSE_BADLY = "chose neither even nor odd"
MOVED_BADLY = "made no legal move"
LATE = {
    Awaited.GAME_JOIN_ACK: "did not join in time",
    Awaited.CHOOSE_PARITY_RESPONSE: "did not choose in time",
    Awaited.GAME_MOVE_RESPONSE: "did not move in time",
}

ALREADY_ANSWERED = Rejection(Code.IGNORED, "The first answer counts, and nothing more is expected now.")


# the assignment


def assign(state: State, event: MatchAssigned) -> Next[State] | Rejection:
    """Transition 1. Both players are invited, and have 5 seconds each."""
    match = event.match
    if refused := refuse_assignment(match, event.seed):
        return refused
    given = Assignment(league_id=event.league_id, round_id=event.round_id, match=match, seed=event.seed)
    seats = (Seat(player_id=match.player_a_id), Seat(player_id=match.player_b_id))
    waiting = replace(state, phase=Phase.WAITING_FOR_PLAYERS, assignment=given, seats=seats)
    return Next(waiting, *calls.call_players(waiting))


def refuse_assignment(match: AnnouncedMatch, seed: Seed) -> Rejection | None:
    """Why this match cannot be refereed here: the players are checked first, then the game."""
    players = match.player_a_id, match.player_b_id
    if players[0] == players[1] or not (all(players) and seed):
        return Rejection(Code.INVALID_ASSIGNMENT, "A match has two different players and a seed.")
    board = None if match.game_type == GAME_TYPE else open_board(match.game_type, players, seed)
    return Rejection(Code.INVALID_ASSIGNMENT, board.sentence) if isinstance(board, Rejection) else None


# joining


def join(state: State, event: GameJoinAck) -> Next[State] | Rejection:
    """Transitions 2a and 2b. A player has arrived; when both have, the league manager is asked for their standings.

    A player that declines has the technical loss at once. One that is out has it when the other arrives.
    """
    seat = _sender_seat(state, event, _expected_of(state, event.player_id))
    if isinstance(seat, Send):
        return Next(state, seat)
    if not seat.is_awaited:
        return ALREADY_ANSWERED
    if not event.accept:
        return end_by_default(put(state, replace(seat, fault=DECLINED)))
    state = put(state, replace(seat, has_answered=True, is_unreached=False))
    if state.other(seat).is_out:
        return end_by_default(state)
    if state.other(seat).is_awaited:
        return Next(state, Disarm(calls.timer_of(state, seat)))
    collecting = replace(fresh(state), phase=Phase.COLLECTING_CHOICES)
    return Next(collecting, Disarm(calls.timer_of(state, seat)), *calls.query_standings(collecting))


def complain_of_early_choice(state: State, event: ChooseParityResponse | GameMoveResponse) -> Next[State]:
    """A choice or a move that was not asked for yet is answered with E004 INVALID_STATE."""
    awaited = _expected_of(state, event.player_id)
    seat = _sender_seat(state, event, awaited)
    if isinstance(seat, Send):
        return Next(state, seat)
    return Next(state, calls.error(state, event.player_id, ErrorName.INVALID_STATE, awaited))


def _expected_of(state: State, player: PlayerId) -> Awaited:
    """What a player is to send next, while the other may still have to join."""
    seat = state.seat_of(player)
    if seat is None or seat.is_awaited:
        return Awaited.GAME_JOIN_ACK
    return Awaited.GAME_OVER_ACK if seat.is_out else calls.asked_for(state)


def _sender_seat(
    state: State, event: GameJoinAck | ChooseParityResponse | GameMoveResponse, awaited: Awaited
) -> Seat | Send:
    """The seat of the sender, or the error for one that is not in the match (E002) or names another match (E003)."""
    seat = state.seat_of(event.player_id)
    if seat is None:
        return calls.error(state, event.player_id, ErrorName.PLAYER_NOT_FOUND, awaited)
    if event.match_id != state.match_id:
        return calls.error(state, event.player_id, ErrorName.MATCH_NOT_FOUND, awaited)
    return seat


# the call for choices or moves


def call_with_standings(state: State, event: LeagueQueryResponse) -> Next[State] | Rejection:
    """Transition 2b. The standings are known: both players are asked to choose, and have 30 seconds each."""
    return ALREADY_ANSWERED if state.standings is not None else _call_both(state, event.standings)


def call_without_standings(state: State, event: TimeoutLeagueManager) -> Next[State] | Rejection:
    """Transition 2b. The league manager does not answer: both players are asked to choose, with zeros as standings."""
    if state.standings is not None or not calls.is_from_manager(state, event, Awaited.LEAGUE_QUERY_RESPONSE):
        return calls.STALE
    return _call_both(state, ())


def call_failed(state: State, event: DeliveryFailed) -> Next[State] | State | Rejection:
    """A player that cannot be reached is called again when its 30 seconds are over; the league manager is not."""
    if state.standings is not None:
        return calls.mark_unreached(state, event)
    if event.to != LEAGUE_MANAGER or not calls.is_from_manager(state, event, Awaited.LEAGUE_QUERY_RESPONSE):
        return calls.STALE
    return _call_both(state, ())


def _call_both(state: State, rows: tuple[StandingsRow, ...]) -> Next[State]:
    known = {row.player_id: _standings_in(row) for row in rows}
    standings = ByPlayer({seat.player_id: known.get(seat.player_id, PlayerStandings()) for seat in state.seats})
    state = replace(state, standings=standings)
    state = state if state.is_even_odd else _with_board(state)
    return Next(state, Disarm(calls.MANAGER_TIMER), *calls.call_players(state))


def _standings_in(row: StandingsRow) -> PlayerStandings:
    """What a player is told of its standings. A column that the manager has left out is a zero."""
    return PlayerStandings(wins=row.wins or 0, losses=row.losses or 0, draws=row.draws or 0, points=row.points or 0)


def _with_board(state: State) -> State:
    """The match of another game is on the board, and every player that has a decision to make is to be asked for it."""
    given = state.given
    board = open_board(given.match.game_type, tuple(seat.player_id for seat in state.seats), given.seed)
    assert isinstance(board, Board), "what cannot be opened is not assigned"
    seats = tuple(_next_question(seat, board) for seat in state.seats)
    return replace(state, board=board, seats=seats)


def _next_question(seat: Seat, board: Board) -> Seat:
    """A player after a move: it has a new question to answer, or it waits."""
    has_options = bool(options_of(board, seat.player_id))
    number = seat.move_number + has_options
    return Seat(player_id=seat.player_id, has_answered=not has_options, move_number=number)


# answers


def choose(state: State, event: ChooseParityResponse) -> Next[State] | Rejection:
    """Transitions 3a and 3b. A player has chosen; when both have, the number is drawn.

    The latest choice counts, and a player that changes it is warned. A choice that is neither even nor odd may
    be repeated within the retries by either player; the specification allows this only to the first player that answers
    (docs/departures.md).
    """
    seat = _sender_seat(state, event, calls.asked_for(state))
    if isinstance(seat, Send):
        return Next(state, seat)
    if state.standings is None or state.board is not None:
        return Next(state, calls.error(state, event.player_id, ErrorName.INVALID_STATE, calls.asked_for(state)))
    if seat.is_out:
        return ALREADY_ANSWERED
    if event.parity_choice not in list(Parity):
        return _complain_of_choice(state, seat)
    choice = Parity(event.parity_choice)
    state = put(state, replace(seat, has_answered=True, is_unreached=False, choice=choice))
    if seat.has_answered:
        return Next(state, _warning(state, seat.player_id, f"your latest choice counts: {choice}"))
    if state.other(seat).is_out:
        return end_by_default(state)
    phase = Phase.COLLECTING_CHOICES if state.other(seat).is_awaited else Phase.DRAWING_NUMBER
    return Next(replace(state, phase=phase), Disarm(calls.timer_of(state, seat)))


def move(state: State, event: GameMoveResponse) -> Next[State] | Rejection:
    """A player moves; then every player that has a decision to make is asked for it, until the match is over.

    A move that is not legal may be repeated within the retries. An answer to a question that is past is ignored.
    """
    seat = _sender_seat(state, event, calls.asked_for(state))
    if isinstance(seat, Send):
        return Next(state, seat)
    if state.board is None:
        return Next(state, calls.error(state, event.player_id, ErrorName.INVALID_STATE, calls.asked_for(state)))
    if not seat.is_awaited or event.move_number not in (None, seat.move_number):
        return ALREADY_ANSWERED
    after = None if event.move_data is None else apply_move(state.board, seat.player_id, event.move_data.choice)
    if after is None:
        return _complain_of_choice(state, seat, MOVED_BADLY)
    if state.other(seat).is_out:
        return end_by_default(put(state, replace(seat, has_answered=True, is_unreached=False)))
    if outcome := outcome_of(after):
        return end_match(state, calls.result_of_outcome(state, after, outcome))
    if seat.move_number == MOST_MOVES:
        return end_match(state, calls.result_of_broken_off(state, after))
    return _ask_next(state, state.board, after, seat.player_id)


def _ask_next(state: State, before: Board, after: Board, mover: PlayerId) -> Next[State]:
    """Every player that has another decision to make than before is asked for it. Other questions stand."""

    def next_seat(seat: Seat) -> Seat:
        player = seat.player_id
        stands = seat.is_awaited and player != mover and options_of(after, player) == options_of(before, player)
        return seat if stands else _next_question(seat, after)

    seats = tuple(map(next_seat, state.seats))
    following = replace(state, board=after, seats=seats)
    effects: list[Effect] = []
    for was, now in zip(state.seats, seats, strict=True):
        if now != was:
            effects += [Disarm(calls.timer_of(state, now))] if now.has_answered else calls.call_player(following, now)
    return Next(following, *effects)


def _complain_of_choice(state: State, seat: Seat, fault: str = CHOSE_BADLY) -> Next[State]:
    """E004 INVALID_CHOICE; within the retries the player is asked again, and has its 30 seconds anew."""
    name = ErrorName.INVALID_CHOICE
    if seat.has_answered:
        return Next(state, _warning(state, seat.player_id, f"your earlier choice counts: {seat.choice}", name))
    if seat.retry_count == MAX_RETRIES:
        out = _rule_out(state, seat, fault)
        told = calls.error(state, seat.player_id, name, Awaited.GAME_OVER_ACK, seat.retry_count, "technical loss")
        return Next(out.state, told, Disarm(calls.timer_of(state, seat)), *out.effects)
    again = replace(seat, retry_count=seat.retry_count + 1, is_unreached=False)
    state, awaited = put(state, again), calls.asked_for(state)
    told = calls.error(state, seat.player_id, name, awaited, again.retry_count, calls.RETRIES_LEFT)
    return Next(state, told, *calls.call_player(state, again))


def _warning(state: State, player: PlayerId, consequence: str, name: ErrorName = ErrorName.INVALID_STATE) -> Send:
    return calls.error(state, player, name, Awaited.GAME_OVER_ACK, consequence=consequence)


# silence


def call_again(state: State, event: PlayerTimeout) -> Next[State] | Rejection:
    """Transitions 2c, 2d, 3c and 3d. A player that has not answered in time is told so and called again, three times.

    After that it is out: it has the technical loss as soon as the other has answered, or is out as well.
    """
    seat = calls.seat_of_timer(state, event)
    if not calls.is_due(state, seat, event):
        return calls.STALE
    if seat.retry_count == MAX_RETRIES:
        return _rule_out(state, seat, NOT_REACHED if seat.is_unreached else LATE[event.waiting_for])
    again = replace(seat, retry_count=seat.retry_count + 1, is_unreached=False)
    state = put(state, again)
    call = calls.call_player(state, again)
    if seat.is_unreached:  # an error would not reach it either
        return Next(state, *call)
    name, awaited = ErrorName.TIMEOUT_ERROR, event.waiting_for
    return Next(state, calls.error(state, seat.player_id, name, awaited, again.retry_count, calls.RETRIES_LEFT), *call)


def _rule_out(state: State, seat: Seat, fault: str) -> Next[State]:
    """A player's retries are used up. As long as the other may still answer, the match is not over."""
    state = put(state, replace(seat, fault=fault))
    return Next(state) if state.other(seat).is_awaited else end_by_default(state)
