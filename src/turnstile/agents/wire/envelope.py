"""The envelope of league.v2: sender, time, conversation and token.

Machines make messages without an envelope. `wire_fields` adds it to an outgoing message, with every field that is a
time; the `read_*` functions read the envelopes of other agents. Whole messages are written here only.
"""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import cache
from typing import Any

import msgspec
from msgspec import UNSET

from turnstile.kernel.values import wire_name
from turnstile.league.protocol.management import RefereeRegisterRequest
from turnstile.league.protocol.messages import LeagueMessage, LeagueRegisterRequest
from turnstile.league.protocol.words import CHOICE_SECONDS, Address
from turnstile.league.trust import Claim, claim_of, recipient_token

Fields = dict[str, Any]
"""A JSON object, received or to be sent."""

PROTOCOL = "league.v2"
LONGEST_CONVERSATION = 100
ENVELOPE = ("protocol", "message_type", "sender", "timestamp", "conversation_id", "auth_token")

WITH_DEADLINE = ("CHOOSE_PARITY_CALL", "GAME_MOVE_CALL")
"""The calls that say until when an answer counts."""

SHORTEST_EXACT_SECONDS = 2.0
"""Whole seconds cannot express shorter limits, which only leagues with shortened timers have."""

REQUIRED_NULLS = ("reason", "winner", "drawn_number")
"""The fields that league.v2 requires even if their value is null."""

Now = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


class Identity:
    """The address and the token of an agent. Both change when it registers.

    `claim` is the registration request that waits for its answer: a challenge about any other is refused.
    """

    __slots__ = ("auth_token", "claim", "sender")

    def __init__(self, sender: Address, auth_token: str | None = None) -> None:
        self.sender = sender
        self.auth_token = auth_token
        self.claim: Claim | None = None

    def __repr__(self) -> str:
        return f"Identity({self.sender!r})"  # without the token: this may be logged

    def token_for(self, to: str | None) -> str | None:
        """The token to show to a recipient. `None` is the caller that is answered, which may be any agent."""
        return None if self.auth_token is None else recipient_token(self.auth_token, to)

    @contextmanager
    def claiming(self, message: LeagueMessage) -> Iterator[None]:
        """Confirms challenges about a registration request while it waits for its answer."""
        if not isinstance(message, LeagueRegisterRequest | RefereeRegisterRequest):
            yield
            return
        claim = self.claim = claim_of(message)
        try:
            yield
        finally:
            if self.claim is claim:  # no later request has replaced it
                self.claim = None


class Ack(LeagueMessage, frozen=True, tag="ACK", kw_only=True):
    """A receipt where league.v2 defines no answer: `ACKNOWLEDGED`, `IGNORED` with a reason, or `ok` for a post."""

    status: str
    reason: str | msgspec.UnsetType = UNSET


IGNORED = "IGNORED"
POSTED = Ack(status="ok")
"""The receipt for a reply that was posted as a request."""


def ignored(reason: str) -> Ack:
    return Ack(status=IGNORED, reason=reason)


# out


def wire_fields(
    message: LeagueMessage,
    who: Identity,
    conversation: str,
    now: datetime,
    *,
    to: Address | None = None,
    token: str | None = None,
    seconds: float | None = None,
    arrived: datetime | None = None,
) -> Fields:
    """The message with its envelope.

    `to`: the recipient of a call; `None` for a reply. `token`: the token to show in place of the usual one.
    `seconds`: how long an answer counts. `arrived`: when the message arrived to which this is the reply.
    """
    kind = wire_name(type(message))
    whole: Fields = {
        "protocol": PROTOCOL,
        "message_type": kind,
        "sender": who.sender,
        "timestamp": format_time(now),
        "conversation_id": conversation,
    }
    if (token := token or who.token_for(to)) is not None:
        whole["auth_token"] = token
    whole.update(json_value(message))
    if kind in WITH_DEADLINE:
        whole["deadline"] = deadline_after(CHOICE_SECONDS if seconds is None else seconds, now)
    elif kind == "GAME_JOIN_ACK":
        whole["arrival_timestamp"] = format_time(arrived or now)
    elif kind == "GAME_ERROR":
        whole["retry_info"]["next_retry_at"] = whole["timestamp"]  # a retry is sent at once
    elif kind == "LEAGUE_QUERY_RESPONSE" and "standings" not in (whole.get("data") or {}):
        whole.pop("standings")  # the query was about something else: an empty table would be wrong
    return whole


def split_envelope(fields: Fields) -> tuple[Fields, Fields]:
    """The fields of the envelope, and the others."""
    envelope = {name: fields[name] for name in ENVELOPE if name in fields}
    return envelope, {name: value for name, value in fields.items() if name not in ENVELOPE}


def json_value(value: Any) -> Any:
    """A value as JSON. Optional fields that are unset or null are left out."""
    if isinstance(value, msgspec.Struct):
        found = {}
        for name, encoded, is_optional in _fields(type(value)):
            held = getattr(value, name)
            if held is not UNSET and not (held is None and is_optional):
                found[encoded] = json_value(held)
        return found
    if isinstance(value, msgspec.Raw):
        return msgspec.json.decode(value)
    if isinstance(value, dict):
        return {str(key): json_value(held) for key, held in value.items()}
    if isinstance(value, tuple | list):
        return [json_value(held) for held in value]
    return value.value if isinstance(value, Enum) else value


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[tuple[str, str, bool], ...]:
    """Each field, its name on the wire, and whether a null may be left out."""
    return tuple(
        (field.name, field.encode_name, field.default is None and field.name not in REQUIRED_NULLS)
        for field in msgspec.structs.fields(kind)
    )


def format_time(moment: datetime) -> str:
    """A time in whole seconds with `Z`: every agent reads this form."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def deadline_after(seconds: float, now: datetime) -> str:
    """The end of a limit, rounded down to whole seconds. A limit too short for that gets one second more."""
    end = now + timedelta(seconds=seconds)
    return format_time(end if seconds >= SHORTEST_EXACT_SECONDS else end + timedelta(seconds=1))


def new_conversation() -> str:
    return f"conv-{secrets.token_hex(8)}"


# in


def read_time(text: str) -> datetime | None:
    """A time in UTC in any form of ISO 8601; `None` for anything else."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.utcoffset() == timedelta(0) else None


def read_sender(sender: object) -> Address | None:
    """The sender that a message names. Some agents write `players:P07` for `player:P07`."""
    if not isinstance(sender, str) or not sender:
        return None
    kind, colon, name = sender.partition(":")
    return Address(f"{kind.removesuffix('s')}:{name}" if colon and kind in ("players", "referees") else sender)


def read_conversation(conversation: object) -> str:
    """The conversation that a message names, or a new one."""
    is_valid = isinstance(conversation, str) and 0 < len(conversation) <= LONGEST_CONVERSATION
    return str(conversation) if is_valid else new_conversation()
