"""What every request and every WebSocket must pass before anything else looks at it.

The host must be ours (against DNS rebinding), the origin of a page must be ours or allowed (against other sites), and
one address may ask only so often. Bodies are read within a size and a time, and strictly.
"""

import asyncio
from collections.abc import Mapping, Sequence
from ipaddress import ip_address, ip_network
from typing import Any, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.types import Scope

from turnstile.kernel.values import Malformed, decode
from turnstile.net import strict_json
from turnstile.net.subscribers import subscriber_of, unmapped
from turnstile.server.errors import Code, Problem
from turnstile.server.settings import ServerSettings, allowed_hosts

T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)

MOST_BYTES = 64 * 1024
READ_SECONDS = 10.0
LONGEST_TOKEN = 128
JSON = b"application/json"
FORM = b"application/x-www-form-urlencoded"

CLOSE = ((b"connection", b"close"),)
"""For a request whose rest is not read."""

Headers = Mapping[bytes, bytes]


class Door:
    """The checks of one server."""

    def __init__(self, settings: ServerSettings) -> None:
        self._hosts = allowed_hosts(settings)
        self._origins = frozenset(origin.lower().encode() for origin in settings.origins)
        public = settings.public_url
        self._own_origins = frozenset([public.lower().encode()] if public else [])
        self._proxies = tuple(ip_network(proxy) for proxy in settings.trusted_proxies)

    def check(self, headers: Headers) -> None:
        """Refuse foreign hosts, and pages of other sites. Raises `Problem`."""
        host = headers.get(b"host", b"")
        if host_name(host) not in self._hosts:
            raise Problem(Code.WRONG_HOST, "This server does not answer to that host name.", headers=CLOSE)
        origin = headers.get(b"origin")
        if origin is not None and not self._is_allowed(origin, host):
            raise Problem(Code.WRONG_ORIGIN, "Pages of that site may not use this server.", headers=CLOSE)

    def _is_allowed(self, origin: bytes, host: bytes) -> bool:
        origin = origin.lower()
        is_own = origin in self._own_origins or origin.partition(b"://")[2] == host.lower()
        return is_own or self.is_foreign_but_allowed(origin)

    def is_foreign_but_allowed(self, origin: bytes) -> bool:
        """Whether an origin is one of those that the operator has named, so that its pages may read answers."""
        return b"*" in self._origins or origin.lower() in self._origins

    def address_of(self, scope: Mapping[str, Any], headers: Headers) -> str:
        """The address that a request comes from, as limits count it: one of IPv6 as its network.

        A header counts only if a trusted proxy has sent it.
        """
        client = scope.get("client")
        address = str(client[0]) if client else ""
        if not self._proxies:
            return subscriber_of(address)
        hops = [hop.strip() for hop in headers.get(b"x-forwarded-for", b"").decode("latin-1").split(",")]
        while hops and self.is_proxy(address):
            hop = hops.pop()
            if not _is_address(hop):
                break
            address = hop
        return subscriber_of(address)

    def is_proxy(self, address: str) -> bool:
        """Whether an address is that of a trusted proxy."""
        address = unmapped(address)
        return _is_address(address) and any(ip_address(address) in network for network in self._proxies)


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


# headers


def read_headers(pairs: Sequence[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """The headers by name. A header that is repeated counts as empty, which no check accepts."""
    found: dict[bytes, bytes] = {}
    for name, value in pairs:
        found[name] = b"" if name in found else value
    return found


def host_name(header: bytes) -> str:
    """The name in a `Host` header, without its port."""
    text = header.decode("latin-1").lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0]


def bearer_token(headers: Headers) -> str | None:
    """The token of the `Authorization` header, if there is one. Raises `Problem` if it has another form."""
    given = headers.get(b"authorization")
    if given is None:
        return None
    scheme, _, token = given.partition(b" ")
    if scheme.lower() != b"bearer" or not token or len(token) > LONGEST_TOKEN:
        raise Problem(Code.BAD_TOKEN, "Give the token as: Authorization: Bearer TOKEN.")
    return token.decode("latin-1")


# bodies


async def read_body(
    headers: Headers, request: Request, most: int = MOST_BYTES, seconds: float = READ_SECONDS, media_type: bytes = JSON
) -> bytes:
    """The whole body, within the limits of size and time. Raises `Problem`."""
    if headers.get(b"content-type", b"").partition(b";")[0].strip().lower() != media_type:
        raise Problem(Code.WRONG_MEDIA_TYPE, f"Send the body as {media_type.decode()}.", headers=CLOSE)
    length = headers.get(b"content-length", b"0")
    if length.isdigit() and int(length[:20]) > most:
        raise _too_large(most)
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for chunk in request.stream():
                body += chunk
                if len(body) > most:
                    raise _too_large(most)
    except TimeoutError:
        raise Problem(Code.TOO_SLOW, "The body took too long to arrive.", headers=CLOSE) from None
    except ClientDisconnect:
        raise Problem(Code.BAD_REQUEST, "The body was not complete.", headers=CLOSE) from None
    return bytes(body)


def _too_large(most: int) -> Problem:
    return Problem(Code.TOO_LARGE, f"This body may have {most} bytes at most.", headers=CLOSE)


def decode_body(body: bytes, as_type: type[T]) -> T:
    """The value in a body, read strictly. Raises `Problem`."""
    check_json(body)
    try:
        return decode(body, as_type)
    except Malformed as fault:
        raise Problem(Code.BAD_REQUEST, f"Invalid request: {fault}.") from None


def check_json(body: bytes) -> None:
    """Refuse what is not JSON, or JSON that two readers may read differently. Raises `Problem`."""
    try:
        strict_json.check(body)
    except strict_json.Unreadable as fault:
        raise Problem(Code.BAD_REQUEST, f"Invalid request: {fault}.") from None


def decode_query(scope: Scope, as_type: type[S]) -> S:
    """The values in a query, each given once. Raises `Problem`."""
    pairs = Request(scope).query_params.multi_items()
    values = dict(pairs)
    if len(values) < len(pairs):
        raise Problem(Code.BAD_REQUEST, "Invalid query: a name is repeated.")
    try:
        found = msgspec.convert(values, as_type, strict=False)
    except msgspec.ValidationError as fault:
        raise Problem(Code.BAD_REQUEST, f"Invalid query: {fault}.") from None
    for field in msgspec.structs.fields(as_type):
        if field.encode_name in values and getattr(found, field.name) is None:
            raise Problem(Code.BAD_REQUEST, f"Invalid query: {field.encode_name} has no value; leave it out.")
    return found
