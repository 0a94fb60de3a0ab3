"""A league that has begun goes on as it is: other options are refused, and who comes after its end is told so."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.agents.agents_in_process import in_process_agents, run
from turnstile.agents.player.process import PlayerProcess
from turnstile.agents.process.process import ITS_LEAGUE_IS_OVER, AgentProcess, CannotStart, Ready
from turnstile.agents.referee.process import RefereeProcess
from turnstile.league.protocol.words import LeagueId


async def first_words(host: AgentProcess) -> Ready:
    """What an agent says that is started, and stopped as soon as it listens."""
    stop = asyncio.Event()
    said: list[Ready] = []

    def ready(told: Ready) -> None:
        said.append(told)
        stop.set()

    await host.run(stop, ready)
    return said[0]


@pytest.mark.parametrize(
    ("expected", "options"),
    [
        (3, {}),
        (2, {"game_type": "e-card"}),
        (2, {"league_id": LeagueId("another")}),
        (2, {"most_players": 7}),
    ],
)
def test_a_manager_does_not_ignore_options_for_another_league(
    tmp_path: Path, expected: int, options: dict[str, Any]
) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            before = await here.manager(2)
            await before.stop()
            with pytest.raises(
                CannotStart, match=r"league_2025_even_odd of 2 players at even_odd, which is not over: "
            ):
                await here.manager(expected, options=options)
            await here.manager(2)

    run(play())


def test_whoever_comes_back_after_the_end_is_told_that_it_is_over(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            manager = await here.manager(2)
            agents = [await here.referee(), await here.player("Juniper"), await here.player("Sorrel")]
            await asyncio.gather(*(agent.ended() for agent in agents))
            assert (await first_words(PlayerProcess(here.settings("Juniper")))).hint == ITS_LEAGUE_IS_OVER
            assert (await first_words(RefereeProcess(here.settings("Whistle")))).hint == ITS_LEAGUE_IS_OVER
            await manager.stop()
            with pytest.raises(CannotStart, match=r"which is over: give the same options again"):
                await here.manager(4)

    run(play())


def test_a_manager_that_waits_says_how_the_league_is_begun(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            manager = await here.manager()
            assert manager.host.hint().endswith(f"turnstile league start --manager {manager.endpoint}")

    run(play())
