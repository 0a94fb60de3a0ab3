"""How a type becomes a fixed number of slots of a tensor. `layout` puts the slots of a whole view together.

| type | slots |
| --- | --- |
| `bool` | 1: 0 or 1 |
| enumeration, `Literal`, `Among` | one for each value: 1 for the value, 0 for the others |
| player, seat | one for each player, counted from the observer: the first is the observer itself |
| number with bounds | 1: 0 for the smallest, 1 for the largest |
| number without bounds | 1: sign(n) * log(1 + abs(n)) |
| `X` or `None` | 1 for "is there", then those of `X`; all 0 for `None` |
| struct, tuple of fixed length | those of its fields, one after the other |
| one item for each player or seat | those of an item, for each player, the observer first |
| at most n items | n times: 1 for "is there", then those of an item |
| other tuples of few kinds of items | one for each kind: how many there are, divided by 4 |
| other tuples | 1 for the length as a number, then "is there" and the slots of each of the last few items |
| texts, seeds, commitments | none |
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from math import copysign, log1p
from types import NoneType, UnionType
from typing import Any, Literal, NewType, Union, get_args, get_origin

import msgspec

from turnstile.kernel import ByPlayer, PlayerId
from turnstile.kernel.chance import Commitment, Seed
from turnstile.kernel.marks import Among, AtMost, Combination, Seated
from turnstile.lab.encoding.finite import Finite, NotFinite, Seating, bounds_of, finite, key_text, unwrap

MOST_KINDS = 64
"""A tuple of items with at most so many different values is counted, not listed."""
USUAL_COUNT = 4.0
"""Counts are divided by this, so that they are mostly between 0 and 1."""
MOST_LISTED = 21  # values that the meaning of some slots lists one by one
HIGHEST_COUNT = 64 / USUAL_COUNT
HIGHEST_LOGARITHM = 44.0  # more than log(1 + 2**63)

Write = Callable[[Any, int, Any, Seating], None]
"""Writes a value into a tensor of zeros, from this place on, as the player of the seating sees it."""


class WrongMark(ValueError):
    """A view with a value that the marks of its type exclude: a mistake of the game's author."""


@dataclass(frozen=True, slots=True)
class Slots:
    """The slots of one type."""

    size: int
    write: Write
    low: float
    high: float
    meaning: str
    parts: tuple[tuple[str, int, "Slots"], ...] = ()
    """The name, the place and the slots of each part."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What the slots of a type depend on besides the type."""

    players: int
    recent: int


def slots_of(kind: Any, frame: Frame) -> Slots:
    """The slots of a type. Raises `NotFinite` for a type that has no fixed size."""
    kind, marks = unwrap(kind)
    for mark in marks:
        if isinstance(mark, Among):
            return _one_hot(mark.values)
        if isinstance(mark, Combination):
            return _counts(Finite(tuple(mark.values)))
        if isinstance(mark, Seated):
            return _per_seat(get_args(kind)[0], frame) if get_origin(kind) is tuple else _seat(frame)
        if isinstance(mark, AtMost):
            return _listed(get_args(kind)[0], frame.players if mark.items is None else mark.items, frame)
    if kind is PlayerId:
        return _player(frame)
    if kind in (Seed, Commitment):
        return _nothing("a text")
    if isinstance(kind, NewType):
        return slots_of(kind.__supertype__, frame)
    if kind in (int, float):
        return _number(bounds_of(marks))
    return _by_type(kind, frame)


def _by_type(kind: Any, frame: Frame) -> Slots:
    origin, inner = get_origin(kind), get_args(kind)
    if kind is bool:
        return Slots(1, _write_number, 0, 1, "0 or 1")
    if kind in (str, None, NoneType):
        return _nothing("a text")
    if origin is Literal:
        return _one_hot(inner)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _one_hot(tuple(kind))
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _struct(kind, frame)
    if origin in (Union, UnionType):
        return _choice(inner, frame)
    if origin is ByPlayer:
        return _by_player(inner[0], frame)
    if origin is tuple and inner:
        return _tuple(inner, frame)
    raise NotFinite(f"the type {kind} has no fixed size")


# single values


def _nothing(meaning: str) -> Slots:
    return Slots(0, lambda out, at, value, seating: None, 0, 0, f"{meaning}; left out")


def _write_number(out: Any, at: int, value: Any, seating: Seating) -> None:
    out[at] = value


