"""JSON Schemas of wire types, with one place for those that several of them share."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, get_args, get_origin

import msgspec

from turnstile.kernel.schema import structs_in
from turnstile.kernel.values import ByPlayer

Schema = dict[str, Any]

PREFIX = "#/components/schemas/"


class Schemas:
    """The schemas of some types. `of` is the schema of one of them, which refers to the `components`."""

    def __init__(self, types: Sequence[Any]) -> None:
        kinds = list(dict.fromkeys(types))
        maps = _maps_in(kinds)
        found, self.components = msgspec.json.schema_components(
            [*kinds, *maps.values()], ref_template=PREFIX + "{name}", schema_hook=lambda _: {"type": "object"}
        )
        self._by_type: dict[Any, Schema] = dict(zip(kinds, found, strict=False))
        for (struct, field), described in zip(maps, found[len(kinds) :], strict=True):
            self.components[struct]["properties"][field]["additionalProperties"] = described
        self.components = {name: _on_one_line(schema) for name, schema in sorted(self.components.items())}

    def of(self, kind: Any) -> Schema:
        return self._by_type[kind]


def _maps_in(types: Sequence[Any]) -> Mapping[tuple[str, str], Any]:
    """The fields that have something for each player, and the type of what they have."""
    return {
        (struct.__name__, field.encode_name): get_args(field.type)[0]
        for struct in sorted(structs_in(types), key=lambda struct: struct.__name__)
        for field in msgspec.structs.fields(struct)
        if get_origin(field.type) is ByPlayer
    }


def _on_one_line(schema: Schema) -> Schema:
    """A schema whose description has no line breaks."""
    return {**schema, "description": one_line(schema["description"])} if "description" in schema else schema


def summary_of(doc: str | None) -> str:
    """The first sentence of a docstring, without its period."""
    text = one_line(doc)
    return re.split(r"(?<=\w)\.(?:\s|$)|:\s", text, maxsplit=1)[0]


def one_line(doc: str | None) -> str:
    return " ".join((doc or "").split())
