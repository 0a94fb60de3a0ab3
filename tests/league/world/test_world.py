"""Many simulated leagues, each from its seed. A failure prints the seed and the command that repeats it."""

import os
from pathlib import Path

import pytest

from tests.league.world.bugs import BUGS, Bug
from tests.league.world.world import Violation, World
from tests.world.chunks import Chunk, chunks_of, play

SEEDS = int(os.environ.get("TORTURE_SEEDS", "1000"))
MOST_SEEDS = 1500  # in which a planted bug must show
MUST_BE_REACHED = (
    "an envelope arrived 0 times",
    "an envelope arrived 2 times",
    "an envelope was refused",
    "an envelope came to nobody",
    "an old announcement came late",
    "a match was begun anew by its first referee",
    "WatchedManager dies",
    "WorldReferee dies",
    "WorldReferee dies for good",
    "WorldReferee has given up",
    "WorldPlayer dies",
    "WorldPlayer has given up",
    "RoguePlayer dies",
)


@pytest.mark.uncounted
@pytest.mark.parametrize("chunk", chunks_of(SEEDS), ids=lambda chunk: str(chunk.first))
def test_leagues_hold_what_is_promised(chunk: Chunk, shared_by_workers: Path) -> None:
    play(chunk, lambda seed: World(seed).run().reached, MUST_BE_REACHED, shared_by_workers / "leagues")


REGRESSIONS = (
    46,  # no referee was left, and none knew that it was missed
    3747,  # the manager died when the league was over
    63,  # a result that was taken back when the match was given to another counted when it was given back
    124,  # a match was given away and back, and its first referee called players that had dropped it
    1192,  # a late answer to a registration kept a referee from asking whose its matches are
    1221,  # an old announcement began a match that had been given to another
    2331,  # the result of a course that was over before a match was given back was booked
)


@pytest.mark.parametrize("seed", REGRESSIONS)
def test_what_went_wrong_once_goes_right(seed: int) -> None:
    World(seed).run()


@pytest.mark.parametrize("seed", range(20))
def test_one_seed_is_one_league(seed: int) -> None:
    assert World(seed).run().notes == World(seed).run().notes


@pytest.mark.uncounted
@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_planted_bug_is_caught(bug: Bug, monkeypatch: pytest.MonkeyPatch) -> None:
    bug.plant(monkeypatch)
    broken = set()
    for seed in range(MOST_SEEDS):
        broken.add(_broken(seed))
        if bug.caught_by in broken:
            return
    pytest.fail(f"in {MOST_SEEDS} leagues {bug.name} broke nothing but {broken}")


def _broken(seed: int) -> str | None:
    """The promise that a league breaks."""
    try:
        World(seed).run()
    except Violation as violation:
        return violation.promise
    return None
