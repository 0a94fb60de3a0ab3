"""Views, messages and moves as text, without what proves the deal.

Seeds and commitments are left out: they are different in every match and say nothing about it, so a program that learns
from texts would take two equal situations for different ones.
"""

from collections.abc import Mapping
from enum import Enum
from functools import cache
from types import NoneType
from typing import Any, get_args

import msgspec

from turnstile.kernel import encode, wire_name
from turnstile.kernel.chance import Commitment, Seed


def to_plain(value: Any) -> Any:
    """A value as JSON types, without seeds and commitments."""
    if isinstance(value, msgspec.Struct):
        kind = type(value)
        tagged = {"type": kind.__struct_config__.tag} if kind.__struct_config__.tag is not None else {}
        return tagged | {name: to_plain(getattr(value, field)) for field, name in _fields_to_show(kind)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(each) for key, each in value.items()}
    if isinstance(value, tuple | list | frozenset):
        return [to_plain(each) for each in value]
    return value.value if isinstance(value, Enum) else value


@cache
def _fields_to_show(kind: type[msgspec.Struct]) -> tuple[tuple[str, str], ...]:
    """The fields of a struct that are no seed and no commitment, each with its name on the wire."""
    return tuple((field.name, field.encode_name) for field in msgspec.structs.fields(kind) if not _is_proof(field.type))


def _is_proof(kind: Any) -> bool:
    parts = [part for part in get_args(kind) if part is not NoneType]
    return kind in (Seed, Commitment) or any(_is_proof(part) for part in parts)


def view_text(view: Any) -> str:
    """A view for people and language models: a line for each field."""
    return "\n".join(f"{name}: {_short(each)}" for name, each in to_plain(view).items())


def _short(value: Any) -> str:
    """Plain values without quotes, lists of them with commas, and everything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(each, str | int) for each in value):
        return ", ".join(map(_short, value))
    return encode(value).decode()


def move_text(move: Any) -> str:
    """A move without its player: `Pick card=E`."""
    plain = to_plain(move)
    fields = [f"{name}={_short(each)}" for name, each in plain.items() if name not in ("type", "player")]
    return " ".join([wire_name(type(move)), *fields])
