"""The bell: a small game with a timer and a dealer, for what no game in the box does.

Somebody winds the bell up; it rings, and the dealer hangs it up again; after so many rings the match is over. Who has
muffled it hears nothing: the game has no use for the timer then.
"""

from collections.abc import Sequence
from enum import StrEnum

from msgspec.structs import replace

from turnstile.kernel import (
    Arm,
    ByPlayer,
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

RINGS = 2
FRAGILE = PlayerId("fragile")
is_broken = False
"""Whether the bell falls down when the fragile one muffles it: a bug that a later release might have."""


class Phase(StrEnum):
    QUIET = "Quiet"
    RUNG = "Rung"
    OVER = "Over"


class Code(StrEnum):
    MUFFLED = "Muffled"


class Options(Value, frozen=True):
    pass


class State(Value, frozen=True):
    phase: Phase
    players: Players
    rings: int = 0
    is_muffled: bool = False


class Dong(Message, frozen=True):
    pass


class Wind(Move, frozen=True):
    pass


class Muffle(Move, frozen=True):
    pass


class Dinged(Timeout, frozen=True):
    pass


class HangUp(Event, frozen=True):
    pass


machine: Machine[State] = Machine(
    "bell", Phase, start=Phase.QUIET, ends=(Phase.OVER,), state=State, messages=Dong, codes=Code
)


@machine.on(Phase.QUIET, Wind, to=Phase.QUIET)
def wind(state: State, event: Wind) -> Next[State]:
    return Next(replace(state, is_muffled=False), Arm("bell", 3.0, Dinged()))


@machine.on(Phase.QUIET, Muffle, to=Phase.QUIET)
def muffle(state: State, event: Muffle) -> State:
    if is_broken and event.player == FRAGILE:
        raise RuntimeError("it fell down")
    return replace(state, is_muffled=True)


@machine.on(Phase.QUIET, Dinged, to=Phase.RUNG)
def ding(state: State, event: Dinged) -> Next[State] | Rejection:
    if state.is_muffled:
        return Rejection(Code.MUFFLED, "It is muffled.")
    return Next(replace(state, phase=Phase.RUNG, rings=state.rings + 1), Tell.all(state.players, Dong()))


@machine.on(Phase.RUNG, HangUp, to={"again": Phase.QUIET, "enough": Phase.OVER})
def hang_up(state: State, event: HangUp) -> State:
    return replace(state, phase=Phase.OVER if state.rings == RINGS else Phase.QUIET)


def new(players: Sequence[PlayerId], options: Options, seed: Seed | None) -> State | Rejection:
    return State(Phase.QUIET, tuple(players))


def view(state: State, player: PlayerId | None) -> State:
    return state


def actions(state: State, player: PlayerId) -> tuple[Move, ...]:
    return (Wind(player), Muffle(player)) if state.phase is Phase.QUIET else ()


def dealer(state: State) -> Event | None:
    return HangUp() if state.phase is Phase.RUNG else None


def outcome(state: State) -> Outcome | None:
    return Outcome((), ByPlayer.same(state.players, 0)) if state.phase is Phase.OVER else None


game: Game[State, State, Options] = Game(
    machine=machine,
    title="The bell",
    version=1,
    seats=range(2, 3),
    options=Options,
    new=new,
    view=view,
    actions=actions,
    dealer=dealer,
    outcome=outcome,
)
