"""A stand-in for a language model: it knows nothing but the tools, over real HTTP with the SDK's own client."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp_types import CallToolResult, TextContent

OVER = ("Finished", "Rematched", "Closed")


class Model:
    """Calls tools, and picks any of the actions that it is offered."""

    def __init__(self, client: Client, seed: int = 0) -> None:
        self.client = client
        self.chance = Random(seed)
        self.acts = 0

    async def call(self, tool: str, **arguments: Any) -> CallToolResult:
        result = await self.client.call_tool(tool, arguments)
        assert isinstance(result, CallToolResult)
        words, written = result.content
        assert isinstance(words, TextContent)
        assert isinstance(written, TextContent)
        assert words.text
        assert json.loads(written.text) == result.structured_content
        return result

    async def do(self, tool: str, **arguments: Any) -> Any:
        """What a tool answers, if all is well."""
        result = await self.call(tool, **arguments)
        assert not result.is_error, result.structured_content
        return result.structured_content

    async def refused(self, tool: str, **arguments: Any) -> Any:
        """What a tool answers, if it refuses."""
        result = await self.call(tool, **arguments)
        assert result.is_error, result.structured_content
        return result.structured_content

    async def sit_down_with_bots(self, game: str) -> Any:
        """Make a table with as few bots as the game takes, and start it: the first situation."""
        games = {each["name"]: each for each in (await self.do("list_games"))["games"]}
        assert (await self.do("read_rules", game=game))["rules"]
        bots = [games[game]["bots"][-1]["name"]] * (games[game]["seats"]["fewest"] - 1)
        made = await self.do("make_table", game=game, bots=bots)
        return await self.do("start_match", table=made["table"])

    async def play(self, seen: Any) -> Any:
        """Play from a situation to the end of the match: the last situation."""
        while seen.get("phase") not in OVER:
            table, seq = seen["table"], seen["seq"]
            if seen["yourTurn"]:
                self.acts += 1
                seen = await self.do("act", table=table, seq=seq, action=self.chance.choice(seen["actions"]))
            else:
                seen = await self.do("wait", table=table, since=seq)
        return seen


@asynccontextmanager
async def model(
    url: str, token: str | None, seed: int = 0, mode: str = "auto", query: str = ""
) -> AsyncIterator[Model]:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with create_mcp_http_client(headers) as http:
        transport = streamable_http_client(f"{url}/mcp{query}", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield Model(client, seed)


def text_of(result: CallToolResult) -> str:
    """What a tool says in words."""
    words = result.content[0]
    assert isinstance(words, TextContent)
    return words.text
