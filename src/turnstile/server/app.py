"""The server as an application: every request passes the door, finds its endpoint, and is answered in JSON.

`serving` runs all of it: the host, the HTTP interface with the WebSocket, and the listener for operators.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, Router
from starlette.types import Message, Receive, Scope, Send

from turnstile.host.answers import PASSING, passing
from turnstile.kernel.values import Value, encode
from turnstile.net.crowd import Crowd
from turnstile.net.serving import Serving, serve
from turnstile.server.callable import CALLABLE_ENDPOINTS
from turnstile.server.door import Headers, bearer_token, decode_body, decode_query, read_body, read_headers
from turnstile.server.endpoint import JSON, PREFLIGHT, Auth, Call, Endpoint, Found, Routes, preflight_response
from turnstile.server.errors import Code, ErrorBody, Problem, problem_of
from turnstile.server.http import ENDPOINTS
from turnstile.server.limits import LIMITS, LimitName
from turnstile.server.mcp.app import PATH, McpApp
from turnstile.server.operations.listener import Watchdog, operations_app
from turnstile.server.play.sessions import PLAY_PATH, overloaded, too_many
from turnstile.server.play.socket import PlaySocket
from turnstile.server.server import Server

log = logging.getLogger("turnstile.server")

ALWAYS = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)
NEEDS_TOKEN = (b"www-authenticate", b"Bearer")
"""HTTP demands this of every answer with status 401, and some clients cannot read one without it."""
RawHeader = tuple[bytes, bytes]
ALL_ENDPOINTS = (*ENDPOINTS, *CALLABLE_ENDPOINTS)
OTHER = "other"
"""Stands for an address without an endpoint, in counts."""
MCP = "mcp"
"""Stands for requests over MCP, in counts."""


class App:
    """The ASGI application of a server. `routes`: pages, and other interfaces; they get what has no endpoint."""

    def __init__(
        self, server: Server, endpoints: Sequence[Endpoint] = ALL_ENDPOINTS, routes: Sequence[BaseRoute] = ()
    ) -> None:
        self.server = server
        self._routes = Routes(tuple(endpoints))
        self._others = Router(list(routes), redirect_slashes=False, default=_find_nothing)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == "http", "the WebSocket has its own protocol; see play.socket"
        headers = read_headers(scope["headers"])
        name, found = OTHER, self._routes.find(scope["path"])
        endpoint = found.methods.get(scope["method"])
        try:
            self.server.door.check(headers)
            address = self.server.door.address_of(scope, headers)
            self.server.limits.take(LimitName.REQUESTS, address)
            if endpoint is not None:
                name = endpoint.name
                scope["path_params"] = found.values
                response = await self._call(endpoint, scope, receive, headers, address)
            elif found.methods:
                response = self._without_endpoint(scope["method"], tuple(found.methods))
            else:
                name = MCP if scope["path"] == PATH else OTHER
                return await self._others(scope, receive, self._sender(name, headers, send))
        except (Problem, *PASSING) as fault:
            problem = fault if isinstance(fault, Problem) else problem_of(passing(fault))
            self.server.counts.count_error(problem.code)
            response = _refuse(problem, endpoint, found, headers)
        except Exception:
            log.exception("A request has failed")
            self.server.counts.errors[Code.INTERNAL] += 1
            failure = Problem(Code.INTERNAL, "The server has failed; it was recorded.")
            response = _refuse(failure, endpoint, found, headers)
        self.server.counts.requests[name, response.status_code] += 1
        self._add_headers(response, headers)
        return await response(scope, receive, send)

    async def overloaded(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for which there are too many connections."""
        await self._refuse_connection(overloaded())(scope, receive, send)

    def turn_away(self) -> bytes:
        """What a connection is told whose address has too many of them: a whole answer, before any request."""
        response = self._refuse_connection(too_many())
        status = HTTPStatus(response.status_code)
        lines = [f"HTTP/1.1 {status.value} {status.phrase}".encode()]
        lines += [name + b": " + value for name, value in response.raw_headers]
        return b"\r\n".join([*lines, b"", bytes(response.body)])

    def _refuse_connection(self, problem: Problem) -> Response:
        self.server.counts.count_error(problem.code)
        response = _error_response(problem)
        self._add_headers(response, {})
        return response

    async def _call(
        self, endpoint: Endpoint, scope: Scope, receive: Receive, headers: Headers, address: str
    ) -> Response:
        """Check who calls, how often, and what is sent, in this order; then do it."""
        server, request = self.server, Request(scope, receive)
        token = bearer_token(headers)
        caller = await server.authenticate(token, address)
        if caller is None and endpoint.auth is Auth.PLAYER:
            raise Problem(Code.NO_TOKEN, "This needs a token: Authorization: Bearer TOKEN.")
        if endpoint.limit is not None:
            key = address if caller is None or LIMITS[endpoint.limit].per == "address" else caller.player
            server.limits.take(endpoint.limit, key)
        query = None if endpoint.query is None else decode_query(scope, endpoint.query)
        body = None
        if endpoint.request is not None:
            body = decode_body(await read_body(headers, request, endpoint.most_bytes), endpoint.request)
            await server.authenticate(token, address)  # it may have become void while the body came
        answer = await endpoint.handle(Call(server, request, address, caller, body, query))
        if isinstance(answer, Value):
            return Response(encode(answer), endpoint.status, media_type=JSON)
        assert isinstance(answer, Response)
        return answer

    @staticmethod
    def _without_endpoint(method: str, allowed: Sequence[str]) -> Response:
        if method == PREFLIGHT:
            return preflight_response(allowed)
        allow = (b"allow", ", ".join(allowed).encode())
        raise Problem(Code.WRONG_METHOD, f"This address takes {', '.join(allowed)} only.", headers=(allow,))

    def _sender(self, name: str, headers: Headers, send: Send) -> Send:
        """Sends the answer of another interface: counted, and with the headers that every answer has."""

        async def send_counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.server.counts.requests[name, message["status"]] += 1
                given = list(message.get("headers", ()))
                message = {**message, "headers": given + self._more_headers(message["status"], given, headers)}
            await send(message)

        return send_counted

    def _add_headers(self, response: Response, headers: Headers) -> None:
        response.raw_headers += self._more_headers(response.status_code, response.raw_headers, headers)

    def _more_headers(self, status: int, given: Sequence[RawHeader], headers: Headers) -> list[RawHeader]:
        """Headers that every answer has, and every one that needs a token; for pages of other sites only if the
        operator has named the site."""
        present = {name.lower() for name, _ in given}
        wanted = (*ALWAYS, NEEDS_TOKEN) if status == HTTPStatus.UNAUTHORIZED else ALWAYS
        more = [pair for pair in wanted if pair[0] not in present]
        origin = headers.get(b"origin")
        if origin and self.server.door.is_foreign_but_allowed(origin):
            more += [(b"access-control-allow-origin", origin), (b"vary", b"origin")]
        return more


