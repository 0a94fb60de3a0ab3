"""The clocks and timers of a table: pure sums of instants. What happens when one runs out is the machine's business."""

from typing import Any

from msgspec import Raw
from msgspec.structs import replace

from turnstile.kernel.effects import Arm, Disarm, Effect
from turnstile.kernel.game import Players
from turnstile.kernel.machine import Rejection
from turnstile.kernel.timers import Timer, find_timer, start_timer, stop_timer
from turnstile.kernel.values import ByPlayer, Instant, PlayerId, encode
from turnstile.table.values import NOTHING, Clock, Code, Command, Per, Ring, RunOut, ServerEvent, State

ACKS = "acks"
MOST_TIMERS = 32  # that a game may have running at once


class TooManyTimers(Exception):
    """A game that arms timers without end: a bug of its author."""


def at(state: State[Any], event: Command | ServerEvent) -> State[Any]:
    """The table when the event happens. Its time never goes back, whatever the server's clock does."""
    return replace(state, now=event.at) if event.at > state.now else state


def timer_of(state: State[Any], name: str) -> Timer[Raw] | None:
    return find_timer(state.timers, name)


def armed(state: State[Any], name: str, milliseconds: int, event: Raw = NOTHING) -> State[Any]:
    """The table with this timer started, anew if it was running."""
    timer = Timer(name, Instant(state.now + milliseconds), event)
    return replace(state, timers=start_timer(state.timers, timer))


def disarmed(state: State[Any], name: str) -> State[Any]:
    return replace(state, timers=stop_timer(state.timers, name)) if timer_of(state, name) else state


def refuse_ring(state: State[Any], ring: Ring) -> Rejection | None:
    """Why this timer cannot have run out: it is another one by now, or it is too early."""
    timer = timer_of(state, ring.timer)
    if timer is None or timer.due != ring.due:
        return Rejection(Code.STALE_TIMER, f"The timer {ring.timer} was stopped or set anew.")
    if ring.at < timer.due:
        return Rejection(Code.TOO_EARLY, f"The timer {ring.timer} has not run out yet.")
    return None


# the game's own timers


def game_timer(name: str) -> str:
    return f"game {name}"


def with_timers(state: State[Any], effects: tuple[Effect, ...]) -> State[Any]:
    """The table after the game has armed and disarmed timers of its own."""
    for effect in effects:
        if type(effect) is Arm:
            state = armed(state, game_timer(effect.timer), round(effect.seconds * 1000), Raw(encode(effect.event)))
            if sum(timer.event != NOTHING for timer in state.timers) > MOST_TIMERS:
                raise TooManyTimers(f"{state.header.game} has more than {MOST_TIMERS} timers running.")
        elif type(effect) is Disarm:
            state = disarmed(state, game_timer(effect.timer))
    return state


# the players' clocks


def clock_of(player: PlayerId) -> str:
    return f"clock {player}"


def full(clock: Clock | None, players: Players) -> ByPlayer[int]:
    """What stands on everyone's clock before the first move."""
    return ByPlayer() if clock is None else ByPlayer.same(players, round(clock.seconds * 1000))


def with_clocks(state: State[Any], thinking: Players) -> State[Any]:
    """The clocks of those who are `thinking` run, all others stand. One that runs goes on running."""
    clock = state.header.settings.clock
    if clock is None:
        return state
    for seat in state.seats:
        if seat.player not in thinking:
            state = stopped(state, seat.player)
        elif not (seat.is_away and clock.run_out is RunOut.BOT):
            state = _running(state, seat.player)
    return state


def stopped(state: State[Any], player: PlayerId) -> State[Any]:
    """The table with this player's clock standing; what is left counts for the next move, where it is per match."""
    timer, clock = timer_of(state, clock_of(player)), state.header.settings.clock
    if player in state.late:
        state = replace(state, late=tuple(late for late in state.late if late != player))
    if timer and clock and clock.per is Per.MATCH:
        state = replace(state, left=state.left.put(player, max(0, timer.due - state.now)))
    return disarmed(state, clock_of(player))


def _running(state: State[Any], player: PlayerId) -> State[Any]:
    if player in state.late or timer_of(state, clock_of(player)):
        return state
    return armed(state, clock_of(player), state.left[player])
