"""An incoming message: its type, its fields, and what its envelope says about the sender.

Most of the envelope may be missing, which is only logged. What is present and wrong is refused: another protocol (E018)
and a time that is not in UTC (E021).
"""

from collections.abc import Mapping

import msgspec

from turnstile.agents.wire.envelope import PROTOCOL, Fields, read_sender, read_time
from turnstile.agents.wire.lenient import read_message
from turnstile.agents.wire.methods import message_type_of
from turnstile.agents.wire.remarks import remark
from turnstile.agents.wire.rpc import INVALID_PARAMS, METHOD_NOT_FOUND, Fault, Request, Shape
from turnstile.league.protocol.errors import LeagueErrorName, league_error, number_of
from turnstile.league.protocol.management import LeagueError
from turnstile.league.protocol.messages import LeagueMessage
from turnstile.league.protocol.words import Address


class Incoming(msgspec.Struct, frozen=True):
    """A league message that was read but not yet authenticated.

    `method` is the method of the request, `None` for a bare message; `peer` is the address that it came from.
    """

    message: LeagueMessage
    sender: Address | None
    auth_token: str | None
    conversation_id: str
    method: str | None
    peer: str

    @property
    def origin(self) -> str:
        """The agent that the message names as its sender, or else the address that it came from."""
        return self.sender or self.peer

    def __repr__(self) -> str:
        return f"Incoming({type(self.message).__name__} from {self.sender!r} at {self.peer})"  # without the token


def read_incoming(
    request: Request, kinds: Mapping[str, type[LeagueMessage]], peer: str, conversation: str
) -> Incoming | Fault:
    """The message in a request, or why it is refused.

    `kinds`: the messages that the agent accepts, by type. `conversation`: the conversation in which it is answered.
    """
    fields = request.fields
    message_type = message_type_of(fields.get("message_type", fields.get("type")), request.method)
    kind = kinds.get(message_type or "")
    if message_type is None or kind is None:
        is_tool = request.shape is Shape.TOOL
        return Fault(INVALID_PARAMS, "Unknown tool") if is_tool else Fault(METHOD_NOT_FOUND, "Method not found")
    if (error := _envelope_error(fields, message_type)) is not None:
        return error_fault(error)
    message = read_message(kind, fields)
    if isinstance(message, Fault):
        return message
    sender, token = read_sender(fields.get("sender")), fields.get("auth_token")
    absent = [name for name in ("sender", "timestamp", "conversation_id") if fields.get(name) is None]
    if absent:
        remark(f"{message_type} from {sender or peer} without {', '.join(absent)}")
    token = token if isinstance(token, str) and token else None
    return Incoming(message, sender, token, conversation, request.method, peer)


def _envelope_error(fields: Fields, message_type: str) -> LeagueError | None:
    protocol, timestamp = fields.get("protocol"), fields.get("timestamp")
    if protocol is not None and protocol != PROTOCOL:
        return league_error(LeagueErrorName.PROTOCOL_VERSION_MISMATCH, f"This is {PROTOCOL}.", message_type)
    if timestamp is not None and not (isinstance(timestamp, str) and read_time(timestamp)):
        return league_error(LeagueErrorName.INVALID_TIMESTAMP, "Times must be in UTC and say so.", message_type)
    return None


def error_fault(error: LeagueError) -> Fault:
    """A LEAGUE_ERROR as a JSON-RPC error: the number of its code, its name, and itself as `error.data`."""
    return Fault(number_of(error.error_code), error.error_name, error)
