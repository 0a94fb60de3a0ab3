"""The door of an agent: whom it lets in, how much of them, and what it says of itself."""

import asyncio
import logging
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from tests.agents.loops import run
from tests.agents.wire import zoo
from tests.agents.wire.wired import (
    CALL,
    FIELDS,
    INVITATION,
    LONG,
    REFEREE,
    US,
    Player,
    Said,
    asked,
    post,
    referee,
    request,
    said,
    without,
)
from tests.agents.wire.zoo import Animal, living
from turnstile.agents.wire.caller import Caller
from turnstile.agents.wire.door import REGISTRATION, Door
from turnstile.agents.wire.envelope import Identity
from turnstile.agents.wire.incoming import Incoming, error_fault
from turnstile.agents.wire.rpc import Fault
from turnstile.kernel.values import wire_name
from turnstile.league.protocol.errors import LeagueErrorName, league_error
from turnstile.league.protocol.messages import (
    ChooseParityCall,
    GameInvitation,
    LeagueMessage,
    LeagueRegisterRequest,
    LeagueRegisterResponse,
)
from turnstile.league.protocol.values import PlayerMeta
from turnstile.league.protocol.words import Address, Registration
from turnstile.league.trust import Claim, claim_of
from turnstile.net.limits import Quota
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


# how much


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_A11_who_asks_too_much_is_told_to_wait_and_the_others_are_not() -> None:
    clock = Clock()
    player = Player()
    door = player.door(per_agent=Quota(rate=2, burst=3, clock=clock))
    other = {**FIELDS, "auth_token": "tok-ref04"}

    async def main() -> None:
        async with served(door) as serving:
            statuses = [(await post(serving.port, request())).status for _ in range(4)]
            assert statuses == [200, 200, 200, 429]
            refused = await post(serving.port, request())
            assert (refused.headers["retry-after"], refused.json["error"]["code"]) == ("1", -32000)
            assert (await post(serving.port, request(other))).status == 200
            clock.now += 0.5
            assert [(await post(serving.port, request())).status for _ in range(2)] == [200, 429]

    run(main())
    assert len(player.heard) == 5


def test_A11_one_address_is_limited_whoever_it_says_it_is() -> None:
    door = Player().door(per_peer=Quota(rate=1, burst=2, clock=Clock()))

    async def main() -> list[int]:
        async with served(door) as serving:
            each = [{**FIELDS, "sender": f"referee:REF{number}", "auth_token": None} for number in range(4)]
            return [(await post(serving.port, request(fields))).status for fields in each]

    assert run(main()) == [200, 200, 429, 429]


def test_A11_buckets_are_forgotten_not_hoarded() -> None:
    quota = Quota(rate=1, burst=1, clock=Clock(), most_keys=100)
    for number in range(10_000):
        assert quota.wait_of(number) == 0
    assert len(quota._buckets) == 100


def test_no_more_requests_are_under_way_than_allowed() -> None:
    async def main() -> None:
        waiting, entered = asyncio.Event(), asyncio.Event()

        async def handle(incoming: Incoming) -> LeagueMessage:
            entered.set()
            await waiting.wait()
            return await Player().handle(incoming)  # type: ignore[return-value]

        door = Door(referee(), (GameInvitation,), handle, most_at_once=1)
        async with served(door) as serving:
            first = asyncio.create_task(post(serving.port, request()))
            await entered.wait()
            refused = await post(serving.port, request())
            assert (refused.status, refused.headers["retry-after"]) == (503, "1")
            waiting.set()
            assert (await first).status == 200
            assert (await post(serving.port, request())).status == 200

    run(main())


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


# registration


