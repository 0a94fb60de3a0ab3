"""Our caller among agents that mean harm: whatever they do, a call ends in time, in an answer or in `Unreached`."""

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.agents import zoo
from tests.agents.wired import CALL, INVITATION, JOINED, LONG, PLAYER, asked, referee, run
from tests.agents.zoo import Manners, listening, living
from turnstile.agents.caller import Caller, Unreached
from turnstile.agents.replies import Receipt
from turnstile.agents.rpc import Fault
from turnstile.league.messages import ChooseParityResponse, LeagueQuery, LeagueQueryResponse
from turnstile.league.words import LEAGUE_MANAGER, LeagueId

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

    assert str(called(serve, SHORT)) == "no answer in time"


def test_A2_who_says_nothing_at_all_is_dropped_at_the_deadline() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    assert str(called(serve, SHORT)) == "no answer in time"


def test_A2_the_deadline_is_for_all_forms_together() -> None:
    """Each form on its own would be in time."""

    async def manners(_: Any) -> zoo.Said:
        await asyncio.sleep(SHORT * 0.7)
        return 404, {"detail": "Not Found"}

    async def main() -> None:
        async with living(manners) as animal, Caller() as caller:
            assert await asked(caller, animal.url, INVITATION, SHORT) == Receipt(404)
            assert len(animal.heard) == 2

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
    assert len(heard) == 6


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


# nonsense

NONSENSE: dict[str, bytes] = {
    "nothing": b"",
    "prose": b"sure, I will join",
    "HTML": b"<html><body>It works!</body></html>",
    "batch": b'[{"jsonrpc": "2.0", "result": {"accept": true}, "id": 1}]',
    "number": b"42",
    "null": b"null",
    "repeated key": b'{"result": {"accept": false, "accept": true}}',
    "NaN": b'{"result": {"accept": true, "x": NaN}}',
    "lone surrogate": b'{"result": {"accept": true, "x": "\\ud800"}}',
    "not UTF-8": b'{"result": {"accept": true, "x": "\xff"}}',
    "UTF-16": '{"result": {"accept": true}}'.encode("utf-16"),
    "deep": b'{"result": {"accept": true, "x": ' + b"[" * 900 + b"]" * 900 + b"}}",
    "deeper": b"[" * 60_000,
    "number without end": b'{"result": {"accept": true, "x": ' + b"1" * 5000 + b"}}",
    "number beyond all": b'{"result": {"accept": true, "x": 1e999}}',
    "half": b'{"result": {"accept": tr',
}


@pytest.mark.parametrize("body", NONSENSE.values(), ids=list(NONSENSE))
def test_A4_what_cannot_be_read_is_no_answer(body: bytes) -> None:
    async def main() -> None:
        async with living(lambda _: (200, body)) as animal, Caller() as caller:
            with pytest.raises(Unreached, match="no answer that can be read"):
                await asked(caller, animal.url, INVITATION)

    run(main())


ANSWERS: dict[str, Any] = {
    "result and error": {"result": {"accept": True}, "error": {"code": 4005, "message": "no"}},
    "error that is a text": {"error": "nope"},
    "error without a code": {"error": {"message": "nope"}},
    "error whose code is a text": {"error": {"code": "E012", "message": ["x"]}},
    "result that is a list": {"result": [{"accept": True}]},
    "accept that is a text": {"result": {"accept": "true"}},
    "accept that is a number": {"result": {"accept": 1}},
    "null result": {"result": None},
    "content of something else": {"result": {"content": [{"type": "image", "data": "x"}]}},
    "content that is no list": {"result": {"content": {"text": "{}"}}},
    "content that is prose": {"result": {"content": [{"type": "text", "text": "I accept"}]}},
    "empty": {},
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=list(ANSWERS))
def test_A4_what_says_nothing_of_use_is_no_join(answer: Any) -> None:
    async def main() -> None:
        async with living(lambda _: (200, answer)) as animal, Caller() as caller:
            assert isinstance(await asked(caller, animal.url, INVITATION), Receipt | Fault)

    run(main())


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\x00\x01\x02\xff\xfe" * 100,
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 banana\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n: nameless\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}",
    ],
    ids=range(9),
)
def test_A4_what_is_no_http_is_no_answer(raw: bytes) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await zoo.read_request(reader)
        writer.write(raw)
        await writer.drain()

    called(serve)


