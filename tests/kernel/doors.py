"""A toy for the tests of the machine: a door that is closed, locked or broken, and has no rows yet."""

import inspect
import re
from collections.abc import Callable
from enum import StrEnum
from typing import Any

from turnstile.kernel import Event, Machine, Message, Value


class Phase(StrEnum):
    CLOSED = "Closed"
    LOCKING = "Locking"
    LOCKED = "Locked"
    BROKEN = "Broken"


class Elsewhere(StrEnum):
    GARDEN = "Garden"


class Code(StrEnum):
    NO_KEY = "NoKey"


class Door(Value, frozen=True):
    phase: Phase
    turns: int = 0


class Lock(Event, frozen=True):
    has_key: bool = True


class Kick(Event, frozen=True):
    pass


class Unheard(Event, frozen=True):
    pass


class Clicked(Message, frozen=True):
    turns: int


class Cracked(Message, frozen=True):
    pass


def door() -> Machine[Door]:
    """A door without rows."""
    said = Clicked | Cracked
    return Machine("door", Phase, start=Phase.CLOSED, ends=(Phase.BROKEN,), state=Door, messages=said, codes=Code)


def leads_to(phase: Phase) -> Callable[..., Door]:
    def handler(state: Door, event: Event | None = None) -> Door:
        """The door goes there."""
        return Door(phase, state.turns + 1)

    return handler


def place(handler: Callable[..., Any]) -> str:
    """File and line of a handler, as an error names them."""
    return re.escape(f"{inspect.getfile(handler)}:{inspect.getsourcelines(handler)[1]}")


CLOSED = Door(Phase.CLOSED)
