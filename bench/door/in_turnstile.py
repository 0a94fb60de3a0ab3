"""The door as a machine of this kernel."""

from collections.abc import Sequence
from enum import StrEnum

from msgspec.structs import replace

from bench.door.story import CAPACITY, Door, Seen, contestant
from turnstile.kernel import Event, Machine, Message, Rejection, Step, Value


class Phase(StrEnum):
    LOCKED = "locked"
    UNLOCKED = "unlocked"
    TURNING = "turning"
    ALARM = "alarm"
    CLOSED = "closed"


class Code(StrEnum):
    FULL = "Full"


class State(Value, frozen=True):
    phase: Phase
    inside: int


class Pay(Event, frozen=True):
    pass


class Push(Event, frozen=True):
    pass


class Settle(Event, frozen=True):
    pass


class Force(Event, frozen=True):
    pass


class Silence(Event, frozen=True):
    pass


class Close(Event, frozen=True):
    pass


class Open(Event, frozen=True):
    pass


door: Machine[State] = Machine(
    "door", Phase, start=Phase.LOCKED, ends=(Phase.CLOSED,), state=State, messages=Message, codes=Code
)


@door.on(Phase.LOCKED, Pay, to=Phase.UNLOCKED)
def pay(state: State, event: Pay) -> State | Rejection:
    """Paying unlocks the door while there is room."""
    if state.inside >= CAPACITY:
        return Rejection(Code.FULL, "The museum is full; come back later.")
    return replace(state, phase=Phase.UNLOCKED)


@door.on(Phase.UNLOCKED, Push, to=Phase.TURNING)
def push(state: State, event: Push) -> State:
    """An unlocked door turns when it is pushed."""
    return replace(state, phase=Phase.TURNING)


@door.on(Phase.TURNING, Settle, to=Phase.LOCKED)
def settle(state: State, event: Settle) -> State:
    """The door has turned, and one more visitor is inside."""
    return replace(state, phase=Phase.LOCKED, inside=state.inside + 1)


@door.on(Phase.LOCKED, Force, to=Phase.ALARM)
def force(state: State, event: Force) -> State:
    """Whoever forces the locked door sets off the alarm."""
    return replace(state, phase=Phase.ALARM)


@door.on(Phase.ALARM, Silence, to=Phase.LOCKED)
def silence(state: State, event: Silence) -> State:
    """Somebody came to look."""
    return replace(state, phase=Phase.LOCKED)


@door.on(Phase.LOCKED, Close, to=Phase.CLOSED)
def close(state: State, event: Close) -> State:
    """The day is over."""
    return replace(state, phase=Phase.CLOSED)


@door.on(Phase.CLOSED, Open, to=Phase.LOCKED)
def open_again(state: State, event: Open) -> State:
    """A new day, and nobody is inside."""
    return replace(state, phase=Phase.LOCKED, inside=0)


NEW = State(Phase.LOCKED, inside=0)
BY_NAME = {kind.__name__.lower(): kind() for kind in door.events}


def through_apply() -> Door[Event]:
    state = NEW

    def take(events: Sequence[Event]) -> Seen:
        nonlocal state
        now, apply, refused = state, door.apply, 0
        for event in events:
            answer = apply(now, event)
            if isinstance(answer, State):
                now = answer
            else:
                refused += 1
        state = now
        return Seen(state.phase, state.inside, refused)

    return take


def through_step() -> Door[Event]:
    state = NEW

    def take(events: Sequence[Event]) -> Seen:
        nonlocal state
        now, step, refused = state, door.step, 0
        for event in events:
            answer = step(now, event)
            if isinstance(answer, Step):
                now = answer.state
            else:
                refused += 1
        state = now
        return Seen(state.phase, state.inside, refused)

    return take


by_apply = contestant("apply", "this kernel's apply, which gives the next state", through_apply, BY_NAME.__getitem__)
by_step = contestant("step", "this kernel's step, which gives the trace, too", through_step, BY_NAME.__getitem__)
