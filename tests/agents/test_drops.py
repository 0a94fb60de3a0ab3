"""Agents that are dropped at any moment and started again, over and over: the league is played as if nothing was.

To repeat a failure, run the test of its seed; where exactly an agent is dropped also depends on how fast all is.
"""

from collections.abc import Awaitable, Callable
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from tests.agents.agents_in_process import Running, in_process_agents, pairings, points_of, run, standings_of
from tests.agents.loops import until

SEEDS = range(8)
DROPS = 8
PACE = 0.1
PAIRS = sorted(combinations(("P01", "P02", "P03", "P04"), 2))


@pytest.mark.parametrize("seed", SEEDS)
def test_A15_however_often_agents_are_dropped_no_pairing_is_lost_or_doubled(tmp_path: Path, seed: int) -> None:
    async def play() -> None:
        chance = Random(seed)
        async with in_process_agents(tmp_path, PACE) as here:
            starting: dict[str, Callable[[int], Awaitable[Running]]] = {
                "manager": lambda port: here.manager(4, port=port),
                "referee": lambda port: here.referee(port=port),
            }
            for number in range(4):
                name = f"Player {number}"
                starting[name] = lambda port, name=name: here.player(name, port=port)  # type: ignore[misc]
            agents = {name: await start(0) for name, start in starting.items()}

            def are_over() -> bool:
                return all(agent.task.done() for name, agent in agents.items() if name != "manager")

            for _ in range(DROPS):
                goal = len(here.journal.getvalue().splitlines()) + chance.randrange(1, 60)
                await until(lambda goal=goal: are_over() or here.journal.getvalue().count("\n") >= goal)  # type: ignore[misc]
                victim = chance.choice(sorted(agents))
                if not agents[victim].task.done():
                    port = agents[victim].port
                    await agents[victim].drop()
                    agents[victim] = await starting[victim](port)
            await until(are_over)
            assert all(agent.host.failure is None for agent in agents.values())
            files, state = here.match_files(), agents["manager"].host.work.state
            assert pairings(files) == PAIRS
            assert points_of(files) == standings_of(state)
            assert sum(tally.played for tally in state.tallies) == 2 * len(PAIRS)
            for player in ("P01", "P02", "P03", "P04"):
                assert len(here.history(player)["matches"]) <= 3

    run(play())
