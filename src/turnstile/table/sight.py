"""What can be known of a table: what everyone may see of it, and what a server must do for it."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from turnstile.kernel.game import Players
from turnstile.kernel.values import ByPlayer, Instant, LogId, PlayerId, Value
from turnstile.table.clocks import ACKS, clock_of, next_timer, timer_of
from turnstile.table.play import game_of
from turnstile.table.presence import players_awaited
from turnstile.table.values import Kind, Phase, Result, RunOut, Seat, Settings, State

DONE = (Phase.FINISHED, Phase.CLOSED)


class Status(Value, frozen=True):
    """A table as anyone may see it: who sits there, what it waits for and until when, how it ended.

    Whose clock runs says who is to move: at a table with a clock that is known to all. When something happened last
    is not said, for it may have been nothing that these eyes may see.
    """

    table: LogId
    game: str
    phase: Phase
    admin: PlayerId
    seats: tuple[Seat, ...]
    settings: Settings
    clocks: ByPlayer[Instant]
    """When the clocks that run will have run out."""
    left: ByPlayer[int]
    """Milliseconds left on the clocks that do not."""
    acks_due: Instant | None
    result: Result | None
    agreed: Players
    successor: LogId | None


def status(state: State[Any]) -> Status:
    """The table as anyone may see it."""
    running = {player: timer.due for player in state.players if (timer := timer_of(state, clock_of(player)))}
    acks = timer_of(state, ACKS)
    return Status(
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
        successor=None if state.phase is Phase.FINISHED else state.successor,
    )


def delayed_status(shown: Status) -> Status:
    """A status for those who may not know yet what happens now: no clocks, no gates, nobody's absence."""
    phase = Phase.PLAYING if shown.phase is Phase.GATHERING else shown.phase
    seats = tuple(replace(seat, is_away=False) for seat in shown.seats)
    return replace(shown, phase=phase, seats=seats, clocks=ByPlayer(), left=ByPlayer(), acks_due=None)


def is_open(state: State[Any]) -> bool:
    """Whether the table still has something to do; a finished one may yet be followed by another."""
    return state.phase not in DONE


def bot_of(state: State[Any], player: PlayerId) -> str | None:
    """The bot that plays on a seat now, if one does: its own, or the one that stands in for a player who is away."""
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
    """One by one, for most who ask want to know only whether there are any."""
    if state.phase is Phase.PLAYING:
        game, settings = game_of(state), state.header.settings
        for seat in state.seats:
            if _bot_on(seat, settings) and game.actions(state.match, seat.player):
                yield seat.player


def needs_server(state: State[Any]) -> bool:
    """Whether the table waits for the server: a bot to move, bots alone to be told, a next table to be opened."""
    if state.phase in (Phase.STARTING, Phase.GATHERING):
        return all(bot_of(state, player) for player in players_awaited(state))
    return state.phase is Phase.REMATCHED or any(_bots_to_move(state))


def due_of(state: State[Any], patience: int) -> Instant | None:
    """When somebody must look at the table: a timer's instant; or, where it needs the server, `patience` from now.

    The server that made the table so is at work on it already; should it die, another one looks after that time.
    """
    timer = next_timer(state)
    soon = [Instant(state.now + patience)] if needs_server(state) else []
    return min([*soon, *([timer.due] if timer else [])], default=None)
