"""Values in words, for readers of text. They come from JSON that a seat may see, and from nothing else.

Names that players have chosen stand in quotation marks, so that a name cannot pass for a sentence of the server.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from turnstile.server.mcp.actions import PLAIN, words_of, written

LONGEST_LIST = 1000  # characters; of a longer list, the last item is shown
LONGEST_TEXT = 40

Names = Mapping[str, str]
"""How players are called, by id."""


def spaced(name: str) -> str:
    """`handSizes` is "hand sizes"."""
    return " ".join(words_of(name))


def in_words(value: Any, names: Names) -> str:
    """A JSON value in words. What is long is cut: the JSON beside the words has all of it."""
    match value:
        case None:
            return "null"
        case bool():
            return "yes" if value else "no"
        case str():
            return _text(value, names)
        case dict() if _is_plain(value, names):
            return written(value)
        case dict():
            fields = [f"{_key(key, names)} {_inner(inner, names)}" for key, inner in value.items()]
            return ", ".join(fields) or "none"
        case list():
            return _list(value, names)
        case _:
            return json.dumps(value)


def _key(key: str, names: Names) -> str:
    return names[key] if key in names else spaced(key)


def _inner(value: Any, names: Names) -> str:
    words = in_words(value, names)
    is_nested = isinstance(value, dict | list) and value and not _is_plain(value, names)
    return f"({words})" if is_nested else words


def _is_plain(value: Any, names: Names) -> bool:
    """Whether a value is an object of plain texts, such as a card. It is written as in the names of actions.

    What each player has is not plain: its names must be told.
    """
    if not isinstance(value, dict) or not value or not names.keys().isdisjoint(value):
        return False
    return all(isinstance(each, str) and each not in names and PLAIN.fullmatch(each) for each in value.values())


def _text(value: str, names: Names) -> str:
    if value in names:
        return names[value]
    cut = value if len(value) <= LONGEST_TEXT else f"{value[:12]}..."
    return value if value == cut and PLAIN.fullmatch(value) else json.dumps(cut, ensure_ascii=False)


def _list(value: list[Any], names: Names) -> str:
    words = ", ".join(_inner(item, names) for item in value) or "none"
    return words if len(words) <= LONGEST_LIST else f"{len(value)} in all, the last {_inner(value[-1], names)}"


def message_in_words(message: Mapping[str, Any], names: Names) -> str:
    """`{"type": "TrickWon", "winner": "p-1"}` is `trick won: winner "Ana"`."""
    told = [f"{spaced(field)} {_inner(value, names)}" for field, value in message.items() if field != "type"]
    kind = spaced(str(message.get("type", "message")))
    return f"{kind}: {', '.join(told)}" if told else kind


def view_in_words(view: Any, names: Names) -> Iterator[str]:
    """A line for each field of a view."""
    if not isinstance(view, dict):
        return
    for field, value in view.items():
        yield f"- {spaced(field)}: {in_words(value, names)}"
