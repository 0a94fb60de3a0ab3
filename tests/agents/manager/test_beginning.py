"""A league does not begin before the last registered agent's port answers, within a few seconds."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.agents import loops
from tests.agents.agents_in_process import InProcessAgents, Running, in_process_agents, run
from tests.agents.loops import until
from tests.agents.wire.wired import post
from tests.agents.wire.zoo import Animal, Body, Said, held_port, living, result
from turnstile.agents.manager.beginning import LISTEN_SECONDS
from turnstile.league.manager.state import Phase
from turnstile.net.addresses import THIS_MACHINE, Resolver
from turnstile.net.probe import listens


def acknowledge(body: Body) -> Said:
    return result(body, {"status": "ACKNOWLEDGED"})


async def ask(manager: Running, method: str, message_type: str, **fields: Any) -> Body:
    envelope = {"protocol": "league.v2", "message_type": message_type, "sender": "launcher"}
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**envelope, **fields}}
    answer: Body = (await post(manager.port, body)).json["result"]
    return answer


async def register(manager: Running, name: str, endpoint: str) -> None:
    meta = {"display_name": name, "version": "1", "game_types": ["even_odd"], "contact_endpoint": endpoint}
    told = await ask(manager, "register_player", "LEAGUE_REGISTER_REQUEST", player_meta=meta)
    assert told["status"] == "ACCEPTED"


def has_begun(manager: Running) -> bool:
    return manager.host.work.state.phase is not Phase.ACCEPTING_REGISTRATIONS


@asynccontextmanager
async def all_but_the_last(here: InProcessAgents, expected: int | None) -> AsyncIterator[tuple[Running, Animal]]:
    """A manager with a referee and one player, and that player."""
    manager = await here.manager(expected)
    referee = await here.referee()
    await until(lambda: referee.host.work.state.referee_id is not None)
    async with living(acknowledge) as first:
        await register(manager, "Ana", first.url)
        yield manager, first


def url(port: int) -> str:
    return f"http://127.0.0.1:{port}/mcp"


# the probe


def test_an_open_port_is_found_at_once_and_a_closed_one_as_soon_as_it_opens() -> None:
    async def main() -> None:
        resolver = Resolver(THIS_MACHINE)
        async with living(acknowledge) as agent:
            assert await listens(url(agent.port), resolver, 30)
            assert await listens(agent.url, resolver, 30), "by its name, too"
        with held_port() as held:
            probe = asyncio.create_task(listens(url(held.getsockname()[1]), resolver, 3600))
            assert not (await asyncio.wait([probe], timeout=0.05))[0]
            async with living(acknowledge, held):
                assert await probe

    run(main())


@pytest.mark.parametrize("endpoint", ["http://10.0.0.1:80/mcp", "nonsense", "http://127.0.0.1:1/mcp"])
def test_the_probe_is_bounded_and_connects_only_where_calls_may_go(endpoint: str) -> None:
    async def main() -> None:
        assert not await listens(endpoint, Resolver(THIS_MACHINE), 0.01)

    run(main())


# the league


def test_a_league_does_not_begin_before_the_last_registered_agents_port_answers(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here, all_but_the_last(here, 2) as (manager, first):
            with held_port() as held:
                await register(manager, "Bo", url(held.getsockname()[1]))
                assert manager.host.board().waits_for == "its last agent to listen"
                assert not has_begun(manager)
                assert first.heard == []
                async with living(acknowledge, held) as last:
                    await until(lambda: bool(first.heard and last.heard))
                    assert last.heard[0]["params"]["message_type"] == "ROUND_ANNOUNCEMENT"
            assert "does not listen" not in here.journal.getvalue()

    run(play())


@pytest.mark.parametrize("expected", [None, 2])
def test_after_a_few_seconds_a_league_begins_without_its_last_agent_and_says_so(
    tmp_path: Path, expected: int | None
) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here, all_but_the_last(here, expected) as (manager, _):
            with held_port() as held:
                await register(manager, "Bo", endpoint := url(held.getsockname()[1]))
                starting = asyncio.create_task(ask(manager, "start_league", "START_LEAGUE"))
                while not has_begun(manager):
                    await asyncio.sleep(0.01)
                    loops.pass_time(LISTEN_SECONDS / 10)
                assert (await starting)["status"] == "running"
                line = f"[league_manager] WARNING: player:P02 does not listen at {endpoint}: the league begins"
                assert line in here.journal.getvalue()

    run(play())


def test_a_manager_that_is_started_again_while_it_waits_goes_on_waiting(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here, all_but_the_last(here, 2) as (manager, _):
            with held_port() as held:
                await register(manager, "Bo", url(held.getsockname()[1]))
                await manager.stop()
                again = await here.manager(2, port=manager.port)
                assert not has_begun(again)
                async with living(acknowledge, held):
                    await until(lambda: has_begun(again))

    run(play())
