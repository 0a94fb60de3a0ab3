"""Presence: for whom the table waits, until when, and what happens to players who stay silent."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from turnstile.kernel.game import Players
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import ByPlayer, PlayerId
from turnstile.table.clocks import ACKS, armed, timer_of
from turnstile.table.values import Code, State

NOT_SEATED = Rejection(Code.NOT_SEATED, "There is no such seat at this table.")


# acknowledgements


def players_awaited(state: State[Any]) -> Players:
    """The players for whom the table waits: present, and with a message that they have not acknowledged."""
    acked, awaited = state.acked, state.awaited
    here = [seat.player for seat in state.seats if not seat.is_away]
    return tuple([player for player in here if acked[player] < awaited[player]])


def await_acks(state: State[Any]) -> State[Any]:
    """Start the deadline for acknowledgements, unless it is running."""
    return state if timer_of(state, ACKS) else armed(state, ACKS, round(state.header.settings.ack_seconds * 1000))


def take_acks(state: State[Any], cursors: Mapping[PlayerId, int]) -> State[Any] | Rejection:
    """The table after these acknowledgements, if they are all that it waited for."""
    if refused := refuse_acks(state, cursors):
        return refused
    after = _acknowledge(state, cursors)
    if missing := players_awaited(after):
        return Rejection(Code.ACKS_MISSING, f"Not everyone has acknowledged: {', '.join(missing)}.")
    return after


def mark_silent_away(state: State[Any], cursors: Mapping[PlayerId, int]) -> State[Any]:
    """The table after these acknowledgements, with the players away for whom it still waits."""
    after = _acknowledge(state, cursors)
    return mark_away(after, players_awaited(after))


def _acknowledge(state: State[Any], cursors: Mapping[PlayerId, int]) -> State[Any]:
    acked = {player: max(seq, cursors.get(player, 0)) for player, seq in state.acked.items()}
    return replace(state, acked=ByPlayer(acked))


def refuse_acks(state: State[Any], cursors: Mapping[PlayerId, int]) -> Rejection | None:
    """Why these acknowledgements are impossible; `None` when they are not."""
    for player, seq in cursors.items():
        if state.seat_of(player) is None:
            return NOT_SEATED
        newest = state.told.get(player, 0)
        if not 0 <= seq <= newest:
            return Rejection(Code.FUTURE_ACK, f"There is no update {seq}; the newest is {newest}.")
    return None


# away, and back


def mark_away(state: State[Any], players: Players) -> State[Any]:
    """The table with these players away: it does not wait for them."""
    return _with_away(state, players, True)


def mark_back(state: State[Any], player: PlayerId) -> State[Any]:
    """The table with this player back."""
    return _with_away(state, (player,), False)


def _with_away(state: State[Any], players: Players, is_away: bool) -> State[Any]:
    seats = tuple(replace(seat, is_away=is_away) if seat.player in players else seat for seat in state.seats)
    return replace(state, seats=seats)