def _number(bounds: tuple[int, int] | None) -> Slots:
    if bounds is None:

        def write_logarithm(out: Any, at: int, value: Any, seating: Seating) -> None:
            out[at] = copysign(log1p(abs(value)), value)

        return Slots(1, write_logarithm, -HIGHEST_LOGARITHM, HIGHEST_LOGARITHM, "a number n: sign(n) * log(1 + abs(n))")
    low, width = bounds[0], max(1, bounds[1] - bounds[0])

    def write_share(out: Any, at: int, value: Any, seating: Seating) -> None:
        out[at] = (value - low) / width

    return Slots(1, write_share, 0, 1, f"a number from {bounds[0]} to {bounds[1]}, scaled to 0 to 1")


def _one_hot(values: Sequence[Any]) -> Slots:
    place = {value: index for index, value in enumerate(values)}

    def write(out: Any, at: int, value: Any, seating: Seating) -> None:
        try:
            out[at + place[value]] = 1
        except KeyError:
            raise WrongMark(f"{value!r} is not one of the marked values: {listed}.") from None

    listed = ", ".join(map(key_text, values))
    return Slots(len(values), write, 0, 1, f"one of {listed}")


def _player(frame: Frame) -> Slots:
    def write(out: Any, at: int, value: Any, seating: Seating) -> None:
        out[at + seating.relative[value]] = 1

    return Slots(frame.players, write, 0, 1, "a player: me, +1, ...")


def _seat(frame: Frame) -> Slots:
    count = frame.players

    def write(out: Any, at: int, value: Any, seating: Seating) -> None:
        out[at + (value - seating.me) % count] = 1

    return Slots(count, write, 0, 1, "a seat: me, +1, ...")


# values with parts


def _sequence(parts: Sequence[tuple[str, Slots]]) -> tuple[tuple[str, int, Slots], ...]:
    """The parts one after the other, each with its place."""
    placed, at = [], 0
    for name, slots in parts:
        placed.append((name, at, slots))
        at += slots.size
    return tuple(placed)


def _joined(parts: tuple[tuple[str, int, Slots], ...], write: Write, meaning: str) -> Slots:
    return Slots(
        size=sum(slots.size for _, _, slots in parts),
        write=write,
        low=min((slots.low for _, _, slots in parts), default=0),
        high=max((slots.high for _, _, slots in parts), default=0),
        meaning=meaning,
        parts=parts,
    )


def _struct(kind: type[msgspec.Struct], frame: Frame) -> Slots:
    fields = msgspec.structs.fields(kind)
    parts = _sequence([(field.encode_name, _field(field, frame)) for field in fields])
    writers = [(field.name, at, slots.write) for field, (_, at, slots) in zip(fields, parts, strict=True) if slots.size]

    def write(out: Any, at: int, value: Any, seating: Seating) -> None:
        for name, place, write_field in writers:
            write_field(out, at + place, getattr(value, name), seating)

    return _joined(parts, write, kind.__name__)


def _field(field: msgspec.structs.FieldInfo, frame: Frame) -> Slots:
    try:
        return slots_of(field.type, frame)
    except NotFinite as fault:
        raise NotFinite(f"in the field {field.encode_name}, {fault}") from None


def _is_there() -> Slots:
    return Slots(1, _write_number, 0, 1, "1 if it is there")


def _choice(members: Sequence[Any], frame: Frame) -> Slots:
    """`X | None`, or one of several structs: a slot that says which, then the slots of each."""
    kinds = [member for member in members if member is not NoneType]
    if len(kinds) > 1 and not all(isinstance(kind, type) and issubclass(kind, msgspec.Struct) for kind in kinds):
        raise NotFinite(f"a choice between {' and '.join(map(str, kinds))} has no fixed size")
    named = ["is there"] if len(kinds) == 1 else [f"is {kind.__name__}" for kind in kinds]
    slots = [slots_of(kind, frame) for kind in kinds]
    labels = [""] if len(kinds) == 1 else [kind.__name__ for kind in kinds]
    parts = _sequence([*((name, _is_there()) for name in named), *zip(labels, slots, strict=True)])
    places = [at for _, at, _ in parts[len(kinds) :]]

    def write(out: Any, at: int, value: Any, seating: Seating) -> None:
        if value is None:
            return
        which = 0 if len(kinds) == 1 else kinds.index(type(value))
        out[at + which] = 1
        slots[which].write(out, at + places[which], value, seating)

    return _joined(parts, write, "may be missing" if NoneType in members else "one of several")


