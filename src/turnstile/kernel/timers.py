"""A machine at work: its state, and the timers that it has armed. Whoever runs one brings the events and the time.

The same timed machine runs in a process of its own, in a league within one process, and in the simulated world. The
same events at the same instants lead to the same state and the same timers: this is how one is restored from its log.
"""

from collections.abc import Iterable, Iterator
from typing import Generic

from turnstile.kernel.effects import Arm, Disarm
from turnstile.kernel.machine import Machine, Rejection, S, Step
from turnstile.kernel.values import Event, Instant, Timeout, Value

Log = list[tuple[Instant, Event]]
"""All that has happened to a machine, each event with its instant."""


class Timer(Value, frozen=True):
    """A timer that runs: when it is due, and what happens then."""

    due: Instant
    event: Timeout


class TimedMachine(Generic[S]):
    """One machine, where it stands, and what it waits for. `time_scale` shortens all its timers alike."""

    __slots__ = ("machine", "state", "time_scale", "timers")

    def __init__(self, machine: Machine[S], state: S, time_scale: float = 1.0) -> None:
        self.machine = machine
        self.state = state
        self.time_scale = time_scale
        self.timers: dict[str, Timer] = {}

    def take(self, event: Event, now: Instant) -> Step[S] | Rejection:
        """Let an event happen. A refusal changes no state; a step has moved state and timers when this returns."""
        if isinstance(event, Timeout):
            self._stop(event)
        step = self.machine.step(self.state, event)
        if isinstance(step, Rejection):
            return step
        self.state = step.state
        for effect in step.effects:
            if type(effect) is Arm:  # quicker than isinstance, and there are millions of them
                due = now + max(1, round(effect.seconds * self.time_scale * 1000))
                self.timers[effect.timer] = Timer(Instant(due), effect.event)
            elif type(effect) is Disarm:
                self.timers.pop(effect.timer, None)
        return step

    def put_off(self, milliseconds: int) -> None:
        """Nobody was there for so long, and no timer has run."""
        self.timers = {
            name: Timer(Instant(timer.due + milliseconds), timer.event) for name, timer in self.timers.items()
        }

    def _stop(self, event: Timeout) -> None:
        """A timer whose event has come runs no more, whether the event is still of use or not."""
        for name in [name for name, timer in self.timers.items() if timer.event == event]:
            del self.timers[name]

    @property
    def next_timer(self) -> Timer | None:
        """The timer that runs out first."""
        return min(self.timers.values(), key=lambda timer: timer.due, default=None)

    def run_out(self, now: Instant) -> Iterator[Timeout]:
        """What the timers that are due bring about, the earliest first. Each is taken before the next is asked for."""
        while (timer := self.next_timer) is not None and timer.due <= now:
            yield timer.event


def is_lasting(before: S, step: Step[S]) -> bool:
    """Whether there is anything to keep of a step: one that answers a question changes nothing, and arms nothing."""
    return step.state is not before or any(isinstance(effect, Arm | Disarm) for effect in step.effects)


def replay_timed(
    machine: Machine[S], start: S, log: Iterable[tuple[Instant, Event]], time_scale: float = 1.0
) -> TimedMachine[S]:
    """The timed machine after these events, each at its instant."""
    timed = TimedMachine(machine, start, time_scale)
    for now, event in log:
        timed.take(event, now)
    return timed
