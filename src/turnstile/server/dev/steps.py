"""What the rules did at a table, and what each seat was shown of it. Only for a caller that `access` lets pass."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from msgspec import Raw

from turnstile.durable.log import CannotGoOn
from turnstile.durable.upkeep import Code as LogCode
from turnstile.durable.upkeep import read_entries
from turnstile.host.records import events_fed, new_match, read_through
from turnstile.kernel.effects import Effect
from turnstile.kernel.machine import Hop, Rejection
from turnstile.kernel.values import LogId, PlayerId, Value, encode
from turnstile.server.errors import problem_of
from turnstile.store.log import Damaged
from turnstile.store.protocol import Saved
from turnstile.table.play import game_of

if TYPE_CHECKING:
    from turnstile.server.server import Server


class GameStep(Value, frozen=True):
    """One event of the game: the phases it passed, and what the rules wanted done: messages, timers."""

    number: int
    event: Any
    hops: tuple[Hop, ...]
    effects: tuple[Any, ...]


class GameSteps(Value, frozen=True):
    """Steps in order. `phase`: that of the match after the newest step; `null` before the match."""

    steps: tuple[GameStep, ...]
    phase: str | None


class SeatSight(Value, frozen=True):
    """What a seat was sent last: its newest update with the whole view; `null` before the first."""

    player: PlayerId | None
    """`null`: the spectators."""
    name: str
    update: Any


class TableSight(Value, frozen=True):
    """A table from all sides: the whole state of the match, and what each seat sees of it."""

    state: Any
    seats: tuple[SeatSight, ...]


async def read_steps(server: "Server", name: LogId, after: int) -> GameSteps:
    """The steps after this number, made again from the log. Raises `Problem`."""
    log = await read_entries(server.host.store, name)
    if isinstance(log, Rejection):
        raise problem_of(log)
    try:
        steps = list(_steps(name, log))
    except Damaged as fault:
        raise problem_of(Rejection(LogCode.DAMAGED, str(fault))) from fault
    except CannotGoOn as reason:
        raise problem_of(reason.refused) from None
    phase = steps[-1].hops[-1].target if steps else None
    return GameSteps(tuple(steps[after:]), phase)


def _steps(name: LogId, log: Saved) -> Iterator[GameStep]:
    match, number = None, 0
    for before, after, cause in read_through(name, log):
        for event in events_fed(name, before.state, after, cause):
            match = new_match(after.state) if match is None else match
            step = game_of(after.state).machine.step(match, event)
            assert not isinstance(step, Rejection), "the table took it before"
            match, number = step.state, number + 1
            yield GameStep(number, _json(event), step.trace, tuple(_json(effect) for effect in step.effects))


def _json(value: Value | Effect) -> Raw:
    return Raw(encode(value))


async def read_sight(server: "Server", name: LogId) -> TableSight:
    """What every seat, and a spectator, was sent last, and the state of the match. Raises `Problem`."""
    match, players, has_spectators = await server.readers.look(
        name, lambda live: (live.state.match, live.state.players, live.state.header.settings.spectators)
    )
    names = await server.people.names(players)
    eyes: tuple[PlayerId | None, ...] = (*players, None) if has_spectators else players
    sights = list[SeatSight]()
    for player in eyes:
        body = await server.readers.newest(name, player)
        known = "Spectators" if player is None else names.get(player, player)
        sights.append(SeatSight(player, known, Raw(body or b"null")))
    return TableSight(Raw(encode(match)), tuple(sights))
