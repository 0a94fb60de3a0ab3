"""JSON Schemas from types, for programs that talk to a machine."""

from collections.abc import Iterable
from typing import Any, Union, get_args, get_origin

import msgspec

from turnstile.kernel.values import ByPlayer, Value

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema(*types: type[Value]) -> dict[str, Any]:
    """The JSON Schema of a value of any of these types."""
    maps = {
        (struct.__name__, field.encode_name): get_args(field.type)[0]
        for struct in structs_in(types)
        for field in msgspec.structs.fields(struct)
        if get_origin(field.type) is ByPlayer
    }
    (top, *held), definitions = msgspec.json.schema_components(
        [Union[types], *maps.values()], ref_template="#/$defs/{name}", schema_hook=lambda _: {"type": "object"}
    )
    for (struct, field), described in zip(maps, held, strict=True):
        definitions[struct]["properties"][field]["additionalProperties"] = described
    return {"$schema": DIALECT, **top, "$defs": dict(sorted(definitions.items()))}


def structs_in(types: Iterable[Any]) -> set[type[msgspec.Struct]]:
    """Every struct among these types and the types of their fields, recursively."""
    found: set[type[msgspec.Struct]] = set()
    waiting = list(types)
    while waiting:
        kind = waiting.pop()
        waiting += get_args(kind)
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind not in found:
            found.add(kind)
            waiting += [field.type for field in msgspec.structs.fields(kind)]
    return found
