"""Agents killed with SIGKILL at random moments, again and again: every match is booked once, and every log stays whole.

`pytest --torture` kills a hundred times instead of a few. The seed of the kills is printed; the moments themselves
depend on the machine.
"""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random, SystemRandom

import pytest

from tests.agents.agents_in_process import run
from tests.agents.loops import be_patient
from tests.agents.test_kills import League
from turnstile.agents.process.logs import LEAGUES, own_prefix
from turnstile.cli.matches.stores import KINDS
from turnstile.durable.timed_keeper import TimedKeeper
from turnstile.durable.upkeep import check, every
from turnstile.kernel.values import LogId
from turnstile.league.manager.state import Phase, State
from turnstile.store.sqlite.store import SqliteStore

NAMES = ("Juniper", "Sorrel", "Tansy", "Yarrow", "Mallow", "Clover")
ROUNDS = len(NAMES) - 1
FEW, MANY = 5, 100
LONGEST_PAUSE = 0.4  # seconds between two kills
SECONDS_PER_KILL = 6.0


async def kill_at_random(league: League, chance: Random, kills: int) -> None:
    """Kill one agent or two at a time, and start them again. A round goes on when its share of the kills is done."""
    agents = [league.manager, *league.referees, *league.players]
    for number in range(kills):
        victims = chance.sample(agents, chance.choice((1, 1, 2)))
        await asyncio.sleep(chance.random() * LONGEST_PAUSE)  # any moment may be the worst one
        for victim in victims:
            await victim.kill()
        await asyncio.gather(*(victim.start() for victim in victims))
        league.open(*range(1, ROUNDS * (number + 1) // kills))


async def manager_state(data: Path) -> State:
    store = await SqliteStore.open(data / "state" / "manager-league_2025_even_odd.db")
    kept = await TimedKeeper.restore(store, LogId(own_prefix("manager", "league_2025_even_odd")), LEAGUES)
    await store.close()
    assert kept is not None
    return kept.state


async def faults_in(data: Path) -> list[object]:
    """Everything that is wrong with any log of any agent."""
    faults: list[object] = []
    for path in sorted((data / "state").glob("*.db")):
        store = await SqliteStore.open(path)
        names = [name async for name, _ in every(store)]
        faults += [fault for name in names if (fault := await check(KINDS, store, name)) is not None]
        await store.close()
    return faults


def test_A15_a_league_whose_agents_are_killed_at_random_books_every_match_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, torture: bool
) -> None:
    gates = tmp_path / "gates"
    gates.mkdir()
    monkeypatch.setenv("GATES", str(gates))
    seed = SystemRandom().randrange(10**6)
    print(f"The kills are those of seed {seed}.")
    kills = MANY if torture else FEW

    async def play() -> None:
        be_patient(kills * SECONDS_PER_KILL)
        league = League(tmp_path, gates, NAMES)
        async with AsyncExitStack() as stack:
            await league.begin(stack, "Whistle", "Flute")
            await kill_at_random(league, Random(seed), kills)
            league.open(*range(1, ROUNDS + 1))
            await league.until_over()
            await league.manager.kill()
        state = await manager_state(tmp_path)
        assert state.phase is Phase.LEAGUE_COMPLETE
        assert [tally.played for tally in state.tallies] == [ROUNDS] * len(NAMES)
        assert await faults_in(tmp_path) == []

    run(play())
