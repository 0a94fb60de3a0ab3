"""Our caller among agents that mean harm: whatever they do, a call ends in time, in an answer or in `Unreached`."""

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.agents.loops import pass_time, run, until
from tests.agents.wire import zoo
from tests.agents.wire.wired import INVITATION, JOINED, LONG, OVER, PLAYER, asked, referee, told
from tests.agents.wire.zoo import listening, living
from turnstile.agents.wire.caller import Caller, Silent, Unreached
from turnstile.agents.wire.dialect import forms_of
from turnstile.agents.wire.replies import Receipt
from turnstile.league.protocol.messages import GameOverAck, LeagueQuery, LeagueQueryResponse
from turnstile.league.protocol.words import LEAGUE_MANAGER, LeagueId

SHORT = 0.2
"""Seconds that a call has to wait for somebody who never answers."""

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def called(serve: Serve, seconds: float = LONG) -> Unreached:
    """Why an invitation to whoever is served like this does not reach it."""

    async def main() -> Unreached:
        async with listening(serve) as port, Caller() as caller:
            with pytest.raises(Unreached) as raised:
                await asked(caller, f"http://localhost:{port}/mcp", INVITATION, seconds)
            return raised.value

    return run(main())


def answering(*parts: bytes) -> Serve:
    """Somebody who reads the request and then writes just this."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await zoo.read_request(reader)
        for part in parts:
            writer.write(part)
            await writer.drain()
        await reader.read()

    return serve


# time


def test_A2_who_sends_a_byte_now_and_then_is_dropped_at_the_deadline() -> None:
    """Each byte comes in good time; it is the whole that has a deadline."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await zoo.read_request(reader)
        writer.write(HEAD + b"Content-Length: 60000\r\n\r\n")
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(SHORT / 20)

    assert isinstance(called(serve, SHORT), Silent)


def test_A2_who_says_nothing_at_all_is_dropped_at_the_deadline() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    silence = called(serve, SHORT)
    assert isinstance(silence, Silent)
    assert str(silence) == "no answer in time"


def test_A2_the_deadline_is_for_all_forms_together() -> None:
    """Who answers the first form, and is silent to the second, is not asked in a third."""

    async def main() -> None:
        asks: list[Any] = []

        async def manners(body: Any) -> zoo.Said:
            asks.append(body)
            if len(asks) > 1:
                await asyncio.Event().wait()
            return 404, {"detail": "Not Found"}

        async with living(manners) as animal, Caller() as caller:
            call = asyncio.create_task(asked(caller, animal.url, INVITATION))
            await until(lambda: len(asks) == 2)
            pass_time(LONG)
            assert await call == Receipt(404)
        assert len(asks) == 2

    run(main())


def test_A2_one_who_hangs_does_not_keep_others_waiting() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async def main() -> None:
        async with listening(serve) as port, living(zoo.by_tool) as animal, Caller() as caller:
            hanging = asyncio.create_task(asked(caller, f"http://localhost:{port}/mcp", INVITATION))
            await asyncio.sleep(0)
            assert await asked(caller, animal.url, INVITATION) == JOINED
            assert not hanging.done()
            hanging.cancel()
            with pytest.raises(asyncio.CancelledError):
                await hanging

    run(main())


def test_A19_no_more_connections_are_open_than_allowed_when_all_hang() -> None:
    connected: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.append(writer)
        await reader.read()

    async def main() -> None:
        async with (
            listening(serve) as port,
            listening(serve) as other,
            living(zoo.by_tool) as animal,
            Caller(most_at_once=5, most_per_peer=3) as caller,
            Caller() as another,
        ):
            urls = [f"http://localhost:{each}/mcp" for each in (port, other)] * 20
            calls = [asyncio.create_task(asked(caller, url, INVITATION)) for url in urls]
            for _ in range(20):
                await asked(another, animal.url, INVITATION)  # long enough for all that could connect
            assert len(connected) == 5
            for call in calls:
                call.cancel()
            await asyncio.wait(calls)

    run(main())


def test_a_connection_that_is_closed_just_when_it_is_used_again_is_opened_anew() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One answer a connection; the second request finds it closed."""
        await zoo.read_request(reader)
        writer.write(zoo.written(200, {"result": {"accept": True}}))
        await zoo.read_request(reader)

    async def main() -> None:
        async with listening(serve) as port, Caller() as caller:
            for _ in range(3):
                assert await asked(caller, f"http://localhost:{port}/mcp", INVITATION) == JOINED

    run(main())


def test_who_answers_and_then_goes_away_has_answered() -> None:
    """A broadcast that was answered, if not understood, was delivered, whatever becomes of its other forms."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        body = await zoo.read_request(reader)
        if body and json.loads(body).get("method") == "notify_match_result":
            writer.write(zoo.written(404, {"detail": "Not Found"}))
            await zoo.read_request(reader)

    async def main() -> None:
        async with listening(serve) as port, Caller() as caller:
            assert isinstance(await told(caller, f"http://localhost:{port}/mcp", OVER), GameOverAck)

    run(main())


# size


