"""Timers: a name, an instant, and the event that comes when it is reached. One form for all machines.

A table keeps its timers in its state. Any other machine is kept as `Timed`: its state beside the timers that it has
armed. The same events at the same instants lead to the same state and the same timers: this is how a machine is
restored from its log.
"""

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from turnstile.kernel.effects import Arm, Disarm
from turnstile.kernel.machine import Machine, Rejection, S, Step
from turnstile.kernel.values import Event, Instant, Timeout, Value

E = TypeVar("E")

Log = list[tuple[Instant, Event]]
"""All that has happened to a machine, each event with its instant."""


class Timer(Value, Generic[E], frozen=True):
    """A timer that runs: when it is due, and what happens then."""

    name: str
    due: Instant
    event: E


Timers = tuple[Timer[E], ...]
"""The timers that run, in the order in which they were started."""


def find_timer(timers: Timers[E], name: str) -> Timer[E] | None:
    for timer in timers:  # called at every turn; a generator would take twice as long
        if timer.name == name:
            return timer
    return None


def start_timer(timers: Timers[E], timer: Timer[E]) -> Timers[E]:
    """These timers with one more; a timer of the same name starts anew."""
    return (*stop_timer(timers, timer.name), timer)


def stop_timer(timers: Timers[E], name: str) -> Timers[E]:
    return tuple([timer for timer in timers if timer.name != name])


def postpone(timers: Timers[E], milliseconds: int) -> Timers[E]:
    """The same timers, all due so much later."""
    return tuple(Timer(timer.name, Instant(timer.due + milliseconds), timer.event) for timer in timers)


def next_timer(timers: Timers[E]) -> Timer[E] | None:
    """The timer that runs out first."""
    return min(timers, key=lambda timer: timer.due, default=None)


# machines with timers


class Timed(Value, Generic[S], frozen=True):
    """A machine between two events: its state, and the timers that run."""

    state: S
    timers: Timers[Timeout] = ()


def advance(
    machine: Machine[S], timed: Timed[S], event: Event, now: Instant, time_scale: float = 1.0
) -> tuple[Timed[S], Step[S] | Rejection]:
    """What is kept after an event, and what the machine says to it. What changes nothing leaves `timed` as it is.

    A timer whose event has come runs no more, even if the machine has no use for the event. `time_scale` shortens all
    timers alike.
    """
    timers = timed.timers
    if isinstance(event, Timeout):
        timers = tuple(timer for timer in timers if timer.event != event)
    step = machine.step(timed.state, event)
    if isinstance(step, Rejection):
        return (timed if timers == timed.timers else Timed(timed.state, timers)), step
    for effect in step.effects:
        if type(effect) is Arm:  # quicker than isinstance, and there are millions of them
            due = now + max(1, round(effect.seconds * time_scale * 1000))
            timers = start_timer(timers, Timer(effect.timer, Instant(due), effect.event))
        elif type(effect) is Disarm:
            timers = stop_timer(timers, effect.timer)
    is_unchanged = step.state == timed.state and timers == timed.timers
    return (timed if is_unchanged else Timed(step.state, timers)), step


class TimedMachine(Generic[S]):
    """One machine at work in memory. Its caller brings the events and the time."""

    __slots__ = ("machine", "time_scale", "timed")

    def __init__(self, machine: Machine[S], state: S, time_scale: float = 1.0) -> None:
        self.machine = machine
        self.time_scale = time_scale
        self.timed = Timed(state)

    @property
    def state(self) -> S:
        return self.timed.state

    @property
    def timers(self) -> Timers[Timeout]:
        return self.timed.timers

    @property
    def next_timer(self) -> Timer[Timeout] | None:
        """The timer that runs out first."""
        return next_timer(self.timed.timers)

    def due_of(self, name: str) -> Instant:
        """When a timer that runs is due."""
        timer = find_timer(self.timers, name)
        assert timer is not None, f"the timer {name} was armed"
        return timer.due

    def take(self, event: Event, now: Instant) -> Step[S] | Rejection:
        """Let an event happen. A refusal changes no state; after a step, state and timers have moved."""
        self.timed, result = advance(self.machine, self.timed, event, now, self.time_scale)
        return result

    def run_out(self, now: Instant) -> Iterator[Timeout]:
        """The events of the timers that are due, the earliest first. Each is taken before the next is asked for."""
        while (timer := self.next_timer) is not None and timer.due <= now:
            yield timer.event


def replay_timed(
    machine: Machine[S], start: S, log: Iterable[tuple[Instant, Event]], time_scale: float = 1.0
) -> TimedMachine[S]:
    """The machine after these events, each at its instant."""
    work = TimedMachine(machine, start, time_scale)
    for now, event in log:
        work.take(event, now)
    return work
