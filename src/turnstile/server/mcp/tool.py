"""A tool as a value: what it is called, what it takes and gives, and what it does. `tools` lists them all."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from turnstile.host.answers import PASSING, passing
from turnstile.host.answers import Code as HostCode
from turnstile.kernel.machine import Refusal
from turnstile.kernel.schema import schema
from turnstile.kernel.values import LogId, Value, encode
from turnstile.server.errors import Code, Problem, problem_of
from turnstile.server.mcp.seat import Caller, IllegalActs, SeatAt
from turnstile.table.values import Code as TableCode

if TYPE_CHECKING:
    from turnstile.server.server import Server

A = TypeVar("A")


class ToolCall(msgspec.Struct, Generic[A], frozen=True):
    """One call of a tool, with its arguments decoded."""

    server: "Server"
    caller: Caller
    illegal: IllegalActs
    arguments: A

    def at(self, table: LogId) -> SeatAt:
        return SeatAt(self.server, self.caller, table, self.illegal)


class Answer(msgspec.Struct, frozen=True):
    """What a tool answers: words, and the same as a value. An error says what to do instead."""

    text: str
    value: Value
    is_error: bool = False


class ToolError(Value, frozen=True):
    """A tool was refused, and nothing has changed."""

    code: str
    message: str
    advice: str


Handler = Callable[[ToolCall[Any]], Awaitable[Answer]]


class Tool(msgspec.Struct, frozen=True):
    """`doc` is what a model reads before it calls the tool."""

    name: str
    title: str
    doc: str
    arguments: type[Value]
    result: type[Value]
    handle: Handler
    is_read_only: bool

    def input_schema(self) -> dict[str, Any]:
        return flat_schema(self.arguments)

    def output_schema(self) -> dict[str, Any]:
        return flat_schema(self.result)


def flat_schema(kind: type[Value]) -> dict[str, Any]:
    """The schema of a type, with its own definition at the top: clients want an object there."""
    found = schema(kind)
    definitions = found.pop("$defs")
    top = definitions.pop(found.pop("$ref").rpartition("/")[2])
    return {**found, **top, **({"$defs": definitions} if definitions else {})}


def tool(title: str, arguments: type[Value], result: type[Value], *, is_read_only: bool) -> Callable[[Handler], Tool]:
    """Make a tool of a handler: its name is the handler's, its description the handler's docstring."""

    def make(handle: Handler) -> Tool:
        doc = " ".join((handle.__doc__ or "").split())
        return Tool(handle.__name__, title, doc, arguments, result, handle, is_read_only)

    return make


async def answer_call(tool: Tool, server: "Server", caller: Caller, illegal: IllegalActs, given: Any) -> Answer:
    """Call a tool. What is refused is an answer, too: the model reads it and goes on."""
    try:
        arguments = msgspec.convert(given, tool.arguments)
    except msgspec.ValidationError as fault:
        server.counts.count_error(Code.BAD_REQUEST)
        advice = f"Arguments: {encode(tool.input_schema().get('properties', {})).decode()}"
        return error_answer(ToolError(Code.BAD_REQUEST, f"Invalid arguments for {tool.name}: {fault}.", advice))
    try:
        return await tool.handle(ToolCall(server, caller, illegal, arguments))
    except (Problem, *PASSING) as fault:
        problem = fault if isinstance(fault, Problem) else problem_of(passing(fault))
        server.counts.count_error(problem.code)
        return error_answer(ToolError(problem.code, problem.details.message, advice_for(problem)))


def error_answer(error: ToolError) -> Answer:
    return Answer(f"{error.message} {error.advice}", error, is_error=True)


ADVICE: dict[str, str] = {
    Code.NO_TOKEN: "Ask the person who runs you to register a player with POST /api/players, and to set the header "
    "'Authorization: Bearer TOKEN' for this MCP server.",
    Code.NO_GAME: "list_games names the installed games.",
    Code.NEEDS_INVITATION: "Ask the player who opened the table for its invitation, and give it as `invite`.",
    Code.TOO_MANY_TABLES: "my_tables lists them; resign from one.",
    Code.REPLACED: "Another call or program uses your seat. Play from one place only.",
    HostCode.NO_TABLE: "my_tables and list_tables name tables.",
    HostCode.NO_SPECTATORS: "join_table takes a seat before the match; list_tables names tables that anyone may watch.",
    TableCode.NOT_SEATED: "join_table takes a seat before the match.",
    TableCode.NOT_ADMIN: "Call wait until that player has done it.",
    TableCode.TABLE_FULL: "list_tables names others, and make_table opens one.",
    HostCode.UNKNOWN_BOT: "list_games names the bots of each game.",
    Refusal.INVALID_OPTIONS: "read_rules has the schema of the options.",
    Refusal.INVALID_PLAYERS: "If players are missing, call wait until they have joined; if there are too many, make a "
    "table with fewer bots.",
    TableCode.ACKS_MISSING: "Other players have not read the last update yet: call act again with the same arguments.",
}


def advice_for(problem: Problem) -> str:
    """What to do about a problem."""
    if isinstance(problem.details.seconds, float):
        return f"Wait {problem.details.seconds:g} seconds, then call again."
    if problem.status == HTTPStatus.SERVICE_UNAVAILABLE:
        return "Call again in a moment."
    return ADVICE.get(problem.code, "Call see for the table as it is now.")
