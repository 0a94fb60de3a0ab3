"""The one place that knows how the body of an update is written."""

from typing import Any

import msgspec

from turnstile.kernel.values import decode


class SeatUpdate(msgspec.Struct, frozen=True):
    """An update of a seat. `view` is there if the update was asked for whole."""

    seq: int
    messages: tuple[dict[str, Any], ...]
    view: Any
    actions: tuple[dict[str, Any], ...]


def read_update(body: bytes) -> SeatUpdate:
    found = decode(body, dict[str, Any])
    messages = found["messages"] if "messages" in found else [found.get("message")]
    told = tuple(message for message in messages if message is not None)
    return SeatUpdate(found["seq"], told, found.get("view"), tuple(found.get("actions", ())))
