"""Fixed ids for the moves of a game: the same number for the same move in every match, for any players.

The ids come from the types of the moves alone. The moves are taken in the order in which the machine declares them, and
within a move its fields in their order, the last one changing fastest. So the ids of a game change only with its types,
which a new version of the game may bring.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from turnstile.kernel import AnyGame, Move, PlayerId, Players, wire_name
from turnstile.lab.encoding.arrays import numpy
from turnstile.lab.encoding.finite import MOST_VALUES, Finite, Key, NotFinite, Seating, finite, key_text, type_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Mask = NDArray[np.int8]
    """One number for each action id: 1 if the action may be chosen now, else 0."""


class NoActionIds(ValueError):
    """A game whose moves cannot be numbered. The text names the field and says what the author of the game can do."""


class _Kind(NamedTuple):
    """One type of move: its first id, and the values of its fields other than `player`."""

    event: type[Move]
    first: int
    names: tuple[str, ...]
    fields: tuple[Finite, ...]

    @property
    def has_seats(self) -> bool:
        return any(field.key_of for field in self.fields)


class ActionIds:
    """The ids of all the moves that a game can offer."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self._kinds: dict[type[Move], _Kind] = {}
        self._ids: dict[type[Move], dict[tuple[Key, ...], int]] = {}
        self._keys: list[tuple[_Kind, tuple[Key, ...]]] = []
        for event in game.machine.events:
            if issubclass(event, Move):
                self._add(event)

    def _add(self, event: type[Move]) -> None:
        others = [field for field in msgspec.structs.fields(event) if field.name != "player"]
        fields = tuple(_values_of(self.game, event, field) for field in others)
        if len(self._keys) + prod(len(field.keys) for field in fields) > MOST_VALUES:
            raise NoActionIds(
                f"{self.game.name} has no action ids: with the move {wire_name(event)}, it has more than "
                f"{MOST_VALUES:,} different moves. Split the move into several smaller ones."
            )
        kind = _Kind(event, len(self._keys), tuple(field.name for field in others), fields)
        keys = list(product(*(field.keys for field in fields)))
        self._kinds[event] = kind
        self._ids[event] = {key: kind.first + place for place, key in enumerate(keys)}
        self._keys += [(kind, key) for key in keys]

    def __len__(self) -> int:
        """How many ids there are: they are 0 to this number minus 1."""
        return len(self._keys)

    def id_of(self, move: Move, players: Players) -> int:
        """The id of a move in a match between these players. Raises `KeyError` for a move that has none."""
        kind = self._kinds[type(move)]
        values = tuple([getattr(move, name) for name in kind.names])
        if kind.has_seats:
            seating = _seating(players, move.player)
            values = tuple(
                [
                    field.key_of(value, seating) if field.key_of else value
                    for field, value in zip(kind.fields, values, strict=True)
                ]
            )
        return self._ids[kind.event][values]

    def move_of(self, action: int, player: PlayerId, players: Players) -> Move:
        """The move of `player` that has this id, legal or not. Raises `IndexError` for an id that does not exist."""
        if action < 0:
            raise IndexError(f"An action id is at least 0, not {action}.")
        kind, key = self._keys[action]
        if not kind.has_seats:
            return kind.event(player, *key)
        seating = _seating(players, player)
        values = [
            field.value_of(each, seating) if field.value_of else each
            for field, each in zip(kind.fields, key, strict=True)
        ]
        return kind.event(player, *values)

    def mask(self, moves: Iterable[Move], players: Players) -> "Mask":
        """A 1 for each of these moves, which are those of one player, and 0 for every other id."""
        return self.mask_of(self.id_of(move, players) for move in moves)

    def mask_of(self, actions: Iterable[int]) -> "Mask":
        """A 1 for each of these ids, and 0 for every other."""
        mask: Mask = numpy().zeros(len(self), "int8")
        for action in actions:
            mask[action] = 1
        return mask

    def name_of(self, action: int) -> str:
        """What an id stands for, such as `PLAY_CARD card=clubs 10`. `+1` is the next player."""
        kind, key = self._keys[action]
        fields = [field.encode_name for field in msgspec.structs.fields(kind.event) if field.name != "player"]
        return " ".join(
            [wire_name(kind.event), *(f"{name}={key_text(each)}" for name, each in zip(fields, key, strict=True))]
        )

    def names(self) -> list[str]:
        """What every id stands for, in their order."""
        return [self.name_of(action) for action in range(len(self))]


@lru_cache(maxsize=64)
def action_ids(game: AnyGame) -> ActionIds:
    """The ids of a game, made once. Raises `NoActionIds` for a game whose moves cannot be numbered."""
    return ActionIds(game)


@lru_cache(maxsize=1024)
def _seating(players: Players, player: PlayerId) -> Seating:
    return Seating.of(players, player)


def _values_of(game: AnyGame, event: type[Move], field: msgspec.structs.FieldInfo) -> Finite:
    try:
        return finite(field.type, game.seats[-1])
    except NotFinite as fault:
        raise NoActionIds(
            f"{game.name} has no action ids: of the move {wire_name(event)}, the field {field.encode_name} "
            f"({type_name(field.type)}) could be anything, because {fault}. Mark the field with the values that the "
            "game offers, such as Annotated[int, Among(range(4))] from turnstile.kernel.marks."
        ) from None
