"""HTTP in: refuses requests that are too large, too slow, too many or not for this agent, and answers the others.

`Door` is an ASGI application: `POST /mcp`, `GET /health`, and the pages of the agent. `net.serving.serve` runs it. It
sets no CORS headers, so that pages of other origins cannot read an answer. It answers to its own host names only, so
that DNS rebinding does not make another page one of its own.
"""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.routing import BaseRoute, Router
from starlette.types import Receive, Scope, Send

from turnstile.agents.wire.envelope import Identity, Now, utc_now
from turnstile.agents.wire.exchange import Exchange, Handler
from turnstile.agents.wire.mcp import VERSIONS
from turnstile.agents.wire.remarks import remark
from turnstile.agents.wire.rpc import INVALID_REQUEST, TOO_BUSY, error_frame
from turnstile.kernel.values import wire_name
from turnstile.league.protocol.messages import LeagueMessage, LeagueRegisterRequest
from turnstile.net.limits import Quota

LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
MCP_PATH = "/mcp"
HEALTH_PATH = "/health"
MOST_BYTES = 64 * 1024
READ_SECONDS = 10.0
MOST_AT_ONCE = 1024

HEADERS = [
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
]


REGISTRATION: Mapping[str, type[LeagueMessage]] = {"/register": LeagueRegisterRequest}
"""A path of the league manager for players that do not use JSON-RPC: `{display_name, version, endpoint}`."""
NO_POSTS: Mapping[str, type[LeagueMessage]] = {}


class RequestRefused(Exception):
    """A request that is refused because of its headers, its size or its speed."""

    def __init__(self, status: int, reason: str, *headers: tuple[bytes, bytes]) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.headers = headers


class Door:
    """The HTTP server of an agent. It passes every message that the agent `takes` to `handle`.

    `hosts`: the accepted names in a `Host` header, without ports.
    `seconds`: how long a request may take to arrive, from its first byte to its last.
    `per_agent`, `per_peer`: how many requests one sender, and one address, may make.
    `posts`: further paths, each for one message, which is posted there without a frame; see `REGISTRATION`.
    `routes`: pages. They get all other requests.
    """

    def __init__(
        self,
        who: Identity,
        takes: Sequence[type[LeagueMessage]],
        handle: Handler,
        *,
        hosts: Sequence[str] = LOCAL_HOSTS,
        seconds: float = READ_SECONDS,
        most_at_once: int = MOST_AT_ONCE,
        per_agent: Quota | None = None,
        per_peer: Quota | None = None,
        posts: Mapping[str, type[LeagueMessage]] = NO_POSTS,
        routes: Sequence[BaseRoute] = (),
        health: Callable[[], Mapping[str, Any]] = dict,
        now: Now = utc_now,
    ) -> None:
        self.exchange = Exchange(who, takes, handle, quota=per_agent or Quota(rate=500, burst=1_000), now=now)
        self.hosts = frozenset(host.lower().strip("[]") for host in hosts)
        self.seconds = seconds
        self.most_at_once = most_at_once
        self.per_peer = per_peer or Quota(rate=5_000, burst=20_000)
        self.posts = {MCP_PATH: None, **{path: wire_name(kind) for path, kind in posts.items()}}
        self.pages = Router(routes) if routes else None
        self.health = health
        self.under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == "http", f"an agent serves HTTP only, not {scope['type']}"
        try:
            if self.under_way >= self.most_at_once:
                raise RequestRefused(503, "Too many requests at once", *_retry_after(1))
            self.under_way += 1
            try:
                await self._answer(scope, receive, send)
            finally:
                self.under_way -= 1
        except RequestRefused as refused:
            remark(f"A request from {_peer(scope)} is refused: {refused.status} {refused.reason}")
            code = TOO_BUSY if refused.status in (429, 503) else INVALID_REQUEST
            await _send(send, refused.status, error_frame(None, code, refused.reason), refused.headers)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = _headers(scope)
        self._check_origin(headers)
        peer = _peer(scope)
        wait = self.per_peer.wait_of(peer)
        if wait:
            raise RequestRefused(429, "Too many requests", *_retry_after(wait))
        method, path = scope["method"], scope["path"].removesuffix("/")
        if path in self.posts:
            _check_post(method, headers)
            body = await self._read_body(headers, Request(scope, receive))
            answer = await self.exchange.answer(body, peer, self.posts[path])
            await _send(send, answer.status, answer.body, _retry_after(answer.wait) if answer.wait else ())
        elif path == HEALTH_PATH:
            if method not in ("GET", "HEAD"):
                raise RequestRefused(405, "GET only", (b"allow", b"GET, HEAD"))
            await _send(send, 200, {"status": "ok", **self.health()}, ())
        elif self.pages is not None:
            await self.pages(scope, receive, send)
        else:
            raise RequestRefused(404, "Not found")

    def _check_origin(self, headers: Mapping[bytes, bytes]) -> None:
        """Refuses other hosts (DNS rebinding) and pages of other origins."""
        host = headers.get(b"host", b"")
        if _host(host) not in self.hosts:
            raise RequestRefused(421, "This server does not serve that host")
        origin = headers.get(b"origin")
        if origin is not None and origin.partition(b"://")[2].lower() != host.lower():
            raise RequestRefused(403, "Pages of another origin are refused")

    async def _read_body(self, headers: Mapping[bytes, bytes], request: Request) -> bytes:
        """The whole body, within the limits of size and time."""
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length[:20]) > MOST_BYTES:
            raise RequestRefused(413, "Too large", CLOSE)
        body = bytearray()
        try:
            async with asyncio.timeout(self.seconds):
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > MOST_BYTES:
                        raise RequestRefused(413, "Too large", CLOSE)
        except TimeoutError:
            raise RequestRefused(408, "Too slow", CLOSE) from None
        except ClientDisconnect:
            raise RequestRefused(400, "The client disconnected", CLOSE) from None
        return bytes(body)


CLOSE = (b"connection", b"close")
"""For a request whose rest is not read."""


def _headers(scope: Scope) -> dict[bytes, bytes]:
    """The headers by name. A header that is repeated counts as empty."""
    found: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        found[name] = b"" if name in found else value
    return found


def _host(header: bytes) -> str:
    """The name in a `Host` header, without its port."""
    text = header.decode("latin-1").lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0]


def _peer(scope: Scope) -> str:
    client = scope.get("client")
    return client[0] if client else ""


def _check_post(method: str, headers: Mapping[bytes, bytes]) -> None:
    if method != "POST":
        raise RequestRefused(405, "POST only", (b"allow", b"POST"))
    kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if kind != b"application/json":
        raise RequestRefused(415, "application/json only", CLOSE)
    if headers.get(b"mcp-protocol-version", VERSIONS[0].encode()).decode("latin-1") not in VERSIONS:
        raise RequestRefused(400, "Unsupported revision of MCP", CLOSE)


def _retry_after(seconds: float) -> tuple[tuple[bytes, bytes], ...]:
    return ((b"retry-after", str(max(1, math.ceil(seconds))).encode()),)


async def _send(send: Send, status: int, body: Any, headers: Sequence[tuple[bytes, bytes]]) -> None:
    written = b"" if body is None else msgspec.json.encode(body)
    length = () if status == 204 else ((b"content-length", str(len(written)).encode()),)
    await send({"type": "http.response.start", "status": status, "headers": [*HEADERS, *length, *headers]})
    await send({"type": "http.response.body", "body": written})
