"""What `search` believes about hidden things: states that its view could belong to, likelier ones more often."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from turnstile.kernel import PlayerId, Seed

Imagine = Callable[[Any, PlayerId | None, Seed], Any]
Plausibility = Callable[[Any, PlayerId], float]

FIRST_STEPS = 20  # proposals before the first state, to forget where the walk began
STEPS = 3  # proposals between two states, so that they differ


def imagined_states(imagine: Imagine, view: Any, player: PlayerId, rng: Random) -> Iterator[Any]:
    """States that this view could belong to, without end."""
    while True:
        yield imagine(view, player, Seed(f"{rng.getrandbits(128):032x}"))


def plausible_states(
    proposals: Iterator[Any], plausibility: Plausibility, player: PlayerId, rng: Random
) -> Iterator[Any]:
    """As many of the proposed states, without end, but each as often as it is plausible.

    This is the Metropolis algorithm: it goes on to a proposal that is more plausible than the present state, and to
    one that is less plausible with the ratio of the two as the probability.
    """
    state = next(proposals)
    weight, steps = plausibility(state, player), FIRST_STEPS
    while True:
        for _ in range(steps):
            proposal = next(proposals)
            proposed = plausibility(proposal, player)
            if proposed >= weight * rng.random():
                state, weight = proposal, proposed
        steps = STEPS
        yield state
