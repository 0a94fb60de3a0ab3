"""MCP itself: a door is a server of tools, and tools of others are called as MCP has it."""

import json
from codecs import BOM_UTF8
from typing import Any

import pytest

from tests.agents.loops import run
from tests.agents.wire import zoo
from tests.agents.wire.test_examples import EXCHANGES, KINDS
from tests.agents.wire.wired import INVITATION, JOINED, Player, asked, joined, post, request, said, without
from tests.agents.wire.zoo import living
from turnstile.agents.wire.caller import Caller, Unreached
from turnstile.agents.wire.envelope import Fields
from turnstile.agents.wire.lenient import read_message
from turnstile.agents.wire.mcp import Tools
from turnstile.agents.wire.rpc import Fault
from turnstile.league.protocol.management import RefereeRegisterRequest
from turnstile.league.protocol.messages import LeagueMessage, LeagueQuery, LeagueRegisterRequest, MatchResultReport
from turnstile.net.serving import served


def test_mcp_is_spoken_to_who_speaks_it() -> None:
    async def main() -> None:
        async with served(Player().door()) as serving:
            hello = await post(serving.port, request({"protocolVersion": "2025-03-26"}, "initialize"))
            assert hello.json["result"]["protocolVersion"] == "2025-03-26"
            assert hello.json["result"]["capabilities"] == {"tools": {"listChanged": False}}
            ready = await post(serving.port, {"jsonrpc": "2.0", "method": "notifications/initialized"})
            assert (ready.status, ready.body) == (202, b"")
            assert (await post(serving.port, {"jsonrpc": "2.0", "method": "ping", "id": 1})).json["result"] == {}
            listed = await post(serving.port, {"jsonrpc": "2.0", "method": "tools/list", "id": 2})
            tools = {tool["name"]: tool for tool in listed.json["result"]["tools"]}
            names = {"handle_game_invitation", "choose_parity", "notify_match_result", "league_challenge"}
            assert tools.keys() == names
            wanted = tools["handle_game_invitation"]["inputSchema"]
            assert wanted["type"] == "object"
            assert "match_id" in wanted["required"]
            assert "message_type" not in wanted["required"]
            call = {"name": "handle_game_invitation", "arguments": without("message_type", "protocol")}
            called = await post(serving.port, request(call, "tools/call"))
            assert joined(called.json["result"]["structuredContent"])

    run(main())


# what the list of tools says


def schema_of(kind: type[LeagueMessage]) -> Any:
    (tool,) = Tools("x", [kind]).descriptions
    return tool["inputSchema"]


@pytest.mark.parametrize(("method", "told"), [each[:2] for each in EXCHANGES], ids=[each[0] for each in EXCHANGES])
def test_a_tool_requires_what_cannot_be_missing_and_nothing_else(method: str, told: Fields) -> None:
    kind = KINDS[told["message_type"]]
    needed = {
        name
        for name in told
        if isinstance(read_message(kind, {each: told[each] for each in told if each != name}), Fault)
    }
    assert set(schema_of(kind)["required"]) == needed


@pytest.mark.parametrize("kind", [LeagueQuery, MatchResultReport, LeagueRegisterRequest, RefereeRegisterRequest])
def test_a_tool_shows_that_a_token_can_be_given_and_nothing_that_only_we_say(kind: type[LeagueMessage]) -> None:
    shown = schema_of(kind)["properties"]
    assert shown["auth_token"]["type"] == "string"
    assert "known_as" not in shown


# what is odd


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"name": "nope", "arguments": {}}, "Unknown tool"),
        ({"arguments": {}}, "The name of the tool must be a string"),
        ({"name": 5}, "The name of the tool must be a string"),
        (None, "The name of the tool must be a string"),
    ],
)
def test_a_tool_that_nobody_has_is_a_fault_of_the_parameters(params: Any, message: str) -> None:
    error = said(request(params, "tools/call")).json["error"]
    assert (error["code"], error["message"]) == (-32602, message)


@pytest.mark.parametrize("answer", [{"result": {}}, {"error": {"code": 1, "message": "no"}}])
def test_an_answer_to_nothing_is_taken_without_a_word(answer: Fields) -> None:
    found = said({"jsonrpc": "2.0", "id": 1, **answer})
    assert (found.status, found.body) == (202, b"")


def test_a_mark_of_the_byte_order_is_skipped() -> None:
    assert joined(said(BOM_UTF8 + json.dumps(request()).encode()).json["result"])


# events


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_an_answer_may_come_as_the_last_of_some_events(end: bytes) -> None:
    def manners(body: Any) -> zoo.Said:
        notice = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "thinking"}}
        _, answer = zoo.by_mcp(body)
        events = [b"event: message" + end + b"data: " + json.dumps(each).encode() + end for each in (notice, answer)]
        return 200, end.join([*events, b""])

    async def main() -> None:
        async with living(manners) as animal, Caller() as caller:
            assert await asked(caller, animal.url, INVITATION) == JOINED

    run(main())


@pytest.mark.parametrize("events", [b"data:", b"data: x\n\n", b"data: [1]\n\n", b"data: {}\ndata: {\n\n"])
def test_A4_events_that_say_nothing_are_no_answer(events: bytes) -> None:
    async def main() -> None:
        async with living(lambda _: (200, events)) as animal, Caller() as caller:
            with pytest.raises(Unreached, match="no answer that can be read"):
                await asked(caller, animal.url, INVITATION)

    run(main())
