"""Small tools for mending the fields of foreign messages, and how rounds, tables and questions are mended.

Of what is only there to inform nothing is insisted on: what is missing or cannot be read is given a value that says
nothing.
"""

import logging
import re
from collections.abc import Callable
from typing import Any

from turnstile.agents.rpc import Fields
from turnstile.kernel.values import Malformed, decode, encode

logger = logging.getLogger(__name__)

FIRST_ROUND = 1


def inner(fields: Fields, name: str) -> Fields:
    """A part of a message that can be mended on its own; an empty one where there is none."""
    held = fields.get(name)
    fields[name] = dict(held) if isinstance(held, dict) else {}
    return fields[name]  # type: ignore[no-any-return]


def default(fields: Fields, **values: Any) -> None:
    """Fill in what is missing or null."""
    for name, value in values.items():
        if fields.get(name) is None:
            fields[name] = value


def whole(number: Any) -> Any:
    """A number that came as a text is a number."""
    is_written = isinstance(number, str) and number.isascii() and number.isdigit() and len(number) < 10
    return int(number) if is_written else number


def is_readable(value: Any, as_type: type[Any]) -> bool:
    try:
        decode(encode(value), as_type)
    except Malformed:
        return False
    return True


def round_of(match: Any) -> int:
    """The round of a match that does not say it: customarily it stands in the id, as in `R2M1`."""
    found = re.fullmatch(r"R([0-9]{1,6})M[0-9]+", match.strip().upper()) if isinstance(match, str) else None
    return int(found[1]) if found else FIRST_ROUND


# matches


def mend_run_match(fields: Fields) -> None:
    default(fields, round_id=round_of(fields.get("match_id")))


Mender = Callable[[Fields], None]
