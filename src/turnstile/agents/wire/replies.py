"""What others answer, and what is meant by it. Every answer is one of five things.

A typed reply, an error that is an answer, a receipt after which the answer may still come as a post of its own; or
nothing of use, in which case another form of the question may do better; or, from who is too busy, nothing at all.
Who answers is known from the exchange, so the ids of a reply are those of the call, whatever it says itself. Ids of
JSON-RPC and tokens are not looked at.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec

from turnstile.agents.wire.envelope import IGNORED
from turnstile.agents.wire.lenient import read_message
from turnstile.agents.wire.remarks import remark
from turnstile.agents.wire.rpc import INTERNAL_ERROR, PARSE_ERROR, Fault, Fields, Unreadable, parse
from turnstile.kernel.values import wire_name
from turnstile.league.protocol.management import ALL_REPLIES, Ping, RefereeRegisterRequest
from turnstile.league.protocol.messages import (
    ACKNOWLEDGED,
    GameError,
    GameOver,
    LeagueCompleted,
    LeagueMessage,
    LeagueRegisterRequest,
    LeagueStandingsUpdate,
    MatchResultReport,
    RoundAnnouncement,
    RoundCompleted,
)
from turnstile.league.protocol.words import Address, Registration
from turnstile.league.trust import LeagueChallenge, LeagueChallengeResponse

ANSWERS: dict[type[Any], type[LeagueMessage]] = {**ALL_REPLIES, LeagueChallenge: LeagueChallengeResponse}
"""What answers what."""

TOLD = (Ping, RoundAnnouncement, LeagueStandingsUpdate, RoundCompleted, LeagueCompleted, GameOver, GameError)
"""What is only told: any answer at all means that it was heard."""

RECEIVED = ("RECEIVED", "PENDING", "PROCESSING", "QUEUED", ACKNOWLEDGED, IGNORED)
"""Receipts that say so: the peer has understood, and another form would only ask it twice."""

NOT_UNDERSTOOD = range(PARSE_ERROR, -32599)
"""The errors by which JSON-RPC itself says that a request cannot be read: another form may be."""
NOT_THERE = (404, 405, 422)
"""The statuses that say the same, whatever error comes with them."""
EMPTY_RECEIPTS = (202, 204)
"""The statuses that are a receipt whatever comes with them. Any other success is one, too, if nothing comes."""
POSTS_FOLLOW = ("", "RECEIVED", "PENDING", "PROCESSING", "QUEUED", ACKNOWLEDGED, "ACK", "ACCEPTED", "OK", "SUCCESS")
"""What a receipt says after which the answer may be posted: that the question was received, or nothing at all."""

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

LONGEST_TEXT = 200


class Receipt(msgspec.Struct, frozen=True):
    """The peer has answered, but not said what it was asked. Perhaps it will post it."""

    status: int
    text: str = ""
    is_tool_error: bool = False
    """It says that a tool of MCP has failed, by which some servers answer to tools that they do not have."""

    @property
    def is_refusal(self) -> bool:
        return self.status >= 400 or self.is_tool_error

    @property
    def announces_a_post(self) -> bool:
        """Whether it says no more than that the question was received, so that the answer may be posted."""
        return not self.is_refusal and self.text.strip().upper() in POSTS_FOLLOW


class Unusable(msgspec.Struct, frozen=True):
    """An answer after which another form is worth a try. `best` is what it comes to, if none does better."""

    best: Receipt | Fault | None = None
    """Nothing at all, for what is no JSON object."""


Answered = LeagueMessage | Receipt | Fault


def read_reply(call: LeagueMessage, to: Address, status: int, data: bytes) -> Answered | Unusable:
    """What the HTTP answer to a call means."""
    body = _read(data)
    if isinstance(call, TOLD):
        return _heard(call, to, status, body)
    if not isinstance(body, dict):
        is_receipt = status in EMPTY_RECEIPTS or (status < 300 and not data.strip())
        return Unusable(Receipt(status) if is_receipt else None)
    fault = _fault_of(body)
    if fault is not None:
        return _refused(call, status, fault)
    if _is_tool_error(body):
        return Unusable(Receipt(status, _word(body), is_tool_error=True))
    if type(call) not in ANSWERS:
        return Receipt(status, _word(body))  # a post
    if isinstance(call, MatchResultReport) and "result" not in body and "message_type" not in body:
        return Unusable(Receipt(status, _word(body)))  # for this any result will do, but a result it must be
    for fields in _objects(body):
        if fields.get("message_type") == "ACK" and fields.get("status") == IGNORED:
            break
        found = _typed(call, to, fields)
        if found is not None:
            return found
    receipt = Receipt(status, _word(body))
    return receipt if receipt.text.upper() in RECEIVED else Unusable(receipt)


def _read(data: bytes) -> Any:
    """What a body says; of a stream of events, as MCP servers may send it, the last one. `None` for anything else."""
    events = [line.removeprefix(b"data:") for line in data.splitlines() if line.startswith(b"data:")]
    with suppress(Unreadable):  # what is no JSON says nothing
        return parse(events[-1] if events else data)
    return None


def _heard(call: LeagueMessage, to: Address, status: int, body: Any) -> Answered | Unusable:
    """What is answered to a broadcast. Where it was not understood, another form may be.

    An error of the peer's own was understood, but shows nothing of how it wants to be spoken to. To a ping any answer
    will do: an error, too, says that the peer is there.
    """
    fields = body if isinstance(body, dict) else {}
    fault = _fault_of(fields)
    if fault is not None:
        return fault if isinstance(call, Ping) else _refused(call, status, fault)
    receipt = Receipt(status, _word(fields), _is_tool_error(fields))
    if receipt.is_refusal:
        return receipt if isinstance(call, Ping) else Unusable(receipt)
    expected = wire_name(ANSWERS[type(call)])
    is_typed = any(place.get("message_type") == expected for place in _objects(fields))
    return acknowledged(call, to, receipt.text or ACKNOWLEDGED) if is_typed else receipt


def _is_tool_error(body: Fields) -> bool:
    result = body.get("result")
    return isinstance(result, dict) and result.get("isError") is True


def remark_receipt(call: LeagueMessage, to: Address, receipt: Receipt) -> None:
    """Say that somebody has answered nothing but a receipt: it may post its answer, or think that this was one."""
    kind, word = wire_name(type(call)), f", status={receipt.text!r:.60}" if receipt.text else ""
    if receipt.announces_a_post or receipt.text.upper() in RECEIVED:
        remark(f"Received a receipt for {kind} from {to}", f"HTTP {receipt.status}{word}")
    else:
        remark(f"{to} answers {kind} with neither what was asked nor an error", f"HTTP {receipt.status}{word}")


def acknowledgement(call: LeagueMessage, to: Address, answer: Answered) -> LeagueMessage | None:
    """The acknowledgement that an answer to a broadcast stands for: any answer does, and its status says which came.

    `None` for a referee that refuses its matches: it has heard of them, but has not taken them, and is told again.
    """
    if isinstance(answer, LeagueMessage):
        return answer
    if not is_refusal(answer):
        return acknowledged(call, to, ACKNOWLEDGED)
    is_assignment = isinstance(call, RoundAnnouncement) and to.startswith("referee:")
    return None if is_assignment else acknowledged(call, to, summary_of(answer))


def is_refusal(answer: Answered) -> bool:
    """Whether an answer refuses what was said: with an error, with the status of one, or with the failure of a tool."""
    return isinstance(answer, Fault) or (isinstance(answer, Receipt) and answer.is_refusal)


def summary_of(answer: Receipt | Fault) -> str:
    """What came that is no message, in a word or two."""
    if isinstance(answer, Fault):
        return f"error {answer.code}"
    return "tool error" if answer.is_tool_error else f"HTTP {answer.status}"


def detail_of(answer: Receipt | Fault) -> str:
    """What the peer says beside that, in its own words."""
    return answer.message if isinstance(answer, Fault) else answer.text


def acknowledged(call: LeagueMessage, to: Address, status: str) -> LeagueMessage:
    """The acknowledgement of a call that is only told, on behalf of the agent that it was told to."""
    found = read_message(ANSWERS[type(call)], {"status": status, **_ids(call, to)})
    assert not isinstance(found, Fault), f"an acknowledgement has ids and a status alone, not {found}"
    return found


# errors


def _fault_of(body: Fields) -> Fault | None:
    """The error in an answer; one that is null is none. Some send a LEAGUE_ERROR as the result instead."""
    error, result = body.get("error"), body.get("result")
    if not error or body.get("message_type") is not None:
        told = result if isinstance(result, dict) else body
        return _league_error(told) if told.get("message_type") == "LEAGUE_ERROR" else None
    if not isinstance(error, dict):
        return Fault(INTERNAL_ERROR, str(error)[:LONGEST_TEXT])
    code, data = error.get("code"), error.get("data")
    text = str(error.get("message", ""))[:LONGEST_TEXT]
    return Fault(code if type(code) is int else INTERNAL_ERROR, text, data if isinstance(data, dict) else None)


def _league_error(told: Fields) -> Fault:
    """`E012` is 12. One of JSON-RPC's own, told without JSON-RPC, is what it is."""
    code = str(told.get("error_code", "")).strip().upper().removeprefix("E")
    name = str(told.get("error_name") or told.get("error_description") or "")[:LONGEST_TEXT]
    return Fault(int(code) if re.fullmatch(r"-?[0-9]{1,6}", code) else INTERNAL_ERROR, name, told)


