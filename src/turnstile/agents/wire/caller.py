"""HTTP out: calls other agents. Every call ends by its deadline, whatever the other side does.

The peer is not trusted. Its address is checked at each connection. Its answer is read as it is and up to a limit,
whatever its status; redirects, cookies and compression are refused. One deadline covers everything: finding a free
connection, all forms of the question, and the last byte of the answer.
"""

import asyncio
import itertools
import secrets
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any, Self, cast

import aiohttp
import msgspec
from aiohttp.client_proto import ResponseHandler

from turnstile.agents.wire.dialect import Dialect, Dialects, Form, frame_message
from turnstile.agents.wire.envelope import Fields, Identity, new_conversation, utc_now, wire_fields
from turnstile.agents.wire.replies import (
    ANSWERS,
    NOTIFICATIONS,
    Answered,
    Receipt,
    Unusable,
    is_refusal,
    read_reply,
    remark_receipt,
)
from turnstile.agents.wire.rpc import Fault
from turnstile.kernel.values import wire_name
from turnstile.league.protocol.management import Ping
from turnstile.league.protocol.messages import LeagueMessage
from turnstile.league.protocol.words import LEAGUE_MANAGER, Address
from turnstile.league.trust import Claim, LeagueChallengeResponse, new_challenge
from turnstile.net.addresses import LOOKUPS, THIS_MACHINE, Reach, Resolver, refusal

MOST_BYTES = 64 * 1024
MOST_MANAGER_BYTES = 1024 * 1024
"""An answer of the league manager may hold the tables of a whole league."""
MOST_BESIDE_BYTES = 512 * 1024
"""What may come besides the body: headers, interim answers, and what was in transit when the limit was reached."""
MOST_AT_ONCE = 1024
MOST_PER_PEER = 32
IDLE_SECONDS = 2.0
"""Shorter than servers usually keep a connection open, so that a connection that is being closed is not used."""

HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "Accept-Encoding": "identity",
    "User-Agent": "turnstile",
}
BUSY = (429, 503)
TOO_LARGE = "the answer is too large"

REASONS: tuple[tuple[type[Exception], str], ...] = (
    (aiohttp.ClientConnectorError, "no connection can be made"),
    (aiohttp.ServerDisconnectedError, "the peer closed the connection"),
    (aiohttp.ClientPayloadError, "the answer is incomplete"),
    (aiohttp.ClientResponseError, "the answer is not HTTP"),
    (OSError, "the connection broke"),
)
"""Our words for the faults of a connection: the original texts may quote what the peer has sent."""

OnWritten = Callable[[], None]
"""Called when a request has been written."""


class Unreached(Exception):
    """A call was not answered: refused, reset, too late, too large, unreadable, or not allowed."""


class Busy(Unreached):
    """The peer has refused a call because it gets too many. The same call may succeed a little later."""


class Silent(Unreached):
    """A call was not answered in time. The peer may have received it."""


