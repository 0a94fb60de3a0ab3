"""JSON-RPC 2.0 as the agents of the league speak it: what a body is, what it asks for, and how it is answered.

Requests are read in every shape that has been seen, and answered in the shape they came in. Nothing here knows what a
league message means.
"""

import json
from codecs import BOM_UTF8
from collections.abc import Sequence
from enum import Enum, auto
from typing import Any

import msgspec

from turnstile.agents.wire.envelope import ENVELOPE
from turnstile.league.protocol.messages import LeagueMessage

Fields = dict[str, Any]
"""A JSON object, as it came in or goes out."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
TOO_BUSY = -32000

DEEPEST = 32
TOOL_CALL = "tools/call"


class Fault(msgspec.Struct, frozen=True):
    """A JSON-RPC error. `data` may be a league message, which is then given its envelope like any other."""

    code: int
    message: str
    data: Fields | LeagueMessage | None = None


class Unreadable(ValueError):
    """Bytes that are no JSON that anybody should have to read."""


def parse(body: bytes) -> Any:
    """What a body says, or `Unreadable`: for repeated keys, NaN, lone surrogates and depths of brackets, too."""
    body = body.removeprefix(BOM_UTF8)
    try:
        value = msgspec.json.decode(body)
        json.loads(body, object_pairs_hook=_without_repeats)
    except (msgspec.DecodeError, ValueError, RecursionError) as fault:
        raise Unreadable(str(fault)) from None
    if body.count(b"{") + body.count(b"[") > DEEPEST and _is_deeper(value, DEEPEST):
        raise Unreadable("JSON is nested too deeply")
    return value


def _without_repeats(pairs: Sequence[tuple[str, Any]]) -> None:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key is repeated")


def _is_deeper(value: Any, most: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return most < 0 or any(_is_deeper(each, most - 1) for each in inner)


# requests


class Shape(Enum):
    """How a message was wrapped, and so how its answer is."""

    FLAT = auto()
    """The message is `params`."""
    MESSAGE = auto()
    """`params.message`."""
    ENVELOPE = auto()
    """`params.envelope` and `params.payload`."""
    TOOL = auto()
    """MCP's `tools/call`, with the message as `arguments`."""
    BARE = auto()
    """The message is the body; there is no JSON-RPC."""
    NESTED = auto()
    """The same, with all but the envelope in `data`."""


class Request(msgspec.Struct, frozen=True):
    """What a peer wants. `id` is whatever it was; one that was not there is a notification, and not answered."""

    method: str | None
    fields: Fields
    shape: Shape
    id: Any = None
    wants_answer: bool = True


class Misframed(msgspec.Struct, frozen=True):
    """A body that is no request."""

    fault: Fault
    id: Any = None


def read_request(body: Any) -> Request | Misframed:
    """The request in a body that was parsed."""
    if not isinstance(body, dict):
        reason = "Batches are not part of league.v2" if isinstance(body, list) else "A request is an object"
        return Misframed(Fault(INVALID_REQUEST, reason))
    if "method" not in body:
        return _read_bare(body)
    method, number = body["method"], body.get("id")
    if isinstance(number, dict | list):
        return Misframed(Fault(INVALID_REQUEST, "An id is a number, a text or null"))
    if not isinstance(method, str):
        return Misframed(Fault(INVALID_REQUEST, "A method is a text"), number)
    params = body.get("params")
    if isinstance(params, list) and len(params) == 1:
        params = params[0]  # a message as the only argument by position
    if params is not None and not isinstance(params, dict):
        return Misframed(Fault(INVALID_PARAMS, "Parameters are an object"), number)
    if method == TOOL_CALL and not isinstance((params or {}).get("name"), str):
        return Misframed(Fault(INVALID_PARAMS, "A tool is called by its name"), number)
    method, fields, shape = _unwrapped(method, params or {})
    return Request(method, fields, shape, number, "id" in body)


def is_response(body: Any) -> bool:
    """Whether a body is an answer of JSON-RPC to something that nobody has asked."""
    return (
        isinstance(body, dict)
        and "method" not in body
        and "jsonrpc" in body
        and bool({"result", "error"} & body.keys())
    )


def read_post(body: Any, method: str) -> Request | Misframed:
    """A message that was posted to a path of its own, and so needs no name."""
    if not isinstance(body, dict):
        return Misframed(Fault(INVALID_REQUEST, "A message is an object"))
    return Request(method, body, Shape.BARE)


def _read_bare(body: Fields) -> Request | Misframed:
    if not isinstance(body.get("message_type", body.get("type")), str):
        return Misframed(Fault(INVALID_REQUEST, "Neither a method nor a message type"), _scalar(body.get("id")))
    if isinstance(body.get("data"), dict) and body.keys() <= {*ENVELOPE, "type", "data", "league_id"}:
        return Request(None, {**body, **body["data"]}, Shape.NESTED)
    return Request(None, body, Shape.BARE)


def _unwrapped(method: str, params: Fields) -> tuple[str, Fields, Shape]:
    if method == TOOL_CALL:
        arguments = params.get("arguments")
        given = arguments if isinstance(arguments, dict) else {}
        inner = given.get("message")
        return params["name"], inner if isinstance(inner, dict) else given, Shape.TOOL
    message, envelope, payload = params.get("message"), params.get("envelope"), params.get("payload")
    if isinstance(message, dict):
        return method, message, Shape.MESSAGE
    if isinstance(envelope, dict):
        return method, {**(payload if isinstance(payload, dict) else {}), **envelope}, Shape.ENVELOPE
    return method, params, Shape.FLAT


def _scalar(number: Any) -> Any:
    return None if isinstance(number, dict | list) else number


# answers


def result_frame(request: Request, reply: Fields) -> Fields:
    """An answer in the shape of its request. Who wraps a message is given it flat as well: some read only that."""
    match request.shape:
        case Shape.BARE:
            return reply
        case Shape.NESTED:
            return {**reply, "data": _without_envelope(reply)}
        case Shape.TOOL:
            text = msgspec.json.encode(reply).decode()
            reply = {"content": [{"type": "text", "text": text}], "structuredContent": reply, "isError": False}
        case Shape.MESSAGE:
            reply = {**reply, "message": reply}
        case Shape.ENVELOPE:
            envelope = {name: reply[name] for name in ENVELOPE if name in reply}
            reply = {**reply, "envelope": envelope, "payload": _without_envelope(reply)}
        case Shape.FLAT:
            pass
    return {"jsonrpc": "2.0", "result": reply, "id": request.id}


def _without_envelope(reply: Fields) -> Fields:
    return {name: value for name, value in reply.items() if name not in ENVELOPE}


def error_frame(number: Any, code: int, message: str, data: Fields | None = None) -> Fields:
    error: Fields = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "error": error, "id": number}
