"""Endpoints: what an address of the HTTP interface takes, gives and refuses, as values.

Routing, reading of requests, limits and the OpenAPI document all come from these values. A handler gets a `Call`, whose
body and query are decoded already, and returns a value that is encoded for it.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from turnstile.host.answers import Code as HostCode
from turnstile.kernel.values import LogId, Value
from turnstile.server.door import MOST_BYTES, Headers
from turnstile.server.errors import Code, ErrorBody, Problem, status_of
from turnstile.server.limits import LimitName
from turnstile.server.people import Person
from turnstile.table.values import Code as TableCode

if TYPE_CHECKING:
    from turnstile.server.server import Server

B = TypeVar("B")
Q = TypeVar("Q")

JSON = "application/json"
PREFLIGHT = "OPTIONS"
ALLOWED_HEADERS = ("authorization", "content-type", "last-event-id")


class Auth(Enum):
    """Who may call an endpoint. A token that is given must be valid everywhere."""

    ANYONE = "anyone"
    PLAYER = "player"


@dataclass(slots=True)
class Call(Generic[B, Q]):
    """One request, checked and decoded."""

    server: "Server"
    request: Request
    address: str
    caller: Person | None
    body: B
    query: Q

    @property
    def person(self) -> Person:
        """The player who calls."""
        assert self.caller is not None, "an endpoint for players has one"
        return self.caller

    @property
    def table(self) -> LogId:
        return LogId(self.path["table"])

    @property
    def path(self) -> Mapping[str, str]:
        return self.request.path_params


Handler = Callable[[Call[Any, Any]], Awaitable[Value | Response]]
ProblemWriter = Callable[[Problem, Headers], Response]
"""Writes the answer to a request that is refused. The headers are those of the request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One method of one path. `errors`: the codes that belong to it, besides those that any request may get."""

    method: str
    path: str
    """Such as `/api/tables/{table}`. A name may have a pattern for its value: `{region:[a-z]+-[a-z]+[0-9]+}`."""
    name: str
    doc: str
    handle: Handler
    request: type[Any] | None = None
    most_bytes: int = MOST_BYTES
    """How long the body may be."""
    query: type[Value] | None = None
    response: Any = None
    """A type of values; `None` if the body is described by `media_types` alone."""
    events: tuple[type[Value], ...] = ()
    """What an event or a line of its stream may be; empty if it has no stream of values."""
    status: int = 200
    media_types: tuple[str, ...] = (JSON,)
    auth: Auth = Auth.PLAYER
    errors: tuple[str, ...] = ()
    limit: LimitName | None = None
    """The limit that counts besides `requests`."""
    write_problem: ProblemWriter | None = None
    """How its errors look where another protocol demands it; `None`: as an `ErrorBody`."""
    described_request: type[Any] | None = None
    """The type of the body in the contract, if `request` leaves a part of it to the handler."""
    error_body: type[Value] = ErrorBody
    """The type of its errors in the contract."""
    error_status: Callable[[str], int] = status_of
    """The HTTP status of an error with a code."""
    more_limits: tuple[LimitName, ...] = ()
    """Limits that the handler itself takes from."""
    is_open_ended: bool = False
    """Whether refusals of tables and games pass through, with codes of their own."""

    @property
    def body_type(self) -> type[Any] | None:
        """The type of the body, as the contract describes it."""
        return self.described_request or self.request

    @property
    def segments(self) -> tuple[str, ...]:
        return tuple(self.path.strip("/").split("/"))

    @property
    def limits(self) -> tuple[LimitName, ...]:
        """All limits besides `requests`."""
        return (*([self.limit] if self.limit is not None else []), *self.more_limits)

    @property
    def all_errors(self) -> tuple[str, ...]:
        """Every code of the server that a caller may get; codes of tables and games may come with commands."""
        body = (Code.TOO_LARGE, Code.TOO_SLOW, Code.WRONG_MEDIA_TYPE) if self.request is not None else ()
        token = (Code.NO_TOKEN,) if self.auth is Auth.PLAYER else ()
        table = OF_TABLES if "{table}" in self.path else ()
        return tuple(dict.fromkeys((*self.errors, *body, *token, *table, *ALWAYS)))


OF_TABLES = (
    HostCode.NO_TABLE,
    HostCode.PUT_ASIDE,
    HostCode.GAME_FAILED,
    TableCode.UNKNOWN_GAME,
    TableCode.OTHER_VERSION,
)
"""Codes that any request about a table may get."""

ALWAYS = (
    Code.BAD_REQUEST,
    Code.BAD_TOKEN,
    Code.TOO_FAST,
    Code.OVERLOADED,
    Code.WRONG_HOST,
    Code.WRONG_ORIGIN,
    Code.WRONG_METHOD,
    Code.INTERNAL,
    HostCode.BUSY,
    HostCode.STORAGE_FULL,
    HostCode.READ_ONLY,
    HostCode.OUTCOME_UNKNOWN,
    HostCode.UNSTORABLE,
    HostCode.STOPPING,
)
"""Codes that any request may get. Those of the host come when the store cannot do it now."""


def endpoint(method: str, path: str, **rest: Any) -> Callable[[Handler], Endpoint]:
    """Make an endpoint of a handler: its name is the handler's, its description the handler's docstring."""

    def make(handle: Handler) -> Endpoint:
        doc = (handle.__doc__ or "").strip()
        return Endpoint(method=method, path=path, name=handle.__name__, doc=doc, handle=handle, **rest)

    return make


def preflight_response(methods: Sequence[str], headers: Sequence[str] = ALLOWED_HEADERS) -> Response:
    """The answer to a browser that asks what a page of another site may send."""
    allowed = {
        "Access-Control-Allow-Methods": ", ".join(methods),
        "Access-Control-Allow-Headers": ", ".join(headers),
        "Access-Control-Max-Age": "600",
    }
    return Response(status_code=204, headers=allowed)


@dataclass(slots=True)
class Found:
    """What a path leads to: the endpoints by method, and the values in the path."""

    methods: Mapping[str, Endpoint] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)


class Routes:
    """Finds the endpoint of a path."""

    def __init__(self, endpoints: tuple[Endpoint, ...]) -> None:
        self._by_path: dict[tuple[str, ...], dict[str, Endpoint]] = {}
        for each in endpoints:
            methods = self._by_path.setdefault(each.segments, {})
            assert each.method not in methods, f"{each.method} {each.path} is defined twice"
            methods[each.method] = each
        self._plain = {segments: methods for segments, methods in self._by_path.items() if not _has_names(segments)}
        self._named = [(segments, methods) for segments, methods in self._by_path.items() if _has_names(segments)]

    def find(self, path: str) -> Found:
        wanted = tuple(path.strip("/").split("/"))
        if wanted in self._plain:
            return Found(self._plain[wanted])
        for segments, methods in self._named:
            if len(segments) == len(wanted) and (values := _values(segments, wanted)) is not None:
                return Found(methods, values)
        return Found()


def _has_names(segments: tuple[str, ...]) -> bool:
    return any(segment.startswith("{") for segment in segments)


def _values(segments: tuple[str, ...], wanted: tuple[str, ...]) -> dict[str, str] | None:
    values = {}
    for segment, found in zip(segments, wanted, strict=True):
        if segment.startswith("{"):
            name, _, pattern = segment[1:-1].partition(":")
            if pattern and not re.fullmatch(pattern, found):
                return None
            values[name] = found
        elif segment != found:
            return None
    return values
