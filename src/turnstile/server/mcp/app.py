"""The address `/mcp`. It checks who calls, and hands the request to the SDK, which is imported with the first one."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from turnstile.server.door import bearer_token, check_json, read_body, read_headers
from turnstile.server.endpoint import PREFLIGHT, preflight_response
from turnstile.server.errors import Code, Problem
from turnstile.server.mcp.seat import Caller
from turnstile.server.people import hash_of

if TYPE_CHECKING:
    from turnstile.server.server import Server

log = logging.getLogger("turnstile.server")

PATH = "/mcp"
ALLOWED_HEADERS = ("authorization", "content-type", "accept", "mcp-protocol-version", "mcp-method", "mcp-name")
NOT_INSTALLED = "This server speaks no MCP: its operator installs it with pip install 'turnstile[mcp]'."


class McpApp:
    """An ASGI application. `running` must surround its use."""

    def __init__(self, server: "Server") -> None:
        self._server = server
        self._group: asyncio.TaskGroup | None = None
        self._starting: asyncio.Future[ASGIApp] | None = None
        self._stopping = asyncio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Answer requests within this context. Nothing is imported before the first one."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            try:
                yield
            finally:
                self._stopping.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Raises `Problem` before anything was sent."""
        server, headers, request = self._server, read_headers(scope["headers"]), Request(scope, receive)
        if scope["method"] == PREFLIGHT:
            return await preflight_response(("POST",), ALLOWED_HEADERS)(scope, receive, send)
        if scope["method"] != "POST":  # without sessions there is nothing to listen to, and nothing to delete
            raise Problem(Code.WRONG_METHOD, "This address takes POST only.", headers=((b"allow", b"POST"),))
        address, token = server.door.address_of(scope, headers), bearer_token(headers)
        person = await server.authenticate(token, address)
        body = await read_body(headers, request)
        check_json(body)
        has_actions = request.query_params.get("actions") != "off"
        caller = Caller(person, address, None if token is None else hash_of(token), has_actions)
        answer = await self._sdk_app()
        return await answer({**scope, "turnstile.caller": caller}, _replay(body, receive), send)

    async def _sdk_app(self) -> ASGIApp:
        """The SDK's application, started by the first request."""
        if self._starting is None:
            assert self._group is not None, "it is used while it runs"
            self._starting = asyncio.get_running_loop().create_future()
            self._group.create_task(self._run(self._starting))
        return await asyncio.shield(self._starting)

    async def _run(self, started: "asyncio.Future[ASGIApp]") -> None:
        try:
            make = await asyncio.to_thread(_import_sdk)
        except Exception as fault:
            started.set_exception(fault)
            return
        manager = make(self._server)
        async with manager.run():
            started.set_result(manager.handle_request)
            await self._stopping.wait()


def _replay(body: bytes, receive: Receive) -> Receive:
    """A body that was read already, and then whatever else comes."""
    pieces: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return pieces.pop() if pieces else await receive()

    return receive_again


def _import_sdk() -> Callable[["Server"], Any]:
    """What makes the SDK's part. Raises `Problem` if the SDK is not installed."""
    try:
        from turnstile.server.mcp.sdk import make_manager
    except ModuleNotFoundError as fault:
        if fault.name not in ("mcp", "mcp_types"):
            raise
        raise Problem(Code.NOT_INSTALLED, NOT_INSTALLED) from None
    return make_manager
