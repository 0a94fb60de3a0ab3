"""A view as a tensor of fixed size, and what stands where in it."""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from turnstile.kernel import AnyGame, PlayerId, Players
from turnstile.lab.encoding.arrays import numpy
from turnstile.lab.encoding.finite import NotFinite, Seating
from turnstile.lab.encoding.slots import Frame, Slots, slots_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Tensor = NDArray[np.float32]

RECENT = 4
"""How many items of a history a tensor has, unless the caller asks for another number."""


class NoTensor(ValueError):
    """A game whose view has no tensor of fixed size. The text says why."""


class Slice(NamedTuple):
    """Some neighbouring slots of a tensor: where they are, which part of the view they show, and how."""

    name: str
    start: int
    size: int
    meaning: str


class Layout:
    """How the views of a game become tensors, for one number of players."""

    def __init__(self, game: AnyGame, players: int, recent: int = RECENT) -> None:
        if game.view_type is Any:
            raise NoTensor(f"{game.name} has no tensors: annotate its function view with the type that it returns.")
        try:
            self.slots = slots_of(game.view_type, Frame(players, recent))
        except NotFinite as fault:
            why = f"The view of {game.name} has no tensor of fixed size: {fault}."
            raise NoTensor(f"{why} Use a struct, a ByPlayer or a tuple instead.") from None
        if self.slots.size == 0:
            raise NoTensor(f"The view of {game.name} has nothing that fits into a tensor.")
        self.game = game
        self.size = self.slots.size

    def tensor(self, view: Any, players: Players, player: PlayerId) -> "Tensor":
        """The view of a player as a tensor."""
        tensor: Tensor = numpy().zeros(self.size, "float32")
        self.write(tensor, view, players, player)
        return tensor

    def write(self, zeros: "Tensor", view: Any, players: Players, player: PlayerId) -> None:
        """Write the view of a player into a tensor of zeros."""
        self.slots.write(zeros.data, 0, view, _seating(players, player))

    def bounds(self) -> "tuple[Tensor, Tensor]":
        """The smallest and the largest value of each slot."""
        low: Tensor = numpy().zeros(self.size, "float32")
        high: Tensor = numpy().zeros(self.size, "float32")
        for start, slots in _leaves(self.slots, 0):
            low[start : start + slots.size] = slots.low
            high[start : start + slots.size] = slots.high
        return low, high

    def slices(self) -> list[Slice]:
        """What stands where, in order: `slices()[0].name` is the first field of the view."""
        return list(_slices("", self.slots, 0))

    def outline(self) -> list[Slice]:
        """The same in short, for people: of parts that are alike, the first, with the step to the next one."""
        return list(_outline("", self.slots, 0, ""))


@lru_cache(maxsize=256)
def layout_of(game: AnyGame, players: int, recent: int = RECENT) -> Layout:
    """The layout of a game for so many players, made once. Raises `NoTensor`."""
    return Layout(game, players, recent)


@lru_cache(maxsize=1024)
def _seating(players: Players, player: PlayerId) -> Seating:
    return Seating.of(players, player)


def _leaves(slots: Slots, start: int) -> Iterator[tuple[int, Slots]]:
    if not slots.parts:
        yield start, slots
    for _, at, part in slots.parts:
        yield from _leaves(part, start + at)


def _slices(name: str, slots: Slots, start: int) -> Iterator[Slice]:
    if not slots.parts:
        yield Slice(name, start, slots.size, slots.meaning)
    for label, at, part in slots.parts:
        yield from _slices(joined_name(name, label), part, start + at)


def _outline(name: str, slots: Slots, start: int, repeated: str) -> Iterator[Slice]:
    if not slots.parts:
        yield Slice(name, start, slots.size, slots.meaning + repeated)
        return
    parts = slots.parts
    if len(parts) > 1 and all(part is parts[0][2] for _, _, part in parts):
        labels, one = f"[{parts[0][0][1:-1]}..{parts[-1][0][1:-1]}]", parts[0][2]
        again = f"{repeated}; {len(parts)} times, every {one.size}" if one.size else repeated
        yield from _outline(name + labels, one, start, again)
        return
    for label, at, part in parts:
        yield from _outline(joined_name(name, label), part, start + at, repeated)


def joined_name(name: str, label: str) -> str:
    """`seen`, then `[me]`, then `value`: `seen[me].value`."""
    if not label or label.startswith("["):
        return name + label
    return f"{name}.{label}" if name else label