def test_A5_a_second_answer_in_the_same_exchange_is_never_read_as_that_of_the_next() -> None:
    """Two answers to one request; the second would be taken for the answer to whatever is asked next."""
    once = zoo.written(200, {"result": {"accept": True}})
    twice = zoo.written(200, {"result": {"parity_choice": "even"}})

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await zoo.read_request(reader) is not None:
            writer.write(once + twice)

    async def main() -> None:
        async with listening(serve) as port, Caller() as caller:
            url = f"http://localhost:{port}/mcp"
            assert await asked(caller, url, INVITATION) == JOINED
            try:
                found = await asked(caller, url, CALL, SHORT)
            except Unreached:
                return
            assert not isinstance(found, ChooseParityResponse)

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


# elsewhere


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_A8_nobody_sends_us_elsewhere(status: int) -> None:
    async def main() -> None:
        async with living(zoo.by_tool) as victim:
            line = b"HTTP/1.1 %d X\r\nLocation: %b\r\nContent-Length: 0\r\n\r\n" % (status, victim.url.encode())
            async with listening(answering(line)) as port, Caller() as caller:
                with pytest.raises(Unreached, match="elsewhere"):
                    await asked(caller, f"http://localhost:{port}/mcp", INVITATION)
            assert victim.heard == []

    run(main())


def test_a_refused_connection_is_no_answer() -> None:
    async def main() -> None:
        async with living(zoo.by_tool) as animal:
            pass
        async with Caller() as caller:
            with pytest.raises(Unreached, match="ClientConnector"):
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


# a legal answer, and more


def with_extras(fields: Any) -> Manners:
    extras = {f"x_{number}": number for number in range(1000)}
    return lambda body: zoo.result(body, {**fields, **extras})


def test_A16_a_thousand_fields_that_nobody_knows_are_ignored() -> None:
    async def main() -> None:
        async with living(with_extras({"accept": True})) as animal, Caller() as caller:
            assert await asked(caller, animal.url, INVITATION) == JOINED

    run(main())


OTHER_LETTERS = {
    "fullwidth": "\uff45\uff56\uff45\uff4e",
    "Cyrillic": "\u0435ven",
    "with an accent": "ev\u0065\u0301n",
    "with nothing at its end": "even\u200b",
    "digit": "0dd",
    "both": "even odd",
    "neither": "",
}


@pytest.mark.parametrize("choice", OTHER_LETTERS.values(), ids=list(OTHER_LETTERS))
def test_A17_another_form_of_the_same_letters_is_not_the_same_word(choice: str) -> None:
    """The referee is given the text as it is, and refuses it: only `even` and `odd` are choices."""

    async def main() -> ChooseParityResponse:
        async with living(lambda body: zoo.result(body, {"parity_choice": choice})) as animal, Caller() as caller:
            found = await asked(caller, animal.url, CALL)
            assert isinstance(found, ChooseParityResponse)
            return found

    assert run(main()).parity_choice not in ("even", "odd")


@pytest.mark.parametrize("choice", [7, True, None, ["even"], {"even": 1}, "x" * 10_000])
def test_A17_a_choice_that_is_no_word_is_none(choice: Any) -> None:
    async def main() -> None:
        async with living(lambda body: zoo.result(body, {"parity_choice": choice})) as animal, Caller() as caller:
            found = await asked(caller, animal.url, CALL)
            assert isinstance(found, Receipt) or (
                isinstance(found, ChooseParityResponse) and found.parity_choice not in ("even", "odd")
            )

    run(main())
