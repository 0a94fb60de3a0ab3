"""The work of the contest: what happens at a museum's revolving door, and what an onlooker sees of it.

The door has five phases. Who pays may push, the door turns, and settling it counts the visitor; a door that is forced
rings until it is silenced; a door that is closed opens to an empty museum. Two events of a day are refused: paying when
the museum is full, by the guard, and then pushing the locked door, for only an unlocked one can be pushed.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from bench.harness import Contestant, Run

E = TypeVar("E")

CAPACITY = 5
DAY = (*("pay", "push", "settle") * CAPACITY, "pay", "push", "force", "silence", "close", "open")
EVENTS = (*DAY * 50, *DAY[:9])  # fifty days and the first three visitors of one more


class Seen(NamedTuple):
    """The door from outside: its phase, how many visitors are inside, and how many events it has just refused."""

    phase: str
    inside: int
    refused: int


Door = Callable[[Sequence[E]], Seen]
"""A door that takes some events, one after the other, and shows itself."""


def contestant(name: str, about: str, new_door: Callable[[], Door[E]], event: Callable[[str], E]) -> Contestant:
    """A kind of door; `event` is how that kind spells the name of an event."""
    events = [event(word) for word in EVENTS]

    def trail() -> Iterator[Seen]:
        door = new_door()
        for one in events:
            yield door([one])

    def prepare() -> Run:
        door = new_door()
        return lambda: door(events)

    return Contestant(name=name, about=about, trail=trail, prepare=prepare)