def test_A3_an_answer_that_says_it_is_huge_is_not_read() -> None:
    assert str(called(answering(HEAD + b"Content-Length: 2147483648\r\n\r\n"))) == "the answer is too large"


def test_A3_an_answer_without_end_is_dropped() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await zoo.read_request(reader)
        writer.write(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"400\r\n" + b" " * 1024 + b"\r\n")
            await writer.drain()

    assert str(called(serve)) == "the answer is too large"


def test_A3_what_is_compressed_is_not_unpacked() -> None:
    bomb = gzip.compress(b" " * 10_000_000 + json.dumps({"result": {"accept": True}}).encode())
    head = HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb)
    assert len(bomb) < 64 * 1024
    heard: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (body := await zoo.read_request(reader)) is not None:
            heard.append(body)
            writer.write(head + bomb)

    assert str(called(serve)) == "no answer that can be read"
    assert len(heard) == len(forms_of("GAME_INVITATION"))


def test_A3_answers_of_status_100_without_end_are_dropped() -> None:
    """And meanwhile others are answered."""
    sent = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await zoo.read_request(reader)
        while True:
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000)
            await writer.drain()
            sent += 25_000

    fault = called(serve)
    assert str(fault) == "the answer is too large"
    assert sent < 20_000_000  # what fits into the buffers of two connections, and not what fits into the time


def test_A3_headers_without_end_are_dropped() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await zoo.read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nX-Name: ")
        while True:
            writer.write(b"y" * 1024)
            await writer.drain()

    called(serve)


def test_a_manager_may_say_more_than_a_player() -> None:
    row = {"rank": 1, "player_id": "P01", "display_name": "x" * 100, "points": 0}
    table = {"success": True, "standings": [row] * 1000}
    query = LeagueQuery(league_id=LeagueId("spring"))

    async def main() -> None:
        async with living(lambda body: zoo.result(body, table)) as animal, Caller() as caller:
            found = await caller.call(
                animal.url, query, who=referee(), to=LEAGUE_MANAGER, conversation="c", seconds=LONG
            )
            assert isinstance(found, LeagueQueryResponse)
            assert len(found.standings) == 1000
            with pytest.raises(Unreached, match="too large"):
                await caller.call(animal.url, query, who=referee(), to=PLAYER, conversation="c", seconds=LONG)

    run(main())


# elsewhere


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_A8_nobody_sends_us_elsewhere(status: int) -> None:
    async def main() -> None:
        async with living(zoo.by_tool) as victim:
            line = b"HTTP/1.1 %d X\r\nLocation: %b\r\nContent-Length: 0\r\n\r\n" % (status, victim.url.encode())
            async with listening(answering(line)) as port, Caller() as caller:
                with pytest.raises(Unreached, match="redirect"):
                    await asked(caller, f"http://localhost:{port}/mcp", INVITATION)
            assert victim.heard == []

    run(main())


def test_a_refused_connection_is_no_answer() -> None:
    async def main() -> None:
        async with living(zoo.by_tool) as animal:
            pass
        async with Caller() as caller:
            with pytest.raises(Unreached, match="no connection can be made"):
                await asked(caller, animal.url, INVITATION)

    run(main())


@pytest.mark.parametrize("status", [429, 503])
def test_who_is_busy_is_not_asked_in_another_form(status: int) -> None:
    async def main() -> None:
        async with living(lambda _: (status, {"status": "ok"})) as animal, Caller() as caller:
            with pytest.raises(Unreached, match="busy"):
                await asked(caller, animal.url, INVITATION)
            assert len(animal.heard) == 1

    run(main())


@pytest.mark.parametrize("status", [302, 404, 429, 500, 503])
def test_an_answer_is_one_whatever_its_status(status: int) -> None:
    def strange(body: zoo.Body) -> zoo.Said:
        return status, zoo.by_tool(body)[1]

    async def main() -> None:
        async with living(strange) as animal, Caller() as caller:
            assert await asked(caller, animal.url, INVITATION) == JOINED

    run(main())


@pytest.mark.parametrize("status", [302, 429, 503])
def test_who_has_not_heard_what_it_was_told_has_not_acknowledged_it(status: int) -> None:
    async def main() -> None:
        async with living(lambda _: (status, {"status": "ok"})) as animal, Caller() as caller:
            with pytest.raises(Unreached):
                await asked(caller, animal.url, OVER)

    run(main())


def test_A9_a_call_says_nothing_but_what_it_has_to() -> None:
    """No cookies that were set before, no compression asked for, and nobody else's token."""
    heads: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            heads.append(await reader.readuntil(b"\r\n\r\n"))
            length = int(heads[-1].lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            await reader.readexactly(length)
            body = b'{"result": {"accept": true}}'
            writer.write(HEAD + b"Set-Cookie: a=b\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    async def main() -> None:
        async with listening(serve) as port, Caller() as caller:
            for _ in range(2):
                assert await asked(caller, f"http://localhost:{port}/mcp", INVITATION) == JOINED

    run(main())
    assert len(heads) == 2
    for head in heads:
        assert b"accept-encoding: identity\r\n" in head.lower()
        assert b"cookie" not in head.lower()
        assert b"tok-" not in head
