"""One exchange: reads a league message from the bytes of a request, and writes the agent's reply as bytes."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

import msgspec

from turnstile.agents.wire.envelope import (
    Fields,
    Identity,
    Now,
    read_conversation,
    read_sender,
    utc_now,
    wire_fields,
)
from turnstile.agents.wire.incoming import Incoming, read_incoming
from turnstile.agents.wire.mcp import Tools
from turnstile.agents.wire.remarks import remark
from turnstile.agents.wire.rpc import (
    INTERNAL_ERROR,
    PARSE_ERROR,
    TOO_BUSY,
    Fault,
    InvalidRequest,
    Request,
    Shape,
    error_frame,
    is_response,
    read_post,
    read_request,
    result_frame,
)
from turnstile.kernel.values import wire_name
from turnstile.league.protocol.management import LeagueError
from turnstile.league.protocol.messages import LeagueMessage
from turnstile.league.trust import LeagueChallenge, answer_challenge
from turnstile.net.limits import Quota
from turnstile.net.strict_json import Unreadable, parse

logger = logging.getLogger(__name__)

Reply = LeagueMessage | Fault
"""What an agent replies to a message: another message, which may be an `Ack`, or an error."""
Handler = Callable[[Incoming], Awaitable[Reply]]

LONGEST_ACCOUNT = 100
NOT_MINE = Fault(4002, "No agent of that name is registering from here")

OK, ACCEPTED, NO_CONTENT, BAD_REQUEST, TOO_MANY = 200, 202, 204, 400, 429


class Answer(msgspec.Struct, frozen=True):
    """An HTTP answer. `wait`: the seconds after which the caller should try again."""

    status: int
    body: Fields | None = None
    wait: float = 0


class Exchange:
    """Answers the requests of an agent. `takes` are the messages that are passed to `handle`."""

    def __init__(
        self,
        who: Identity,
        takes: Sequence[type[LeagueMessage]],
        handle: Handler,
        *,
        quota: Quota,
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
        """The answer to a body from `peer`. `posted`: the message type that the path stands for, if it does."""
        try:
            value = parse(body)
            if posted is None and is_response(value):
                remark(f"An answer from {peer} that no request waits for: answers must be posted as requests")
                return Answer(ACCEPTED)
            request = read_request(value) if posted is None else read_post(value, posted)
        except Unreadable:
            return Answer(BAD_REQUEST, error_frame(None, PARSE_ERROR, "Parse error"))
        except InvalidRequest as invalid:
            return Answer(OK, invalid.frame)
        wait = self.quota.wait_of(_account(request, peer))
        if wait:
            return Answer(TOO_MANY, error_frame(request.id, TOO_BUSY, "Too many requests"), wait)
        return await self._answer_request(request, peer)

    async def _answer_request(self, request: Request, peer: str) -> Answer:
        result = self.tools.answer(request)
        if result is not None:
            return Answer(OK, result_frame(request, result)) if request.wants_answer else Answer(ACCEPTED)
        arrived, conversation = self.now(), read_conversation(request.fields.get("conversation_id"))
        reply = await self._reply_to(request, peer, conversation)
        if not request.wants_answer:
            return Answer(NO_CONTENT)
        return Answer(OK, self._frame(request, reply, conversation, arrived))

    async def _reply_to(self, request: Request, peer: str, conversation: str) -> Reply:
        """The agent's reply. A bug is logged, and answered without details."""
        try:
            incoming = read_incoming(request, self.kinds, peer, conversation)
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

    def _frame(self, request: Request, reply: Reply, conversation: str, arrived: datetime) -> Fields:
        def add_envelope(message: LeagueMessage) -> Fields:
            return wire_fields(message, self.who, conversation, self.now(), arrived=arrived)

        if isinstance(reply, LeagueMessage):
            return result_frame(request, add_envelope(reply))
        if request.shape in (Shape.BARE, Shape.NESTED):
            return result_frame(request, add_envelope(_error_message(reply)))
        data = add_envelope(reply.data) if isinstance(reply.data, LeagueMessage) else reply.data
        return error_frame(request.id, reply.code, reply.message, data)


def _error_message(fault: Fault) -> LeagueMessage:
    """An error for agents that do not use JSON-RPC."""
    if isinstance(fault.data, LeagueMessage):
        return fault.data
    names = ", ".join((fault.data or {}).get("fields", ()))
    return LeagueError(
        error_code=str(fault.code),
        error_name=fault.message,
        error_description=fault.message,
        context={"fields": names} if names else {},
    )


def _account(request: Request, peer: str) -> tuple[str, str]:
    """The quota that a request uses: one for each token at each address, so that no agent uses that of another."""
    name = request.fields.get("auth_token") or request.fields.get("sender")
    return peer, name[:LONGEST_ACCOUNT] if isinstance(name, str) else ""
