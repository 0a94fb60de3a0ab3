"""Whole leagues over real sockets: manager, referees and players, each as it runs in a process of its own."""

import asyncio
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.agents.agents_in_process import in_process_agents, pairings, points_of, run, standings_of
from tests.agents.loops import until
from turnstile.agents.strategies.games import games_for_two
from turnstile.agents.wire.exchange import Answer, Exchange
from turnstile.kernel.values import encode
from turnstile.league.manager.state import Phase
from turnstile.league.protocol.words import GAME_TYPE


def everybody(count: int) -> list[tuple[str, str]]:
    names = [f"P{number:02}" for number in range(1, count + 1)]
    return sorted(combinations(names, 2))


@pytest.mark.parametrize("count", [2, 3, 4])
def test_a_league_is_played_to_its_end_every_pairing_once_and_the_table_is_the_sum_of_the_matches(
    tmp_path: Path, count: int
) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            manager = await here.manager(count)
            referee = await here.referee()
            players = [await here.player(f"Player {number}") for number in range(count)]
            for agent in (*players, referee):
                ended = await agent.ended()
                assert ended.failure is None
            files = here.match_files()
            assert pairings(files) == everybody(count)
            assert points_of(files) == standings_of(manager.host.work.state)
            assert all(match["lifecycle"]["state"] == "FINISHED" for match in files.values())
            for number in range(1, count + 1):
                history = here.history(f"P{number:02}")
                assert history["stats"]["total_matches"] == count - 1
                assert all(match["is_fair"] for match in history["matches"])

    run(play())


@pytest.mark.parametrize("seed", range(3))
def test_A10_whatever_is_captured_and_sent_again_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Every request that any of them was ever sent may come again, at once and much later."""
    answer, chance = Exchange.answer, Random(seed)
    captured: dict[Exchange, list[tuple[bytes, str, str | None]]] = {}

    async def answered(self: Exchange, body: bytes, peer: str, posted: str | None = None) -> Answer:
        said = await answer(self, body, peer, posted)
        kept = captured.setdefault(self, [])
        kept.append((body, peer, posted))
        for again in (kept[-1], chance.choice(kept)):
            replayed = await answer(self, *again)
            assert b"Internal error" not in encode(replayed.body)
        return said

    monkeypatch.setattr(Exchange, "answer", answered)

    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            manager = await here.manager(3)
            referee = await here.referee()
            players = [await here.player(f"Player {number}") for number in range(3)]
            for agent in (*players, referee):
                assert (await agent.ended()).failure is None
            files = here.match_files()
            assert pairings(files) == everybody(3)
            assert points_of(files) == standings_of(manager.host.work.state)
            assert [here.history(player)["stats"]["total_matches"] for player in ("P01", "P02", "P03")] == [2, 2, 2]
            assert len(manager.host.work.state.players) == 3
            assert len(manager.host.work.state.referees) == 1

    run(play())


def test_two_referees_share_the_matches(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            await here.manager(ends_with_league=True)
            for name in ("Whistle", "Flag"):
                await here.referee(name, capacity=1)
            for number in range(4):
                await here.player(f"Player {number}")
            await until(lambda: len(here.running[0].host.work.state.players) == 4)
            await start(here.url)
            for agent in here.running:
                await agent.ended()
            files = here.match_files()
            assert pairings(files) == everybody(4)
            assert {match["referee_id"] for match in files.values()} == {"REF01", "REF02"}

    run(play())


def test_a_referee_with_room_for_one_match_leads_the_others_afterwards(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            await here.manager(6, ends_with_league=True)
            referee = await here.referee(capacity=1)
            most = 0

            def watch() -> bool:
                nonlocal most
                most = max(most, referee.host.health()["matches_under_way"])
                return bool(referee.task.done())

            for number in range(6):
                await here.player(f"Player {number}")
            await until(watch)
            assert most == 1
            assert pairings(here.match_files()) == everybody(6)

    run(play())


@pytest.mark.parametrize("game", [name for name in games_for_two() if name != GAME_TYPE])
def test_a_league_of_another_game_is_played_by_bots(tmp_path: Path, game: str) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            manager = await here.manager(2, options={"game_type": game})
            await here.referee()
            one = await here.player("Best", "bot")
            other = await here.player("Random", "random")
            for agent in (one, other):
                assert (await agent.ended()).failure is None
            (match,) = here.match_files().values()
            assert match["game_type"] == game
            assert match["result"]["status"] in ("WIN", "DRAW")
            assert points_of(here.match_files()) == standings_of(manager.host.work.state)
            assert here.history("P01")["matches"][0]["is_fair"] is True

    run(play())


async def start(url: str, token: str | None = None) -> Any:
    """What a launcher does."""
    import aiohttp

    params = {
        "protocol": "league.v2",
        "message_type": "START_LEAGUE",
        "sender": "launcher",
        "timestamp": "2031-04-02T09:09:58Z",
        "conversation_id": "conv-start-1",
        **({"auth_token": token} if token else {}),
    }
    body = {"jsonrpc": "2.0", "method": "start_league", "id": 1, "params": params}
    async with aiohttp.ClientSession() as session, session.post(url, json=body) as response:
        return await response.json()


def test_a_league_begins_when_it_is_told_to_with_two_players_and_a_referee(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            manager = await here.manager()
            answer = await start(here.url)
            assert answer["error"]["data"]["message_type"] == "LEAGUE_ERROR"
            assert not manager.host.work.state.round_id
            await here.referee()
            players = [await here.player(f"Player {number}") for number in range(2)]
            await until(lambda: len(manager.host.work.state.players) == 2 and bool(manager.host.work.state.referees))
            answer = await start(here.url)
            assert answer["result"]["status"] == "running"
            await asyncio.gather(*(player.ended() for player in players))
            assert manager.host.work.state.phase is Phase.LEAGUE_COMPLETE

    run(play())
