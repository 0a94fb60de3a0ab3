"""What comes in: the typed message in a request, and what its envelope says of who sent it.

Little of an envelope is insisted on. What is missing is noted in the log; what is there and wrong is refused: another
protocol (E018), and a time that is not in UTC (E021).
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from turnstile.agents.wire.envelope import PROTOCOL, new_conversation, read_conversation, read_sender, read_time
from turnstile.agents.wire.lenient import read_message
from turnstile.agents.wire.methods import meant
from turnstile.agents.wire.remarks import remark
from turnstile.agents.wire.rpc import INVALID_PARAMS, METHOD_NOT_FOUND, Fault, Request, Shape
from turnstile.league.protocol.errors import LeagueErrorName, league_error, number_of
from turnstile.league.protocol.management import LeagueError
from turnstile.league.protocol.messages import LeagueMessage
from turnstile.league.protocol.words import Address

Kinds = Mapping[str, type[LeagueMessage]]
"""The messages that an agent takes, by their types."""


class Incoming(msgspec.Struct, frozen=True):
    """One league message as it came in: read, but not yet believed.

    `method` is what the request called for, or nothing for a bare message; `peer` is the address it came from.
    """

    message: LeagueMessage
    sender: Address | None
    auth_token: str | None
    conversation_id: str
    method: str | None
    peer: str

    def __repr__(self) -> str:
        return f"Incoming({type(self.message).__name__} from {self.sender!r} at {self.peer})"  # and no token


def understand(request: Request, kinds: Kinds, peer: str, conversation: str) -> Incoming | Fault:
    """The message in a request, or why there is none. `conversation` is the one that it is answered in."""
    fields = request.fields
    message_type = meant(fields.get("message_type", fields.get("type")), request.method)
    kind = None if message_type is None else kinds.get(message_type)
    if message_type is None or kind is None:
        is_tool = request.shape is Shape.TOOL
        return Fault(INVALID_PARAMS, "Unknown tool") if is_tool else Fault(METHOD_NOT_FOUND, "Method not found")
    fault = _fault_of_envelope(fields, message_type)
    if fault is not None:
        return fault
    message = read_message(kind, fields)
    if isinstance(message, Fault):
        return message
    absent = [name for name in ("sender", "timestamp", "conversation_id") if fields.get(name) is None]
    sender = read_sender(fields.get("sender"))
    if absent:
        remark(f"{message_type} from {sender or peer} without {', '.join(absent)}")
    token = fields.get("auth_token")
    return Incoming(
        message,
        sender,
        token if isinstance(token, str) and token else None,
        conversation,
        request.method,
        peer,
    )


def conversation_of(request: Request) -> str:
    """The conversation that a request belongs to, or a new one."""
    return read_conversation(request.fields.get("conversation_id")) or new_conversation()


def _fault_of_envelope(fields: dict[str, Any], message_type: str) -> Fault | None:
    protocol, timestamp = fields.get("protocol"), fields.get("timestamp")
    if protocol is not None and protocol != PROTOCOL:
        name, reason = LeagueErrorName.PROTOCOL_VERSION_MISMATCH, f"This is {PROTOCOL}."
        return told(league_error(name, reason, message_type))
    if timestamp is not None and not (isinstance(timestamp, str) and read_time(timestamp)):
        name, reason = LeagueErrorName.INVALID_TIMESTAMP, "Times are in UTC, and say so."
        return told(league_error(name, reason, message_type))
    return None


def told(error: LeagueError) -> Fault:
    """A LEAGUE_ERROR as it travels: the number of its code, its name, and itself as `error.data`."""
    return Fault(number_of(error.error_code), error.error_name, error)
