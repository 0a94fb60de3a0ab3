"""Every planted bug is noticed, and by the invariant that is there for it."""

from itertools import count, islice

import pytest

from tests.world.bugs import BUGS, Bug
from tests.world.world import Violation, World

MOST_WORLDS = 400


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_planted_bug_is_caught(bug: Bug, monkeypatch: pytest.MonkeyPatch) -> None:
    bug.plant(monkeypatch)
    worlds = filter(bug.can_show, map(World, count(bug.first)))
    broken = set()
    for world in islice(worlds, MOST_WORLDS):
        broken.add(_violated(world))
        if bug.caught_by in broken:
            return
    pytest.fail(f"in {MOST_WORLDS} worlds {bug.name} broke nothing but {broken}")


def _violated(world: World) -> str | None:
    try:
        world.run()
    except Violation as violation:
        return violation.invariant
    return None
