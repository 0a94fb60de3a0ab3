"""The door of an agent: whom it lets in, how much of them, and what it says of itself."""

import asyncio
import logging

import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from tests.agents.loops import run
from tests.agents.wire.wired import (
    FIELDS,
    LONG,
    REFEREE,
    Player,
    Said,
    post,
    referee,
    request,
    said,
    without,
)
from turnstile.agents.wire.door import Door
from turnstile.agents.wire.incoming import Incoming, error_fault
from turnstile.agents.wire.rpc import Fault
from turnstile.kernel.values import wire_name
from turnstile.league.protocol.errors import LeagueErrorName, league_error
from turnstile.league.protocol.messages import (
    GameInvitation,
    LeagueMessage,
)
from turnstile.net.serving import serve, served

# HTTP


@pytest.mark.parametrize(
    ("path", "method", "headers", "status"),
    [
        ("/mcp", "GET", {}, 405),
        ("/mcp", "PUT", {}, 405),
        ("/mcp", "OPTIONS", {}, 405),
        ("/mcp/", "POST", {}, 200),
        ("/mcp//", "POST", {}, 404),
        ("/mcp", "POST", {"MCP_Protocol_Version": "2025-06-18"}, 200),
        ("/mcp", "POST", {"MCP_Protocol_Version": "1999-01-01"}, 400),
        ("/", "POST", {}, 404),
        ("/register", "POST", {}, 404),
        ("/health", "POST", {}, 405),
        ("/mcp", "POST", {"Content_Type": "text/plain"}, 415),
        ("/mcp", "POST", {"Content_Type": "application/x-www-form-urlencoded"}, 415),
        ("/mcp", "POST", {"Content_Type": "application/json; charset=utf-8"}, 200),
    ],
)
def test_only_json_is_taken_and_only_by_post(path: str, method: str, headers: dict[str, str], status: int) -> None:
    async def main() -> Said:
        async with served(Player().door()) as serving:
            return await post(serving.port, request(), path, method, **headers)

    answer = run(main())
    assert answer.status == status
    assert not any(name.startswith("access-control") for name in answer.headers)
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "localhost.evil.example:8000"}, 421),
        ({"Host": ""}, 421),
        ({"Host": "localhost:1"}, 200),
        ({"Host": "LOCALHOST"}, 200),
        ({"Host": "[::1]:8000"}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:3000"}, 403),
        ({"Host": "localhost:8000", "Origin": "http://localhost:3000"}, 403),
        ({"Host": "localhost:8000", "Origin": "http://LOCALHOST:8000"}, 200),
    ],
    ids=str,
)
def test_A21_a_page_from_elsewhere_finds_the_door_closed(headers: dict[str, str], status: int) -> None:
    player = Player()
    assert said(request(), player.door(), **headers).status == status
    assert len(player.heard) == (1 if status == 200 else 0)


def test_health_and_pages() -> None:
    door = Player().door(
        health=lambda: {"phase": "REGISTERED"}, routes=[Route("/table", lambda _: PlainTextResponse("1. P05"))]
    )

    async def main() -> None:
        async with served(door) as serving:
            assert (await post(serving.port, b"", "/health", "GET")).json == {"status": "ok", "phase": "REGISTERED"}
            assert (await post(serving.port, b"", "/table", "GET")).body == b"1. P05"
            assert (await post(serving.port, b"", "/other", "GET")).status == 404

    run(main())


def test_P14_what_is_too_large_is_not_parsed() -> None:
    player = Player()
    padded = request({**FIELDS, "x": "y" * 70_000})
    answer = said(padded, player.door())
    assert answer.status == 413
    assert player.heard == []


