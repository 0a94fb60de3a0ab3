"""Everything that goes over the WebSocket, as types. Frames are JSON objects in text messages, tagged by `type`.

Streams of server-sent events and of lines carry the same frames. A frame around the bytes of a host is put together
from bytes: they are never decoded.
"""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from turnstile.host import Update
from turnstile.kernel.values import Instant, LogId, PlayerId, Value
from turnstile.server.commands import AnyCommand, Seq
from turnstile.server.errors import ErrorDetails
from turnstile.table.messages import MatchEnded, MatchStarting

VERSION = 1
LONGEST_TOKEN = 128

TokenText = Annotated[str, Meta(min_length=1, max_length=LONGEST_TOKEN)]
HistoryText = Annotated[str, Meta(max_length=64)]

TABLE_MESSAGES = (MatchStarting, MatchEnded)
"""What the table itself tells, beside the messages of its game."""
_OF_THE_TABLE = [{"$ref": f"#/components/schemas/{kind.__name__}"} for kind in TABLE_MESSAGES]
_OF_THE_GAME = {
    "description": "A message of the game: `/api/games/{game}/schemas/messages` has its schema.",
    "type": "object",
    "required": ["type"],
    "not": {"properties": {"type": {"enum": [kind.__name__ for kind in TABLE_MESSAGES]}}},
}
ToldMessage = Annotated[Raw, Meta(extra_json_schema={"anyOf": [*_OF_THE_TABLE, _OF_THE_GAME]})]
SeenView = Annotated[Any, Meta(description="What the player sees: `/api/games/{game}/schemas/view` has its schema.")]
OfferedMove = Annotated[
    Raw,
    Meta(
        description="A move that may be sent: `/api/games/{game}/schemas/events` has its schema.",
        extra_json_schema={"type": "object"},
    ),
]


# from clients


class Hello(Value, frozen=True, tag_field="type", tag="hello", kw_only=True):
    """The first frame, and again to start over. Without a token, or without a seat, its sender is a spectator.

    `last`: the newest update that the client has, and `history` as that update said it; both are left out, if it has
    none. Without `history` the server trusts that the client has seen what its store has.
    """

    v: int
    table: LogId
    token: TokenText | None = None
    last: Seq | None = None
    history: HistoryText | None = None


class Ack(Value, frozen=True, tag_field="type", tag="ack"):
    """The client has every update up to this one. From a spectator this means nothing, and is ignored."""

    upto: Seq


class Pong(Value, frozen=True, tag_field="type", tag="pong"):
    """The client is here."""

    upto: Seq | None = None


class Renew(Value, frozen=True, tag_field="type", tag="auth"):
    """Go on with another token of the same player."""

    token: TokenText
    upto: Seq | None = None


ClientFrame = Hello | Ack | Pong | Renew | AnyCommand


# from the server


class ServerFrame(Value, frozen=True, tag_field="type", kw_only=True):
    """A frame from the server."""


class Welcome(ServerFrame, frozen=True, tag="welcome"):
    """The answer to a hello. `after`: the update after which the stream goes on. `resumed`: whether that is the `last`
    of the hello; if not, the client forgets what it has. `top`: the newest update. `here`: the connected players."""

    v: int
    table: LogId
    seat: PlayerId | None
    after: int
    resumed: bool
    top: int
    now: Instant
    beat: float
    here: tuple[PlayerId, ...]


class TableChanged(ServerFrame, frozen=True, tag="status"):
    """The table as anyone may see it: the fields of `TableStatus`. Only the newest one counts."""


class SeatUpdate(ServerFrame, frozen=True, tag="update"):
    """The next update of the stream: what happened, what the reader sees now, and what it may do.

    It has `view` with the whole view, or `changed` with what differs from the update before. `messages` are those of
    the game, and of the table: `MatchStarting` is the first message of a stream, and `MatchEnded` the last. `history`
    stands for all that led to it: a client that comes back says it in its hello.
    """

    history: str
    seq: Seq
    messages: tuple[ToldMessage, ...] = ()
    view: SeenView = None
    changed: Any = UNSET
    actions: tuple[OfferedMove, ...] = ()


class AnswerFrame(ServerFrame, frozen=True, tag="answer"):
    """The answer to a command: it took effect, or `error` says why not. `seq`: the newest update of the sender."""

    id: str
    seq: int
    error: ErrorDetails | UnsetType = UNSET


class Presence(ServerFrame, frozen=True, tag="presence"):
    """A seated player has come or gone."""

    player: PlayerId
    here: bool


class Ping(ServerFrame, frozen=True, tag="ping"):
    """Are you here? Answer with a pong, or with any other frame. `top`: the newest update."""

    top: int


class ErrorFrame(ServerFrame, frozen=True, tag="error"):
    """A frame was refused. The connection goes on."""

    code: str
    message: str


class Bye(ServerFrame, frozen=True, tag="bye"):
    """The connection ends with this code. `retryMs`: how long to wait before connecting again."""

    code: int
    retry_ms: int
    text: str


AnyServerFrame = Welcome | TableChanged | SeatUpdate | AnswerFrame | Presence | Ping | ErrorFrame | Bye

UPDATE = b'{"type":"update","history":"%b",'
STATUS = b'{"type":"status",'


def update_frame(update: Update) -> bytes:
    """The frame around an update of the host."""
    return UPDATE % update.history.encode() + update.body[1:]


def status_frame(body: bytes) -> bytes:
    """The frame around the status of a table."""
    return STATUS + body[1:]


_ENCODER = msgspec.json.Encoder()


def frame_of(value: ServerFrame) -> bytes:
    return _ENCODER.encode(value)


def done_frame(command: str, seq: int) -> bytes:
    """The answer to a command that took effect."""
    return _ENCODER.encode(AnswerFrame(id=command, seq=seq))
