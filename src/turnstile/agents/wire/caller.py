"""Calls to other agents: one question, one answer, one deadline, whatever the other side does.

The peer is not trusted. Its address is checked at each connection; its answer is read up to a cap, as it is, and
whatever its status; redirects, cookies and compression are not for it to choose. Everything has to happen within the
one deadline: finding a free connection, every form of the question, the last byte of the answer.
"""

import asyncio
import itertools
import secrets
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace, TracebackType
from typing import Any, Self, cast

import aiohttp
import msgspec
from aiohttp.client_proto import ResponseHandler

from turnstile.agents.wire.dialect import Dialect, Dialects, Form, framed
from turnstile.agents.wire.envelope import Identity, Now, new_conversation, utc_now, wire_fields
from turnstile.agents.wire.replies import (
    ANSWERS,
    TOLD,
    Answered,
    Receipt,
    Unusable,
    is_refusal,
    read_reply,
    remark_receipt,
)
from turnstile.agents.wire.rpc import Fault, Fields
from turnstile.kernel.values import wire_name
from turnstile.league.protocol.management import Ping
from turnstile.league.protocol.messages import LeagueMessage
from turnstile.league.protocol.words import LEAGUE_MANAGER, Address
from turnstile.league.trust import Claim, LeagueChallengeResponse, new_challenge
from turnstile.net.addresses import LOOKUPS, THIS_MACHINE, Reach, Resolver, refusal

MOST_BYTES = 64 * 1024
MOST_MANAGER_BYTES = 1024 * 1024
"""A league manager has the tables of a whole league to tell."""
MOST_BESIDE_BYTES = 512 * 1024
"""What may come besides the body that is read: headers, interim answers, and what was under way when we had enough."""
MOST_AT_ONCE = 1024
MOST_PER_PEER = 32
IDLE_SECONDS = 2.0
"""Shorter than anybody keeps a connection open for us: one that the other side is just closing is not used."""

HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "Accept-Encoding": "identity",
    "User-Agent": "turnstile",
}
BUSY = (429, 503)
TOO_LARGE = "the answer is too large"

REASONS: tuple[tuple[type[Exception], str], ...] = (
    (aiohttp.ClientConnectorError, "nobody can be connected to there"),
    (aiohttp.ServerDisconnectedError, "it hung up"),
    (aiohttp.ClientPayloadError, "its answer broke off"),
    (aiohttp.ClientResponseError, "what it said is no HTTP"),
    (OSError, "the connection broke"),
)
"""The faults of a connection in words of ours: their own texts may hold what the peer has sent."""

Written = Callable[[], None]
"""Whom to tell when a question has been written."""


class Unreached(Exception):
    """A call was not answered: refused, reset, too late, too large, unreadable, or not to be made at all."""


class Silent(Unreached):
    """A call was not answered in time. Whoever was called may have heard it."""


