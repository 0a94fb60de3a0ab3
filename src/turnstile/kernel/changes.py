"""What has changed between two values, so that a reader who has the first one can be sent the difference alone.

A change is an object, and says how to make the new JSON from the old one:

- `{}`: nothing has changed.
- `{"set": value}`: the value is another one.
- `{"in": {"score": change, "3": change}}`: these fields of an object, or these items of a list, have changed.
- `{"add": [items]}`: the list has grown at its end. It may stand beside `in`.
- `{"gone": true}`: in an object, this key is no longer there.

The difference shows nothing that the two values do not show.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from operator import attrgetter
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
from msgspec import inspect as info

from turnstile.kernel.values import ByPlayer, encode

Change = dict[str, Any]
Compare = Callable[[Any, Any], Change]

SAME: Change = {}
GONE: Change = {"gone": True}


def change_between(before: Any, after: Any) -> Change:
    """What has changed. What both values share costs nothing, however large it is."""
    if before is after:
        return SAME
    kind = type(after)
    return _compare_of(kind)(before, after) if type(before) is kind else {"set": after}  # type: ignore[arg-type]


@cache
def _compare_of(kind: Any) -> Compare:
    """How two values of this type are compared."""
    if issubclass(kind, msgspec.Struct):
        config = kind.__struct_config__
        if config.array_like or config.omit_defaults or not kind.__struct_fields__:
            return _between_others
        values_of = attrgetter(*kind.__struct_fields__, "__class__")  # at least two, so that it gives a tuple
        return partial(_between_structs, _fields_of(kind), values_of)
    if issubclass(kind, list | tuple):
        return _between_lists
    if issubclass(kind, dict):
        return _between_objects
    return _between_plain if issubclass(kind, str | int | NoneType) else _between_others


Field = tuple[str, bool, bool]
"""The name of a field on the wire; whether equal values of its type are always written alike; whether it is plain."""


def _between_structs(
    fields: Sequence[Field], values_of: Callable[[Any], tuple[Any, ...]], before: Any, after: Any
) -> Change:
    """Most fields are shared, or equal, which is seen much faster as a whole than part by part."""
    changed = {}
    for (name, is_exact, is_plain), old, new in zip(fields, values_of(before), values_of(after), strict=False):
        if old is new or (is_exact and old == new):
            continue
        if change := {"set": new} if is_plain else change_between(old, new):
            changed[name] = change
    return {"in": changed} if changed else SAME


def _between_objects(before: Mapping[Any, Any], after: Mapping[Any, Any]) -> Change:
    changed = {} if before.keys() == after.keys() else {key: GONE for key in before if key not in after}
    for key, new in after.items():
        if change := change_between(before[key], new) if key in before else {"set": new}:
            changed[key] = change
    return {"in": changed} if changed else SAME


def _between_lists(before: Sequence[Any], after: Sequence[Any]) -> Change:
    """A list in which most has changed, or from which something was taken, is sent whole."""
    kept = len(before)
    if len(after) < kept:
        return {"set": after}
    inner = {}
    for at, (old, new) in enumerate(zip(before, after, strict=False)):
        if old is not new and (change := change_between(old, new)):
            inner[str(at)] = change
    if 2 * len(inner) > kept:
        return {"set": after}
    whole: Change = {"in": inner} if inner else {}
    if len(after) > kept:
        whole["add"] = after[kept:]
    return whole


def _between_plain(before: Any, after: Any) -> Change:
    return SAME if before == after else {"set": after}


def _between_others(before: Any, after: Any) -> Change:
    """Values of other types may be equal and yet be written differently, such as `0.0` and `-0.0`."""
    return SAME if encode(before) == encode(after) else {"set": after}


# types


def _fields_of(kind: type[msgspec.Struct]) -> tuple[Field, ...]:
    described = info.type_info(kind)
    assert isinstance(described, info.StructType)
    names = [field.encode_name for field in described.fields]
    types = _types_of(described)
    return tuple((name, _is_exact(each, ()), _is_plain(each)) for name, each in zip(names, types, strict=True))


def _types_of(described: info.StructType) -> list[info.Type]:
    """The types of the fields. msgspec does not know what a `ByPlayer` holds: here it is an object like any other."""
    hints = get_type_hints(described.cls)
    return [
        info.DictType(info.StrType(), info.type_info(*get_args(hints[field.name])))
        if isinstance(field.type, info.CustomType) and get_origin(hints[field.name]) is ByPlayer
        else field.type
        for field in described.fields
    ]


_EXACT = (info.NoneType, info.BoolType, info.IntType, info.StrType, info.EnumType, info.LiteralType)
_NUMBERS = (info.BoolType, info.IntType, info.EnumType, info.LiteralType)


def _is_exact(kind: info.Type, around: tuple[type, ...]) -> bool:
    """Whether equal values of this type are always written alike, which 1, 1.0 and `True` are not."""
    match kind:
        case info.UnionType():
            numbers = [each for each in kind.types if isinstance(each, _NUMBERS)]
            return len(numbers) <= 1 and all(_is_exact(each, around) for each in kind.types)
        case info.StructType():
            inside = (*around, kind.cls)
            return kind.cls in around or all(_is_exact(each, inside) for each in _types_of(kind))
        case info.ListType() | info.VarTupleType() | info.SetType() | info.FrozenSetType():
            return _is_exact(kind.item_type, around)
        case info.DictType():
            return _is_exact(kind.key_type, around) and _is_exact(kind.value_type, around)
        case _:
            return isinstance(kind, _EXACT)


def _is_plain(kind: info.Type) -> bool:
    """Whether values of this type are exact and have no parts."""
    parts = kind.types if isinstance(kind, info.UnionType) else (kind,)
    return _is_exact(kind, ()) and all(isinstance(each, _EXACT) for each in parts)


# for readers


def apply_change(value: Any, change: Mapping[str, Any]) -> Any:
    """The new JSON value, made from the old one and what has changed. The old one stays as it is."""
    if "set" in change:
        return change["set"]
    if not change:
        return value
    new = list(value) if isinstance(value, list) else dict(value)
    for key, inner in change.get("in", {}).items():
        at = int(key) if isinstance(new, list) else key
        if "gone" in inner:
            del new[at]
        else:
            new[at] = inner["set"] if "set" in inner else apply_change(new[at], inner)
    return [*new, *change["add"]] if "add" in change else new
