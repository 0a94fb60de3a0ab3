"""The hourglass: a small game with timers, secrets and a dealer, for what no game in the box does to a table.

Notation: `ana turns sand 10`, `ana turns sand 10 again` (it turns itself over whenever it runs out), `ana stops sand`,
`ana covers` (from now on nobody hears it), `ana asks` (the dealer is to do something), `ana hides` (only she sees it),
`ana counts` (as if it had run out twice: everyone is told of the first time, then she alone of the second), `ana ends`.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace as with_fields
from enum import StrEnum
from typing import Any

from msgspec.structs import replace

from turnstile.kernel import (
    Arm,
    ByPlayer,
    Disarm,
    Event,
    Game,
    Machine,
    Message,
    Move,
    Next,
    Outcome,
    PlayerId,
    Players,
    Rejection,
    Seed,
    Tell,
    Timeout,
    Value,
)


class Phase(StrEnum):
    READY = "Ready"
    DEALING = "Dealing"
    OVER = "Over"


class Code(StrEnum):
    COVERED = "Covered"


class Options(Value, frozen=True):
    is_endless: bool = False
    """Whether the dealer never comes to an end."""


class State(Value, frozen=True):
    phase: Phase
    players: Players
    is_endless: bool
    ran: int = 0
    is_covered: bool = False
    hidden: ByPlayer[int] = ByPlayer()


class View(Value, frozen=True):
    phase: Phase
    ran: int
    hidden: int


class Ran(Message, frozen=True):
    count: int


class Turn(Move, frozen=True):
    timer: str
    seconds: str
    again: bool = False


class Stop(Move, frozen=True):
    timer: str


class Cover(Move, frozen=True):
    pass


class Ask(Move, frozen=True):
    pass


class Hide(Move, frozen=True):
    pass


class Count(Move, frozen=True):
    pass


class End(Move, frozen=True):
    pass


class Deal(Event, frozen=True):
    pass


class SandOut(Timeout, frozen=True):
    timer: str
    again: str | None


machine: Machine[State] = Machine(
    "hourglass", Phase, start=Phase.READY, ends=(Phase.OVER,), state=State, messages=Ran, codes=Code
)


@machine.on(Phase.READY, Turn, to=Phase.READY)
def turn(state: State, event: Turn) -> Next[State]:
    return Next(
        state, Arm(event.timer, float(event.seconds), SandOut(event.timer, event.seconds * event.again or None))
    )


@machine.on(Phase.READY, Stop, to=Phase.READY)
def stop(state: State, event: Stop) -> Next[State]:
    return Next(state, Disarm(event.timer))


@machine.on(Phase.READY, Cover, to=Phase.READY)
def cover(state: State, event: Cover) -> State:
    return replace(state, is_covered=True)


@machine.on(Phase.READY, Hide, to=Phase.READY)
def hide(state: State, event: Hide) -> State:
    return replace(state, hidden=state.hidden.put(event.player, state.hidden.get(event.player, 0) + 1))


@machine.on(Phase.READY, Count, to=Phase.READY)
def count(state: State, event: Count) -> Next[State]:
    once = replace(state, ran=state.ran + 1)

    def again(once: State) -> Next[State]:
        twice = replace(once, ran=once.ran + 1)
        return Next(twice, Tell.all([event.player], Ran(twice.ran)))

    return Next(once, Tell.all(state.players, Ran(once.ran)), then=again)


@machine.on(Phase.READY, Ask, to=Phase.DEALING)
def ask(state: State, event: Ask) -> Next[State]:
    return Next(replace(state, phase=Phase.DEALING), Tell.all(state.players, Ran(state.ran)))


@machine.on(Phase.DEALING, Deal, to={"for ever": Phase.DEALING, "once": Phase.READY})
def deal(state: State, event: Deal) -> State:
    return replace(state, phase=Phase.DEALING if state.is_endless else Phase.READY)


@machine.on(Phase.READY, SandOut, to=Phase.READY)
@machine.on(Phase.DEALING, SandOut, to=Phase.READY)
def sand_out(state: State, event: SandOut) -> Next[State] | Rejection:
    if state.is_covered:
        return Rejection(Code.COVERED, "Nobody can see it.")
    after = replace(state, ran=state.ran + 1, phase=Phase.READY)
    rearm = [Arm(event.timer, float(event.again), event)] if event.again else []
    return Next(after, Tell.all(state.players, Ran(after.ran)), *rearm)


@machine.on(Phase.READY, End, to=Phase.OVER)
def end(state: State, event: End) -> State:
    return replace(state, phase=Phase.OVER)


def new(players: Sequence[PlayerId], options: Options, seed: Seed | None) -> State:
    return State(Phase.READY, tuple(players), options.is_endless)


def view(state: State, player: PlayerId | None) -> View:
    return View(state.phase, state.ran, state.hidden.get(player, 0) if player else 0)


def actions(state: State, player: PlayerId) -> tuple[Move, ...]:
    if state.phase is not Phase.READY:
        return ()
    return Turn(player, "sand", "10"), Stop(player, "sand"), Cover(player), Hide(player), Ask(player), End(player)


hourglass: Game[State, View, Options] = Game(
    machine=machine,
    title="Hourglass",
    version=1,
    seats=range(2, 4),
    options=Options,
    new=new,
    view=view,
    actions=actions,
    dealer=lambda state: Deal() if state.phase is Phase.DEALING else None,
    outcome=lambda state: Outcome(state.players, ByPlayer()) if state.phase is Phase.OVER else None,
)


def gated() -> Game[State, View, Options]:
    """The same with gates."""
    other = copy(machine)
    other.name = "gated-hourglass"
    return with_fields(hourglass, machine=other, gated=True)


def event(text: str) -> Event:
    """A move in the notation of this module."""
    kinds: dict[str, Any] = {"covers": Cover, "asks": Ask, "hides": Hide, "counts": Count, "ends": End}
    match text.split():
        case [player, "turns", timer, seconds]:
            return Turn(PlayerId(player), timer, seconds)
        case [player, "turns", timer, seconds, "again"]:
            return Turn(PlayerId(player), timer, seconds, True)
        case [player, "stops", timer]:
            return Stop(PlayerId(player), timer)
        case [player, verb]:
            move: Move = kinds[verb](PlayerId(player))
            return move
    raise ValueError(f"{text!r} is no move of the hourglass")
