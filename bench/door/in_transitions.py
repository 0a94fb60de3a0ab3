"""The door in `transitions`: a model of its own, triggers by name, no transitions but those that are wanted.

A guard that fails makes `trigger` give False; an event that the state does not know raises `MachineError`.
"""

from collections.abc import Callable, Sequence
from importlib.metadata import version

from transitions import Machine, MachineError

from bench.door.story import CAPACITY, Door, Seen, contestant

STATES = ["locked", "unlocked", "turning", "alarm", "closed"]
TRANSITIONS = [
    {"trigger": "pay", "source": "locked", "dest": "unlocked", "conditions": "has_room"},
    {"trigger": "push", "source": "unlocked", "dest": "turning"},
    {"trigger": "settle", "source": "turning", "dest": "locked", "before": "count_visitor"},
    {"trigger": "force", "source": "locked", "dest": "alarm"},
    {"trigger": "silence", "source": "alarm", "dest": "locked"},
    {"trigger": "close", "source": "locked", "dest": "closed"},
    {"trigger": "open", "source": "closed", "dest": "locked", "before": "forget_visitors"},
]


class Museum:
    """The model. The machine gives it `state` and `trigger`."""

    state: str
    trigger: Callable[[str], bool]

    def __init__(self) -> None:
        self.inside = 0

    def has_room(self) -> bool:
        return self.inside < CAPACITY

    def count_visitor(self) -> None:
        self.inside += 1

    def forget_visitors(self) -> None:
        self.inside = 0


def new_door() -> Door[str]:
    museum = Museum()
    Machine(museum, states=STATES, transitions=TRANSITIONS, initial="locked", auto_transitions=False)

    def take(events: Sequence[str]) -> Seen:
        trigger, refused = museum.trigger, 0
        for event in events:
            try:
                if not trigger(event):
                    refused += 1
            except MachineError:
                refused += 1
        return Seen(museum.state, museum.inside, refused)

    return take


peer = contestant("transitions", f"transitions {version('transitions')}", new_door, str)
