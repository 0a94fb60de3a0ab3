"""Our caller among agents that answer nonsense: no answer breaks it, and none is taken for a move that is not one."""

import asyncio
from typing import Any

import pytest

from tests.agents.loops import run
from tests.agents.wire import zoo
from tests.agents.wire.door.test_hostile import SHORT, called
from tests.agents.wire.wired import CALL, INVITATION, JOINED, asked
from tests.agents.wire.zoo import Manners, listening, living
from turnstile.agents.wire.caller import Caller, Unreached
from turnstile.agents.wire.replies import Receipt
from turnstile.agents.wire.rpc import Fault
from turnstile.league.protocol.messages import ChooseParityResponse

NONSENSE: dict[str, bytes] = {
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
