"""MCP at `/mcp`: a language model can sit down and play any game, with nothing else.

The protocol has no sessions here: a table and the number of an update are handles that travel in the arguments, and the
token travels in the `Authorization` header only. `sdk` alone imports the official SDK, which is an optional extra and
takes a second to import: so it is imported with the first request.
"""

from turnstile.server.mcp.app import McpApp

__all__ = ["McpApp"]
