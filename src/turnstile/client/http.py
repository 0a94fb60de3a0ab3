"""Requests to a server: JSON in, JSON out, a refusal as an exception. What may be repeated is tried again."""

import asyncio
from collections.abc import Mapping
from random import SystemRandom
from types import TracebackType
from typing import Any, TypeVar
from urllib.parse import urlsplit

import aiohttp
import msgspec

from turnstile.client.backoff import Backoff
from turnstile.client.errors import Refused, Unreachable

T = TypeVar("T")

MOST_TRIES = 6
CONNECT_SECONDS = 10.0
BUSY = (429, 503)
"""HTTP statuses that say: try again."""
SERVER_ERROR = 1011
LONGEST_WAIT = 10.0


class Http:
    """The HTTP side of a server, and the session that its WebSockets share."""

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        """Raises `ValueError` if this is not the address of a server."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError(f"{url!r} is not the address of a server: it looks like http://localhost:8000.")
        self.url = url.rstrip("/")
        self._headers = headers
        self._session: aiohttp.ClientSession | None = None

    @property
    def session(self) -> aiohttp.ClientSession:
        assert self._session is not None, "use the client as `async with Client(...) as client`"
        return self._session

    async def __aenter__(self) -> "Http":
        timeout = aiohttp.ClientTimeout(total=None, connect=CONNECT_SECONDS, sock_read=90.0)
        connector = aiohttp.TCPConnector(limit=0)
        self._session = aiohttp.ClientSession(timeout=timeout, connector=connector, headers=self._headers)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.session.close()

    async def ask(
        self, method: str, path: str, answer: type[T], body: Any = None, *, token: str | None = None, **query: Any
    ) -> T:
        """The answer to a request. Raises `Refused` or `Unreachable`. A GET is tried again where that may help."""
        return msgspec.json.decode(await self.read(method, path, body, token=token, **query), type=answer)

    async def read(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = None,
        is_repeatable: bool = False,
        **query: Any,
    ) -> bytes:
        """The bytes of an answer. `is_repeatable`: the server does it once, however often it is sent."""
        backoff, is_repeatable = Backoff(SystemRandom()), is_repeatable or method == "GET"
        while True:
            try:
                return await self._try(method, path, body, token, query)
            except Refused as refused:
                if refused.status not in BUSY or not is_repeatable or backoff.failures >= MOST_TRIES:
                    raise
                wait = backoff.seconds(SERVER_ERROR, min(refused.seconds or 0.0, LONGEST_WAIT))
            except Unreachable:
                if not is_repeatable or backoff.failures >= MOST_TRIES:
                    raise
                wait = backoff.seconds(SERVER_ERROR)
            await asyncio.sleep(wait)

    async def _try(self, method: str, path: str, body: Any, token: str | None, query: dict[str, Any]) -> bytes:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = msgspec.json.encode(body)
        given = {name: str(value) for name, value in query.items() if value is not None}
        try:
            async with self.session.request(
                method, self.url + path, data=data, headers=headers, params=given
            ) as response:
                written = await response.read()
        except (aiohttp.ClientError, TimeoutError, OSError) as fault:
            raise Unreachable(f"{self.url} cannot be reached: {str(fault) or type(fault).__name__}.") from fault
        if response.status >= 400:
            raise _refusal(response.status, written)
        return written


class _Error(msgspec.Struct, frozen=True):
    code: str
    message: str
    seq: int | None = None
    seconds: float | None = None


class _ErrorBody(msgspec.Struct, frozen=True):
    error: _Error


def _refusal(status: int, written: bytes) -> Refused:
    try:
        error = msgspec.json.decode(written, type=_ErrorBody).error
    except (msgspec.DecodeError, UnicodeError):
        error = _Error(f"Http{status}", f"The server has answered with HTTP status {status}.")
    return Refused(error.code, error.message, status=status, seq=error.seq, seconds=error.seconds)
