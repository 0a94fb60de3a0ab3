"""A machine of a local agent: it takes events at the time of the network, logs them, and has its agent woken."""

from collections.abc import Callable
from typing import Generic

from turnstile.kernel.effects import Arm, Send
from turnstile.kernel.machine import Machine, Rejection, S, Step
from turnstile.kernel.timers import Log, replay_timed
from turnstile.kernel.values import Event
from turnstile.league.local.network import Agent, Network


class LocalMachine(Generic[S]):
    """One machine and its timers. With a `log` it logs all that changes it; made again, it goes on from there."""

    def __init__(
        self,
        agent: Agent,
        network: Network,
        machine: Machine[S],
        start: S,
        *,
        time_scale: float = 1.0,
        log: Log | None = None,
    ) -> None:
        self.log = log
        self.timed_machine = replay_timed(machine, start, log or (), time_scale)
        self._agent = agent
        self._network = network

    @property
    def state(self) -> S:
        return self.timed_machine.state

    def take(self, event: Event) -> Step[S] | Rejection:
        """Let an event happen, and log it. The agent sends what comes of it (`sends_of`)."""
        before, now = self.timed_machine.timed, self._network.now
        step = self.timed_machine.take(event, now)
        if isinstance(step, Rejection):
            return step
        if self.log is not None and self.timed_machine.timed is not before:
            self.log.append((now, event))
        for effect in step.effects:
            if type(effect) is Arm:
                self._network.wake_at(self.timed_machine.due_of(effect.timer), self._agent)
        return step

    def resume(self, sends: list[Send], post: Callable[[Send], None]) -> None:
        """Begin, or go on after a restart: send what still awaits an answer, and let the timers run."""
        for send in sends:
            post(send)
        self._set_alarm()

    def expire(self, take: Callable[[Event], object]) -> None:
        """Let the agent take the events of all timers that are due, and have it woken at the next one."""
        for event in self.timed_machine.run_out(self._network.now):
            take(event)
        self._set_alarm()

    def _set_alarm(self) -> None:
        timer = self.timed_machine.next_timer
        if timer is not None:
            self._network.wake_at(timer.due, self._agent)


def sends_of(result: Step[S] | Rejection) -> list[Send]:
    """The messages that an event has led to, in order."""
    return [] if isinstance(result, Rejection) else [effect for effect in result.effects if type(effect) is Send]