async def spoken(port: int, *parts: bytes) -> bytes:
    """Everything that a door says to these bytes, until it closes or says no more."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for part in parts:
            writer.write(part)
            await writer.drain()
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


HEAD = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def test_P14_a_body_without_end_is_cut_off() -> None:
    chunks = [b"2000\r\n" + b" " * 0x2000 + b"\r\n"] * 12

    async def main() -> bytes:
        async with served(Player().door()) as serving:
            return await spoken(serving.port, HEAD + b"Transfer-Encoding: chunked\r\n\r\n", *chunks)

    assert run(main()).startswith(b"HTTP/1.1 413 ")


def test_P14_a_body_that_says_it_is_too_large_is_not_waited_for() -> None:
    async def main() -> bytes:
        async with served(Player().door()) as serving:
            return await spoken(serving.port, HEAD + b"Content-Length: 100000000\r\n\r\n")

    assert run(main()).startswith(b"HTTP/1.1 413 ")


def test_a_body_that_does_not_come_is_waited_for_once_and_not_for_long() -> None:
    async def main() -> bytes:
        async with served(Player().door(seconds=0.05)) as serving:
            return await spoken(serving.port, HEAD + b'Content-Length: 50\r\n\r\n{"')

    assert run(main()).startswith(b"HTTP/1.1 408 ")


async def spoken_slowly(head_seconds: float, *parts: bytes) -> bytes:
    serving = await serve(Player().door(), head_seconds=head_seconds)
    try:
        return await spoken(serving.port, *parts)
    finally:
        await serving.stop()


@pytest.mark.parametrize("parts", [(), (b"POST /mcp HTTP/1.1\r\nHost: loc",)], ids=["silent", "halting"])
def test_R1_who_never_gets_to_the_end_of_its_headers_is_put_out(parts: tuple[bytes, ...]) -> None:
    assert run(spoken_slowly(0.05, *parts)) == b""


def test_R1_who_has_too_many_headers_is_put_out() -> None:
    assert run(spoken_slowly(2 * LONG, b"POST /mcp HTTP/1.1\r\n", *[b"X: " + b"y" * 997 + b"\r\n"] * 99)) == b""


@pytest.mark.parametrize(
    "head",
    [
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 40_000 + b"\r\n\r\n",
        b"GET /health?" + b"y" * 40_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
    ],
    ids=["one", "address", "many"],
)
def test_R1_who_has_too_many_headers_and_says_them_at_once_is_put_out(head: bytes) -> None:
    answer = run(spoken_slowly(2 * LONG, head))
    assert answer == b"" or answer.startswith(b"HTTP/1.1 400 ")
    assert b'"status"' not in answer


def test_headers_of_one_request_are_not_counted_for_the_next() -> None:
    head = b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 20_000 + b"\r\n"
    answer = run(spoken_slowly(2 * LONG, (head + b"\r\n") * 3 + head + b"Connection: close\r\n\r\n"))
    assert answer.count(b"HTTP/1.1 200 ") == 4


# faults


def test_A20_a_bug_is_logged_and_its_text_is_not_told(caplog: pytest.LogCaptureFixture) -> None:
    async def handle(incoming: Incoming) -> LeagueMessage:
        raise RuntimeError("the seed is c0ffee")

    answer = said(request(), Door(referee(), (GameInvitation,), handle))
    assert (answer.status, answer.json["error"]) == (200, {"code": -32603, "message": "Internal error"})
    assert "the seed is c0ffee" in caplog.text


def test_a_fault_of_the_agent_is_told_as_a_league_error() -> None:
    async def handle(incoming: Incoming) -> Fault:
        return error_fault(league_error(LeagueErrorName.AUTH_TOKEN_INVALID, "No.", wire_name(type(incoming.message))))

    error = said(request(), Door(referee(), (GameInvitation,), handle)).json["error"]
    assert (error["code"], error["message"]) == (12, "AUTH_TOKEN_INVALID")
    assert (error["data"]["sender"], error["data"]["context"]) == (REFEREE, {"reason": "No."})


def test_A20_tokens_are_in_no_log_and_in_no_error(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    player = Player()
    bodies = [request(), request(without("match_id")), request(method="x"), request({**FIELDS, "timestamp": "x"})]
    said_to_them = [said(body, player.door()) for body in bodies]
    assert "tok-ref03-secret" not in caplog.text
    assert not any(b"tok-ref03-secret" in answer.body for answer in said_to_them)
    assert "tok-" not in repr(player.heard[0]) + repr(player.who)
    assert player.heard[0].auth_token == referee().token_for(None)
