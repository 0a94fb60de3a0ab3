"""What the studies share: a match replayed with the events that a state tells of."""

from collections.abc import Iterable
from typing import TypeVar

from turnstile.kernel import Event, Machine, Rejection
from turnstile.kernel.machine import Phased

S = TypeVar("S", bound=Phased)


def after_events(machine: Machine[S], state: S, events: Iterable[Event]) -> S:
    """The state after these events, skipping impossible ones."""
    for event in events:
        after = machine.apply(state, event)
        state = state if isinstance(after, Rejection) else after
    return state
