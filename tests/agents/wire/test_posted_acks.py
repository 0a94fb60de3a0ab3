"""Acknowledgements and errors that are posted: all are understood, and those that somebody waits for count."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.agents.agents_in_process import Running, in_process_agents, run
from tests.agents.foreign import ForeignLeague, foreign_league, joins
from tests.agents.loops import until
from tests.agents.manager.test_process import managed, register, register_referee, say
from tests.agents.test_leagues import start
from tests.agents.wire.wired import post
from tests.agents.wire.zoo import Body, by_tool, living, result
from tests.agents.wire.zoo import Said as Answer
from turnstile.agents.manager.process import ManagerProcess
from turnstile.agents.player.process import PlayerProcess
from turnstile.agents.referee.process import RefereeProcess
from turnstile.agents.wire.lenient import read_message
from turnstile.agents.wire.mcp import Tools
from turnstile.agents.wire.methods import MESSAGE_TYPES
from turnstile.league.manager.state import Phase
from turnstile.league.protocol.management import LeagueError
from turnstile.league.protocol.messages import LeagueMessage, MatchResultAck, RoundAnnouncementAck
from turnstile.league.protocol.words import MatchId

ERROR = {"error_code": "E012", "error_name": "AUTH_TOKEN_INVALID", "context": {"tries": 3}}


def outcome(said: Body) -> Any:
    """The status of a result, or the code of an error."""
    return said.get("status", said.get("code"))


async def told(league: ForeignLeague, message_type: str, sender: str, **fields: Any) -> Any:
    said = (await league.post(message_type, sender, **fields)).json
    return outcome(said.get("result") or said["error"])


# at a referee


@asynccontextmanager
async def silent_at(data: Path, silence: str, **referee: Any) -> AsyncIterator[ForeignLeague]:
    """A match in which P01 says nothing to one kind of message, and has just been told it."""
    async with foreign_league(data, **referee) as league:
        over = asyncio.Event()

        async def silent(fields: Body) -> Body:
            if fields["message_type"] == silence:
                await over.wait()
            return joins(fields)

        await league.enter("P01", silent)
        await league.enter("P02")
        await league.hand_out()
        await until(lambda: bool(league.heard("P01", silence)))
        yield league
        over.set()


@pytest.mark.parametrize("trusts", [True, False])
def test_a_posted_GAME_OVER_ACK_lets_the_referee_go_on(tmp_path: Path, trusts: bool) -> None:
    async def play() -> None:
        async with silent_at(tmp_path, "GAME_OVER", trusts_posts=trusts) as league:
            shown = {"conversation_id": league.heard("P01", "GAME_OVER")[0]["conversation_id"]}
            ids = {"match_id": "R1M1", "player_id": "P01"}
            assert await told(league, "GAME_OVER_ACK", "player:P01", **ids, **shown) == "ok"
            assert (await league.reports.get())["match_id"] == "R1M1"
            await until(lambda: not league.referee.host.health()["matches_under_way"])
            assert await told(league, "GAME_OVER_ACK", "player:P01", **ids, **shown) == "IGNORED"
            assert not league.heard("P01", "GAME_ERROR")

    run(play())


@pytest.mark.parametrize("kind", ["GAME_OVER_ACK", "GAME_ERROR_ACK"])
def test_A6_nobody_acknowledges_for_a_player_without_its_conversation(tmp_path: Path, kind: str) -> None:
    async def play() -> None:
        async with silent_at(tmp_path, "GAME_OVER", trusts_posts=False) as league:
            ids = {"match_id": "R1M1", "player_id": "P01"}
            assert await told(league, kind, "player:P02", **ids) == 4002
            assert league.referee.host.health()["matches_under_way"] == 1
            assert league.reports.empty()

    run(play())


def test_a_posted_GAME_ERROR_ACK_is_noted_and_nothing_is_said_to_it(tmp_path: Path) -> None:
    async def play() -> None:
        async with silent_at(tmp_path, "GAME_OVER", trusts_posts=True) as league:
            assert await told(league, "GAME_ERROR_ACK", "player:P01", match_id="R1M1") == "ok"
            assert "[R1M1] Received GAME_ERROR_ACK from P01" in league.here.journal.getvalue()
            assert not league.heard("P01", "GAME_ERROR")

    run(play())


@asynccontextmanager
async def unheard(data: Path) -> AsyncIterator[ForeignLeague]:
    """A match is over, and the manager does not understand its report."""
    async with foreign_league(data) as league:
        league.is_deaf = True
        for player in ("P01", "P02"):
            await league.enter(player)
        await league.hand_out()
        await until(lambda: "Sent MATCH_RESULT_REPORT" in league.here.journal.getvalue())
        yield league


def test_a_posted_MATCH_RESULT_ACK_books_the_report_if_the_manager_says_it(tmp_path: Path) -> None:
    async def play() -> None:
        async with unheard(tmp_path) as league:
            ack = {"match_id": "R1M1", "status": "ACCEPTED", "round_id": None}
            assert await told(league, "MATCH_RESULT_ACK", "player:P01", **ack) == 3001
            assert await told(league, "MATCH_RESULT_ACK", "league_manager", **{**ack, "match_id": "R9M9"}) == 4003
            assert league.referee.host.health()["matches_under_way"] == 1
            assert await told(league, "MATCH_RESULT_ACK", "league_manager", **ack) == "ok"
            await until(lambda: not league.referee.host.health()["matches_under_way"])
            written = json.loads((tmp_path / "data/matches/foreign/R1M1.json").read_text())
            assert written["lifecycle"]["is_reported"]
            assert await told(league, "MATCH_RESULT_ACK", "league_manager", **ack) == "IGNORED"

    run(play())


def test_a_MATCH_RESULT_ACK_that_rejects_books_nothing(tmp_path: Path) -> None:
    async def play() -> None:
        async with unheard(tmp_path) as league:
            ack = {"match_id": "R1M1", "status": "REJECTED"}
            assert await told(league, "MATCH_RESULT_ACK", "league_manager", **ack) == "IGNORED"
            assert league.referee.host.health()["matches_under_way"] == 1

    run(play())


# at the manager


@asynccontextmanager
async def announcing(data: Path) -> AsyncIterator[tuple[Running, dict[str, str]]]:
    """A manager that announces its first round to players that say nothing to it; and the tokens of all."""
    over = asyncio.Event()

    async def silent(body: Body) -> Answer:
        await over.wait()
        return result(body, {})

    async with (
        living(silent) as one,
        living(silent) as other,
        living(by_tool) as whistle,
        managed(data) as (here, manager),
    ):
        entered = {
            "referee:REF01": await register_referee(manager, "Whistle", whistle.url),
            "player:P01": await register(manager, "Juniper", one.url),
            "player:P02": await register(manager, "Sorrel", other.url),
        }
        await start(here.url)
        yield manager, {agent: said["auth_token"] for agent, said in entered.items()}
        over.set()


def test_posted_ROUND_ANNOUNCEMENT_ACKs_let_the_manager_go_on(tmp_path: Path) -> None:
    async def play() -> None:
        async with announcing(tmp_path) as (manager, tokens):
            for player, more in (("player:P01", {"player_id": "P01"}), ("player:P02", {})):
                assert manager.host.work.state.phase is Phase.ANNOUNCING_ROUND
                shown = {"auth_token": tokens[player], "round_id": 1, **more}
                assert outcome(await say(manager, "ROUND_ANNOUNCEMENT_ACK", player, **shown)) == "ok"
            assert manager.host.work.state.phase is Phase.PLAYING_ROUND
            shown = {"auth_token": tokens["player:P01"], "round_id": 1}
            assert outcome(await say(manager, "ROUND_ANNOUNCEMENT_ACK", "player:P01", **shown)) == "IGNORED"

    run(play())


@pytest.mark.parametrize(
    ("token", "sender", "named", "code"),
    [
        (None, "player:P01", {"player_id": "P01"}, 11),
        ("player:P02", "player:P01", {"player_id": "P01"}, 12),
        ("player:P02", "player:P02", {"player_id": "P01"}, 12),
        ("player:P02", None, {"player_id": "P01"}, 12),
        ("player:P02", "player:P02", {"player_id": "P02", "referee_id": "REF01"}, 12),
        ("referee:REF01", "referee:REF01", {"player_id": "P01"}, 12),
    ],
)
@pytest.mark.parametrize(
    "kind", ["ROUND_ANNOUNCEMENT_ACK", "LEAGUE_COMPLETED_ACK", "STANDINGS_UPDATE_ACK", "ROUND_COMPLETED_ACK"]
)
def test_A6_nobody_acknowledges_for_another(
    tmp_path: Path, kind: str, token: str | None, sender: str | None, named: Body, code: int
) -> None:
    if kind in ("STANDINGS_UPDATE_ACK", "ROUND_COMPLETED_ACK"):
        named = {**named, "player_id": "P01"}

    async def play() -> None:
        async with announcing(tmp_path) as (manager, tokens):
            shown = {} if token is None else {"auth_token": tokens[token]}
            assert outcome(await say(manager, kind, sender, round_id=1, **named, **shown)) == code
            assert manager.host.work.state.unheard == ("P01", "P02")

    run(play())


def test_what_nobody_waits_for_is_noted(tmp_path: Path) -> None:
    async def play() -> None:
        async with managed(tmp_path) as (here, manager):
            token = (await register(manager, "Juniper"))["auth_token"]
            for kind in ("STANDINGS_UPDATE_ACK", "ROUND_COMPLETED_ACK"):
                assert outcome(await say(manager, kind, "player:P01", auth_token=token, round_id=1)) == "ok"
                assert f"Received {kind} from P01" in here.journal.getvalue()
            assert outcome(await say(manager, "LEAGUE_COMPLETED_ACK", "player:P01", auth_token=token)) == "IGNORED"

    run(play())


# anywhere


def test_a_LEAGUE_ERROR_is_noted_and_acknowledged_by_everybody(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            manager, referee, player = await here.manager(), await here.referee(), await here.player("Juniper")
            await until(lambda: bool(referee.host.work.state.referee_id and player.host.work.state.player_id))
            for agent in (manager, referee, player):
                before = agent.host.work.state
                assert outcome(await say(agent, "LEAGUE_ERROR", "league_manager", **ERROR)) == "ACKNOWLEDGED"
                assert agent.host.work.state is before
            assert here.journal.getvalue().count("Received LEAGUE_ERROR from league_manager (error_code=E012") == 3

    run(play())


@pytest.mark.parametrize("told", [{}, {"error_code": 12, "error_description": ["?"], "context": "?", "retryable": 1}])
def test_whatever_a_LEAGUE_ERROR_says_it_is_one(told: Body) -> None:
    assert isinstance(read_message(LeagueError, told), LeagueError)


def test_an_acknowledgement_need_only_say_what_it_is_about() -> None:
    said = read_message(RoundAnnouncementAck, {"round_id": "2", "status": None, "player_id": "", "sender": "referee:R"})
    assert said == RoundAnnouncementAck(round_id=2)
    assert read_message(MatchResultAck, {"match_id": "R1M1", "round_id": None}) == MatchResultAck(
        status="ACCEPTED", match_id=MatchId("R1M1")
    )


POSTED = {
    RefereeProcess: "GAME_JOIN_ACK CHOOSE_PARITY_RESPONSE GAME_OVER_ACK GAME_ERROR_ACK MATCH_RESULT_ACK LEAGUE_ERROR",
    ManagerProcess: """ROUND_ANNOUNCEMENT_ACK STANDINGS_UPDATE_ACK ROUND_COMPLETED_ACK LEAGUE_COMPLETED_ACK
        LEAGUE_ERROR""",
    PlayerProcess: "LEAGUE_ERROR",
}


@pytest.mark.parametrize("host", POSTED)
def test_all_of_them_are_tools_and_known_by_their_names(host: Any) -> None:
    takes: tuple[type[LeagueMessage], ...] = host.takes
    listed = {tool["name"] for tool in Tools("agent", takes).descriptions}
    for kind in POSTED[host].split():
        assert kind.lower() in listed
        assert MESSAGE_TYPES[kind] == MESSAGE_TYPES[kind.lower()] == kind


def test_one_may_be_called_as_a_tool(tmp_path: Path) -> None:
    async def play() -> None:
        async with silent_at(tmp_path, "GAME_OVER", trusts_posts=True) as league:
            shown = league.heard("P01", "GAME_OVER")[0]["conversation_id"]
            ack = {"sender": "player:P01", "match_id": "R1M1", "player_id": "P01", "conversation_id": shown}
            params = {"name": "game_over_ack", "arguments": ack}
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            said = (await post(league.referee.port, body)).json["result"]["content"][0]["text"]
            assert (json.loads(said)["status"], json.loads(said).get("reason")) == ("ok", None)
            assert (await league.reports.get())["match_id"] == "R1M1"

    run(play())
