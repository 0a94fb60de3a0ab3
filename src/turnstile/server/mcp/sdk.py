"""Our tools and resources as a server of the official SDK. Only this module imports the SDK."""

import logging
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import mcp_types as types
import msgspec
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server as SdkServer
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError

from turnstile.kernel.values import encode
from turnstile.server.door import MOST_BYTES
from turnstile.server.errors import Code
from turnstile.server.mcp import resources
from turnstile.server.mcp.seat import Caller, IllegalActs
from turnstile.server.mcp.tool import Answer, Tool, ToolError, answer_call, error_answer
from turnstile.server.mcp.tools import TOOLS

if TYPE_CHECKING:
    from turnstile.server.server import Server

log = logging.getLogger("turnstile.server")

CALLER = "turnstile.caller"
"""Where the scope of a request has its `Caller`."""
INSTRUCTIONS = (
    "Play turn-based games against people, bots and other models. list_games, then read_rules, then make_table (with "
    "bots) and start_match, or list_tables and join_table. Then act whenever it is your turn; act waits for your next "
    "turn by itself. If it does not come, call wait. `table` and `seq` from a result go into the next call."
)

Context = ServerRequestContext[Any, Any]


def make_manager(server: "Server") -> StreamableHTTPSessionManager:
    """What answers requests at `/mcp`. It keeps no sessions."""
    return StreamableHTTPSessionManager(make_sdk_server(server), stateless=True, max_request_body_size=MOST_BYTES)


def make_sdk_server(server: "Server") -> SdkServer[Any]:
    """A server of the SDK with all tools and resources."""
    illegal, by_name = IllegalActs(), {tool.name: tool for tool in TOOLS}

    async def call_tool(context: Context, given: types.CallToolRequestParams) -> types.CallToolResult:
        tool = by_name.get(given.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"There is no tool of this name; there are {', '.join(by_name)}.")
        assert context.request is not None, "every message comes over HTTP"
        caller: Caller = context.request.scope[CALLER]
        try:
            answer = await answer_call(tool, server, caller, illegal, given.arguments or {})
        except Exception:
            log.exception("A tool has failed")
            server.counts.errors[Code.INTERNAL] += 1
            answer = error_answer(ToolError(Code.INTERNAL, "The server has failed; it was recorded.", "Try again."))
        return _result(answer)

    return SdkServer(
        "turnstile",
        version=version("turnstile"),
        title="Turnstile",
        instructions=INSTRUCTIONS,
        get_tool_input_schema=lambda name: by_name[name].input_schema() if name in by_name else None,
        on_list_tools=_list_tools,
        on_call_tool=call_tool,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_read_resource,
    )


def _result(answer: Answer) -> types.CallToolResult:
    """Words for the model, and the value both as it is and as text: some clients show one of them, some the other."""
    written = encode(answer.value)
    return types.CallToolResult(
        content=[
            types.TextContent(type="text", text=answer.text),
            types.TextContent(type="text", text=written.decode()),
        ],
        structured_content=msgspec.json.decode(written),
        is_error=answer.is_error,
    )


async def _list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    return types.ListToolsResult(tools=list(map(_described, TOOLS)))


def _described(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(
        title=tool.title,
        read_only_hint=tool.is_read_only,
        destructive_hint=tool.name == "resign",
        open_world_hint=False,
    )
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.doc,
        input_schema=tool.input_schema(),
        output_schema=tool.output_schema(),
        annotations=hints,
    )


# resources


async def _list_resources(_: Context, __: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    found = [
        types.Resource(
            uri=each.uri,
            name=each.uri.removeprefix(resources.PREFIX),
            title=f"{each.title}: {each.part.name}",
            description=each.part.doc,
            mime_type=each.part.media_type,
        )
        for each in resources.all_resources()
    ]
    return types.ListResourcesResult(resources=found)


async def _list_templates(_: Context, __: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
    found = [
        types.ResourceTemplate(
            uri_template=uri, name=part.name, description=f"Of a game: {part.doc}", mime_type=part.media_type
        )
        for uri, part in resources.TEMPLATES
    ]
    return types.ListResourceTemplatesResult(resource_templates=found)


async def _read_resource(_: Context, given: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    found = resources.read_resource(given.uri)
    if found is None:
        raise MCPError(types.INVALID_PARAMS, "There is no such resource; resources/list names them all.")
    part, text = found
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=given.uri, mime_type=part.media_type, text=text)]
    )
