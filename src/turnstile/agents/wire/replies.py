"""What the answer of another agent to a call means: a typed reply, an error, a receipt, or nothing of use.

After a receipt the answer may still be posted as a request. After an answer of no use another form of the call may
work. The caller knows whom it asked: a reply gets the ids of the call, whatever ids it has itself. JSON-RPC ids and
tokens of answers are not checked.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from turnstile.agents.wire.envelope import IGNORED, Fields
from turnstile.agents.wire.lenient import LONGEST_TEXT, read_message
from turnstile.agents.wire.remarks import remark
from turnstile.agents.wire.rpc import INTERNAL_ERROR, PARSE_ERROR, Fault
from turnstile.kernel.values import wire_name
from turnstile.league.protocol.management import ALL_REPLIES, Ping, RefereeRegisterRequest
from turnstile.league.protocol.messages import (
    ACKNOWLEDGED,
    GameError,
    GameOver,
    LeagueCompleted,
    LeagueCompletedAck,
    LeagueMessage,
    LeagueRegisterRequest,
    LeagueStandingsUpdate,
    MatchResultReport,
    RoundAnnouncement,
    RoundAnnouncementAck,
    RoundCompleted,
    RoundCompletedAck,
    StandingsUpdateAck,
)
from turnstile.league.protocol.words import Address, Registration
from turnstile.league.trust import LeagueChallenge, LeagueChallengeResponse
from turnstile.net.strict_json import Unreadable, parse

ANSWERS: dict[type[Any], type[LeagueMessage]] = {**ALL_REPLIES, LeagueChallenge: LeagueChallengeResponse}
"""The reply to each call."""

NOTIFICATIONS = (Ping, RoundAnnouncement, LeagueStandingsUpdate, RoundCompleted, LeagueCompleted, GameOver, GameError)
"""The notifications: any answer means that they were received."""

_RECEIVED = ("RECEIVED", "PENDING", "PROCESSING", "QUEUED", ACKNOWLEDGED)
UNDERSTOOD = (*_RECEIVED, IGNORED)
"""The status of a receipt by which the peer has understood the call: another form would only ask it twice."""
POSTS_FOLLOW = ("", *_RECEIVED, "ACK", "ACCEPTED", "OK", "SUCCESS")
"""The status of a receipt after which the answer may be posted."""

NOT_UNDERSTOOD = range(PARSE_ERROR, -32599)
"""The JSON-RPC errors for a request that cannot be read: another form may work."""
NOT_THERE = (404, 405, 422)
"""The HTTP statuses that mean the same, whatever error comes with them."""
EMPTY_RECEIPTS = (202, 204)
"""The HTTP statuses that are a receipt whatever the body is. Any other success is one if the body is empty."""

REGISTRATION_ERRORS = {
    1001: "League full",
    1002: "Endpoint unreachable",
    1003: "Game not supported",
    2001: "League full",
    2002: "Duplicate name",
    2003: "Endpoint unreachable",
    2004: "Game not supported",
}
"""Rejections that some managers send as errors."""


class Receipt(msgspec.Struct, frozen=True):
    """The peer answered, but not with the reply. It may post the reply later."""

    status: int
    text: str = ""
    is_tool_error: bool = False
    """An MCP tool failed. Some servers answer this for tools that they do not have."""

    @property
    def is_refusal(self) -> bool:
        return self.status >= 400 or self.is_tool_error

    @property
    def announces_a_post(self) -> bool:
        """Whether it only says that the call was received, so that the answer may be posted."""
        return not self.is_refusal and self.text.strip().upper() in POSTS_FOLLOW


class Unusable(msgspec.Struct, frozen=True):
    """An answer after which another form is worth a try. `best` is the result if no form does better."""

    best: Receipt | Fault | None = None
    """`None` if the answer is not a JSON object."""


Answered = LeagueMessage | Receipt | Fault


def read_reply(call: LeagueMessage, to: Address, status: int, data: bytes) -> Answered | Unusable:
    """The meaning of the HTTP answer to a call."""
    body = _read_body(data)
    fields = body if isinstance(body, dict) else {}
    fault = _fault_in(fields)
    if fault is not None:
        return _classify_fault(call, status, fault)
    receipt = Receipt(status, _status_in(fields), _is_tool_error(fields))
    if isinstance(call, NOTIFICATIONS):
        return _read_notified(call, to, fields, receipt)
    if not isinstance(body, dict):
        is_receipt = status in EMPTY_RECEIPTS or (status < 300 and not data.strip())
        return Unusable(receipt if is_receipt else None)
    return _read_answer(call, to, fields, receipt)


def _read_notified(call: LeagueMessage, to: Address, fields: Fields, receipt: Receipt) -> Answered | Unusable:
    """The answer to a notification. A ping is answered even by a refusal: the peer is there."""
    if receipt.is_refusal:
        return receipt if isinstance(call, Ping) else Unusable(receipt)
    expected = wire_name(ANSWERS[type(call)])
    is_typed = any(place.get("message_type") == expected for place in _objects(fields))
    return _acknowledge(call, to, receipt.text or ACKNOWLEDGED) if is_typed else receipt


def _read_answer(call: LeagueMessage, to: Address, fields: Fields, receipt: Receipt) -> Answered | Unusable:
    if receipt.is_tool_error:
        return Unusable(receipt)
    if type(call) not in ANSWERS:
        return receipt  # the call was a post
    if isinstance(call, MatchResultReport) and "result" not in fields and "message_type" not in fields:
        return Unusable(receipt)  # any result acknowledges a report, but there must be one
    for place in _objects(fields):
        if place.get("message_type") == "ACK" and place.get("status") == IGNORED:
            break
        found = _typed_reply(call, to, place)
        if found is not None:
            return found
    return receipt if receipt.text.upper() in UNDERSTOOD else Unusable(receipt)


def remark_receipt(call: LeagueMessage, to: Address, receipt: Receipt) -> None:
    """Logs that a peer answered with a receipt only: it may post its answer, or take the receipt for one."""
    kind, word = wire_name(type(call)), f", status={receipt.text!r:.60}" if receipt.text else ""
    if receipt.announces_a_post or receipt.text.upper() in UNDERSTOOD:
        remark(f"Received a receipt for {kind} from {to}", f"HTTP {receipt.status}{word}")
    else:
        remark(f"{to} answers {kind} with neither what was asked nor an error", f"HTTP {receipt.status}{word}")


def is_refusal(answer: Answered) -> bool:
    """Whether an answer is an error, or a receipt with the status of one."""
    return isinstance(answer, Fault) or (isinstance(answer, Receipt) and answer.is_refusal)


def summary_of(answer: Receipt | Fault) -> str:
    """An answer that is not a message, in a word or two."""
    if isinstance(answer, Fault):
        return f"error {answer.code}"
    return "tool error" if answer.is_tool_error else f"HTTP {answer.status}"


def detail_of(answer: Receipt | Fault) -> str:
    """The peer's own words in such an answer."""
    return answer.message if isinstance(answer, Fault) else answer.text


