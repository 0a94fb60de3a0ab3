"""Who is believed to be the league manager, and who to be an agent that registers again."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.agents.agents_in_process import InProcessAgents, Running, in_process_agents, run
from tests.agents.foreign import foreign_league
from tests.agents.loops import until
from tests.agents.manager.test_process import managed, meta, register, register_referee, say
from tests.agents.player.stage import stage
from tests.agents.referee.test_process import get
from tests.agents.wire.wired import post
from tests.agents.wire.zoo import Body, living, result
from turnstile.agents.player import process as player_module
from turnstile.agents.player.process import PlayerProcess
from turnstile.agents.referee import matches as referee_matches
from turnstile.league.player.state import Phase
from turnstile.league.protocol.management import RefereeRegisterRequest
from turnstile.league.protocol.messages import LeagueRegisterRequest
from turnstile.league.protocol.words import DEFAULT_LEAGUE, LEAGUE_MANAGER
from turnstile.net.addresses import OPEN_NETWORK, allowing

LEAGUE = {"league_id": DEFAULT_LEAGUE}
CHAMPION = {"player_id": "P02", "display_name": "Eve", "points": 3}
FORGED: dict[str, Body] = {
    "ROUND_ANNOUNCEMENT": {**LEAGUE, "round_id": 10**6, "matches": []},
    "LEAGUE_STANDINGS_UPDATE": {**LEAGUE, "round_id": 1, "standings": []},
    "ROUND_COMPLETED": {**LEAGUE, "round_id": 1, "matches_played": 1},
    "LEAGUE_COMPLETED": {
        **LEAGUE,
        "total_rounds": 1,
        "total_matches": 1,
        "champion": CHAMPION,
        "final_standings": [],
    },
}
MATCH: Body = {
    **LEAGUE,
    "round_id": 1,
    "match_id": "R1M1",
    "player_A_id": "P01",
    "player_A_endpoint": "http://127.0.0.1:1/mcp",
    "player_B_id": "P02",
    "player_B_endpoint": "http://127.0.0.1:1/mcp",
}


async def entered(here: InProcessAgents, manager: Running) -> tuple[Running, Running]:
    """A player and a referee of ours that have registered."""
    player, referee = await here.player("Juniper"), await here.referee()
    await until(lambda: bool(player.host.work.state.player_id and referee.host.work.state.referee_id))
    return player, referee


# the league manager


@pytest.mark.parametrize("shown", [None, "", "tok-p01-" + "0" * 32, "0" * 64, "\u00e9"])
def test_A6_nobody_but_the_manager_broadcasts_to_an_agent_that_has_a_proof(tmp_path: Path, shown: str | None) -> None:
    async def play() -> None:
        async with managed(tmp_path) as (here, manager):
            agents = await entered(here, manager)
            before = [agent.host.work.state for agent in agents]
            for agent in agents:
                for kind, fields in FORGED.items():
                    answer = await say(agent, kind, "league_manager", auth_token=shown, **fields)
                    assert (answer["code"], answer["message"]) == (3001, "bad token"), kind
            assert (await say(agents[1], "RUN_MATCH", "league_manager", auth_token=shown, **MATCH))["code"] == 3001
            assert [agent.host.work.state for agent in agents] == before
            assert agents[1].host.health()["matches_under_way"] == 0
            assert not any(agent.task.done() for agent in agents)

    run(play())


def test_A6_the_manager_shows_each_agent_its_own_proof_and_an_agent_knows_it_after_a_restart(tmp_path: Path) -> None:
    async def play() -> None:
        async with managed(tmp_path) as (here, manager):
            player, referee = await entered(here, manager)
            proofs = [agent.host.work.state.manager_proof for agent in (player, referee)]
            assert all(proofs)
            assert proofs[0] != proofs[1]
            await player.drop()
            player = await here.player("Juniper", port=player.port)
            table = FORGED["LEAGUE_STANDINGS_UPDATE"]
            for shown, is_believed in ((proofs[0], True), (proofs[1], False), (None, False)):
                answer = await say(player, "LEAGUE_STANDINGS_UPDATE", "league_manager", auth_token=shown, **table)
                assert ("code" not in answer) is is_believed

    run(play())


def test_A6_a_league_of_ours_is_played_with_proofs_and_the_referee_reports_none_of_its_own(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            manager = await here.manager(2, ends_with_league=True)
            referee, players = await here.referee(), [await here.player(name) for name in ("Juniper", "Sorrel")]
            for agent in (*players, referee, manager):
                await agent.ended()
            assert here.match_files().keys() == {"R1M1"}
            assert "bad token" not in here.journal.getvalue()
            assert "3001" not in here.journal.getvalue()

    run(play())


def test_A18_a_flood_in_the_managers_name_does_not_spend_what_the_manager_may_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PlayerProcess, "quota", (1e-6, 5))  # five requests, and for a long time none

    async def play() -> None:
        async with managed(tmp_path) as (here, manager):
            player, _ = await entered(here, manager)
            nonsense = {"jsonrpc": "2.0", "id": 7, "method": "zzz", "params": {"sender": "league_manager"}}
            while (await post(player.port, nonsense)).status != 429:
                pass
            proof = player.host.work.state.manager_proof
            table = FORGED["LEAGUE_STANDINGS_UPDATE"]
            answer = await say(player, "LEAGUE_STANDINGS_UPDATE", "league_manager", auth_token=proof, **table)
            assert "code" not in answer

    run(play())


def test_A6_where_a_foreign_manager_gave_no_proof_only_its_name_is_looked_at(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            on.answers = [{**on.accepted("P01"), "manager_proof": 7}]  # which is none
            await on.enter()
            table = {"league_id": "foreign", "round_id": 1, "standings": []}
            for sender, is_believed in (
                ("league_manager", True),
                ("league_manager:LM01", True),
                (None, True),
                ("player:P02", False),
                ("referee:REF01", False),
            ):
                answer = await say(on.player, "LEAGUE_STANDINGS_UPDATE", sender, **table)
                assert ("code" not in answer) is is_believed, sender

    run(play())


def test_A6_a_foreign_manager_assigns_matches_and_a_player_does_not(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:
            for sender in ("player:P02", "whoever"):
                assert (await league.post("RUN_MATCH", sender, **MATCH)).json["error"]["code"] == 3001
            assert league.referee.host.health()["matches_under_way"] == 0

    run(play())


def test_A6_what_comes_before_the_answer_to_the_registration_is_judged_by_the_proof_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(player_module, "MOST_EARLY", 3)
    monkeypatch.setattr(player_module, "EARLY_SECONDS", 0.0)

    async def play() -> None:
        async with stage(tmp_path) as on:
            go = asyncio.Event()

            async def manage(body: Body) -> Any:
                await go.wait()
                return result(body, {**on.accepted("P01"), "manager_proof": "proof"})

            async with living(manage) as manager:
                on.here.url = manager.url
                on.player = await on.here.player("Juniper")
                await until(lambda: on.state.phase is Phase.REGISTERING)
                entry = {"match_id": "R1M1", "player_A_id": "P01", "player_B_id": "P02", "referee_id": "REF01"}
                entry |= {"referee_endpoint": "http://localhost:1/mcp", "game_type": "even_odd"}
                said = {"league_id": "foreign", "round_id": 1, "matches": [entry]}
                forged = {**said, "round_id": 10**6, "auth_token": "proof of nothing"}
                early = [forged, {**said, "auth_token": "proof"}, forged, forged]
                answers = [await on.say("ROUND_ANNOUNCEMENT", "league_manager", **fields) for fields in early]
                assert [answer["status"] for answer in answers] == ["ACKNOWLEDGED"] * 3 + ["IGNORED"]
                assert on.state.queued is None
                go.set()
                await until(lambda: on.state.round is not None)
                assert (on.state.phase, on.state.round.round_id) == (Phase.WAITING_FOR_ROUND, 1)
                await until(lambda: len(manager.heard) == 2)  # what was too much to be kept is asked for

    run(play())


def test_A18_a_referee_takes_no_more_matches_than_can_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee_matches, "MOST_WAITING", 1)

    async def play() -> None:
        async with foreign_league(tmp_path, capacity=1) as league:
            never = asyncio.Event()
            for name in ("P01", "P02"):
                await league.enter(name, lambda fields: _never(never))
            assert "result" in (await league.hand_out("R1M1")).json
            assert "result" in (await league.hand_out("R1M2")).json, "it waits"
            refused = (await league.hand_out("R1M3")).json["error"]
            assert "Too many matches wait" in refused["message"]
            assert "error" in (await league.announce(league.entry("R1M4"), league.entry("R1M5"))).json
            assert league.referee.host.health()["matches_waiting"] == 1
            never.set()

    run(play())


async def _never(event: asyncio.Event) -> Body:
    await event.wait()
    return {"status": "ACKNOWLEDGED"}


# who registers again

Again = Callable[[Running, Running, Running], Awaitable[list[Body]]]


async def again_by_message(manager: Running, player: Running, referee: Running) -> list[Body]:
    return [
        await register(manager, "Juniper", player.endpoint),
        await register_referee(manager, "Whistle", referee.endpoint),
    ]


async def again_by_post(manager: Running, player: Running, referee: Running) -> list[Body]:
    body = {"display_name": "Juniper", "version": "1", "endpoint": player.endpoint}
    return [(await post(manager.port, body, "/register")).json]


@pytest.mark.parametrize("again", [again_by_message, again_by_post])
@pytest.mark.parametrize("verifies", [False, True])
def test_A9_nobody_is_given_the_token_of_an_agent_by_its_name_and_endpoint(
    tmp_path: Path, again: Again, verifies: bool
) -> None:
    async def play() -> None:
        async with managed(tmp_path, verifies_endpoints=verifies) as (here, manager):
            player, referee = await entered(here, manager)
            for answer in await again(manager, player, referee):
                assert answer["status"] == "REJECTED"
                assert "auth_token" not in answer
                assert "manager_proof" not in answer
                if not verifies:
                    assert answer["reason"] == "Duplicate name"

    run(play())


def test_A9_an_agent_of_ours_is_known_again_after_a_restart_even_where_endpoints_are_verified(tmp_path: Path) -> None:
    async def play() -> None:
        async with managed(tmp_path, verifies_endpoints=True) as (here, manager):
            player, referee = await entered(here, manager)
            tokens = [agent.host.work.state.auth_token for agent in (player, referee)]
            for agent in (player, referee):
                await agent.drop()
            player, referee = await here.player("Juniper", port=player.port), await here.referee(port=referee.port)
            requests = (
                LeagueRegisterRequest(player_meta=player.host.work.state.meta),
                RefereeRegisterRequest(referee_meta=referee.host.work.state.meta),
            )
            for agent, request, token in zip((player, referee), requests, tokens, strict=True):
                answer = await agent.host.agent.calls.ask(here.url, LEAGUE_MANAGER, request, 10)
                assert (answer.status, answer.auth_token) == ("ACCEPTED", token)

    run(play())


def test_A9_beyond_this_machine_a_foreign_agent_shows_its_token_to_be_known_again(tmp_path: Path) -> None:
    async def play() -> None:
        reach = allowing(OPEN_NETWORK, "127.0.0.0/8")
        async with managed(tmp_path, reach=reach, verifies_endpoints=False) as (_, manager):
            first = await register(manager, "Juniper")
            other = await register(manager, "Sorrel", "http://127.0.0.1:2/mcp")
            again = {"player_meta": meta("Juniper", "http://127.0.0.1:1/mcp")}
            kind, sender = "LEAGUE_REGISTER_REQUEST", "player:juniper"
            for shown in (None, other["auth_token"]):
                answer = await say(manager, kind, sender, auth_token=shown, known_as="player:P01", **again)
                assert (answer["status"], answer["reason"]) == ("REJECTED", "Duplicate name")
            answer = await say(manager, kind, sender, auth_token=first["auth_token"], **again)
            assert (answer["status"], answer["player_id"]) == ("ACCEPTED", "P01")

    run(play())


def test_A20_the_secret_of_an_agent_is_told_to_nobody_but_the_manager(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            manager = await here.manager(2)
            players = [await here.player(name) for name in ("Juniper", "Sorrel")]
            referee = await here.referee()
            secrets = [players[0].host.work.state.meta.registration_secret]
            secrets += [referee.host.work.state.meta.registration_secret]
            for player in players:
                await player.ended()
            states = [agent.host.work.state for agent in (*players, referee)]
            secrets += [state.manager_proof for state in states]
            seen = here.journal.getvalue() + "".join(str(held) for held in here.match_files().values())
            for path in ("/health", "/board.json", "/report", "/", "/metrics"):
                seen += await get(manager.port, path)
            assert len(set(secrets)) == 5
            assert not any(secret in seen for secret in secrets)

    run(play())


# addresses and names


def test_A7_an_endpoint_that_is_taken_is_taken_however_it_is_spelled(tmp_path: Path) -> None:
    async def play() -> None:
        async with managed(tmp_path) as (here, manager):
            player, _ = await entered(here, manager)
            for number, spelled in enumerate(
                (
                    f"http://localhost:{player.port}/mcp",
                    f"http://127.0.0.2:{player.port}/mcp",
                    f"HTTP://127.0.0.1:{player.port}/mcp",
                    f"http://127.0.0.1:{player.port}//mcp",
                    f"http://127.0.0.1:0{player.port}/mcp",
                    f"http://[::1]:{player.port}/mcp",
                )
            ):
                answer = await register(manager, f"Sorrel {number}", spelled)
                assert (answer["status"], answer["reason"]) == ("REJECTED", "Duplicate endpoint"), spelled
            answer = await register(manager, "\u0410na")
            assert (answer["status"], answer["reason"]) == ("REJECTED", "Name mixes alphabets")

    run(play())


def test_A11_what_a_referee_says_of_its_capacity_is_bounded(tmp_path: Path) -> None:
    async def play() -> None:
        async with managed(tmp_path) as (here, manager):
            for number, capacity in enumerate((0, -3, 4, int("9" * 200)), 1):
                fields = meta(f"R{number}", f"http://127.0.0.1:{number}/mcp", max_concurrent_matches=capacity)
                await say(manager, "REFEREE_REGISTER_REQUEST", f"referee:r{number}", referee_meta=fields)
            believed = [referee.capacity for referee in manager.host.work.state.referees]
            assert believed == [1, 1, 4, 10_000]
            await manager.drop()
            manager = await here.manager(port=manager.port)
            assert [referee.capacity for referee in manager.host.work.state.referees] == believed

    run(play())
