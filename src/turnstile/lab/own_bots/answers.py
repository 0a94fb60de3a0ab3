"""What a bot answers: one of the actions, or its number in the list, from 0."""

from collections.abc import Sequence
from operator import index
from typing import Any

import msgspec

from turnstile.kernel import Move
from turnstile.kernel.values import Malformed, decode, encode
from turnstile.lab.own_bots.failures import BotFailed

LONGEST_QUOTE = 120  # characters of an invalid answer


def read_action(name: str, said: object, actions: Sequence[Move]) -> Move:
    """The action that an answer means. Raises `BotFailed` for any other answer."""
    number = _whole_number(said)
    if number is not None and 0 <= number < len(actions):
        return actions[number]
    chosen = next((action for action in actions if action == said), None) if isinstance(said, Move) else None
    if chosen is not None:
        return chosen
    if said is None:
        raise BotFailed(f"{name} has chosen None instead of an action: is a return missing?")
    raise BotFailed(f"{name} has chosen {_quote(said)}, which is not one of {_offer(actions)}.")


def read_json_action(name: str, line: bytes, actions: Sequence[Move]) -> Move:
    """The action that a line of JSON means: its number, or the action as it was written in the question."""
    try:
        said = decode(line, Any)
    except Malformed:
        text = line.decode(errors="replace")[:LONGEST_QUOTE]
        raise BotFailed(
            f"{name} has answered {text!r}, which is not JSON. It answers with one line: the number of an action, from "
            "0, or the action; everything else goes to standard error."
        ) from None
    number = next((number for number, action in enumerate(actions) if _plain(action) == said), said)
    return read_action(name, number, actions)


def _whole_number(said: object) -> int | None:
    """An answer that is a whole number of any library, such as NumPy; `None` for all others."""
    try:
        return None if isinstance(said, bool) else index(said)  # type: ignore[arg-type]
    except TypeError:
        return None


def _plain(action: Move) -> Any:
    return msgspec.json.decode(encode(action))


def _quote(said: object) -> str:
    text = msgspec.json.encode(said, enc_hook=repr).decode() if isinstance(said, dict | list) else repr(said)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}..."


def _offer(actions: Sequence[Move]) -> str:
    return (
        f"its {len(actions)} actions, 0 to {len(actions) - 1}" if len(actions) > 1 else "its actions: there is only 0"
    )
