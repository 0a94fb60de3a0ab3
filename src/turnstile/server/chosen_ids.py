"""Ids that clients choose, so that a request whose answer was lost may be sent again and has its effect once."""

from hashlib import sha256
from typing import Annotated

from msgspec import Meta

ChosenId = Annotated[
    str,
    Meta(
        min_length=16,
        max_length=64,
        pattern=r"^[!-~]+$",
        description="Chosen by the client, at random, such as a UUID. The same request with it has its effect once.",
    ),
]


def derive_id(kind: str, *parts: str) -> str:
    """What follows from an id that a client chose: as hard to guess as the id, and different for each kind."""
    return sha256("\n".join((kind, *parts)).encode()).hexdigest()
