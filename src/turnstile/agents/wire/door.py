"""The door of an agent: HTTP around the exchange. What is too large, too slow, too much or not for it stays outside.

`Door` is an ASGI application: `POST /mcp`, `GET /health`, and what further pages the agent has. `serving.serve` opens
it. It sets no CORS headers, so no page of another origin can read an answer; and as it answers to its own hosts alone,
none can pass for one of its own by a name that is made to lead here.
"""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from starlette.routing import BaseRoute, Router
from starlette.types import Receive, Scope, Send

from turnstile.agents.wire.envelope import Identity, Now, utc_now
from turnstile.agents.wire.exchange import Answer, Exchange, Handler
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
"""The second door of a league manager, for players that know no other: `{display_name, version, endpoint}`."""
NO_POSTS: Mapping[str, type[LeagueMessage]] = {}


class RequestRefused(Exception):
    """A request that is not let in, whatever it says."""

    def __init__(self, status: int, reason: str, *headers: tuple[bytes, bytes]) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.headers = headers


class Door:
    """How an agent is reached. `handle` is given every message that the agent `takes`, once it has been read.

    `hosts`: the names by which the agent may be called in a `Host` header, without ports.
    `seconds`: how long a request may take to arrive, from its first byte to its last.
    `per_agent`, `per_peer`: how much one sender, and one address, may ask.
    `posts`: further paths, each for one message, which is posted there without a frame; see `REGISTRATION`.
    `routes`: pages. They are asked for everything else.
    """

    def __init__(
        self,
        who: Identity,
        takes: Sequence[type[LeagueMessage]],
        handle: Handler,
        *,
        hosts: Sequence[str] = LOCAL_HOSTS,
        most_bytes: int = MOST_BYTES,
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
        self.most_bytes = most_bytes
        self.seconds = seconds
        self.most_at_once = most_at_once
        self.per_peer = per_peer or Quota(rate=5_000, burst=20_000)
        self.posts = {MCP_PATH: None, **{path: wire_name(kind) for path, kind in posts.items()}}
        self.pages = Router(routes) if routes else None
        self.health = health
        self.under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == "http", f"an agent speaks HTTP alone, not {scope['type']}"
        try:
            if self.under_way >= self.most_at_once:
                raise RequestRefused(503, "Too many requests at once", *_later(1))
            self.under_way += 1
            try:
                await self._let_in(scope, receive, send)
            finally:
                self.under_way -= 1
        except RequestRefused as refused:
            remark(f"A request from {_peer(scope)} is not let in: {refused.status} {refused.reason}")
            code = TOO_BUSY if refused.status in (429, 503) else INVALID_REQUEST
            await _send(send, refused.status, error_frame(None, code, refused.reason), refused.headers)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = _headers(scope)
        self._check_origin(headers)
        peer = _peer(scope)
        wait = self.per_peer.wait_of(peer)
        if wait:
            raise RequestRefused(429, "Too many requests", *_later(wait))
        method, path = scope["method"], scope["path"].removesuffix("/")
        if path in self.posts:
            _check_post(method, headers)
            body = await self._body(headers, receive)
            await _send_answer(send, await self.exchange.answer(body, peer, self.posts[path]))
        elif path == HEALTH_PATH:
            if method not in ("GET", "HEAD"):
                raise RequestRefused(405, "GET only", (b"allow", b"GET, HEAD"))
            await _send(send, 200, {"status": "ok", **self.health()}, ())
        elif self.pages is not None:
            await self.pages(scope, receive, send)
        else:
            raise RequestRefused(404, "Not found")

    def _check_origin(self, headers: Mapping[bytes, bytes]) -> None:
        """Only who asks for this very host is let in, and no page but of the very place it asks (DNS rebinding)."""
        host = headers.get(b"host", b"")
        if _host(host) not in self.hosts:
            raise RequestRefused(421, "Not the host that was asked for")
        origin = headers.get(b"origin")
        if origin is not None and origin.partition(b"://")[2].lower() != host.lower():
            raise RequestRefused(403, "Not for pages of another origin")

    async def _body(self, headers: Mapping[bytes, bytes], receive: Receive) -> bytes:
        """The whole body, while it is within bounds of size and time."""
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length[:20]) > self.most_bytes:
            raise RequestRefused(413, "Too large", CLOSE)
        try:
            async with asyncio.timeout(self.seconds):
                return await self._received(receive)
        except TimeoutError:
            raise RequestRefused(408, "Too slow", CLOSE) from None

    async def _received(self, receive: Receive) -> bytes:
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise RequestRefused(400, "Gone before the end", CLOSE)
            body += message.get("body", b"")
            if len(body) > self.most_bytes:
                raise RequestRefused(413, "Too large", CLOSE)
            if not message.get("more_body", False):
                return bytes(body)


CLOSE = (b"connection", b"close")
"""For a request whose rest nobody wants to read."""


def _headers(scope: Scope) -> dict[bytes, bytes]:
    """The headers by name; of one that is repeated, none counts."""
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
        raise RequestRefused(400, "Not a revision of MCP that is spoken here", CLOSE)


def _later(seconds: float) -> tuple[tuple[bytes, bytes], ...]:
    return ((b"retry-after", str(max(1, math.ceil(seconds))).encode()),)


async def _send_answer(send: Send, answer: Answer) -> None:
    await _send(send, answer.status, answer.body, _later(answer.wait) if answer.wait else ())


async def _send(send: Send, status: int, body: Any, headers: Sequence[tuple[bytes, bytes]]) -> None:
    written = b"" if body is None else msgspec.json.encode(body)
    length = () if status == 204 else ((b"content-length", str(len(written)).encode()),)
    await send({"type": "http.response.start", "status": status, "headers": [*HEADERS, *length, *headers]})
    await send({"type": "http.response.body", "body": written})
