"""Any view, message or move as readable text, for games that bring no terminal."""

import re
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Any

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from turnstile.kernel import Message, Move, PlayerId

NOTHING = "-"
SHORT = 60  # characters; a longer value gets a line for each field


def plain_show(view: Any, player: PlayerId) -> RenderableType:
    """A line for each field of a view."""
    return Group(*[Text(line) for line in lines_of(view)])


def plain_tell(message: Message, player: PlayerId) -> str:
    return _with_fields(message)


def plain_name(action: Move) -> str:
    return _with_fields(action, "player")


def _with_fields(value: msgspec.Struct, *without: str) -> str:
    """The name of an event or a message, and its fields."""
    name, fields = words(type(value).__name__), _joined(value, *without)
    return f"{name}: {fields}" if fields else name


def lines_of(value: msgspec.Struct, indent: str = "") -> list[str]:
    """A struct, field by field. A field that is a struct itself is put on the same line if it is short, else below."""
    lines: list[str] = []
    for name, content in _fields(value):
        label = f"{indent}{words(name)}"
        parts = list(content) if isinstance(content, tuple | list) else [content]
        if isinstance(content, msgspec.Struct) and len(text_of(content)) <= SHORT:
            lines.append(f"{label}: {_joined(content)}")
        elif parts and all(isinstance(part, msgspec.Struct) for part in parts):
            lines += [f"{label}:", *[line for part in parts for line in _item(part, indent)]]
        else:
            lines.append(f"{label}: {text_of(content)}")
    return lines


def _item(part: msgspec.Struct, indent: str) -> list[str]:
    """One of several structs, after a dash."""
    if len(text_of(part)) <= SHORT:
        return [f"{indent}  - {_joined(part)}"]
    first, *rest = lines_of(part, f"{indent}    ")
    return [f"{indent}  - {first.strip()}", *rest]


def _joined(value: msgspec.Struct, *without: str) -> str:
    """The fields of a struct on one line."""
    fields = [(name, content) for name, content in _fields(value) if name not in without]
    return ", ".join(f"{words(name).lower()} {text_of(content)}" for name, content in fields)


def text_of(value: Any) -> str:
    """Any value that a view, a message or a move may hold, on one line."""
    match value:
        case None:
            return NOTHING
        case bool():
            return "yes" if value else "no"
        case Enum():
            return text_of(value.value)
        case Mapping():
            return ", ".join(f"{key} {text_of(each)}" for key, each in value.items()) or NOTHING
        case msgspec.Struct():
            return f"({_joined(value)})"
        case tuple() | list() | set() | frozenset():
            return ", ".join(text_of(each) for each in value) or NOTHING
        case _:
            return str(value)


@cache
def words(name: str) -> str:
    """The words of a name in code: `Rounds left` of `rounds_left`, `Card played` of `CardPlayed`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ").strip().lower()
    return spaced[:1].upper() + spaced[1:]


def _fields(value: msgspec.Struct) -> list[tuple[str, Any]]:
    return [(name, getattr(value, name)) for name in value.__struct_fields__]
