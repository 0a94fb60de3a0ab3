"""A league whose agents all keep their logs in one PostgreSQL."""

from pathlib import Path
from typing import Any

import pytest

from tests import postgres
from tests.agents.agents_in_process import in_process_agents, pairings, points_of, run, standings_of
from tests.agents.loops import until
from turnstile.cli.matches.stores import KINDS
from turnstile.durable.upkeep import check, every
from turnstile.store.opening import open_store


@pytest.fixture
def url() -> str:
    return postgres.shared.new_store()


async def logs_in(url: str) -> dict[str, Any]:
    """Every log in a store, by its id, with what is wrong with it."""
    store = await open_store(url)
    try:
        return {name: await check(KINDS, store, name) for name in [name async for name, _ in every(store)]}
    finally:
        await store.close()


def test_a_league_is_played_to_its_end_in_one_store_and_every_log_in_it_is_whole(tmp_path: Path, url: str) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            here.store = url
            manager = await here.manager(3)
            referees = [await here.referee(f"Whistle {number}") for number in (1, 2)]
            players = [await here.player(f"Player {number}") for number in range(3)]
            for agent in (*players, *referees):
                assert (await agent.ended()).failure is None
            files = here.match_files()
            assert len(pairings(files)) == 3
            assert points_of(files) == standings_of(manager.host.work.state)
        logs = await logs_in(url)
        assert set(logs.values()) == {None}
        kinds = [name.partition("/")[0] for name in logs]
        assert {kind: kinds.count(kind) for kind in kinds} == {"manager": 1, "match": 3, "player": 3, "referee": 2}
        assert not (tmp_path / "state").exists()

    run(play())


def test_a_referee_that_is_dropped_finds_its_own_matches_among_those_of_others(tmp_path: Path, url: str) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            here.store = url
            manager = await here.manager(4)
            referees = [await here.referee(name, capacity=1) for name in ("Ann", "Ann's sister")]
            players = [await here.player(f"Player {number}") for number in range(4)]
            await until(lambda: bool(referees[0].host._matches))
            await referees[0].drop()
            referees[0] = await here.referee("Ann", port=referees[0].port, capacity=1)
            for agent in (*players, *referees):
                assert (await agent.ended()).failure is None
            files = here.match_files()
            assert len(pairings(files)) == 6
            assert points_of(files) == standings_of(manager.host.work.state)
        assert set((await logs_in(url)).values()) == {None}

    run(play())
