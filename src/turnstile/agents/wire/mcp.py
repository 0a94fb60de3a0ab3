"""MCP itself, as far as an agent speaks it: a server that has tools, one for each message that it takes."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from importlib.metadata import version
from inspect import cleandoc
from typing import Any

from turnstile.agents.wire.lenient import read_message
from turnstile.agents.wire.methods import tool_of
from turnstile.agents.wire.rpc import Fault, Fields, Request
from turnstile.kernel.schema import schema
from turnstile.kernel.values import wire_name
from turnstile.league.protocol.messages import LeagueMessage

VERSIONS = ("2025-06-18", "2025-03-26", "2024-11-05")
"""The revisions of MCP in which an agent can be spoken to, the newest first."""

SHOWN: Fields = {
    "sender": {"type": "string", "description": "Who says this: `player:<id>` or `referee:<id>`."},
    "conversation_id": {"type": "string", "description": "That of the message to which this is the answer."},
    "auth_token": {"type": "string", "description": "What the sender was given to prove who it is."},
}
"""What of the envelope somebody may have to say, whatever the message is."""
INTERNAL = ("known_as",)
"""What is in a message, but never comes from outside."""


class Tools:
    """What an MCP client can learn of an agent."""

    def __init__(self, name: str, kinds: Iterable[type[LeagueMessage]]) -> None:
        self.name = name
        self.kinds = tuple(kinds)

    @cached_property
    def listed(self) -> list[Fields]:
        """Made when it is first asked for: hardly anybody does."""
        return [_tool(kind) for kind in self.kinds]

    def answer(self, request: Request) -> Fields | None:
        """The result of one of MCP's own requests; `None` for what is none."""
        match request.method:
            case "initialize":
                return self._initialized(request.fields)
            case "tools/list":
                return {"tools": self.listed}
            case "ping":
                # MCP wants an empty result; the tool of that name that some agents have says more.
                return {"status": "ok"} if "protocol" in request.fields else {}
            case str(method) if method.startswith("notifications/"):
                return {}
        return None

    def _initialized(self, fields: Mapping[str, Any]) -> Fields:
        wanted = fields.get("protocolVersion")
        return {
            "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {"listChanged": False}},
            "serverInfo": {"name": self.name, "version": version("turnstile")},
        }


def _tool(kind: type[LeagueMessage]) -> Fields:
    return {
        "name": tool_of(wire_name(kind)),
        "description": cleandoc(kind.__doc__ or wire_name(kind)),
        "inputSchema": _input_schema(kind),
    }


def _input_schema(kind: type[LeagueMessage]) -> Fields:
    """The schema of a message as an object of its own. Its type need not be said: the tool says it."""
    described = schema(kind)
    definitions = described.pop("$defs")
    own = dict(definitions.pop(kind.__name__))
    own["properties"] = {name: held for name, held in {**SHOWN, **own["properties"]}.items() if name not in INTERNAL}
    own["required"] = _required(kind)
    return {"type": "object", **own, **({"$defs": definitions} if definitions else {})}


def _required(kind: type[LeagueMessage]) -> list[str]:
    """What must be there: all that is missed in an empty message, by who reads it."""
    found = read_message(kind, {})
    missed = found.data["fields"] if isinstance(found, Fault) and isinstance(found.data, dict) else ()
    return [name.partition(".")[0] for name in missed]
