"""JSON from other programs, read strictly: what two readers could understand differently is refused."""

import json
from codecs import BOM_UTF8
from collections.abc import Sequence
from typing import Any

import msgspec

DEEPEST = 32


class Unreadable(ValueError):
    """The bytes are not acceptable JSON."""


def parse(body: bytes) -> Any:
    """The JSON value of a body. Raises `Unreadable`, also for repeated keys, NaN, lone surrogates and deep nesting."""
    body = body.removeprefix(BOM_UTF8)
    try:
        value = msgspec.json.decode(body)
        json.loads(body, object_pairs_hook=_refuse_repeats)
    except (msgspec.DecodeError, ValueError, RecursionError) as fault:
        raise Unreadable(str(fault)) from None
    if body.count(b"{") + body.count(b"[") > DEEPEST and _is_deeper(value, DEEPEST):
        raise Unreadable("JSON is nested too deeply")
    return value


def check(body: bytes) -> None:
    """Refuse what `parse` refuses, for bodies that are then decoded by their type.

    Most bodies have as many colons as keys, so that no key can be repeated: they are not parsed a second time.
    """
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, ValueError, RecursionError) as fault:
        raise Unreadable(str(fault)) from None
    if b"\\u0000" in body:
        raise Unreadable("a text has a NUL character")
    if body.count(b":") != _count_keys(value) or body.count(b"{") + body.count(b"[") > DEEPEST:
        parse(body)


def _count_keys(value: Any) -> int:
    """The number of keys in a value; of one with lists of objects, fewer, which leads to the slower check."""
    if type(value) is not dict:
        return 0
    count = len(value)
    for each in value.values():
        if type(each) is dict:
            count += _count_keys(each)
    return count


def _refuse_repeats(pairs: Sequence[tuple[str, Any]]) -> None:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key is repeated")


def _is_deeper(value: Any, most: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return most < 0 or any(_is_deeper(each, most - 1) for each in inner)
