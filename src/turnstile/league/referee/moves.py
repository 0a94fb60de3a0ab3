"""How a referee leads a match of any game but Even/Odd: who is asked for a move, and what a move leads to.

A player is asked as soon as it has a decision to make, and its question stands as long as its options do, whatever the
other player does meanwhile. Each question has its own 30 seconds and its own three retries.
"""

from msgspec.structs import replace

from turnstile.kernel.effects import Disarm, Effect
from turnstile.kernel.machine import Next, Rejection
from turnstile.kernel.values import PlayerId
from turnstile.league.protocol.messages import GameMoveResponse
from turnstile.league.protocol.words import MOST_MOVES, ErrorName
from turnstile.league.referee.boards import Board, apply_move, options_of, outcome_of
from turnstile.league.referee.calls import (
    asked_for,
    call_player,
    error,
    result_of_broken_off,
    result_of_outcome,
    timer_of,
)
from turnstile.league.referee.play import (
    ALREADY_ANSWERED,
    MOVED_BADLY,
    complain_of_choice,
    end_by_default,
    end_match,
    known_seat,
    misdirection_error,
)
from turnstile.league.referee.state import Seat, State, put


def move(state: State, event: GameMoveResponse) -> Next[State] | Rejection:
    """A player moves; then whoever has a decision to make is asked for it, until the match is over.

    A move that is not legal may be repeated within the retries. An answer to a question that is past is ignored.
    """
    if wrong := misdirection_error(state, event.player_id, event.match_id, asked_for(state)):
        return Next(state, wrong)
    if state.board is None:
        return Next(state, error(state, event.player_id, ErrorName.INVALID_STATE, asked_for(state)))
    seat = known_seat(state, event.player_id)
    if not seat.is_awaited or event.move_number not in (None, seat.move_number):
        return ALREADY_ANSWERED
    after = None if event.move_data is None else apply_move(state.board, seat.player_id, event.move_data.choice)
    if after is None:
        return complain_of_choice(state, seat, MOVED_BADLY)
    if state.other(seat).is_out:
        return end_by_default(put(state, replace(seat, has_answered=True, is_unreached=False)))
    if outcome := outcome_of(after):
        return end_match(state, result_of_outcome(state, after, outcome))
    if seat.move_number == MOST_MOVES:
        return end_match(state, result_of_broken_off(state, after))
    return _asked(state, state.board, after, seat.player_id)


def _asked(state: State, before: Board, after: Board, mover: PlayerId) -> Next[State]:
    """Whoever has another decision to make than before is asked for it."""
    seats = tuple(_turn(seat, before, after, mover) for seat in state.seats)
    following = replace(state, board=after, seats=seats)
    effects: list[Effect] = []
    for was, now in zip(state.seats, seats, strict=True):
        if now != was:
            effects += [Disarm(timer_of(state, now))] if now.has_answered else call_player(following, now)
    return Next(following, *effects)


def _turn(seat: Seat, before: Board, after: Board, mover: PlayerId) -> Seat:
    """A player when somebody has moved: its question stands, or it has a new one, or it waits."""
    player = seat.player_id
    options = options_of(after, player)
    if seat.is_awaited and player != mover and options == options_of(before, player):
        return seat
    return Seat(player_id=player, has_answered=not options, move_number=seat.move_number + bool(options))
