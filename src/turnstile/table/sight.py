"""What a table shows: what everyone may see of it, and what the server must do for it."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from turnstile.kernel.game import Players
from turnstile.kernel.timers import next_timer, stop_timer
from turnstile.kernel.values import ByPlayer, Instant, LogId, PlayerId, Value
from turnstile.table.clocks import ACKS, clock_of, timer_of
from turnstile.table.play import game_of
from turnstile.table.presence import acks_awaited
from turnstile.table.values import Accepted, Command, Kind, Phase, Result, RunOut, Seat, Settings, State

DONE = (Phase.FINISHED, Phase.CLOSED)
GATES = (Phase.STARTING, Phase.GATHERING)
"""Phases in which the table waits for acknowledgements."""
IN_PLAY = (Phase.GATHERING, Phase.PLAYING)
"""Phases of a match that players have seen, until it is over."""
NOT_OVER = (Phase.STARTING, Phase.SETTLING, *IN_PLAY)
"""Phases from the start of a match until it is over."""


class TableStatus(Value, frozen=True):
    """A table as anyone may see it: who sits there, what it waits for and until when, how it ended.

    The running clocks say who is to move: at a table with clocks, everyone knows that. The time of the last event is
    left out, because the reader may not be allowed to know of that event.
    """

    table: LogId
    game: str
    phase: Phase
    admin: PlayerId
    seats: tuple[Seat, ...]
    settings: Settings
    clocks: ByPlayer[Instant]
    """When each running clock runs out."""
    left: ByPlayer[int]
    """Milliseconds left on the clocks that are not running."""
    acks_due: Instant | None
    result: Result | None
    agreed: Players
    successor: LogId | None
    """The table after a rematch, as soon as it exists. A closed table without one has no rematch."""


def status(state: State[Any]) -> TableStatus:
    """The table as anyone may see it."""
    running = {player: timer.due for player in state.players if (timer := timer_of(state, clock_of(player)))}
    acks = timer_of(state, ACKS)
    return TableStatus(
        table=state.header.table,
        game=state.header.game,
        phase=state.phase,
        admin=state.header.admin,
        seats=state.seats,
        settings=state.header.settings,
        clocks=ByPlayer(running),
        left=ByPlayer({player: left for player, left in state.left.items() if player not in running}),
        acks_due=None if acks is None else acks.due,
        result=state.result,
        agreed=state.agreed,
        successor=state.successor if state.phase is Phase.CLOSED else None,
    )


def answer_of(state: State[Any], command: Command) -> Accepted:
    """The answer to a command that led to this state."""
    return Accepted(state.told.get(command.player, 0))


def parts_of_status(state: State[Any]) -> tuple[Any, ...]:
    """What the status is made of: as long as it is the same, so is the status."""
    return state.phase, state.seats, state.timers, state.left, state.result, state.agreed, state.successor


def without_wait(state: State[Any]) -> State[Any]:
    """The table as if it did not wait at a gate during the match: most waits are over before a reader notices."""
    if state.phase is not Phase.GATHERING:
        return state
    return replace(state, phase=Phase.PLAYING, timers=stop_timer(state.timers, ACKS))


def is_shown_later(state: State[Any]) -> bool:
    """Whether spectators see the match later than it happens. When it is over, they see all of it."""
    return state.header.settings.delay > 0 and state.result is None


def delayed_status(shown: TableStatus) -> TableStatus:
    """The status for spectators who see the match later: without clocks, gates and absences."""
    seats = tuple(replace(seat, is_away=False) for seat in shown.seats)
    phase = delayed_phase(shown.phase)
    return replace(shown, phase=phase, seats=seats, clocks=ByPlayer(), left=ByPlayer(), acks_due=None)


def delayed_phase(phase: Phase) -> Phase:
    """The phase for spectators who see the match later: without gates."""
    return Phase.PLAYING if phase is Phase.GATHERING else phase


def is_open(state: State[Any]) -> bool:
    """Whether the table still has something to do. A finished table does not, even if a rematch may follow."""
    return state.phase not in DONE


def bot_of(state: State[Any], player: PlayerId) -> str | None:
    """The bot that plays on a seat now, if there is one: the seat's own, or the stand-in for a player who is away."""
    seat = state.seat_of(player)
    return None if seat is None else _bot_on(seat, state.header.settings)


def _bot_on(seat: Seat, settings: Settings) -> str | None:
    if seat.kind is Kind.BOT:
        return seat.bot
    stands_in = seat.is_away and settings.clock is not None and settings.clock.run_out is RunOut.BOT
    return settings.stand_in if stands_in else None


def bots_to_move(state: State[Any]) -> Players:
    """The seats for which a bot is to move now."""
    return tuple(_bots_to_move(state))


def _bots_to_move(state: State[Any]) -> Iterator[PlayerId]:
    """One by one, because most callers only want to know whether there are any."""
    if state.phase is Phase.PLAYING:
        settings = state.header.settings
        for seat in state.seats:
            may_be_bot = seat.kind is Kind.BOT or seat.is_away
            if may_be_bot and _bot_on(seat, settings) and game_of(state).actions(state.match, seat.player):
                yield seat.player


def needs_server(state: State[Any]) -> bool:
    """Whether the table waits for the server: to move for a bot, to acknowledge for bots, or to open the next table."""
    phase = state.phase
    if phase is Phase.PLAYING:
        return any(_bots_to_move(state))
    if phase in GATES:
        return not acks_awaited(state)
    return phase is Phase.REMATCHED


def due_of(state: State[Any], patience: int) -> Instant | None:
    """When a server must next look at the table: when a timer is due; if it needs the server, `patience` from now.

    The server that handled the last event is already at work. If it dies, another one takes over after that time.
    """
    timer = next_timer(state.timers) if state.timers else None
    soon = Instant(state.now + patience) if needs_server(state) else None
    if timer is None:
        return soon
    return timer.due if soon is None else min(soon, timer.due)
