"""The door in `python-statemachine`: a declared class, events sent by name.

An event that the state does not know and a guard that fails both raise `TransitionNotAllowed`.
"""
# mypy: allow-subclassing-any, allow-untyped-calls

from collections.abc import Sequence
from importlib.metadata import version

from statemachine import State, StateMachine
from statemachine.exceptions import TransitionNotAllowed

from bench.door.story import CAPACITY, Door, Seen, contestant


class Museum(StateMachine):
    locked = State(initial=True)
    unlocked = State()
    turning = State()
    alarm = State()
    closed = State()

    pay = locked.to(unlocked, cond="has_room")
    push = unlocked.to(turning)
    settle = turning.to(locked, on="count_visitor")
    force = locked.to(alarm)
    silence = alarm.to(locked)
    close = locked.to(closed)
    open = closed.to(locked, on="forget_visitors")

    def __init__(self) -> None:
        self.inside = 0
        super().__init__()

    def has_room(self) -> bool:
        return self.inside < CAPACITY

    def count_visitor(self) -> None:
        self.inside += 1

    def forget_visitors(self) -> None:
        self.inside = 0


def new_door() -> Door[str]:
    museum = Museum()

    def take(events: Sequence[str]) -> Seen:
        send, refused = museum.send, 0
        for event in events:
            try:
                send(event)
            except TransitionNotAllowed:
                refused += 1
        return Seen(museum.current_state_value, museum.inside, refused)

    return take


peer = contestant("python-statemachine", f"python-statemachine {version('python-statemachine')}", new_door, str)
