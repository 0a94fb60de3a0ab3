"""Many simulated worlds, each from its seed. A failure prints the seed and the command that repeats it."""

import os
from pathlib import Path

import pytest

from tests.world.chunks import Chunk, chunks_of, play
from tests.world.regressions import REGRESSIONS
from tests.world.situations import MUST_BE_REACHED
from tests.world.world import World

SEEDS = int(os.environ.get("TORTURE_SEEDS", "2000"))


@pytest.mark.parametrize("chunk", chunks_of(SEEDS), ids=lambda chunk: str(chunk.first))
def test_worlds_hold_what_is_promised(chunk: Chunk, shared_by_workers: Path) -> None:
    play(chunk, lambda seed: World(seed).run().reached, MUST_BE_REACHED, shared_by_workers / "worlds")


@pytest.mark.parametrize("seed", REGRESSIONS)
def test_what_went_wrong_once_goes_right(seed: int) -> None:
    World(seed).run()


@pytest.mark.parametrize("seed", range(10))
def test_one_seed_is_one_world(seed: int) -> None:
    assert World(seed).run().fingerprint == World(seed).run().fingerprint
