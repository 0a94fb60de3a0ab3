"""Foreign agents: small servers that answer as one or the other public implementation does, or as nobody should.

They are built on bare sockets, and share nothing with the agents that they are there to try.
"""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

Body = dict[str, Any]
Said = tuple[int, Any]
"""A status, and what is put into the body: bytes as they are, `None` for nothing, anything else as JSON."""
Manners = Callable[[Any], Said | Awaitable[Said]]
"""What a foreign agent says to the body of a request."""

TOOLS = {
    "handle_game_invitation": "GAME_INVITATION",
    "choose_parity": "CHOOSE_PARITY_CALL",
    "notify_match_result": "GAME_OVER",
}


class Animal:
    """A foreign agent at work, and all that it was asked."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.heard: list[Any] = []

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}/mcp"


@asynccontextmanager
async def living(manners: Manners, at: socket.socket | None = None) -> AsyncIterator[Animal]:
    """A foreign agent of these manners, for as long as the block runs; at a port of its own, or at a held one."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (body := await read_request(reader)) is not None:
            value = json.loads(body)
            animal.heard.append(value)
            said = manners(value)
            status, answer = said if isinstance(said, tuple) else await said
            writer.write(written(status, answer))
            await writer.drain()

    async with listening(serve, at) as port:
        animal = Animal(port)
        yield animal


@contextmanager
def held_port() -> Iterator[socket.socket]:
    """A port that is kept for an agent that does not listen yet."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held


@asynccontextmanager
async def listening(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]], at: socket.socket | None = None
) -> AsyncIterator[int]:
    """A port at which each connection is given to `serve`; all of them end with the block."""
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await serve(reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            pass  # whoever called has had enough, or the block is over
        finally:
            tasks.discard(task)
            writer.transport.abort()

    where: dict[str, Any] = {"host": "127.0.0.1", "port": 0} if at is None else {"sock": at}
    server = await asyncio.start_server(connected, **where)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)


async def read_request(reader: asyncio.StreamReader) -> bytes | None:
    """The body of the next request; `None` when there is none."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        lines = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if line)
        return await reader.readexactly(int(lines[b"content-length"]))
    except asyncio.IncompleteReadError:
        return None


def written(status: int, answer: Any) -> bytes:
    body = answer if isinstance(answer, bytes) else b"" if answer is None else json.dumps(answer).encode()
    return b"HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (
        status,
        len(body),
        body,
    )


# what a player says


def join(fields: Body) -> Body:
    return {"message_type": "GAME_JOIN_ACK", "match_id": fields["match_id"], "accept": True}


def choice(fields: Body) -> Body:
    return {"message_type": "CHOOSE_PARITY_RESPONSE", "match_id": fields["match_id"], "parity_choice": "odd"}


def played(fields: Body, join: Callable[[Body], Body] = join, choice: Callable[[Body], Body] = choice) -> Body | None:
    """The answer of somebody who plays, by the type of the message."""
    if fields.get("message_type") == "GAME_INVITATION":
        return join(fields)
    if fields.get("message_type") == "CHOOSE_PARITY_CALL":
        return choice(fields)
    return {"status": "acknowledged"} if "message_type" in fields else None


def not_found(body: Any, status: int = 200) -> Said:
    number = body.get("id") if isinstance(body, dict) else None
    return status, {"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": number}


def result(body: Body, fields: Any, **more: Any) -> Said:
    return 200, {"jsonrpc": "2.0", "result": fields, "id": body.get("id"), **more}


# the dialects


def by_tool(body: Body) -> Said:
    """As it should be."""
    if TOOLS.get(body.get("method", "")) is None:
        return not_found(body)
    return result(body, played(body["params"]))


def by_receive_tools(body: Body) -> Said:
    """MCP's `tools/call` alone, with tools of other names; the answer is a text."""
    if body.get("method") != "tools/call":
        return not_found(body)
    if body["params"]["name"] not in ("receive_game_invitation", "choose_parity", "receive_game_over"):
        return 200, {"jsonrpc": "2.0", "error": {"code": -32602, "message": "Unknown tool"}, "id": body["id"]}
    return result(body, content(json.dumps(played(body["params"]["arguments"]))))


