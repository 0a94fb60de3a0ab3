"""Every planted bug is noticed, and by the invariant that is there for it."""

import pytest

from tests.world.bugs import BUGS, Bug
from tests.world.world import Violation, World

MOST_SEEDS = 400


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_planted_bug_is_caught(bug: Bug, monkeypatch: pytest.MonkeyPatch) -> None:
    bug.plant(monkeypatch)
    broken = set()
    for seed in range(bug.first, bug.first + MOST_SEEDS):
        broken.add(_violated(seed))
        if bug.caught_by in broken:
            return
    pytest.fail(f"in {MOST_SEEDS} worlds {bug.name} broke nothing but {broken}")


def _violated(seed: int) -> str | None:
    try:
        World(seed).run()
    except Violation as violation:
        return violation.invariant
    return None
