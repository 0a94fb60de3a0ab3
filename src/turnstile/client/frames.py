"""The frames of the WebSocket, as a client reads and writes them. See docs/asyncapi.json for all of them."""

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

VERSION = 1


class Frame(msgspec.Struct, frozen=True, rename="camel", tag_field="type", gc=False):
    """The base of all frames from the server."""


class Welcome(Frame, frozen=True, tag="welcome"):
    table: str
    seat: str | None
    after: int
    top: int
    beat: float
    here: tuple[str, ...] = ()


class Update(Frame, frozen=True, tag="update"):
    seq: int
    messages: list[Any]
    actions: list[Any]
    view: Any = UNSET
    changed: Any = UNSET
    history: str | None = None
    """Stands for all that led to this update."""


class Error(msgspec.Struct, frozen=True, rename="camel", gc=False):
    code: str
    message: str
    seconds: float | None = None


class Answer(Frame, frozen=True, tag="answer"):
    id: str
    seq: int
    error: Error | UnsetType = UNSET


class Presence(Frame, frozen=True, tag="presence"):
    player: str
    here: bool


class Ping(Frame, frozen=True, tag="ping"):
    top: int


class Refusal(Frame, frozen=True, tag="error"):
    """A frame of ours was refused; the connection goes on."""

    code: str
    message: str


class Bye(Frame, frozen=True, tag="bye"):
    code: int
    retry_ms: int
    text: str


class TableStatus(Frame, frozen=True, tag="status"):
    """The table as anyone may see it. `Status` reads its fields."""


AnyFrame = Welcome | Update | Answer | Presence | Ping | Refusal | Bye | TableStatus

_DECODER: msgspec.json.Decoder[AnyFrame] = msgspec.json.Decoder(AnyFrame)


def read_frame(text: str) -> AnyFrame | None:
    """A frame; `None` for a type that this release does not know."""
    try:
        return _DECODER.decode(text)
    except msgspec.ValidationError:
        return None


def write_frame(kind: str, /, **fields: Any) -> str:
    """A frame of the client. Fields that are `None` are left out."""
    given = {name: value for name, value in fields.items() if value is not None}
    return msgspec.json.encode({"type": kind, **given}).decode()