# bodies


def _read_body(data: bytes) -> Any:
    """The JSON value of a body, or of the last event of an event stream, as MCP servers may send; else `None`."""
    events = [line.removeprefix(b"data:") for line in data.splitlines() if line.startswith(b"data:")]
    with suppress(Unreadable):
        return parse(events[-1] if events else data)
    return None


def _objects(body: Fields) -> Iterator[Fields]:
    """The objects that may be the message, in the order in which they are tried."""
    for place in (body.get("result"), body.get("params") if "method" in body else None, body):
        if isinstance(place, dict):
            yield place
            yield from (inner for inner in _inner(place) if isinstance(inner, dict))


def _inner(place: Fields) -> Iterator[Any]:
    yield place.get("structuredContent")
    content = place.get("content")
    if isinstance(content, list) and content and isinstance(content[0], dict):
        text = content[0].get("text")
        if isinstance(text, str):
            with suppress(Unreadable):  # prose: the message may still be in another place
                yield parse(text.encode())
    yield place.get("data")
    yield place.get("message")


def _is_tool_error(body: Fields) -> bool:
    result = body.get("result")
    return isinstance(result, dict) and result.get("isError") is True


def _status_in(body: Fields) -> str:
    """The first status in an answer."""
    found = (fields["status"] for fields in _objects(body) if isinstance(fields.get("status"), str))
    return str(next(found, ""))[:LONGEST_TEXT]


# errors


def _fault_in(body: Fields) -> Fault | None:
    """The error in an answer, unless it is null. Some agents send a LEAGUE_ERROR as the result instead."""
    error, result = body.get("error"), body.get("result")
    if not error or body.get("message_type") is not None:
        told = result if isinstance(result, dict) else body
        return _league_error_fault(told) if told.get("message_type") == "LEAGUE_ERROR" else None
    if not isinstance(error, dict):
        return Fault(INTERNAL_ERROR, str(error)[:LONGEST_TEXT])
    code, data = error.get("code"), error.get("data")
    text = str(error.get("message", ""))[:LONGEST_TEXT]
    return Fault(code if type(code) is int else INTERNAL_ERROR, text, data if isinstance(data, dict) else None)


