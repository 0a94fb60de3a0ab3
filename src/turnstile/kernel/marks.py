"""Marks on the fields of moves and views, for programs that turn them into numbers.

A type often allows more than the rules: a card index is an `int`, but a hand has four cards. A mark says which values a
field really has: `Annotated[int, Among(range(4))]`. Marks change nothing on the wire and refuse nothing. The rules
refuse what is wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Among:
    """The field has one of these values, and each stands for a different kind of thing."""

    values: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Combination:
    """The field is a tuple of different values out of these, in their order, and at least so many."""

    values: Sequence[Any]
    fewest: int = 1


@dataclass(frozen=True, slots=True)
class Within:
    """The field is a quantity between these two, both included."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class AtMost:
    """The field is a tuple with at most so many items, whose order matters; `None`: as many as there are players."""

    items: int | None


@dataclass(frozen=True, slots=True)
class Seated:
    """The field is the index of a seat, from 0; or a tuple with one item for each seat, in the order of the seats."""


SEATED = Seated()
