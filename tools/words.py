"""Types in words, and Markdown: what the pages that are made from code are made of."""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NewType, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo, fields

from turnstile.kernel import ByPlayer, Event, Message, Move, Timeout, Value, wire_name

PLAIN_TYPES = {str: "text", int: "number", float: "number", NoneType: "null", Any: "anything", msgspec.Raw: "JSON"}
LIMITS = {
    "ge": "at least {}",
    "gt": "more than {}",
    "le": "at most {}",
    "lt": "less than {}",
    "multiple_of": "a multiple of {}",
    "pattern": "matching `{}`",
    "min_length": "at least {} long",
    "max_length": "at most {} long",
}


# structs


def description(struct: type[Value]) -> Iterator[str]:
    """What a struct says of itself, and its fields as they are on the wire."""
    if said := " ".join(filter(None, [one_line(struct.__doc__), cause(struct)])):
        yield said
    if lines := [[code(field.encode_name), in_words(field.type) + default(field)] for field in fields(struct)]:
        yield table(["field", "type"], lines)


def cause(struct: type[Value]) -> str:
    """Who brings an event about, where its type tells."""
    if issubclass(struct, Move):
        return "A player's move."
    return "A timer has run out." if issubclass(struct, Timeout) else ""


def default(field: FieldInfo) -> str:
    if field.required:
        return ""
    if field.default is msgspec.UNSET:
        return "; may be left out"
    value = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
    return f"; {code(msgspec.json.encode(value).decode())} when left out"


def parts(kind: Any) -> Iterator[type[Value]]:
    """The structs that a type is made of."""
    if is_a(plain(kind), Value):
        yield plain(kind)
    for part in get_args(kind):
        yield from parts(part)


# types in words


def in_words(kind: Any) -> str:
    """A type as a person would put it, such as "`E`, `C` or `S`" or "object by player: number or null"."""
    *others, last = alternatives(kind)
    return f"{', '.join(others)} or {last}" if others else last


def alternatives(kind: Any) -> list[str]:
    """What a value of this type may be, one by one: a choice within a choice is still one choice."""
    inner = get_args(kind)
    if get_origin(kind) in (Union, UnionType):
        return [word for member in inner if member is not msgspec.UnsetType for word in alternatives(member)]
    if get_origin(kind) is Literal:
        return [code(value) for value in inner]
    if is_a(kind, Enum):
        return [code(member.value) for member in kind]
    if kind is bool:
        return [code("true"), code("false")]
    return [one_shape(kind)]


def one_shape(kind: Any) -> str:
    inner = get_args(kind)
    match get_origin(kind):
        case origin if origin is Annotated:
            bounds = " and ".join(limit for meta in inner[1:] for limit in limits(meta))
            return f"{in_words(inner[0])}, {bounds}" if bounds else in_words(inner[0])
        case origin if origin is ByPlayer:
            return f"object by player: {in_words(inner[0])}"
        case origin if origin is dict:
            return f"object by {in_words(inner[0])}: {in_words(inner[1])}"
        case origin if origin is tuple and inner[-1] is not Ellipsis:
            return f"list of {', then '.join(map(in_words, inner))}"
        case origin if origin in (tuple, list, frozenset):
            return f"list of {in_words(inner[0])}"
    if is_a(plain(kind), Value):
        found = plain(kind)
        name = wire_name(found) if is_a(found, Event) or is_a(found, Message) else found.__name__
        return f"[{name}](#{name.lower()})"
    if isinstance(kind, TypeVar):
        return "a state of the game"
    if isinstance(kind, NewType):
        return f"{in_words(kind.__supertype__)} ({spaced(kind.__name__)})"
    return PLAIN_TYPES[kind]


def limits(meta: object) -> list[str]:
    """The bounds that the type enforces. Marks of the kernel enforce nothing."""
    if not isinstance(meta, msgspec.Meta):
        return []
    return [words.format(limit) for name, words in LIMITS.items() if (limit := getattr(meta, name)) is not None]


def plain(kind: Any) -> Any:
    """A struct without its parameters: `Batch[M]` is a `Batch`."""
    return get_origin(kind) or kind


def is_a(kind: Any, base: type) -> bool:
    return isinstance(kind, type) and issubclass(kind, base)


def spaced(name: str) -> str:
    """`PlayerId` is a player id."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


# Markdown


def document(*blocks: str) -> str:
    return "\n\n".join(blocks) + "\n"


def table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    cells = [heads, ["---"] * len(heads), *([cell.replace("|", "\\|") for cell in line] for line in lines)]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def code(value: object) -> str:
    return f"`{value}`"


def one_line(text: str | None) -> str:
    return " ".join((text or "").split())