def test_a_player_can_register_by_the_second_door() -> None:
    async def handle(incoming: Incoming) -> LeagueMessage:
        assert isinstance(incoming.message, LeagueRegisterRequest)
        meta = incoming.message.player_meta
        assert (meta.display_name, meta.contact_endpoint) == ("Sorrel", "http://localhost:8102/mcp")
        assert (meta.version, meta.game_types) == ("1.2", ("even_odd",))
        return LeagueRegisterResponse(status=Registration.ACCEPTED, player_id=US)

    door = Door(Identity(Address("league_manager")), (LeagueRegisterRequest,), handle, posts=REGISTRATION)
    body = {"display_name": "Sorrel", "version": "1.2", "endpoint": "http://localhost:8102/mcp"}

    async def main() -> None:
        async with served(door) as serving:
            answer = await post(serving.port, body, "/register")
            assert (answer.json["status"], answer.json["player_id"], answer.json["reason"]) == ("ACCEPTED", "P05", None)
            assert (await post(serving.port, [body], "/register")).json["error"]["code"] == -32600
            assert (await post(serving.port, body, "/register", Content_Type="text/plain")).status == 415

    run(main())


def test_A7_only_who_has_asked_for_it_answers_a_challenge() -> None:
    player = Player()

    async def main() -> None:
        async with served(player.door()) as serving, Caller() as caller:
            url = f"http://localhost:{serving.port}/mcp"
            manager = Identity(Address("league_manager"))
            assert not await caller.challenge(url, Claim("Juniper", "digest"), who=manager, seconds=5)
            player.who.claim = Claim("Juniper", "digest")
            assert await caller.challenge(url, Claim("Juniper", "digest"), who=manager, seconds=5)
            assert not await caller.challenge(url, Claim("Sorrel", "digest"), who=manager, seconds=5)
            assert not await caller.challenge(url, Claim("Juniper"), who=manager, seconds=5)
            assert not await caller.challenge(url, Claim("Juniper", "another"), who=manager, seconds=5)
            assert not await caller.challenge(
                "http://localhost:1/mcp", Claim("Juniper", "digest"), who=manager, seconds=5
            )

    run(main())
    assert player.heard == []


def test_A8_who_knows_no_challenge_is_asked_once() -> None:
    """Whoever lives at an address that a stranger names has not asked for more."""

    async def main() -> Animal:
        async with living(zoo.not_found) as animal, Caller() as caller:
            manager = Identity(Address("league_manager"))
            assert not await caller.challenge(animal.url, Claim("Juniper"), who=manager, seconds=5)
            return animal

    assert [body["method"] for body in run(main()).heard] == ["league_challenge"]


def test_A7_who_registers_can_be_challenged_by_that_name() -> None:
    """The challenge comes while the registration is still being answered."""
    manager = Identity(Address("league_manager"))
    player = Player()

    async def main() -> Any:
        async with served(player.door()) as home, Caller() as manager_calls, Caller() as player_calls:

            async def handle(incoming: Incoming) -> LeagueMessage:
                assert isinstance(incoming.message, LeagueRegisterRequest)
                meta = incoming.message.player_meta
                is_there = await manager_calls.challenge(
                    meta.contact_endpoint, claim_of(incoming.message), who=manager, seconds=5
                )
                status = Registration.ACCEPTED if is_there else Registration.REJECTED
                return LeagueRegisterResponse(status=status, player_id=US if is_there else None)

            meta = PlayerMeta(
                display_name="Juniper",
                version="1",
                game_types=("even_odd",),
                contact_endpoint=f"http://localhost:{home.port}/mcp",
            )
            async with served(Door(manager, (LeagueRegisterRequest,), handle)) as office:
                return await player_calls.call(
                    f"http://localhost:{office.port}/mcp",
                    LeagueRegisterRequest(player_meta=meta),
                    who=player.who,
                    to=Address("league_manager"),
                    conversation="c",
                    seconds=10,
                )

    assert run(main()).status is Registration.ACCEPTED


def test_our_agents_understand_each_other_at_once() -> None:
    player = Player()

    async def main() -> None:
        async with served(player.door()) as serving, Caller() as caller:
            for message in (INVITATION, CALL):
                await asked(caller, f"http://localhost:{serving.port}/mcp", message)

    run(main())
    invitation, call = (incoming.message for incoming in player.heard)
    assert isinstance(call, ChooseParityCall)
    assert call.deadline, "the host of the referee has added it"
    assert (invitation, replace(call, deadline=UNSET)) == (INVITATION, CALL)
    assert {incoming.peer for incoming in player.heard} == {"127.0.0.1"}
