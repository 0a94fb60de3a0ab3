"""Types with finitely many values: which values a field of a move may have, and how a seat in it becomes relative.

A move can name another player, by id or by seat. Its number must not depend on who plays, so seats are counted from the
player who moves: 0 is the player itself, 1 the next one.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain, combinations, product
from math import comb, prod
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, NewType, Union, get_args, get_origin

import msgspec

from turnstile.kernel import PlayerId, Players, encode
from turnstile.kernel.marks import Among, Combination, Seated, Within

MOST_VALUES = 100_000  # of one type; a game with more moves than that is not for fixed ids


class NotFinite(ValueError):
    """A type whose values cannot be listed. The text names the type and says what its author can do."""


class Seating(NamedTuple):
    """Who sits where, seen from one player."""

    players: Players
    me: int
    relative: dict[PlayerId, int]

    @classmethod
    def of(cls, players: Players, player: PlayerId) -> "Seating":
        """The seats as `player` counts them: itself 0, the next player 1."""
        me = players.index(player)
        return cls(players, me, {each: (seat - me) % len(players) for seat, each in enumerate(players)})


Key = Hashable
"""What stands for a value, for any players: the value itself, or with relative seats in the place of players."""


@dataclass(frozen=True, slots=True)
class Finite:
    """The values of a type, as keys in a fixed order. Without the two functions, a key is the value itself."""

    keys: tuple[Key, ...]
    key_of: Callable[[Any, Seating], Key] | None = None
    value_of: Callable[[Any, Seating], Any] | None = None


@dataclass(frozen=True, slots=True)
class RelativeSeat:
    """A key for a seat."""

    steps: int

    def __str__(self) -> str:
        return "me" if self.steps == 0 else f"+{self.steps}"


def finite(kind: Any, seats: int) -> Finite:
    """The values of a type in a game for at most so many players. Raises `NotFinite`."""
    kind, marks = unwrap(kind)
    for mark in marks:
        if isinstance(mark, Among):
            _refuse_too_many(len(mark.values))
            return Finite(tuple(mark.values))
        if isinstance(mark, Combination):
            sizes = range(mark.fewest, len(mark.values) + 1)
            _refuse_too_many(sum(comb(len(mark.values), size) for size in sizes))
            return Finite(tuple(chain.from_iterable(combinations(mark.values, size) for size in sizes)))
        if isinstance(mark, Seated):
            return Finite(_relative_seats(seats), _key_of_seat, _value_of_seat)
    if kind is PlayerId:
        return Finite(_relative_seats(seats), _key_of_player, _value_of_player)
    if isinstance(kind, NewType):
        return finite(Annotated[kind.__supertype__, *marks] if marks else kind.__supertype__, seats)
    if kind is int and (bounds := bounds_of(marks)):
        _refuse_too_many(bounds[1] - bounds[0] + 1)
        return Finite(tuple(range(bounds[0], bounds[1] + 1)))
    return _finite_by_type(kind, seats)


def _finite_by_type(kind: Any, seats: int) -> Finite:
    origin, inner = get_origin(kind), get_args(kind)
    if kind is bool:
        return Finite((False, True))
    if kind in (None, NoneType):
        return Finite((None,))
    if origin is Literal:
        return Finite(inner)
    if origin in (Union, UnionType):
        return _one_of([finite(member, seats) for member in inner])
    if isinstance(kind, type) and issubclass(kind, Enum):
        return Finite(tuple(kind))
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        fields = msgspec.structs.fields(kind)
        return _all_of(
            kind, [finite(field.type, seats) for field in fields], lambda value: msgspec.structs.astuple(value)
        )
    if origin is tuple and inner and inner[-1] is not Ellipsis:
        return _all_of(lambda *items: items, [finite(item, seats) for item in inner], tuple)
    raise NotFinite(f"the type {type_name(kind)} has no finite list of values")


def _one_of(members: Sequence[Finite]) -> Finite:
    if any(member.key_of for member in members):
        raise NotFinite("a choice of types with a seat in it cannot be numbered")
    return Finite(tuple(dict.fromkeys(chain.from_iterable(member.keys for member in members))))


def _all_of(make: Callable[..., Any], parts: Sequence[Finite], split: Callable[[Any], tuple[Any, ...]]) -> Finite:
    """Every combination of the values of the parts."""
    _refuse_too_many(prod(len(part.keys) for part in parts))
    combined = tuple(product(*(part.keys for part in parts)))
    if not any(part.key_of for part in parts):
        return Finite(tuple(make(*values) for values in combined))

    def key_of(value: Any, seating: Seating) -> Key:
        return tuple(
            part.key_of(item, seating) if part.key_of else item for part, item in zip(parts, split(value), strict=True)
        )

    def value_of(key: Any, seating: Seating) -> Any:
        return make(
            *(part.value_of(each, seating) if part.value_of else each for part, each in zip(parts, key, strict=True))
        )

    return Finite(combined, key_of, value_of)


def _refuse_too_many(count: int) -> None:
    """Before they are listed: a bound of a thousand million would take all memory."""
    if count > MOST_VALUES:
        raise NotFinite(f"it has more than {MOST_VALUES:,} values")


def _relative_seats(seats: int) -> tuple[RelativeSeat, ...]:
    return tuple(map(RelativeSeat, range(seats)))


def _key_of_seat(seat: int, seating: Seating) -> RelativeSeat:
    return RelativeSeat((seat - seating.me) % len(seating.players))


def _value_of_seat(key: RelativeSeat, seating: Seating) -> int:
    return (seating.me + key.steps) % len(seating.players)


def _key_of_player(player: PlayerId, seating: Seating) -> RelativeSeat:
    return RelativeSeat(seating.relative[player])


def _value_of_player(key: RelativeSeat, seating: Seating) -> PlayerId:
    return seating.players[_value_of_seat(key, seating)]


def key_text(key: Any) -> str:
    """A key as people read it."""
    if isinstance(key, msgspec.Struct):
        return " ".join(key_text(each) for each in msgspec.structs.astuple(key))
    if isinstance(key, tuple):
        return ",".join(map(key_text, key))
    return str(key) if isinstance(key, RelativeSeat) else encode(key).decode().strip('"')


# types


def unwrap(kind: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type without its annotations, and these annotations, the outermost first."""
    if get_origin(kind) is Annotated:
        inner, *marks = get_args(kind)
        kind, more = unwrap(inner)
        return kind, (*marks, *more)
    return kind, ()


def bounds_of(marks: Sequence[Any]) -> tuple[int, int] | None:
    """The smallest and the largest number that the annotations of an `int` allow; `None` if one is missing."""
    low: int | None = None
    high: int | None = None
    for mark in marks:
        if isinstance(mark, Within):
            return mark.low, mark.high
        if isinstance(mark, msgspec.Meta):
            low = next((int(each) + by for each, by in ((mark.ge, 0), (mark.gt, 1)) if each is not None), low)
            high = next((int(each) - by for each, by in ((mark.le, 0), (mark.lt, 1)) if each is not None), high)
    return None if low is None or high is None else (low, high)


def type_name(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind).replace("typing.", "")
