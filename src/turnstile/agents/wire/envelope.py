"""The envelope of league.v2: who says something, when, and in which conversation.

A machine makes messages without it. `wire_fields` puts it on when one goes out, with everything else that is a time;
`read_time` reads the times of others. Whole messages are written here and nowhere else.
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

PROTOCOL = "league.v2"
LONGEST_CONVERSATION = 100
ENVELOPE = ("protocol", "message_type", "sender", "timestamp", "conversation_id", "auth_token")

WITH_DEADLINE = ("CHOOSE_PARITY_CALL", "GAME_MOVE_CALL")
"""The calls that say until when an answer counts."""

SHORTEST_WRITTEN = 2.0
"""Seconds. Whole seconds cannot tell shorter limits, which only leagues with shortened timers have."""

TOLD_AS_NULL = ("reason", "winner", "drawn_number")
"""What league.v2 wants to see even where there is none: no reason to reject, no winner, no number."""

Now = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


class Identity:
    """Who an agent is at the moment: its address and its token, both of which its registration changes.

    `claim` is what it asks to be registered as, while it waits for the answer; no other challenge is met.
    """

    __slots__ = ("auth_token", "claim", "sender")

    def __init__(self, sender: Address, auth_token: str | None = None) -> None:
        self.sender = sender
        self.auth_token = auth_token
        self.claim: Claim | None = None

    def __repr__(self) -> str:
        return f"Identity({self.sender!r})"  # a token has no place in a log

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
    """A receipt where there is no other answer: `ACKNOWLEDGED`, `IGNORED` with a reason, `ok` for what was posted."""

    status: str
    reason: str | msgspec.UnsetType = UNSET


IGNORED = "IGNORED"
POSTED = Ack(status="ok")
"""For a join or a choice that came as a request of its own."""


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
) -> dict[str, Any]:
    """The whole message as it stands on the wire.

    `to`: who is called; nobody, for a reply. `token`: what to show, if not the usual one. `seconds`: for how long an
    answer to it counts; `arrived`: when that came to which it is the answer.
    """
    kind = wire_name(type(message))
    body = plain(message)
    whole: dict[str, Any] = {
        "protocol": PROTOCOL,
        "message_type": kind,
        "sender": who.sender,
        "timestamp": written(now),
        "conversation_id": conversation,
    }
    if (token := token or who.token_for(to)) is not None:
        whole["auth_token"] = token
    whole.update(body)
    if kind in WITH_DEADLINE:
        whole["deadline"] = deadline_after(CHOICE_SECONDS if seconds is None else seconds, now)
    elif kind == "GAME_JOIN_ACK":
        whole["arrival_timestamp"] = written(arrived or now)
    elif kind == "GAME_ERROR":
        whole["retry_info"]["next_retry_at"] = whole["timestamp"]  # what is sent again, is sent at once
    elif kind == "LEAGUE_QUERY_RESPONSE" and "standings" not in (whole.get("data") or {}):
        whole.pop("standings")  # who asked for something else is not told that the table is empty
    return whole


def plain(value: Any) -> Any:
    """A value as JSON knows it. What may be missing, and is, is left out: nobody is to meet a null unawares."""
    if isinstance(value, msgspec.Struct):
        found = {}
        for name, encoded, may_miss in _fields(type(value)):
            held = getattr(value, name)
            if held is not UNSET and not (held is None and may_miss):
                found[encoded] = plain(held)
        return found
    if isinstance(value, msgspec.Raw):
        return msgspec.json.decode(value)
    if isinstance(value, dict):
        return {str(key): plain(held) for key, held in value.items()}
    if isinstance(value, tuple | list):
        return [plain(held) for held in value]
    return value.value if isinstance(value, Enum) else value


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[tuple[str, str, bool], ...]:
    """Each field, its name on the wire, and whether a null there may as well be left out."""
    return tuple(
        (field.name, field.encode_name, field.default is None and field.name not in TOLD_AS_NULL)
        for field in msgspec.structs.fields(kind)
    )


def written(moment: datetime) -> str:
    """Whole seconds and `Z`: the one form that everybody reads."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def deadline_after(seconds: float, now: datetime) -> str:
    """When a limit is over, in whole seconds: never too late, unless the limit is so short that it would seem over."""
    over = now + timedelta(seconds=seconds)
    return written(over if seconds >= SHORTEST_WRITTEN else over + timedelta(seconds=1))


def new_conversation() -> str:
    return f"conv-{secrets.token_hex(8)}"


# in


def read_time(text: str) -> datetime | None:
    """A moment in UTC: with fractions or without, `Z` or `+00:00`, extended or basic. Anything else is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.utcoffset() == timedelta(0) else None


def read_sender(sender: object) -> Address | None:
    """Who says that it speaks. `players:P07` is seen for `player:P07`."""
    if not isinstance(sender, str) or not sender:
        return None
    kind, colon, name = sender.partition(":")
    return Address(f"{kind.removesuffix('s')}:{name}" if colon and kind in ("players", "referees") else sender)


def read_conversation(conversation: object) -> str | None:
    if isinstance(conversation, str) and 0 < len(conversation) <= LONGEST_CONVERSATION:
        return conversation
    return None
