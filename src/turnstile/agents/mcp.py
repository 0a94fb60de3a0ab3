"""MCP itself, as far as an agent speaks it: a server that has tools, one for each message that it takes."""

from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any

from turnstile.agents.methods import tool_of
from turnstile.agents.rpc import Fields, Request
from turnstile.kernel.schema import schema
from turnstile.kernel.values import wire_name
from turnstile.league.messages import LeagueMessage

VERSIONS = ("2025-06-18", "2025-03-26", "2024-11-05")
"""The revisions of MCP in which an agent can be spoken to, the newest first."""


class Tools:
    """What an MCP client can learn of an agent."""

    def __init__(self, name: str, kinds: Iterable[type[LeagueMessage]]) -> None:
        self.name = name
        self.listed = [_tool(kind) for kind in kinds]

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
        "description": (kind.__doc__ or wire_name(kind)).strip(),
        "inputSchema": _input_schema(kind),
    }


def _input_schema(kind: type[LeagueMessage]) -> Fields:
    """The schema of a message as an object of its own. Its type need not be said: the tool says it."""
    described = schema(kind)
    definitions = described.pop("$defs")
    own = dict(definitions.pop(kind.__name__))
    own["required"] = [name for name in own.get("required", ()) if name != "message_type"]
    return {"type": "object", **own, **({"$defs": definitions} if definitions else {})}
