"""Matches played in a game's short notation: every test of rules speaks it."""

from collections.abc import Callable
from typing import Generic, TypeVar

from turnstile.kernel import Event, Machine, Rejection, Step
from turnstile.kernel.machine import Phased

S = TypeVar("S", bound=Phased)


class Notation(Generic[S]):
    """A machine that is spoken to in texts; `event` reads one."""

    def __init__(self, machine: Machine[S], event: Callable[[str], Event]) -> None:
        self.machine, self.event = machine, event

    def step(self, match: S, text: str) -> Step[S]:
        """One accepted event, with its trace and its effects."""
        taken = self.machine.step(match, self.event(text))
        assert isinstance(taken, Step), f"{text}: {taken}"
        return taken

    def play(self, match: S, *texts: str) -> S:
        """The match after these events, all of them accepted."""
        for text in texts:
            match = self.step(match, text).state
        return match

    def refused(self, match: S, text: str) -> Rejection:
        """The refusal of an event."""
        answer = self.machine.apply(match, self.event(text))
        assert isinstance(answer, Rejection), f"{text} was accepted"
        return answer

    def refusal(self, match: S, text: str) -> str:
        """The code with which an event is refused."""
        return self.refused(match, text).code
