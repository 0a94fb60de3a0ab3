"""The seats of a table before the match: who takes one, who gives it back, and why a seat is refused."""

from typing import Any

from msgspec.structs import replace

from turnstile.kernel.game import AnyGame, refuse_count, refuse_ids
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import PlayerId
from turnstile.table.play import game_of
from turnstile.table.presence import NOT_SEATED
from turnstile.table.values import Code, Seat, State


def refuse_company(game: AnyGame, seats: tuple[Seat, ...]) -> Rejection | None:
    """Why a new table cannot have these seats. Too few is fine: others may join before the start."""
    are_too_many = len(seats) > game.seats[-1]
    return (refuse_count(len(seats), game.seats) if are_too_many else None) or refuse_ids(
        [seat.player for seat in seats]
    )


def take_seat(state: State[Any], seat: Seat) -> State[Any] | Rejection:
    if fault := refuse_ids([seat.player]):
        return fault
    if state.seat_of(seat.player):
        return Rejection(Code.ALREADY_SEATED, f"{seat.player} has a seat at this table.")
    if len(state.seats) == game_of(state).seats[-1]:
        return Rejection(Code.TABLE_FULL, "Every seat of this table is taken.")
    return replace(state, seats=(*state.seats, seat))


def free_seat(state: State[Any], player: PlayerId) -> State[Any] | Rejection:
    if state.seat_of(player) is None:
        return NOT_SEATED
    return replace(state, seats=tuple(seat for seat in state.seats if seat.player != player))
