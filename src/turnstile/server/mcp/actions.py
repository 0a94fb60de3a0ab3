"""Names of actions: short texts such as `pick:E` or `play-card:hearts.7`, made from an action's type and fields.

Positions in a list shift from one update to the next, and models go astray with them. A name says what is done, for
every game in the same way, and is accepted back.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, get_args, get_origin

import msgspec

from turnstile.kernel.game import AnyGame
from turnstile.kernel.values import Move, wire_name

PLAIN = re.compile(r"[\w+-]+")
LEFT_OUT = ("type", "player")
"""Fields of an action that its name does not repeat: the type is its first part, the player is the one who acts."""

Action = Mapping[str, Any]
"""An action as JSON."""


def short_name(name: str) -> str:
    """`PlayCard` and `PLAY_CARD` are both `play-card`."""
    return "-".join(words_of(name))


def words_of(name: str) -> list[str]:
    """The words in a name, in lower case."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return re.split(r"[\W_]+", split.lower().strip())


def name_actions(actions: Sequence[Action]) -> dict[str, Action]:
    """The actions by name. Actions whose short names are equal get all their fields as JSON."""
    counts = Counter(map(_name, actions))
    return {name if counts[name := _name(action)] == 1 else _long_name(action): action for action in actions}


def find_action(named: Mapping[str, Action], wanted: str) -> Action | None:
    """The action of this name; spaces and capitals may differ."""
    if wanted in named:
        return named[wanted]
    alike = [action for name, action in named.items() if _plain(name) == _plain(wanted)]
    return alike[0] if len(alike) == 1 else None


def _plain(name: str) -> str:
    return "".join(name.casefold().split())


def _name(action: Action) -> str:
    return ":".join([short_name(action["type"]), *map(written, _fields(action).values())])


def _long_name(action: Action) -> str:
    return f"{short_name(action['type'])}:{json.dumps(_fields(action), separators=(',', ':'), ensure_ascii=False)}"


def _fields(action: Action) -> dict[str, Any]:
    return {field: value for field, value in action.items() if field not in LEFT_OUT}


def written(value: Any) -> str:
    """A value in a name: `7`, `hearts.7` for an object, `0,2` for a list."""
    match value:
        case str() if PLAIN.fullmatch(value):
            return value
        case dict():
            return ".".join(map(_inner, value.values())) or "{}"
        case list():
            return ",".join(map(_inner, value)) or "[]"
        case _:
            return json.dumps(value, ensure_ascii=False)


def _inner(value: Any) -> str:
    return f"({written(value)})" if isinstance(value, dict | list) else written(value)


# for readers of the rules


def action_forms(game: AnyGame) -> tuple[str, ...]:
    """How the names of all actions of a game are made, such as `play-card:SUIT.RANK`."""
    return tuple(_form(event) for event in game.machine.events if issubclass(event, Move))


def _form(event: type[Move]) -> str:
    fields = [field for field in msgspec.structs.fields(event) if field.encode_name not in LEFT_OUT]
    return ":".join([short_name(wire_name(event)), *(_field_form(field.encode_name, field.type) for field in fields)])


def _field_form(name: str, kind: Any) -> str:
    shown = short_name(name).upper()
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return ".".join(short_name(field.encode_name).upper() for field in msgspec.structs.fields(kind))
    if get_origin(kind) in (tuple, list) and get_args(kind):
        return f"{shown},..."
    return shown
