"""One exchange: the bytes of a request become a league message, and what the agent says to it becomes bytes again."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

import msgspec

from turnstile.agents.wire.envelope import Identity, Now, read_sender, utc_now, wire_fields
from turnstile.agents.wire.incoming import Incoming, conversation_of, understand
from turnstile.agents.wire.mcp import Tools
from turnstile.agents.wire.remarks import remark
from turnstile.agents.wire.rpc import (
    INTERNAL_ERROR,
    PARSE_ERROR,
    TOO_BUSY,
    Fault,
    Fields,
    Misframed,
    Request,
    Shape,
    Unreadable,
    error_frame,
    is_response,
    parse,
    read_post,
    read_request,
    result_frame,
)
from turnstile.kernel.values import wire_name
from turnstile.league.protocol.management import LeagueError
from turnstile.league.protocol.messages import LeagueMessage
from turnstile.league.trust import LeagueChallenge, answer_challenge
from turnstile.net.limits import Quota

logger = logging.getLogger(__name__)

Reply = LeagueMessage | Fault
"""What an agent says to a message: another one, an `Ack` among them, or an error."""
Handler = Callable[[Incoming], Awaitable[Reply]]

LONGEST_ACCOUNT = 100
NOT_MINE = Fault(4002, "No agent of that name is registering from here")

OK, ACCEPTED, NO_CONTENT, BAD_REQUEST, TOO_MANY = 200, 202, 204, 400, 429


class Answer(msgspec.Struct, frozen=True):
    """What goes back over HTTP. `wait`: after how many seconds to ask again."""

    status: int
    body: Fields | None = None
    wait: float = 0


class Exchange:
    """How an agent answers, whatever the bytes. `takes` are the messages that `handle` is given."""

    def __init__(
        self,
        who: Identity,
        takes: Sequence[type[LeagueMessage]],
        handle: Handler,
        *,
        quota: Quota | None = None,
        now: Now = utc_now,
    ) -> None:
        kinds: tuple[type[LeagueMessage], ...] = (*takes, LeagueChallenge)
        self.who = who
        self.kinds = {wire_name(kind): kind for kind in kinds}
        self.handle = handle
        self.quota = quota
        self.now = now
        self.tools = Tools(f"turnstile {who.sender.partition(':')[0]}", kinds)

    async def answer(self, body: bytes, peer: str, posted: str | None = None) -> Answer:
        """What to say to a body that came from `peer`. `posted`: what it is, where it need not say so itself."""
        try:
            value = parse(body)
            if posted is None and is_response(value):
                remark(f"An answer from {peer} that nobody waits for: answers are posted as requests")
                return Answer(ACCEPTED)
            request = read_request(value) if posted is None else read_post(value, posted)
        except Unreadable:
            return Answer(BAD_REQUEST, error_frame(None, PARSE_ERROR, "Parse error"))
        if isinstance(request, Misframed):
            fault = request.fault
            return Answer(OK, error_frame(request.id, fault.code, fault.message))
        wait = 0.0 if self.quota is None else self.quota.wait_of(_account(request, peer))
        if wait:
            return Answer(TOO_MANY, error_frame(request.id, TOO_BUSY, "Too many requests"), wait)
        return await self._answered(request, peer)

    async def _answered(self, request: Request, peer: str) -> Answer:
        known = self.tools.answer(request)
        if known is not None:
            return Answer(OK, result_frame(request, known)) if request.wants_answer else Answer(ACCEPTED)
        arrived, conversation = self.now(), conversation_of(request)
        reply = await self._said(request, peer, conversation)
        if not request.wants_answer:
            return Answer(NO_CONTENT)
        return Answer(OK, self._framed(request, reply, conversation, arrived))

    async def _said(self, request: Request, peer: str, conversation: str) -> Reply:
        """What the agent says; a fault of its own, if it breaks down over it. Nobody outside learns how."""
        try:
            incoming = understand(request, self.kinds, peer, conversation)
            if isinstance(incoming, Fault):
                by = read_sender(request.fields.get("sender")) or peer
                remark(f"A request from {by} is answered with {incoming.message}", f"{request.method!r:.60}")
                return incoming
            if isinstance(incoming.message, LeagueChallenge):
                return answer_challenge(incoming.message, self.who.claim) or NOT_MINE
            return await self.handle(incoming)
        except Exception:
            logger.exception("no answer to %.60r from %s", request.method, peer)
            return Fault(INTERNAL_ERROR, "Internal error")

    def _framed(self, request: Request, reply: Reply, conversation: str, arrived: datetime) -> Fields:
        def enveloped(message: LeagueMessage) -> Fields:
            return wire_fields(message, self.who, conversation, self.now(), arrived=arrived)

        if isinstance(reply, LeagueMessage):
            return result_frame(request, enveloped(reply))
        if request.shape in (Shape.BARE, Shape.NESTED):
            return result_frame(request, enveloped(_as_message(reply)))
        data = enveloped(reply.data) if isinstance(reply.data, LeagueMessage) else reply.data
        return error_frame(request.id, reply.code, reply.message, data)


def _as_message(fault: Fault) -> LeagueMessage:
    """An error for those who know no JSON-RPC."""
    if isinstance(fault.data, LeagueMessage):
        return fault.data
    named = ", ".join((fault.data or {}).get("fields", ()))
    return LeagueError(
        error_code=str(fault.code),
        error_name=fault.message,
        error_description=fault.message,
        context={"fields": named} if named else {},
    )


def _account(request: Request, peer: str) -> tuple[str, str]:
    """On whose account a request goes. Many agents live at one address, and none can spend for another's token."""
    named = request.fields.get("auth_token") or request.fields.get("sender")
    return peer, named[:LONGEST_ACCOUNT] if isinstance(named, str) else ""
