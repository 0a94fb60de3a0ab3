"""The league manager at its door: who is let in, who is believed, and that it forgets nothing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.agents.agents_in_process import InProcessAgents, Running, in_process_agents, run
from tests.agents.loops import hurry, until
from tests.agents.test_leagues import start
from tests.agents.wire.wired import Said, post
from tests.agents.wire.zoo import Body, by_tool, living
from turnstile.agents.manager.beginning import LISTEN_SECONDS
from turnstile.agents.manager.process import ManagerProcess
from turnstile.agents.process import calls
from turnstile.agents.process.process import CannotStart
from turnstile.agents.wire.incoming import Incoming
from turnstile.agents.wire.rpc import Fault
from turnstile.league.manager.state import Options
from turnstile.league.protocol.management import LeagueStatus, StartLeague
from turnstile.league.protocol.words import Address
from turnstile.league.referee.calls import NOTIFICATION_TIMER, PLAYER_TIMERS
from turnstile.net.addresses import OPEN_NETWORK, allowing

UNWATCHED = {"watch_seconds": 3600.0}
"""For a league in which much time passes: its referees are not asked meanwhile whether they are there."""


async def say(manager: Running, message_type: str, sender: str | None = None, **fields: Any) -> Body:
    """What the manager answers: the result, or the error."""
    envelope = {"protocol": "league.v2", "message_type": message_type, "sender": sender, "conversation_id": "c"}
    body = {"jsonrpc": "2.0", "id": 7, "method": message_type.lower(), "params": {**envelope, **fields}}
    said: Body = (await post(manager.port, body)).json
    answer: Body = said.get("result") or said["error"]
    return answer


def meta(name: str, endpoint: str, **more: Any) -> Body:
    return {"display_name": name, "version": "1", "game_types": ["even_odd"], "contact_endpoint": endpoint, **more}


async def register(manager: Running, name: str, endpoint: str = "http://127.0.0.1:1/mcp") -> Body:
    return await say(manager, "LEAGUE_REGISTER_REQUEST", f"player:{name}", player_meta=meta(name, endpoint))


async def register_referee(manager: Running, name: str, endpoint: str) -> Body:
    return await say(manager, "REFEREE_REGISTER_REQUEST", f"referee:{name}", referee_meta=meta(name, endpoint))


@asynccontextmanager
async def managed(data: Path, **more: Any) -> AsyncIterator[tuple[InProcessAgents, Running]]:
    async with in_process_agents(data) as here:
        yield here, await here.manager(**more)


def test_who_asks_while_the_log_is_read_waits_and_is_answered_then(tmp_path: Path) -> None:
    class Slow(ManagerProcess):
        """It listens, and reads its log only when it is let."""

        asking: "list[asyncio.Task[Said]]"

        async def begin(self, endpoint: str) -> None:
            port = int(endpoint.removesuffix("/mcp").rpartition(":")[2])
            pages = ("/health", "/", "/board.json", "/metrics")
            self.asking = [asyncio.create_task(post(port, b"", page, "GET")) for page in pages]
            _, writer = await asyncio.open_connection("127.0.0.1", port)  # behind them, so they are there
            writer.close()
            await writer.wait_closed()
            assert not any(asked.done() for asked in self.asking)
            await super().begin(endpoint)

    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            manager = await here.start(Slow(here.settings("league"), Options()))
            assert [(await asked).status for asked in manager.host.asking] == [200] * 4

    run(play())


# registration


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_A8_nobody_registers_the_manager_s_own_address(tmp_path: Path, host: str) -> None:
    async def play() -> None:
        async with managed(tmp_path) as (_, manager):
            refused = await register(manager, "Echo", f"http://{host}:{manager.port}/mcp")
            assert refused["status"] == "REJECTED"
            assert "it is the endpoint of the league manager" in refused["reason"]
            assert (await register(manager, "Juniper", f"http://{host}:1/mcp"))["status"] == "ACCEPTED"

    run(play())


def test_who_registers_again_after_a_restart_of_the_manager_is_given_the_same_id_and_token(tmp_path: Path) -> None:
    async def play() -> None:
        async with managed(tmp_path) as (here, manager):
            first = await register(manager, "Juniper")
            assert (first["status"], first["player_id"]) == ("ACCEPTED", "P01")
            await manager.drop()
            manager = await here.manager(port=manager.port)
            again = await register(manager, "Juniper")
            assert [again[key] for key in ("player_id", "auth_token")] == [
                first[key] for key in ("player_id", "auth_token")
            ]
            assert (await register(manager, "Juniper", "http://127.0.0.1:2/mcp"))["reason"] == "Duplicate name"

    run(play())


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://10.0.0.1:80/mcp",
        "http://169.254.169.254/mcp",
        "http://[::ffff:10.0.0.1]/mcp",
        "http://2130706433/mcp",
        "ftp://127.0.0.1/mcp",
        "http://user@127.0.0.1/mcp",
        "http://127.0.0.1:1/elsewhere",
    ],
)
def test_A8_who_cannot_be_called_where_it_says_is_not_registered(tmp_path: Path, endpoint: str) -> None:
    async def play() -> None:
        async with managed(tmp_path) as (_, manager):
            answer = await register(manager, "Juniper", endpoint)
            assert answer["status"] == "REJECTED"
            assert answer["reason"].startswith("Endpoint unreachable")
            assert manager.host.work.state.players == ()

    run(play())


@pytest.mark.parametrize(
    ("field", "fits", "does_not"),
    [
        ("display_name", "x" * 200, "x" * 201),
        ("version", "1" * 200, "1" * 201),
        ("contact_endpoint", f"http://127.0.0.1:1/{'x' * 489}/mcp", f"http://127.0.0.1:1/{'x' * 490}/mcp"),
    ],
)
def test_A16_what_somebody_says_of_itself_has_a_longest_form(
    tmp_path: Path, field: str, fits: str, does_not: str
) -> None:
    async def play() -> None:
        async with managed(tmp_path) as (_, manager):
            about = meta("Juniper", "http://127.0.0.1:1/mcp")
            refused = await say(manager, "LEAGUE_REGISTER_REQUEST", player_meta={**about, field: does_not})
            assert (refused["code"], refused["data"]) == (-32602, {"fields": [f"player_meta.{field}"]})
            told = await say(manager, "LEAGUE_REGISTER_REQUEST", player_meta={**about, field: fits})
            assert told["status"] == "ACCEPTED"

    run(play())


def test_A7_who_does_not_answer_at_its_address_is_not_registered_where_that_is_asked_for(tmp_path: Path) -> None:
    async def play() -> None:
        async with managed(tmp_path, verifies_endpoints=True) as (here, manager):
            player = await here.player("Juniper")
            await here.referee()
            await until(lambda: bool(manager.host.work.state.players) and bool(manager.host.work.state.referees))
            stolen = await register(manager, "Sorrel", player.endpoint)
            assert stolen["status"] == "REJECTED"
            async with living(by_tool) as another:
                assert (await register(manager, "Tansy", another.url))["status"] == "REJECTED"
            assert len(manager.host.work.state.players) == 1

    run(play())


def test_A8_whom_the_league_has_no_place_for_is_not_called_to_see_whether_it_is_there(tmp_path: Path) -> None:
    async def play() -> None:
        full: dict[str, Any] = {"verifies_endpoints": True, "options": {"most_players": 2}}
        async with living(by_tool) as somebody, managed(tmp_path, **full) as (here, manager):
            await here.player("Juniper")
            await until(lambda: len(manager.host.work.state.players) == 1)
            assert (await register(manager, "Sorrel", somebody.url))["status"] == "REJECTED"
            assert len(somebody.heard) == 1
            await here.player("Tansy")
            await until(lambda: len(manager.host.work.state.players) == 2)
            assert (await register(manager, "Sorrel", somebody.url))["reason"] == "League full"
            assert len(somebody.heard) == 1

    run(play())


def test_endpoints_are_verified_by_default_if_others_than_this_machine_are_called(tmp_path: Path) -> None:
    async def play() -> None:
        reach = allowing(OPEN_NETWORK, "127.0.0.0/8")
        async with managed(tmp_path, reach=reach) as (_, manager), living(by_tool) as another:
            assert (await register(manager, "Tansy", another.url))["status"] == "REJECTED"

    run(play())


def test_there_is_a_second_door_for_players_that_know_no_json_rpc(tmp_path: Path) -> None:
    async def play() -> None:
        async with managed(tmp_path) as (_, manager):
            body = {"display_name": "Juniper", "version": "1", "endpoint": "http://127.0.0.1:1/mcp"}
            first, again = [await post(manager.port, body, "/register") for _ in range(2)]
            assert (first.status, first.json["player_id"]) == (200, "P01")
            assert again.json["auth_token"] == first.json["auth_token"]
            assert (await post(manager.port, b"[", "/register")).status == 400
            assert (await post(manager.port, b'{"display_name": "A", "display_name": "B"}', "/register")).status == 400
            assert (await post(manager.port, b"[" * 60_000, "/register")).status == 400
            assert (await post(manager.port, b'"' + b"x" * 70_000 + b'"', "/register")).status == 413
            nameless = (await post(manager.port, {"version": "1"}, "/register")).json
            assert "display_name" in str(nameless)
            elsewhere = {**body, "display_name": "Sorrel", "endpoint": "http://10.0.0.1/mcp"}
            assert (await post(manager.port, elsewhere, "/register")).json["status"] == "REJECTED"
            simple = await post(manager.port, body, "/register", Content_Type="text/plain")
            assert simple.status == 415
            assert (await post(manager.port, b"", "/register", "GET")).status == 405

    run(play())


# tokens


def test_A6_who_asks_or_reports_is_who_its_token_says(tmp_path: Path) -> None:
    async def play() -> None:
        async with managed(tmp_path) as (_, manager):
            player = await register(manager, "Juniper")
            referee = await register_referee(manager, "Whistle", "http://127.0.0.1:2/mcp")
            league = {"league_id": "league_2025_even_odd"}
            token = player["auth_token"]
            told = await say(manager, "LEAGUE_QUERY", "player:P01", auth_token=token, **league)
            assert told["success"] is True
            faults = {
                "E011": await say(manager, "LEAGUE_QUERY", "player:P01", **league),
                "E012": await say(manager, "LEAGUE_QUERY", "player:P01", auth_token=token + "x", **league),
                "E012 again": await say(manager, "LEAGUE_QUERY", "referee:REF01", auth_token=token, **league),
                "E005": await say(manager, "LEAGUE_QUERY", "player:P07", auth_token=token, **league),
            }
            for code, fault in faults.items():
                assert fault["data"]["error_code"] == code[:4]
                assert fault["data"]["original_message_type"] == "LEAGUE_QUERY"
                assert token not in str(fault)
            assert referee["auth_token"] != token

    run(play())


def test_A6_a_result_is_taken_from_the_referee_that_has_the_match_alone(tmp_path: Path) -> None:
    async def play() -> None:
        async with (
            living(by_tool) as one,
            living(by_tool) as other,
            living(by_tool) as whistle,
            living(by_tool) as flag,
            managed(tmp_path) as (here, manager),
        ):
            tokens = [
                (await register_referee(manager, name, place.url))["auth_token"]
                for name, place in (("Whistle", whistle), ("Flag", flag))
            ]
            thief = (await register(manager, "Juniper", one.url))["auth_token"]
            await register(manager, "Sorrel", other.url)
            await start(here.url)
            await until(lambda: bool(manager.host.work.state.matches))
            report = {
                "league_id": "league_2025_even_odd",
                "round_id": 1,
                "match_id": "R1M1",
                "game_type": "even_odd",
                "result": {"winner": "P01", "score": {"P01": 3, "P02": 0}, "details": {"status": "WIN"}},
            }
            assert manager.host.work.state.matches[0].referee_id == "REF01"
            forged = await say(manager, "MATCH_RESULT_REPORT", "referee:REF01", auth_token=thief, **report)
            assert forged["data"]["error_code"] == "E012"
            own = await say(manager, "MATCH_RESULT_REPORT", "player:P01", auth_token=thief, **report)
            assert own["code"] == 5002
            wrong = await say(manager, "MATCH_RESULT_REPORT", "referee:REF02", auth_token=tokens[1], **report)
            assert wrong["code"] == 5002
            right = await say(manager, "MATCH_RESULT_REPORT", "referee:REF01", auth_token=tokens[0], **report)
            assert right["status"] == "ACCEPTED"

    run(play())


# the beginning


@pytest.mark.parametrize(
    ("peer", "token", "may"),
    [
        ("127.0.0.1", None, True),
        ("::1", None, True),
        ("10.0.0.9", None, False),
        ("10.0.0.9", "wrong", False),
        ("10.0.0.9", "the admin's", True),
        ("", None, False),
    ],
)
def test_a_league_is_started_from_its_own_machine_or_with_the_token_of_who_runs_it(
    tmp_path: Path, peer: str, token: str | None, may: bool
) -> None:
    async def play() -> None:
        async with managed(tmp_path, admin_token="the admin's") as (_, manager):  # noqa: S106
            for number in (1, 2):
                await register(manager, f"Player {number}", f"http://127.0.0.1:{number}/mcp")
            await register_referee(manager, "Whistle", "http://127.0.0.1:3/mcp")
            incoming = Incoming(StartLeague(), Address("launcher"), token, "c", "start_league", peer)
            answer = await hurry(manager.host.handle(incoming), LISTEN_SECONDS / 10)  # nobody is at those endpoints
            assert isinstance(answer, LeagueStatus if may else Fault)
            assert bool(manager.host.work.state.round_id) is may

    run(play())


@pytest.mark.parametrize("given", [{"admin_token": ""}, {"referee_key": ""}])
def test_A6_an_empty_token_or_key_is_refused_at_once(tmp_path: Path, given: dict[str, Any]) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            with pytest.raises(CannotStart, match="would admit everyone"):
                await here.manager(**given)

    run(play())


# its life


def test_A14_a_player_that_is_gone_forfeits_its_matches_and_the_league_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "pause", lambda number: 0.0)

    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            manager = await here.manager(3, options=UNWATCHED)
            referee = await here.referee()
            players = [await here.player(f"Player {number}") for number in range(2)]
            gone = await here.player("Gone", "always:odd")
            await until(lambda: manager.host.work.state.round_id >= 1)
            await gone.drop()
            async with referee.running_out(*PLAYER_TIMERS, NOTIFICATION_TIMER):
                await asyncio.gather(*(player.ended() for player in players), referee.ended())
            files = here.match_files()
            assert len(files) == 3
            lost = [match for match in files.values() if "P03" in match["players"].values()]
            assert all(match["result"]["winner_player_id"] != "P03" for match in lost[1:])
            table = manager.host.work.state.tallies
            assert sum(tally.played for tally in table) == 6

    run(play())


def test_its_health_tells_how_far_the_league_has_got(tmp_path: Path) -> None:
    async def play() -> None:
        async with managed(tmp_path) as (_, manager):
            await register(manager, "Juniper")
            health = (await post(manager.port, b"", "/health", "GET")).json
            assert (health["role"], health["players"], health["league"]["status"]) == ("manager", 1, "pending")
            assert health["exchanges"] == {"LEAGUE_REGISTER_REQUEST": {"LEAGUE_REGISTER_RESPONSE": 1}}

    run(play())
