"""JSON-RPC 2.0 as the agents of the league use it: how requests are read, and how they are framed and answered.

Requests are accepted in every shape that agents are known to send, and are answered in the same shape. This module does
not know what a league message means.
"""

from enum import Enum, auto
from typing import Any

import msgspec

from turnstile.agents.wire.envelope import ENVELOPE, Fields, split_envelope
from turnstile.league.protocol.messages import LeagueMessage

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
TOO_BUSY = -32000

TOOL_CALL = "tools/call"
NOT_AN_OBJECT = "A request must be an object"


class Fault(msgspec.Struct, frozen=True):
    """A JSON-RPC error. If `data` is a league message, it gets an envelope when it is sent."""

    code: int
    message: str
    data: Fields | LeagueMessage | None = None


# requests


class Shape(Enum):
    """How a request wraps its message. The answer is wrapped in the same way."""

    FLAT = auto()  # the message is `params`
    MESSAGE = auto()  # the message is `params.message`
    ENVELOPE = auto()  # the message is split into `params.envelope` and `params.payload`
    TOOL = auto()  # MCP's `tools/call`: the message is `arguments`
    BARE = auto()  # the message is the body, without JSON-RPC
    NESTED = auto()  # the body is the envelope, without JSON-RPC, and `data` is the rest of the message


class Request(msgspec.Struct, frozen=True):
    """A request. `id` may be any scalar; a request without one is a notification and gets no answer."""

    method: str | None
    fields: Fields
    shape: Shape
    id: Any = None
    wants_answer: bool = True


class InvalidRequest(Exception):
    """The body is JSON, but not a request."""

    def __init__(self, code: int, reason: str, number: Any = None) -> None:
        super().__init__(reason)
        self.frame = error_frame(None if isinstance(number, dict | list) else number, code, reason)


def read_request(body: Any) -> Request:
    """The request in a parsed body. Raises `InvalidRequest`."""
    if not isinstance(body, dict):
        is_batch = isinstance(body, list)
        raise InvalidRequest(INVALID_REQUEST, "Batches are not part of league.v2" if is_batch else NOT_AN_OBJECT)
    if "method" not in body:
        return _read_bare(body)
    method, number = body["method"], body.get("id")
    if isinstance(number, dict | list):
        raise InvalidRequest(INVALID_REQUEST, "The id must be a number, a string or null")
    if not isinstance(method, str):
        raise InvalidRequest(INVALID_REQUEST, "The method must be a string", number)
    params = body.get("params")
    if isinstance(params, list) and len(params) == 1:
        params = params[0]  # the message as the only positional argument
    if params is not None and not isinstance(params, dict):
        raise InvalidRequest(INVALID_PARAMS, "The params must be an object", number)
    if method == TOOL_CALL and not isinstance((params or {}).get("name"), str):
        raise InvalidRequest(INVALID_PARAMS, "The name of the tool must be a string", number)
    method, fields, shape = _unwrap(method, params or {})
    return Request(method, fields, shape, number, "id" in body)


def read_post(body: Any, method: str) -> Request:
    """A message that was posted to its own path, which stands for the method. Raises `InvalidRequest`."""
    if not isinstance(body, dict):
        raise InvalidRequest(INVALID_REQUEST, NOT_AN_OBJECT)
    return Request(method, body, Shape.BARE)


def is_response(body: Any) -> bool:
    """Whether a body is a JSON-RPC response, which no request of ours waits for when it is posted."""
    if not isinstance(body, dict) or "method" in body or "jsonrpc" not in body:
        return False
    return "result" in body or "error" in body


def _read_bare(body: Fields) -> Request:
    if not isinstance(body.get("message_type", body.get("type")), str):
        raise InvalidRequest(INVALID_REQUEST, "The body has neither a method nor a message type", body.get("id"))
    if isinstance(body.get("data"), dict) and body.keys() <= {*ENVELOPE, "type", "data", "league_id"}:
        return Request(None, {**body, **body["data"]}, Shape.NESTED)
    return Request(None, body, Shape.BARE)


def _unwrap(method: str, params: Fields) -> tuple[str, Fields, Shape]:
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


# frames


def request_frame(method: str, params: Fields, number: int) -> Fields:
    return {"jsonrpc": "2.0", "method": method, "params": params, "id": number}


def result_frame(request: Request, reply: Fields) -> Fields:
    """An answer in the shape of its request. A wrapped reply is also given flat: some agents read only that."""
    envelope, payload = split_envelope(reply)
    match request.shape:
        case Shape.BARE:
            return reply
        case Shape.NESTED:
            return {**reply, "data": payload}
        case Shape.TOOL:
            text = msgspec.json.encode(reply).decode()
            reply = {"content": [{"type": "text", "text": text}], "structuredContent": reply, "isError": False}
        case Shape.MESSAGE:
            reply = {**reply, "message": reply}
        case Shape.ENVELOPE:
            reply = {**reply, "envelope": envelope, "payload": payload}
        case Shape.FLAT:
            pass
    return {"jsonrpc": "2.0", "result": reply, "id": request.id}


def error_frame(number: Any, code: int, message: str, data: Fields | None = None) -> Fields:
    error: Fields = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "error": error, "id": number}