class Caller:
    """Calls agents, over one pool of connections. Use it as a context, or `close` it."""

    def __init__(
        self,
        reach: Reach = THIS_MACHINE,
        *,
        most_bytes: int = MOST_BYTES,
        most_manager_bytes: int = MOST_MANAGER_BYTES,
        most_at_once: int = MOST_AT_ONCE,
        most_per_peer: int = MOST_PER_PEER,
        now: Now = utc_now,
    ) -> None:
        self.reach = reach
        self.resolver = Resolver(reach)
        self.dialects = Dialects()
        self._most_bytes = most_bytes
        self._most_manager_bytes = most_manager_bytes
        self._most_at_once = most_at_once
        self._most_per_peer = most_per_peer
        self._now = now
        # Numbers, because some refuse texts, and counted: a reply belongs to the exchange in which it comes, and to no
        # other, whatever id it has; so there is nothing to be gained by guessing the next one.
        self._numbers = itertools.count(1)
        self._sessions: dict[int, aiohttp.ClientSession] = {}
        """By how much may come in an answer."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
        written: Written | None = None,
    ) -> Answered:
        """Ask `to`, who lives at `endpoint`, and give what it answers.

        The typed reply, with the ids of the call; a `Receipt` when the peer has answered nothing of use, in any form;
        a `Fault` when it has answered an error. What that means for a message that is only told, `acknowledgement`
        says. Raises `Unreached` on anything that is no answer. `to` is needed
        because a reply is given the id of who was asked, and the league manager's answers may be longer.
        `seconds`: what the peer is told it has; `patience`: how long it is waited for, if that is longer. `token`: what
        to show in place of the usual one. `written` is called when the question has been put on the wire, in whichever
        form, or cannot be.
        """
        why = refusal(endpoint, self.reach)
        if why is not None:
            raise Unreached(why)
        fields = wire_fields(message, who, conversation, self._now(), to=to, token=token, seconds=seconds)
        attempt = _Attempt(message, to, self.dialects.of(endpoint))
        try:
            async with asyncio.timeout(seconds if patience is None else patience):
                with who.claiming(message):
                    await self._try_forms(endpoint, fields, attempt, written)
        except TimeoutError:
            attempt.failure = Silent("no answer in time")
        except Unreached as failure:
            attempt.failure = failure
        finally:
            if written is not None:
                written()
        return attempt.result()

    async def challenge(self, endpoint: str, claim: Claim, *, who: Identity, seconds: float) -> bool:
        """Whether the agent at `endpoint` is the one that asks to be registered with this claim.

        It is called apart from all others: a stranger takes no connection, no thread and no memory from them.
        """
        asked = new_challenge(claim, nonce=secrets.token_hex(16))
        async with Caller(self.reach, now=self._now) as apart:
            apart.resolver = Resolver(self.reach, LOOKUPS)
            try:
                told = await apart.call(
                    endpoint, asked, who=who, to=Address(""), conversation=new_conversation(), seconds=seconds
                )
            except Unreached:
                return False
        return isinstance(told, LeagueChallengeResponse) and told.nonce == asked.nonce

    async def _try_forms(self, endpoint: str, fields: Fields, attempt: "_Attempt", written: Written | None) -> None:
        """Put the message in one form after the other, until one is understood."""
        for form in attempt.forms():
            body = msgspec.json.encode(framed(form, fields, next(self._numbers)))
            status, data = await self._posted(endpoint, body, self._cap(attempt.to), written)
            answer = read_reply(attempt.call, attempt.to, status, data)
            attempt.refuse_status(status, answer)
            if attempt.is_settled_by(form, answer):
                return
        attempt.refused_in_all_forms()

    def _cap(self, to: Address) -> int:
        return self._most_manager_bytes if to == LEAGUE_MANAGER else self._most_bytes

    async def _posted(self, endpoint: str, body: bytes, most: int, written: Written | None) -> tuple[int, bytes]:
        """The status and the body of the answer."""
        try:
            try:
                return await self._exchanged(endpoint, body, most, written)
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as fault:
                if isinstance(fault, aiohttp.ClientConnectorError):
                    raise
                # A connection that was kept open, and closed just now. Asking twice does no harm in this protocol.
                return await self._exchanged(endpoint, body, most, written)
        except (aiohttp.ClientError, OSError) as fault:
            if isinstance(fault, _TooLarge):
                raise Unreached(TOO_LARGE) from None
            words = (reason for kind, reason in REASONS if isinstance(fault, kind))
            raise Unreached(next(words, "it cannot be called")) from None

    async def _exchanged(self, endpoint: str, body: bytes, most: int, written: Written | None) -> tuple[int, bytes]:
        session = self._opened(most)
        sending = session.post(endpoint, data=body, allow_redirects=False, trace_request_ctx=written)
        async with sending as response:
            return response.status, await _capped(response, most)

    def _opened(self, most: int) -> aiohttp.ClientSession:
        """The one session for answers of this length. It belongs to the loop in which it is first used."""
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
                trace_configs=[_watch_of_writing()],
            )
        return self._sessions[most]


class _BoundedConnector(aiohttp.TCPConnector):
    """Connections that end when more comes than any answer may have.

    Of an answer's body no more is read than is wanted. But before that a peer may send answers of status 100 without
    end, and the client reads them all.
    """

    def __init__(self, most: int, **how: Any) -> None:
        super().__init__(**how)
        self._factory = cast("partial[ResponseHandler]", partial(_Bounded, most, self._loop))


class _TooLarge(aiohttp.ClientError):
    """More has come than any answer may have."""


class _Bounded(ResponseHandler):
    def __init__(self, most: int, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._most = most
        self._come = 0

    def set_response_params(self, **how: Any) -> None:
        """A new question is asked."""
        self._come = 0
        super().set_response_params(**how)

    def data_received(self, data: bytes) -> None:
        self._come += len(data)
        if self._come <= self._most:
            super().data_received(data)
        elif self.transport is not None:
            self.set_exception(_TooLarge())
            self.transport.abort()


def _watch_of_writing() -> aiohttp.TraceConfig:
    """Tells whoever wants to know that its question is being written: the whole of it, for none has two chunks."""

    async def sent(session: aiohttp.ClientSession, about: SimpleNamespace, chunk: object) -> None:
        written: Written | None = about.trace_request_ctx
        if written is not None:
            written()

    watch = aiohttp.TraceConfig()
    watch.on_request_chunk_sent.append(sent)
    return watch


async def _capped(response: aiohttp.ClientResponse, most: int) -> bytes:
    if (response.content_length or 0) > most:
        raise Unreached(TOO_LARGE)
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > most:
            raise Unreached(TOO_LARGE)
    return bytes(body)


class _Attempt:
    """One call on its way through the forms, and the best that has come of it so far."""

    def __init__(self, call: LeagueMessage, to: Address, dialect: Dialect) -> None:
        self.call = call
        self.to = to
        self._dialect = dialect
        self._message_type = wire_name(type(call))
        self._found: Answered | None = None
        self._tried: list[Receipt | Fault | None] = []
        self.failure = Unreached("no answer that can be read")

    def forms(self) -> list[Form]:
        return self._dialect.forms(self._message_type)

    def refuse_status(self, status: int, answer: Answered | Unusable) -> None:
        """An answer is one whatever its status. Where there is none, some have not heard what they were told."""
        if isinstance(answer, LeagueMessage) and not isinstance(self.call, TOLD):
            return
        if status in BUSY:
            raise Unreached("the peer is busy")
        if 300 <= status < 400:
            raise Unreached("the peer sends us elsewhere")

    def is_settled_by(self, form: Form, answer: Answered | Unusable) -> bool:
        """Whether no other form need be tried. Until some form has worked there, any error may be about the form."""
        if isinstance(answer, Fault) and not self._dialect.is_known and not isinstance(self.call, Ping):
            answer = Unusable(answer)
        if isinstance(answer, Unusable):
            self._tried.append(answer.best)
            return False
        self._found = answer
        if isinstance(self.call, TOLD):
            self._learn_from_told(form, answer)
        elif isinstance(answer, LeagueMessage):
            self._dialect.worked(self._message_type, form)
        return True

    def _learn_from_told(self, form: Form, answer: Answered) -> None:
        if is_refusal(answer):
            self._dialect.refused(self._message_type)
        elif self._tried:
            self._dialect.heard_at_last(self._message_type, form)
        else:  # what anybody says to anything proves nothing
            self._dialect.heard(self._message_type)

    def refused_in_all_forms(self) -> None:
        """A question is put in all forms again the next time; what is only told, now and then."""
        if isinstance(self.call, TOLD):
            self._dialect.refused(self._message_type)

    def result(self) -> Answered:
        """What came of the call, even where it failed in the end."""
        found = self._found or min(self._tried, key=_rank, default=None)
        if found is None:
            raise self.failure
        if isinstance(found, Receipt) and type(self.call) in ANSWERS and not isinstance(self.call, TOLD):
            remark_receipt(self.call, self.to, found)
        return found


def _rank(tried: Receipt | Fault | None) -> int:
    """Of answers that were of no use: a receipt, else an error, else nothing; a receipt for a failure is the last."""
    if isinstance(tried, Receipt):
        return 3 if tried.is_refusal else 0
    return 2 if tried is None else 1