def _refused(call: LeagueMessage, status: int, fault: Fault) -> Answered | Unusable:
    if isinstance(call, LeagueRegisterRequest | RefereeRegisterRequest) and fault.code in REGISTRATION_ERRORS:
        remark(f"{wire_name(type(call))} is rejected with error {fault.code}", fault.message)
        rejected = {"status": Registration.REJECTED, "reason": REGISTRATION_ERRORS[fault.code]}
        return read_message(ANSWERS[type(call)], rejected)
    return Unusable(fault) if fault.code in NOT_UNDERSTOOD or status in NOT_THERE else fault


# replies


def _objects(body: Fields) -> Iterator[Fields]:
    """Where the message can be, in the order in which it is looked for."""
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
            with suppress(Unreadable):  # prose; the message may still be elsewhere
                yield parse(text.encode())
    yield place.get("data")
    yield place.get("message")


def _typed(call: LeagueMessage, to: Address, fields: Fields) -> LeagueMessage | None:
    """The reply in these fields, if they have what makes one."""
    kind = ANSWERS[type(call)]
    if wire_name(kind) == "GAME_MOVE_RESPONSE" and not fields.keys() & {"move_data", "choice"}:
        return None  # a move that cannot be read is one; no move is none
    ids = _ids(call, to)
    found = read_message(kind, {**fields, **ids})
    if isinstance(found, Fault):
        return None
    if "player_id" in ids and "player_id" in kind.__struct_fields__:
        _compare(wire_name(kind), to, fields.get("player_id"), ids["player_id"])
    return found


def _compare(kind: str, to: Address, told: object, asked: str) -> None:
    """Who answers is known; that it says otherwise, or does not say it, is only noted."""
    if told is None:
        remark(f"{kind} from {to} without player_id")
    elif told != asked:
        remark(f"{kind} from {to} with another player_id", f"{told!r:.60}")


def _ids(call: LeagueMessage, to: Address) -> Fields:
    """The ids that every reply to a call has."""
    kind, _, name = to.partition(":")
    ids = {
        field: value
        for field in ("match_id", "round_id", "move_number")
        if (value := getattr(call, field, None)) is not None
    }
    if isinstance(call, LeagueRegisterRequest | RefereeRegisterRequest):
        return ids  # here it is the reply that gives one
    if kind == "referee" and isinstance(call, RoundAnnouncement | LeagueCompleted | Ping):
        return {**ids, "referee_id": name}
    return {**ids, "player_id": name} if name else ids


def _word(body: Fields) -> str:
    """The status that an answer has to offer, wherever that stands."""
    for fields in _objects(body):
        if isinstance(fields.get("status"), str):
            return str(fields["status"])[:LONGEST_TEXT]
    return ""