def by_mcp(body: Body) -> Said:
    """An MCP server whose tools are called as the methods: what is no JSON-RPC is refused by its transport."""
    if body.get("jsonrpc") != "2.0":
        return 400, {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Validation error"}, "id": "server-error"}
    if body["method"] != "tools/call":
        return 200, {"jsonrpc": "2.0", "error": {"code": -32602, "message": "Invalid request"}, "id": body["id"]}
    name = body["params"]["name"]
    if name not in TOOLS:
        return result(body, {**content(f"Unknown tool: {name}"), "isError": True})
    return result(body, content(json.dumps(played(body["params"]["arguments"]))))


def content(text: str) -> Body:
    return {"content": [{"type": "text", "text": text}], "isError": False}


def by_params_message(body: Body) -> Said:
    if body.get("method") != "handle_message" or "message" not in body.get("params", {}):
        return not_found(body, 400)
    return result(body, played(body["params"]["message"]))


def bare(body: Body) -> Said:
    """Messages without JSON-RPC, and `ok` to everything else."""
    return 200, played(body) or {"status": "ok"}


def ok_to_everything(body: Body) -> Said:
    """A JSON-RPC frame around nothing, unless the message is bare."""
    if "method" in body:
        return result(body, {"status": "ok"})
    return 200, played(body)


def nested(body: Body) -> Said:
    """A bare envelope with the rest in `data`, both ways."""
    if "message_type" not in body or not isinstance(body.get("data"), dict):
        return 422, {"detail": [{"loc": ["body", "data"], "msg": "field required"}]}
    fields = played({**body, **body["data"]})
    return 200, {"status": "success", "data": fields}


def data_in_result(body: Body) -> Said:
    if body.get("method") not in TOOLS:
        return not_found(body)
    return result(body, {"status": "ok", "data": played(body["params"])})


def message_in_result(body: Body) -> Said:
    if body.get("method") not in TOOLS:
        return not_found(body)
    return result(body, {"message": played(body["params"])})


def by_type(body: Body) -> Said:
    if not str(body.get("method", "")).isupper():
        return not_found(body)
    return result(body, played(body["params"]))


def parity_choose_only(body: Body) -> Said:
    if body.get("method") not in ("handle_game_invitation", "parity_choose"):
        return not_found(body)
    return result(body, played(body["params"]))


def reply_as_request(body: Body) -> Said:
    """The body of the answer is a request of its own."""
    fields = played(body["params"]) if body.get("method") in TOOLS else None
    if fields is None:
        return not_found(body)
    return 200, {"jsonrpc": "2.0", "method": fields.get("message_type", "ack").lower(), "params": fields, "id": 1}


def numbers_only(body: Body) -> Said:
    """A text as id is refused before anything else."""
    if not isinstance(body.get("id"), int):
        return 422, {"detail": "value is not a valid integer"}
    return by_tool(body)


def null_error(body: Body) -> Said:
    if body.get("method") not in TOOLS:
        return 200, {"jsonrpc": "2.0", "result": None, "error": {"code": -32601, "message": "?"}, "id": body.get("id")}
    return result(body, played(body["params"]), error=None)


def wrong_id(body: Body) -> Said:
    status, answer = by_tool(body)
    return status, {**answer, "id": "somebody-else"}


def no_id(body: Body) -> Said:
    status, answer = by_tool(body)
    del answer["id"]
    return status, answer


def accepted_word(body: Body) -> Said:
    """`accepted` for the join, `choice` for the choice, and no message types."""
    if body.get("method") not in TOOLS:
        return not_found(body)
    return result(body, played(body["params"], lambda _: {"accepted": True}, lambda _: {"choice": " ODD "}))


def status_alone(body: Body) -> Said:
    """A status for the join, and another type under another key for the choice."""
    if body.get("method") not in TOOLS:
        return not_found(body)
    chosen = {"type": "RESPONSE_PARITY_CHOOSE", "move_data": {"choice": "Odd"}}
    return result(body, played(body["params"], lambda _: {"status": "accepted"}, lambda _: chosen))


def ack_alone(body: Body) -> Said:
    if body.get("method") not in TOOLS:
        return not_found(body)
    return result(body, played(body["params"], lambda _: {"status": "ACK", "player_id": "P99"}))


def _by_type_or(status: int, answer: Any) -> Manners:
    def manners(body: Body) -> Said:
        return by_type(body) if str(body.get("method", "")).isupper() else (status, answer)

    return manners


http_404 = _by_type_or(404, {"detail": "Not Found"})
http_404_with_a_code = _by_type_or(404, {"jsonrpc": "2.0", "error": {"code": 404, "message": "?"}, "id": None})
http_405_with_a_code = _by_type_or(405, {"jsonrpc": "2.0", "error": {"code": -32000, "message": "?"}, "id": None})
http_422_with_a_code = _by_type_or(422, {"error": {"code": "VALIDATION_ERROR", "message": "?"}})
http_405 = _by_type_or(405, None)
http_422 = _by_type_or(422, {"detail": [{"loc": ["body", "method"], "msg": "unexpected value"}]})
http_500 = _by_type_or(500, b"<h1>Internal Server Error</h1>")
http_500_in_json = _by_type_or(500, {"jsonrpc": "2.0", "error": {"code": -32603, "message": "KeyError"}, "id": None})
MISSING = {"jsonrpc": "2.0", "error": {"code": -32000, "message": "Missing required fields"}, "id": None}
http_500_with_a_code_of_its_own = _by_type_or(500, MISSING)
error_of_its_own = _by_type_or(200, {"jsonrpc": "2.0", "error": {"code": 1, "message": "unknown method"}, "id": None})


def with_status_500(body: Body) -> Said:
    """A good answer under a bad status."""
    _, answer = by_tool(body)
    return 500, answer


DIALECTS: list[Manners] = [
    by_tool,
    by_receive_tools,
    by_mcp,
    by_params_message,
    bare,
    ok_to_everything,
    nested,
    data_in_result,
    message_in_result,
    by_type,
    parity_choose_only,
    reply_as_request,
    numbers_only,
    null_error,
    wrong_id,
    no_id,
    accepted_word,
    status_alone,
    ack_alone,
    http_404,
    http_404_with_a_code,
    http_405_with_a_code,
    http_422_with_a_code,
    http_405,
    http_422,
    http_500,
    http_500_in_json,
    http_500_with_a_code_of_its_own,
    error_of_its_own,
    with_status_500,
]
for number, manners in enumerate(DIALECTS):
    if manners.__name__ == "manners":
        manners.__name__ = f"strange_status_{number}"
