"""JSON Schemas of wire types, with one place for those that several of them share."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, get_args, get_origin

import msgspec

from turnstile.kernel.schema import structs_in
from turnstile.kernel.values import ByPlayer
from turnstile.server.play.frames import TABLE_MESSAGES, TableChanged
from turnstile.table.sight import TableStatus

Schema = dict[str, Any]

PREFIX = "#/components/schemas/"


class Schemas:
    """The schemas of some types. `of` is the schema of one of them, which refers to the `components`."""

    def __init__(self, types: Sequence[Any]) -> None:
        kinds = list(dict.fromkeys([*types, *TABLE_MESSAGES]))
        maps = _maps_in(kinds)
        found, self.components = msgspec.json.schema_components(
            [*kinds, *maps.values()], ref_template=PREFIX + "{name}", schema_hook=lambda _: {"type": "object"}
        )
        self._by_type: dict[Any, Schema] = dict(zip(kinds, found, strict=False))
        for (struct, field), described in zip(maps, found[len(kinds) :], strict=True):
            self.components[struct]["properties"][field]["additionalProperties"] = described
        if TableChanged.__name__ in self.components:
            self.components[TableChanged.__name__] = self._status_frame()
        names = {name: _component_name(name) for name in self.components}
        assert len(set(names.values())) == len(names), f"two components of one name: {sorted(names.values())}"
        self._by_type = {kind: _with_names(schema, names) for kind, schema in self._by_type.items()}
        self.components = {
            names[name]: _on_one_line(_with_names(schema, names))
            for name, schema in sorted(self.components.items(), key=lambda item: names[item[0]])
        }

    def _status_frame(self) -> Schema:
        """A status is sent with its fields in the frame itself."""
        frame, status = self.components[TableChanged.__name__], self.components[TableStatus.__name__]
        fields = {**frame["properties"], **status["properties"]}
        return {**frame, "properties": fields, "required": [*frame["required"], *status["required"]]}

    def of(self, kind: Any) -> Schema:
        return self._by_type[kind]


def _component_name(name: str) -> str:
    """The name of a type in a document, such as `TablePhase`.

    msgspec gives types that share a name the paths of their modules. Their folders tell them apart as well, and a
    document does not change when a module moves.
    """
    *path, last = name.split(".")
    return f"{path[-2].title()}{last}" if path else name


def _with_names(schema: Any, names: Mapping[str, str]) -> Any:
    """A schema that refers to components by these names."""
    if isinstance(schema, dict):
        return {
            key: PREFIX + names[value.removeprefix(PREFIX)] if key == "$ref" else _with_names(value, names)
            for key, value in schema.items()
        }
    return [_with_names(each, names) for each in schema] if isinstance(schema, list) else schema


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
