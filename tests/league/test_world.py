"""Many simulated leagues, each from its seed. A failure prints the seed and the command that repeats it."""

import os
from collections import Counter

import pytest

from tests.league.world import World

SEEDS = int(os.environ.get("TORTURE_SEEDS", "1000"))
AT_ONCE = 500  # seeds in one test: enough to reach every rare situation
MUST_BE_REACHED = (
    "a letter arrived 0 times",
    "a letter arrived 2 times",
    "a letter was refused",
    "a letter came to nobody",
    "WatchedManager dies",
    "LocalReferee dies",
    "LocalReferee dies for good",
    "WorldPlayer dies",
    "WorldPlayer has given up",
    "RoguePlayer dies",
)


@pytest.mark.parametrize("first", range(0, SEEDS, AT_ONCE))
def test_leagues_hold_what_is_promised(first: int) -> None:
    reached: Counter[str] = Counter()
    for seed in range(first, min(first + AT_ONCE, SEEDS)):
        reached.update(World(seed).run().reached)
    missed = [situation for situation in MUST_BE_REACHED if not reached[situation]]
    assert not missed or SEEDS < AT_ONCE, f"never reached with the seeds from {first} on: {missed}"


@pytest.mark.parametrize("seed", range(10))
def test_one_seed_is_one_league(seed: int) -> None:
    assert World(seed).run().notes == World(seed).run().notes
