"""Frozen values that are read and written as JSON: the base of every state, event and message.

Every state, event, message and view is a `Value`. This module knows how values look on the wire (camelCase, tagged by
`type`) and nothing about what they mean.
"""

from collections.abc import Callable, Iterable
from functools import cache
from hashlib import sha256
from typing import Annotated, Any, Generic, NewType, NoReturn, TypeVar, get_args, get_origin

import msgspec

PlayerId = NewType("PlayerId", str)
"""Identifies a player for the life of a match: a non-empty text, the same on the wire, on the page and in the log."""

LogId = NewType("LogId", str)
"""Identifies a log: of a table, or of a machine of the league."""

Instant = NewType("Instant", int)
"""Milliseconds since 1970, UTC; in a simulated world, since its beginning. No other time exists."""

LONGEST_ID = 64

T = TypeVar("T")
V = TypeVar("V")


class Value(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True, gc=False):
    """A frozen struct; its fields are snake_case in Python and camelCase on the wire.

    A frozen value can only refer to values that existed before it, so values form no cycles and the garbage collector
    need not track them (`gc=False`). That halves the time to create one.
    """


class Event(Value, frozen=True, tag_field="type", tag=True):
    """Something that happens to a machine. On the wire its `type` is its class name, or the `tag` it is given."""


class Move(Event, frozen=True):
    """An event that a player causes. The caller of the machine must make sure that `player` is the one who acted."""

    player: Annotated[PlayerId, msgspec.Meta(min_length=1, max_length=LONGEST_ID)]


class Timeout(Event, frozen=True):
    """An event that an armed timer causes when it runs out."""


class Acks(Event, frozen=True):
    """All players have acknowledged every pending batch of messages."""


class Message(Value, frozen=True, tag_field="type", tag=True):
    """What a player is told. On the wire its `type` is its class name, or the `tag` it is given."""


def wire_name(kind: type[Event] | type[Message]) -> str:
    """The name of an event or a message on the wire, in diagrams and in sentences: its `type`."""
    return str(kind.__struct_config__.tag)


def is_log_id(text: str) -> bool:
    """Whether a text is a valid log id: short, and with printable characters only."""
    return 1 <= len(text) <= LONGEST_ID and text.isprintable()


class ByPlayer(dict[PlayerId, V], Generic[V]):
    """One thing for each player; an object keyed by player id on the wire. It never changes, and has no order."""

    __slots__ = ()

    @classmethod
    def same(cls, players: Iterable[PlayerId], value: V) -> "ByPlayer[V]":
        return cls(dict.fromkeys(players, value))

    def put(self, player: PlayerId, value: V) -> "ByPlayer[V]":
        """A copy with `value` for `player`."""
        return ByPlayer({**self, player: value})

    def __reduce__(self) -> tuple[type["ByPlayer[V]"], tuple[dict[PlayerId, V]]]:
        return ByPlayer, (dict(self),)  # for copying and pickling

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def _frozen(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("A ByPlayer is immutable; `put` returns a changed copy.")

    __setitem__ = __delitem__ = __ior__ = _frozen
    clear = pop = popitem = setdefault = update = _frozen


class Malformed(ValueError):
    """Bytes that do not decode to the expected type. The text says what is wrong and where."""


def encode(value: object) -> bytes:
    """`value` as canonical JSON: equal values give equal bytes, on any machine."""
    return _ENCODER.encode(value)


Reader = Callable[[bytes | str], T]
"""Reads a value. Raises `Malformed`."""


def decode(data: bytes | str, as_type: type[T]) -> T:
    """The value of type `as_type` written in `data`, or `Malformed`."""
    read: Reader[T] = reader_of(as_type)  # type: ignore[arg-type]
    return read(data)


@cache
def reader_of(as_type: Any) -> Reader[Any]:
    """Cached for each type: building a decoder for a large union takes longer than decoding a message."""
    read = msgspec.json.Decoder(as_type, dec_hook=_revive).decode

    def read_or_explain(data: bytes | str) -> Any:
        try:
            return read(data)
        except (msgspec.DecodeError, UnicodeError) as fault:
            raise Malformed(str(fault)) from None
        except RecursionError:
            raise Malformed("JSON is nested too deeply") from None

    return read_or_explain


def digest(value: object) -> str:
    """The fingerprint of a value: the SHA-256 of its JSON, in hexadecimal."""
    return sha256(encode(value)).hexdigest()


def _revive(kind: Any, plain: Any) -> Any:
    """Decode the types that JSON does not have: a `ByPlayer` arrives as an object."""
    if get_origin(kind) is not ByPlayer:
        raise NotImplementedError(f"No JSON form is known for {kind}.")
    (item,) = get_args(kind)
    try:
        return ByPlayer(msgspec.convert(plain, dict[PlayerId, item], dec_hook=_revive))  # type: ignore[valid-type]
    except msgspec.ValidationError as fault:
        raise ValueError(str(fault)) from None


_ENCODER = msgspec.json.Encoder(order="deterministic")
