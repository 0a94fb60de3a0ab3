"""Helpers for the small worlds in which the machines of the league are checked."""

from collections.abc import Callable, Iterable, Iterator

from turnstile.kernel.machine import Machine, Rejection, S
from turnstile.kernel.values import Event


def accepted_events(machine: Machine[S], events: Iterable[Event]) -> Callable[[S], Iterator[Event]]:
    """The moves of a world: in each state, those of the events that the machine accepts."""
    return lambda state: (event for event in events if not isinstance(machine.apply(state, event), Rejection))


def changing_events(machine: Machine[S], moves: Callable[[S], Iterable[Event]]) -> Callable[[S], Iterator[Event]]:
    """Those of the moves that change the state."""
    return lambda state: (event for event in moves(state) if machine.apply(state, event) != state)


def state_after(machine: Machine[S], state: S, *events: Event) -> S:
    """The state after these events, all of which the machine accepts."""
    for event in events:
        following = machine.apply(state, event)
        assert not isinstance(following, Rejection), following
        state = following
    return state
