"""The wire format of Firebase callable functions: the argument, the result and the error, as JSON or as events.

The argument arrives as `{"data": ...}`. The answer is `{"result": ...}` or `{"error": {"status", "message"}}`. A client
that accepts `text/event-stream` gets the answer as the last event of a stream, errors included: it never looks at the
HTTP status.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, Raw
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from turnstile.host.answers import PASSING, passing
from turnstile.kernel.values import Value, encode
from turnstile.server.callable.statuses import HTTP_STATUSES, CallStatus, call_status_of, call_text_of
from turnstile.server.door import Headers
from turnstile.server.endpoint import JSON
from turnstile.server.errors import Code, Problem, problem_of
from turnstile.server.operations.counts import Counts
from turnstile.server.updates import EVENTS

T = TypeVar("T")

log = logging.getLogger("turnstile.server")

COMMENT = b":\n\n"
COMMENT_SECONDS = 30.0

TYPE_KEY = "@type"
INTEGERS = ("type.googleapis.com/google.protobuf.Int64Value", "type.googleapis.com/google.protobuf.UInt64Value")
LONGEST_INTEGER = 20


class CallBody(Value, frozen=True):
    """The body of a call."""

    data: Raw


class CallError(Value, frozen=True):
    """Why a call failed. `details.code` is the code of the server, the table or the game; `details.limit` and
    `details.seconds` say which limit was exceeded, and how long to wait."""

    status: CallStatus
    message: str
    details: dict[str, Any]


class CallResult(Value, frozen=True):
    result: Any


class CallFailure(Value, frozen=True):
    error: CallError


# the argument


def decode_data(body: CallBody, as_type: type[T]) -> T:
    """The argument of a call. Raises `Problem`."""
    try:
        return msgspec.convert(plain_numbers(msgspec.json.decode(body.data)), as_type)
    except ValueError as fault:
        raise Problem(Code.BAD_REQUEST, f"Invalid data: {fault}.") from None


def plain_numbers(value: Any) -> Any:
    """The value with plain numbers in place of those that are written as objects. Raises `ValueError`."""
    if isinstance(value, list):
        return [plain_numbers(each) for each in value]
    if not isinstance(value, dict):
        return value
    if TYPE_KEY in value:
        return _integer(value)
    return {name: plain_numbers(each) for name, each in value.items()}


def _integer(value: dict[str, Any]) -> int:
    text = value.get("value")
    is_integer = isinstance(text, str) and re.fullmatch(r"-?[0-9]+", text, re.ASCII) and len(text) <= LONGEST_INTEGER
    if value[TYPE_KEY] not in INTEGERS or not is_integer:
        raise ValueError(f"an object with {TYPE_KEY} must be an Int64Value or a UInt64Value")
    return int(str(text))


# the answer


def accepts_events(headers: Headers) -> bool:
    return EVENTS.encode() in headers.get(b"accept", b"")


def result_response(result: Value) -> Response:
    return Response(encode(CallResult(result)), media_type=JSON)


def write_call_problem(problem: Problem, headers: Headers) -> Response:
    """The answer to a call that failed before it began, or that wants plain JSON."""
    if accepts_events(headers):
        return Response(_event(failure_of(problem)), media_type=EVENTS)
    failure = failure_of(problem)
    return Response(encode(failure), HTTP_STATUSES[failure.error.status], media_type=JSON)


def failure_of(problem: Problem) -> CallFailure:
    found = problem.details
    details = {"code": found.code, "limit": found.limit, "seconds": found.seconds}
    given = {name: value for name, value in details.items() if value is not UNSET}
    return CallFailure(CallError(call_status_of(problem.code), call_text_of(problem), given))


def _event(value: Value) -> bytes:
    return b"data: " + encode(value) + b"\n\n"


class EventResponse(Response):
    """The answer to a call as a stream of events. Comments keep the connection open while the call is at work."""

    def __init__(self, work: Awaitable[Value], counts: Counts) -> None:
        super().__init__(media_type=EVENTS, headers={"X-Accel-Buffering": "no"})
        self.raw_headers = [pair for pair in self.raw_headers if pair[0] != b"content-length"]
        self._work = work
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        answering = asyncio.ensure_future(self._answer())
        while not (await asyncio.wait({answering}, timeout=COMMENT_SECONDS))[0]:
            await send({"type": "http.response.body", "body": COMMENT, "more_body": True})
        await send({"type": "http.response.body", "body": _event(answering.result())})

    async def _answer(self) -> Value:
        try:
            return CallResult(await self._work)
        except (Problem, *PASSING) as fault:
            problem = fault if isinstance(fault, Problem) else problem_of(passing(fault))
            self._counts.count_error(problem.code)
            return failure_of(problem)
        except Exception:
            log.exception("A call has failed")
            self._counts.errors[Code.INTERNAL] += 1
            return failure_of(Problem(Code.INTERNAL, "The server has failed; it was recorded."))
