"""Presence: for whom the table waits, until when, and what happens to players who stay silent."""

from collections.abc import Mapping
from typing import Any

from msgspec import Raw
from msgspec.structs import replace

from turnstile.kernel.game import Players
from turnstile.kernel.machine import Rejection
from turnstile.kernel.timers import Timer, Timers, start_timer
from turnstile.kernel.values import ByPlayer, Instant, PlayerId
from turnstile.table.clocks import ACKS
from turnstile.table.values import NOTHING, Code, Kind, State

NOT_SEATED = Rejection(Code.NOT_SEATED, "There is no such seat at this table.")
ACKS_MISSING = Rejection(Code.ACKS_MISSING, "Wait until all players have received the last messages.")


# acknowledgements


def players_awaited(state: State[Any]) -> Players:
    """The players for whom the table waits: present, and with a message that they have not acknowledged."""
    return _awaited_after(state, state.acked)


def _awaited_after(state: State[Any], acked: Mapping[PlayerId, int]) -> Players:
    """The players for whom the table waits when so much is acknowledged."""
    awaited = state.awaited
    here = [seat.player for seat in state.seats if not seat.is_away]
    return tuple([player for player in here if acked[player] < awaited[player]])


def acks_awaited(state: State[Any]) -> dict[PlayerId, int]:
    """The update that each player must still acknowledge before the table goes on. Bots need not."""
    acked, awaited = state.acked, state.awaited
    here = [seat.player for seat in state.seats if not (seat.is_away or seat.kind is Kind.BOT)]
    return {player: awaited[player] for player in here if acked[player] < awaited[player]}


def start_wait(state: State[Any]) -> Timers[Raw]:
    """The timers of the table with a new deadline for acknowledgements."""
    due = Instant(state.now + round(state.header.settings.ack_seconds * 1000))
    return start_timer(state.timers, Timer(ACKS, due, NOTHING))


def take_acks(state: State[Any], cursors: Mapping[PlayerId, int], **changes: Any) -> State[Any] | Rejection:
    """The table after these acknowledgements, if they are all that it waited for, and with these changes."""
    if refused := refuse_acks(state, cursors):
        return refused
    acked = _acked_after(state, cursors)
    if missing := _awaited_after(state, acked):
        return Rejection(Code.ACKS_MISSING, f"Not everyone has acknowledged: {', '.join(missing)}.")
    return replace(state, acked=acked, **changes)


def mark_silent_away(state: State[Any], cursors: Mapping[PlayerId, int]) -> State[Any]:
    """The table after these acknowledgements, with the players away for whom it still waits."""
    after = replace(state, acked=_acked_after(state, cursors))
    return mark_away(after, players_awaited(after))


def _acked_after(state: State[Any], cursors: Mapping[PlayerId, int]) -> ByPlayer[int]:
    return ByPlayer({player: max(seq, cursors.get(player, 0)) for player, seq in state.acked.items()})


def refuse_acks(state: State[Any], cursors: Mapping[PlayerId, int]) -> Rejection | None:
    """Why these acknowledgements are impossible; `None` when they are not."""
    told = state.told
    for player, seq in cursors.items():
        newest = told.get(player, 0)
        if newest == 0 and state.seat_of(player) is None:  # only a seat is told anything
            return NOT_SEATED
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
