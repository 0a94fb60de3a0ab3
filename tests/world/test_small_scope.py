"""Everything that can happen to one table with two seats, in every order: a crash, a loss, a duplicate, a timer."""

from collections import deque

import pytest

from tests.world.small import Small, begun, check, following, kept
from turnstile.registry import names
from turnstile.table.values import Phase

DEPTH = 14  # steps from the start of the match


@pytest.mark.parametrize("game", names())
def test_every_order_of_events_keeps_the_promises(game: str) -> None:
    start = begun(game)
    seen, waiting, happened = {start}, deque([(start, 0)]), set[str]()
    while waiting:
        world, depth = waiting.popleft()
        if depth == DEPTH:
            continue
        ways = list(following(world))
        assert ways or _is_done(world), f"nothing can happen any more: {kept(world.log).state.phase}"
        for step, after in ways:
            happened.add(step.split()[-1])
            if after not in seen:
                check(after)
                seen.add(after)
                waiting.append((after, depth + 1))
    assert happened >= {"reads", "acknowledges", "moves", "arrives", "commits", "answers", "crash", "rings", "opens"}
    assert happened >= {"lost", "doubled", "repeats"}


def _is_done(world: Small) -> bool:
    return kept(world.log).state.phase is Phase.FINISHED
