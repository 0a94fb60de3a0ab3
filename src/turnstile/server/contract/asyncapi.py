"""The WebSocket as an AsyncAPI 3.0 document."""

from importlib.metadata import version
from typing import Any, get_args

import msgspec

from turnstile.server.contract.schemas import Schemas, one_line, summary_of
from turnstile.server.play.closing import TEXTS
from turnstile.server.play.frames import VERSION, AnyServerFrame, ClientFrame
from turnstile.server.play.sessions import PLAY_PATH
from turnstile.table.sight import TableStatus

ABOUT = (
    "Frames are JSON objects in text messages, tagged by `type`. The first frame is `hello`, within five seconds. "
    "Commands carry an id of the sender's: the same command may be sent again after a break, and gets the same answer. "
    "Updates are numbered without a gap; the client acknowledges them with `ack`, or with `upto` in any other frame. "
    f"This is version {VERSION} of the protocol."
)
FROM_CLIENTS: tuple[type[msgspec.Struct], ...] = get_args(ClientFrame)
FROM_SERVER: tuple[type[msgspec.Struct], ...] = get_args(AnyServerFrame)


def asyncapi() -> dict[str, Any]:
    """The document."""
    schemas = Schemas([*FROM_CLIENTS, *FROM_SERVER, TableStatus])
    messages = {struct.__name__: _message(struct, schemas) for struct in (*FROM_CLIENTS, *FROM_SERVER)}
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "Turnstile", "version": version("turnstile"), "description": ABOUT},
        "defaultContentType": "application/json",
        "channels": {
            "play": {
                "address": PLAY_PATH,
                "title": "Play",
                "description": f"One table, as one seat or as a spectator.\n\n{close_codes()}",
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in messages},
                "bindings": {"ws": {"method": "GET", "bindingVersion": "0.1.0"}},
            }
        },
        "operations": {
            "receiveFrame": _operation("receive", "What clients send.", FROM_CLIENTS),
            "sendFrame": _operation("send", "What the server sends.", FROM_SERVER),
        },
        "components": {"messages": messages, "schemas": schemas.components},
    }


def _message(struct: type[msgspec.Struct], schemas: Schemas) -> dict[str, Any]:
    return {
        "name": str(struct.__struct_config__.tag),
        "title": struct.__name__,
        "summary": summary_of(struct.__doc__),
        "description": one_line(struct.__doc__),
        "payload": schemas.of(struct),
    }


def _operation(action: str, summary: str, structs: tuple[type[msgspec.Struct], ...]) -> dict[str, Any]:
    references = [{"$ref": f"#/channels/play/messages/{struct.__name__}"} for struct in structs]
    return {"action": action, "summary": summary, "channel": {"$ref": "#/channels/play"}, "messages": references}


def close_codes() -> str:
    """Every code with which the server closes a WebSocket, as a list."""
    lines = [f"- {code.value}: {text}" for code, text in TEXTS.items()]
    head = "Close codes: 40xx stop, 41xx back off and connect again, 42xx connect again at once. A `bye` says the same."
    return "\n".join([head, "", *lines])