def seat_name(steps: int) -> str:
    """How an observer calls a player: `me`, `+1` for the next one."""
    return "me" if steps == 0 else f"+{steps}"


def _by_player(item: Any, frame: Frame) -> Slots:
    slots = slots_of(item, frame)
    parts = _sequence([(f"[{seat_name(steps)}]", slots) for steps in range(frame.players)])

    def write(out: Any, at: int, value: Any, seating: Seating) -> None:
        for player, each in value.items():
            slots.write(out, at + seating.relative[player] * slots.size, each, seating)

    return _joined(parts, write, "for each player, the observer first")


def _per_seat(item: Any, frame: Frame) -> Slots:
    slots, count = slots_of(item, frame), frame.players
    parts = _sequence([(f"[{seat_name(steps)}]", slots) for steps in range(count)])

    def write(out: Any, at: int, value: Any, seating: Seating) -> None:
        for seat, each in enumerate(value):
            slots.write(out, at + (seat - seating.me) % count * slots.size, each, seating)

    return _joined(parts, write, "for each seat, the observer's first")


def _tuple(inner: tuple[Any, ...], frame: Frame) -> Slots:
    if inner[-1] is not Ellipsis:
        slots = [slots_of(item, frame) for item in inner]
        parts = _sequence([(f"[{place}]", each) for place, each in enumerate(slots)])

        def write(out: Any, at: int, value: Any, seating: Seating) -> None:
            for (_, place, part), each in zip(parts, value, strict=True):
                part.write(out, at + place, each, seating)

        return _joined(parts, write, "in order")
    if inner[0] is PlayerId:
        return _listed(inner[0], frame.players, frame)
    try:
        kinds = finite(inner[0], frame.players)
    except NotFinite:
        return _recent(inner[0], frame)
    is_seat = len(kinds.keys) == frame.players and kinds.key_of is not None
    is_quantity = unwrap(inner[0])[0] is int and not any(
        isinstance(mark, Among | Seated) for mark in unwrap(inner[0])[1]
    )
    if len(kinds.keys) > MOST_KINDS or is_quantity or (kinds.key_of is not None and not is_seat):
        return _recent(inner[0], frame)
    return _counts(kinds)


def _counts(kinds: Finite) -> Slots:
    """How often each kind occurs. The order is lost: this is for hands and piles."""
    place = {key: index for index, key in enumerate(kinds.keys)}
    key_of = kinds.key_of

    def write(out: Any, at: int, value: Any, seating: Seating) -> None:
        for each in value:
            slot = at + place[key_of(each, seating) if key_of else each]
            out[slot] = min(out[slot] + 1 / USUAL_COUNT, HIGHEST_COUNT)

    names = [key_text(key) for key in kinds.keys]
    listed = ", ".join(names if len(names) <= MOST_LISTED else [*names[:2], "...", names[-1]])
    return Slots(len(place), write, 0, HIGHEST_COUNT, f"how many of each of {listed}, divided by {USUAL_COUNT:g}")


def _listed(item: Any, most: int, frame: Frame) -> Slots:
    """At most so many items, in their order."""
    slots = slots_of(item, frame)
    step = 1 + slots.size
    one = _joined(_sequence([("is there", _is_there()), ("", slots)]), _write_number, "an item")
    parts = _sequence([(f"[{place}]", one) for place in range(most)])

    def write(out: Any, at: int, value: Any, seating: Seating) -> None:
        if len(value) > most:
            raise WrongMark(f"A list has {len(value)} items, and its mark says at most {most}.")
        for place, each in enumerate(value):
            out[at + place * step] = 1
            slots.write(out, at + place * step + 1, each, seating)

    return _joined(parts, write, f"at most {most}, in order")


def _recent(item: Any, frame: Frame) -> Slots:
    """The length of a history, and its last items, the newest first."""
    length, last = _number(None), _listed(item, frame.recent, frame)
    parts = _sequence([("length", length), ("last", last)])

    def write(out: Any, at: int, value: Any, seating: Seating) -> None:
        length.write(out, at, len(value), seating)
        last.write(out, at + 1, value[: -frame.recent - 1 : -1], seating)

    return _joined(parts, write, f"a history: its length, and its last {frame.recent} items, the newest first")