def _refuse(problem: Problem, endpoint: Endpoint | None, found: Found, headers: Headers) -> Response:
    """The answer to a request that is refused, as its endpoint, or any other at its address, writes it."""
    for each in (endpoint, *found.methods.values()):
        if each is not None and each.write_problem is not None:
            return _with_headers(each.write_problem(problem, headers), problem)
    return _error_response(problem)


async def _find_nothing(scope: Scope, _: Receive, __: Send) -> None:
    if scope["path"] == PLAY_PATH:
        raise Problem(Code.NOT_FOUND, "Only WebSockets open here; a proxy in between must let them through.")
    raise Problem(Code.NOT_FOUND, "There is nothing at this address.")


def _error_response(problem: Problem) -> Response:
    return _with_headers(Response(encode(ErrorBody(problem.details)), problem.status, media_type=JSON), problem)


def _with_headers(response: Response, problem: Problem) -> Response:
    """The answer to a refused request, with the headers that say what else its caller may do, and when."""
    response.raw_headers += problem.headers
    if problem.retry_after is not None:
        response.headers["Retry-After"] = str(problem.retry_after)
    return response


# running


class Running(msgspec.Struct, frozen=True):
    """A server that runs."""

    server: Server
    port: int
    url: str
    operations_port: int
    operations_url: str


@asynccontextmanager
async def serving(server: Server, routes: Sequence[BaseRoute] = ()) -> AsyncIterator[Running]:
    """Run a server within this context. At its end clients are told to come back, and nothing is lost.

    What escapes from the host ends the context.
    """
    settings = server.settings
    mcp = McpApp(server)
    async with server.host.serving(), mcp.running(), asyncio.TaskGroup() as group:
        app = App(server, routes=[Route(PATH, mcp), *routes])
        http = await serve(
            app,
            settings.host,
            settings.port,
            grace_seconds=settings.stop_seconds,
            most_connections=settings.most_connections,
            overloaded=app.overloaded,
            crowd=Crowd(settings.most_connections_per_address, app.turn_away, server.door.is_proxy),
            websocket=partial(PlaySocket, server.sessions),
        )
        watchdog = Watchdog()
        works = [
            watchdog.watch(),
            server.people.keep_tidy(),
            server.sessions.keep_checking(),
            server.booking.keep_booking(),
            server.booking.keep_looking(),
            server.unstarted.keep_closing(),
        ]
        if server.host.store.is_shared:
            works += [server.readers.elsewhere.keep_sharing()]
        if server.dev_games is not None:
            works += [server.dev_games.keep_watching()]
        tasks = [group.create_task(work) for work in works]
        operations: Serving | None = None
        try:
            operations = await serve(
                operations_app(server, watchdog), settings.operations_host, settings.operations_port
            )
            yield Running(
                server,
                http.port,
                _url(settings.host, http.port),
                operations.port,
                _url(settings.operations_host, operations.port),
            )
        finally:
            for task in tasks:
                task.cancel()
            await _stop(server, http)
            if operations is not None:  # until now it says that the server is stopping
                await operations.stop()


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def _stop(server: Server, http: Serving) -> None:
    server.is_stopping = True
    server.lobby.stop()
    if server.dev_games is not None:
        server.dev_games.close()
    await server.sessions.stop()
    await server.readers.elsewhere.leave()
    await http.stop()
