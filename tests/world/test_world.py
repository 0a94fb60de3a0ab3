"""Many simulated worlds, each from its seed. A failure prints the seed and the command that repeats it."""

import os
from collections import Counter

import pytest

from tests.world.regressions import REGRESSIONS
from tests.world.situations import MUST_BE_REACHED
from tests.world.world import World

SEEDS = int(os.environ.get("TORTURE_SEEDS", "2000"))
AT_ONCE = 500  # seeds in one test: enough to reach every rare situation


@pytest.mark.parametrize("first", range(0, SEEDS, AT_ONCE))
def test_worlds_hold_what_is_promised(first: int) -> None:
    reached: Counter[str] = Counter()
    for seed in range(first, min(first + AT_ONCE, SEEDS)):
        reached.update(World(seed).run().reached)
    missed = [situation for situation in MUST_BE_REACHED if not reached[situation]]
    assert not missed or SEEDS < AT_ONCE, f"never reached with the seeds from {first} on: {missed}"


@pytest.mark.parametrize("seed", REGRESSIONS)
def test_what_went_wrong_once_goes_right(seed: int) -> None:
    World(seed).run()


@pytest.mark.parametrize("seed", range(10))
def test_one_seed_is_one_world(seed: int) -> None:
    assert World(seed).run().fingerprint == World(seed).run().fingerprint
