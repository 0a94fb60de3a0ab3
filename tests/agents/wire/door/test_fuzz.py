"""Anything at all: whatever bytes come to a door or from a peer, they are answered, and nothing breaks."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.agents.wire.test_examples import EXCHANGES, KINDS
from tests.agents.wire.wired import CALL, INVITATION, OVER, PLAYER, Player, Said, asked, post
from turnstile.agents.wire.caller import Caller
from turnstile.agents.wire.envelope import Identity
from turnstile.agents.wire.exchange import Exchange
from turnstile.agents.wire.incoming import Incoming
from turnstile.agents.wire.lenient import read_message
from turnstile.agents.wire.replies import ANSWERS, Receipt, Unusable, read_reply
from turnstile.agents.wire.rpc import Fault
from turnstile.kernel.values import wire_name
from turnstile.league.protocol.messages import LeagueMessage
from turnstile.net.limits import Quota
from turnstile.net.serving import serve

FREELY = settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])

plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
words = st.sampled_from(
    [
        "method",
        "params",
        "id",
        "jsonrpc",
        "result",
        "error",
        "data",
        "message",
        "envelope",
        "payload",
        "arguments",
        "name",
        "content",
        "text",
        "message_type",
        "type",
        "sender",
        "status",
        "accept",
        "parity_choice",
        "choice",
        "GAME_INVITATION",
        "tools/call",
        "initialize",
        "ping",
        "league.v2",
        "ACCEPTED",
        "code",
        "standings",
        "timestamp",
        "round_id",
    ]
)
values = st.recursive(
    plain | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words | st.text(max_size=8), inner, max_size=5),
    max_leaves=12,
)
requests = st.sampled_from(
    [{"jsonrpc": "2.0", "method": method, "params": asked, "id": 1} for method, asked, _ in EXCHANGES]
)


def spoilt(draw: st.DrawFn, value: Any) -> Any:
    """The same with some part of it replaced by something else."""
    if isinstance(value, dict) and value and draw(st.booleans()):
        name = draw(st.sampled_from(sorted(value)))
        if draw(st.integers(0, 4)) == 0:
            return {key: held for key, held in value.items() if key != name}
        return {**value, name: spoilt(draw, value[name])}
    if isinstance(value, list) and value and draw(st.booleans()):
        return [spoilt(draw, value[0]), *value[1:]]
    return draw(values)


@st.composite
def spoilt_requests(draw: st.DrawFn) -> Any:
    return spoilt(draw, draw(requests))


@st.composite
def spoilt_replies(draw: st.DrawFn) -> Any:
    reply = draw(st.sampled_from([answered for *_, answered in EXCHANGES]))
    frame = draw(st.sampled_from(["result", "params", "data", "message", "error", None]))
    return spoilt(draw, {frame: reply, "id": 1} if frame else reply)


bodies = st.binary(max_size=200) | st.one_of(values, spoilt_requests(), spoilt_replies()).map(
    lambda value: json.dumps(value).encode()
)


BOUNDLESS = Quota(rate=1e9, burst=1e9)


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def port(runner: asyncio.Runner) -> Iterator[int]:
    serving = runner.run(serve(Player().door(per_agent=BOUNDLESS)))
    yield serving.port
    runner.run(serving.stop())


def is_answer(said: Said) -> bool:
    if said.status in (202, 204):
        return said.body == b""
    return isinstance(said.json, dict) and (said.status == 200 or 400 <= said.status < 500)


@FREELY
@given(body=bodies)
def test_A4_any_body_is_answered(runner: asyncio.Runner, port: int, body: bytes) -> None:
    assert is_answer(runner.run(post(port, body)))


@FREELY
@given(raw=st.binary(max_size=300) | st.binary(max_size=100).map(lambda rest: b"POST /mcp HTTP/1.1\r\nHost: " + rest))
def test_A4_any_bytes_at_all_leave_the_door_standing(runner: asyncio.Runner, port: int, raw: bytes) -> None:
    async def main() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(raw)
        writer.write_eof()
        said = await reader.read()
        writer.close()
        assert said == b"" or said.startswith((b"HTTP/1.1 4", b"HTTP/1.1 200"))

    runner.run(main())


def test_the_door_still_stands_after_all_of_it(runner: asyncio.Runner, port: int) -> None:
    async def main() -> object:
        async with Caller() as caller:
            return await asked(caller, f"http://localhost:{port}/mcp", INVITATION)

    assert isinstance(runner.run(main()), LeagueMessage)


async def heard(incoming: Incoming) -> Fault:
    return Fault(1, "heard")


taking_everything = Exchange(Identity(PLAYER), list(ANSWERS), heard, quota=BOUNDLESS)


@settings(FREELY, max_examples=300)
@given(body=bodies)
def test_A4_an_agent_that_takes_everything_breaks_over_nothing(body: bytes) -> None:
    """Every message of the protocol, and what is done to it before it has a type."""

    async def main() -> None:
        answer = await taking_everything.answer(body, "127.0.0.1")
        assert answer.status in (200, 202, 204, 400)
        assert answer.body is None or answer.body.get("error", {}).get("code") != -32603
        json.dumps(answer.body, allow_nan=False).encode()

    asyncio.run(main())


ODD_VALUES: list[Any] = [None, True, 10**30, -1.5, "", "x", [], {}, [[]], [{}], {"x": []}]


def with_each_part_odd(value: Any) -> Iterator[Any]:
    """The same, many times: with one part after the other replaced by everything that is odd."""
    if isinstance(value, dict):
        for name, held in value.items():
            yield from ({**value, name: odd} for odd in (*ODD_VALUES, *with_each_part_odd(held)))
    elif isinstance(value, list):
        for at, held in enumerate(value):
            yield from ([*value[:at], odd, *value[at + 1 :]] for odd in (*ODD_VALUES, *with_each_part_odd(held)))


@pytest.mark.parametrize(("method", "told", "answered"), EXCHANGES, ids=[method for method, *_ in EXCHANGES])
def test_A4_whatever_stands_in_a_field_is_no_bug_of_ours(method: str, told: Any, answered: Any) -> None:
    async def main() -> None:
        exchange = Exchange(Identity(PLAYER), list(ANSWERS), heard, quota=BOUNDLESS)
        for odd in with_each_part_odd({"jsonrpc": "2.0", "method": method, "params": told, "id": 1}):
            answer = await exchange.answer(json.dumps(odd).encode(), "127.0.0.1")
            assert answer.body is None or answer.body.get("error", {}).get("code") != -32603, odd

    asyncio.run(main())
    call = read_message(KINDS[told["message_type"]], told)
    assert isinstance(call, LeagueMessage)
    for odd in with_each_part_odd({"jsonrpc": "2.0", "result": answered, "id": 1}):
        found = read_reply(call, PLAYER, 200, json.dumps(odd).encode())
        assert isinstance(found, LeagueMessage | Receipt | Fault | Unusable), odd


@settings(FREELY, max_examples=300)
@given(call=st.sampled_from([INVITATION, CALL, OVER]), status=st.integers(200, 599), body=bodies)
def test_A4_any_answer_means_something(call: LeagueMessage, status: int, body: bytes) -> None:
    found = read_reply(call, PLAYER, status, body)
    assert isinstance(found, ANSWERS[type(call)] | Receipt | Fault | Unusable)


@settings(FREELY, max_examples=300)
@given(kind=st.sampled_from(sorted(KINDS)), fields=st.dictionaries(words, values) | spoilt_replies())
def test_A4_any_fields_are_a_message_or_a_fault_that_names_them(kind: str, fields: Any) -> None:
    if not isinstance(fields, dict):
        return
    found = read_message(KINDS[kind], fields)
    if isinstance(found, Fault):
        assert isinstance(found.data, dict)
        assert found.data["fields"]
    else:
        assert wire_name(type(found)) == kind
