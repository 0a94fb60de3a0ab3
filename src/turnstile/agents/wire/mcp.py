"""MCP: an agent is a server with tools, one for each message that it accepts."""

from collections.abc import Iterable
from functools import cached_property
from importlib.metadata import version
from inspect import cleandoc

from turnstile.agents.wire.envelope import Fields
from turnstile.agents.wire.lenient import read_message
from turnstile.agents.wire.methods import method_of
from turnstile.agents.wire.rpc import Fault, Request
from turnstile.kernel.schema import schema
from turnstile.kernel.values import wire_name
from turnstile.league.protocol.messages import LeagueMessage

VERSIONS = ("2025-06-18", "2025-03-26", "2024-11-05")
"""The supported revisions of MCP, the newest first."""

ENVELOPE_PROPERTIES: Fields = {
    "sender": {"type": "string", "description": "The sender: `player:<id>` or `referee:<id>`."},
    "conversation_id": {"type": "string", "description": "The conversation of the message that this one answers."},
    "auth_token": {"type": "string", "description": "The token that the sender was given to prove who it is."},
}
"""The fields of the envelope that a client may have to give with any message."""
INTERNAL = ("known_as",)
"""The fields of a message that never come from outside."""


class Tools:
    """Answers the requests of MCP itself."""

    def __init__(self, name: str, kinds: Iterable[type[LeagueMessage]]) -> None:
        self.name = name
        self.kinds = tuple(kinds)

    @cached_property
    def descriptions(self) -> list[Fields]:
        """All tools. They are made at the first request, because few clients ask."""
        return [_description(kind) for kind in self.kinds]

    def answer(self, request: Request) -> Fields | None:
        """The result of a request of MCP; `None` for any other request."""
        match request.method:
            case "initialize":
                wanted = request.fields.get("protocolVersion")
                return {
                    "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
                    "capabilities": {"tools": {"listChanged": False}},
                    "serverInfo": {"name": self.name, "version": version("turnstile")},
                }
            case "tools/list":
                return {"tools": self.descriptions}
            case "ping":
                # MCP requires an empty result; agents that have a tool of that name return a status.
                return {"status": "ok"} if "protocol" in request.fields else {}
            case str(method) if method.startswith("notifications/"):
                return {}
        return None


def _description(kind: type[LeagueMessage]) -> Fields:
    return {
        "name": method_of(wire_name(kind)),
        "description": cleandoc(kind.__doc__ or wire_name(kind)),
        "inputSchema": _input_schema(kind),
    }


def _input_schema(kind: type[LeagueMessage]) -> Fields:
    """The schema of a message. The message type is not in it: the tool stands for it."""
    described = schema(kind)
    definitions = described.pop("$defs")
    own = dict(definitions.pop(kind.__name__))
    properties = {**ENVELOPE_PROPERTIES, **own["properties"]}
    own["properties"] = {name: held for name, held in properties.items() if name not in INTERNAL}
    own["required"] = _required_fields(kind)
    return {"type": "object", **own, **({"$defs": definitions} if definitions else {})}


def _required_fields(kind: type[LeagueMessage]) -> list[str]:
    """The fields that `read_message` misses in an empty message."""
    found = read_message(kind, {})
    missing = found.data["fields"] if isinstance(found, Fault) and isinstance(found.data, dict) else ()
    return [name.partition(".")[0] for name in missing]