def _league_error_fault(told: Fields) -> Fault:
    """`E012` is 12. A JSON-RPC code, which agents without JSON-RPC send in this way, is kept."""
    code = str(told.get("error_code", "")).strip().upper().removeprefix("E")
    name = str(told.get("error_name") or told.get("error_description") or "")[:LONGEST_TEXT]
    return Fault(int(code) if re.fullmatch(r"-?[0-9]{1,6}", code) else INTERNAL_ERROR, name, told)


def _classify_fault(call: LeagueMessage, status: int, fault: Fault) -> Answered | Unusable:
    """A rejection, an answer, or a sign that the peer did not understand. To a ping any error is an answer."""
    if isinstance(call, LeagueRegisterRequest | RefereeRegisterRequest) and fault.code in REGISTRATION_ERRORS:
        remark(f"{wire_name(type(call))} is rejected with error {fault.code}", fault.message)
        rejected = {"status": Registration.REJECTED, "reason": REGISTRATION_ERRORS[fault.code]}
        return read_message(ANSWERS[type(call)], rejected)
    is_not_understood = fault.code in NOT_UNDERSTOOD or status in NOT_THERE
    return Unusable(fault) if is_not_understood and not isinstance(call, Ping) else fault


# replies


def _typed_reply(call: LeagueMessage, to: Address, fields: Fields) -> LeagueMessage | None:
    """The reply in these fields, if they are one."""
    kind = ANSWERS[type(call)]
    if wire_name(kind) == "GAME_MOVE_RESPONSE" and not fields.keys() & {"move_data", "choice"}:
        return None  # a move that cannot be read is a reply; a missing move is not
    ids = _ids(call, to)
    found = read_message(kind, {**fields, **ids})
    if isinstance(found, Fault):
        return None
    if "player_id" in ids and "player_id" in kind.__struct_fields__:
        _compare_ids(wire_name(kind), to, fields.get("player_id"), ids["player_id"])
    return found


def _compare_ids(kind: str, to: Address, told: object, asked: str) -> None:
    """Logs a reply with another id, or without one."""
    if told is None:
        remark(f"{kind} from {to} without player_id")
    elif told != asked:
        remark(f"{kind} from {to} with another player_id", f"{told!r:.60}")


def _ids(call: LeagueMessage, to: Address) -> Fields:
    """The ids that every reply to a call has."""
    role, _, name = to.partition(":")
    ids = {
        field: value
        for field in ("match_id", "round_id", "move_number")
        if (value := getattr(call, field, None)) is not None
    }
    if isinstance(call, LeagueRegisterRequest | RefereeRegisterRequest):
        return ids  # the reply assigns the id
    if role == "referee" and isinstance(call, RoundAnnouncement | LeagueCompleted | Ping):
        return {**ids, "referee_id": name}
    return {**ids, "player_id": name} if name else ids


# acknowledgements


def acknowledgement(call: LeagueMessage, to: Address, answer: Answered) -> LeagueMessage | None:
    """The acknowledgement of a notification that an answer stands for. Its status says which answer came.

    `None` if a referee refuses its matches: it has received them but not accepted them, and is told again.
    """
    if isinstance(answer, LeagueMessage):
        return answer
    if not is_refusal(answer):
        return _acknowledge(call, to, ACKNOWLEDGED)
    is_assignment = isinstance(call, RoundAnnouncement) and to.startswith("referee:")
    return None if is_assignment else _acknowledge(call, to, summary_of(answer))


def _acknowledge(call: LeagueMessage, to: Address, status: str) -> LeagueMessage:
    """The acknowledgement of a notification, on behalf of its recipient."""
    found = read_message(ANSWERS[type(call)], {"status": status, **_ids(call, to)})
    assert not isinstance(found, Fault), f"an acknowledgement has only ids and a status, not {found}"
    return found


PostedAck = RoundAnnouncementAck | StandingsUpdateAck | RoundCompletedAck | LeagueCompletedAck
"""The acknowledgements that some agents post to the manager as requests."""
UNAWAITED_ACKS = (StandingsUpdateAck, RoundCompletedAck)
"""The acknowledgements that the manager only logs."""
A = TypeVar("A", bound=PostedAck)


def sign_ack(agent: Address, ack: A) -> A | None:
    """A posted acknowledgement with the id of the agent that sent it; `None` if it names another agent."""
    role, _, name = agent.partition(":")
    own = f"{role}_id"
    named = {field: getattr(ack, field, UNSET) for field in ("player_id", "referee_id")}
    if any(held and (field, held) != (own, name) for field, held in named.items()):
        return None
    return replace(ack, **{own: name})