class Caller:
    """Calls agents over a pool of connections. Use it as a context, or `close` it."""

    def __init__(
        self, reach: Reach = THIS_MACHINE, *, most_at_once: int = MOST_AT_ONCE, most_per_peer: int = MOST_PER_PEER
    ) -> None:
        self.reach = reach
        self.resolver = Resolver(reach)
        self.dialects = Dialects()
        self._most_at_once = most_at_once
        self._most_per_peer = most_per_peer
        # Numbers, because some agents refuse strings. They need not be secret: a reply belongs to the exchange in which
        # it comes, whatever id it has.
        self._numbers = itertools.count(1)
        self._sessions: dict[int, aiohttp.ClientSession] = {}
        """By the size limit of an answer."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        while self._sessions:
            await self._sessions.popitem()[1].close()

    async def call(
        self,
        endpoint: str,
        message: LeagueMessage,
        *,
        who: Identity,
        to: Address,
        conversation: str,
        seconds: float,
        patience: float | None = None,
        token: str | None = None,
        on_written: OnWritten | None = None,
    ) -> Answered:
        """Sends a message to the agent `to` at `endpoint`, and returns its answer.

        The answer is the typed reply, with the ids of the call; a `Fault` if the peer answered with an error; a
        `Receipt` if it answered nothing else of use in any form. `acknowledgement` says what that means for a
        notification. Raises `Unreached` if there is no answer.

        `to`: replies get the id of this agent, and the league manager's answers may be longer. `seconds`: the time
        limit that the peer is told. `patience`: how long to wait, if longer. `token`: the token to show in place of the
        usual one. `on_written`: called when the message has been written in any form, or cannot be written.
        """
        why = refusal(endpoint, self.reach)
        if why is not None:
            raise Unreached(why)
        fields = wire_fields(message, who, conversation, utc_now(), to=to, token=token, seconds=seconds)
        attempt = _Attempt(message, to, self.dialects.of(endpoint))
        try:
            async with asyncio.timeout(seconds if patience is None else patience):
                with who.claiming(message):
                    await self._try_forms(endpoint, fields, attempt, on_written)
        except TimeoutError:
            attempt.failure = Silent("no answer in time")
        except Unreached as failure:
            attempt.failure = failure
        finally:
            if on_written is not None:
                on_written()
        return attempt.result()

    async def challenge(self, endpoint: str, claim: Claim, *, who: Identity, seconds: float) -> bool:
        """Checks that the agent at an address is the one that makes this registration request.

        It uses its own connections and its own resolver: an unknown agent takes no resources from the others.
        """
        asked = new_challenge(claim, nonce=secrets.token_hex(16))
        async with Caller(self.reach) as apart:
            apart.resolver = Resolver(self.reach, LOOKUPS)
            try:
                answer = await apart.call(
                    endpoint, asked, who=who, to=Address(""), conversation=new_conversation(), seconds=seconds
                )
            except Unreached:
                return False
        return isinstance(answer, LeagueChallengeResponse) and answer.nonce == asked.nonce

    async def _try_forms(
        self, endpoint: str, fields: Fields, attempt: "_Attempt", on_written: OnWritten | None
    ) -> None:
        """Sends the message in one form after the other, until the peer understands one."""
        most = MOST_MANAGER_BYTES if attempt.to == LEAGUE_MANAGER else MOST_BYTES
        for form in attempt.dialect.forms(attempt.message_type):
            body = msgspec.json.encode(frame_message(form, fields, next(self._numbers)))
            status, data = await self._post(endpoint, body, most, on_written)
            answer = read_reply(attempt.call, attempt.to, status, data)
            attempt.refuse_status(status, answer)
            if attempt.is_settled_by(form, answer):
                return
        if isinstance(
            attempt.call, NOTIFICATIONS
        ):  # the next question is tried in all forms; a notification only now and then
            attempt.dialect.refused(attempt.message_type)

    async def _post(self, endpoint: str, body: bytes, most: int, on_written: OnWritten | None) -> tuple[int, bytes]:
        """The status and the body of the answer."""
        try:
            try:
                return await self._exchange(endpoint, body, most, on_written)
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as fault:
                if isinstance(fault, aiohttp.ClientConnectorError):
                    raise
                # The peer has just closed a connection that was kept open. Asking twice is harmless in this protocol.
                return await self._exchange(endpoint, body, most, on_written)
        except (aiohttp.ClientError, OSError) as fault:
            reasons = (reason for kind, reason in REASONS if isinstance(fault, kind))
            raise Unreached(next(reasons, "the call failed")) from None

    async def _exchange(self, endpoint: str, body: bytes, most: int, on_written: OnWritten | None) -> tuple[int, bytes]:
        session = self._session(most)
        sending = session.post(endpoint, data=body, allow_redirects=False, trace_request_ctx=on_written)
        async with sending as response:
            return response.status, await _read_body(response, most)

    def _session(self, most: int) -> aiohttp.ClientSession:
        """The session for answers of this size. It belongs to the event loop in which it is first used."""
        if most not in self._sessions:
            connector = _BoundedConnector(
                most + MOST_BESIDE_BYTES,
                resolver=self.resolver,
                use_dns_cache=False,
                limit=self._most_at_once,
                limit_per_host=self._most_per_peer,
                keepalive_timeout=IDLE_SECONDS,
            )
            self._sessions[most] = aiohttp.ClientSession(
                connector=connector,
                headers=HEADERS,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                trust_env=False,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
                trace_configs=[_written_trace()],
            )
        return self._sessions[most]


class _BoundedConnector(aiohttp.TCPConnector):
    """Connections that end when more arrives than any answer may have.

    `_read_body` limits the body. But before the body a peer may send interim answers without end, and the client would
    read them all.
    """

    def __init__(self, most: int, **options: Any) -> None:
        super().__init__(**options)
        self._factory = cast("partial[ResponseHandler]", partial(_Bounded, most, self._loop))


class _Bounded(ResponseHandler):
    def __init__(self, most: int, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._most = most
        self._received = 0

    def set_response_params(self, **options: Any) -> None:
        """A new request begins."""
        self._received = 0
        super().set_response_params(**options)

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        if self._received <= self._most:
            super().data_received(data)
        elif self.transport is not None:
            self.set_exception(Unreached(TOO_LARGE))
            self.transport.abort()


def _written_trace() -> aiohttp.TraceConfig:
    """Calls `OnWritten` when a request is written: every request has one chunk."""

    async def chunk_sent(session: aiohttp.ClientSession, about: SimpleNamespace, chunk: object) -> None:
        on_written: OnWritten | None = about.trace_request_ctx
        if on_written is not None:
            on_written()

    trace = aiohttp.TraceConfig()
    trace.on_request_chunk_sent.append(chunk_sent)
    return trace


async def _read_body(response: aiohttp.ClientResponse, most: int) -> bytes:
    if (response.content_length or 0) > most:
        raise Unreached(TOO_LARGE)
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > most:
            raise Unreached(TOO_LARGE)
    return bytes(body)


class _Attempt:
    """One call on its way through the forms, and the best answer so far."""

    def __init__(self, call: LeagueMessage, to: Address, dialect: Dialect) -> None:
        self.call = call
        self.to = to
        self.dialect = dialect
        self.message_type = wire_name(type(call))
        self._found: Answered | None = None
        self._unusable: list[Receipt | Fault | None] = []
        self.failure = Unreached("no answer that can be read")

    def refuse_status(self, status: int, answer: Answered | Unusable) -> None:
        """Raises `Busy`, or `Unreached` if the status says that the peer is elsewhere. A typed reply counts anyway."""
        if isinstance(answer, LeagueMessage) and not isinstance(self.call, NOTIFICATIONS):
            return
        if status in BUSY:
            raise Busy("the peer is busy")
        if 300 <= status < 400:
            raise Unreached("the peer answered with a redirect")

    def is_settled_by(self, form: Form, answer: Answered | Unusable) -> bool:
        """Whether no other form need be tried. Until a form has worked there, any error may be about the form."""
        if isinstance(answer, Fault) and not self.dialect.is_known and not isinstance(self.call, Ping):
            answer = Unusable(answer)
        if isinstance(answer, Unusable):
            self._unusable.append(answer.best)
            return False
        self._found = answer
        if not isinstance(self.call, NOTIFICATIONS):
            if isinstance(answer, LeagueMessage):
                self.dialect.worked(self.message_type, form)
        elif is_refusal(answer):
            self.dialect.refused(self.message_type)
        else:  # a form that was accepted at once proves nothing: some agents accept anything
            self.dialect.heard(self.message_type, form if self._unusable else None)
        return True

    def result(self) -> Answered:
        """The answer, even if the call failed after it."""
        found = self._found or min(self._unusable, key=_rank, default=None)
        if found is None:
            raise self.failure
        if isinstance(found, Receipt) and type(self.call) in ANSWERS and not isinstance(self.call, NOTIFICATIONS):
            remark_receipt(self.call, self.to, found)
        return found


def _rank(answer: Receipt | Fault | None) -> int:
    """The order of unusable answers: a receipt, an error, nothing, and last the receipt of a failure."""
    if isinstance(answer, Receipt):
        return 3 if answer.is_refusal else 0
    return 2 if answer is None else 1
