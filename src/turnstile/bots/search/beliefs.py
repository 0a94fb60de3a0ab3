"""What `search` believes about hidden things: states that its view could belong to, likelier ones more often."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from turnstile.kernel import PlayerId, Seed

Imagine = Callable[[Any, PlayerId | None, Seed], Any]
Plausibility = Callable[[Any, PlayerId], float]
Vary = Callable[[Any, PlayerId, Random], Any]

FIRST_STEPS = 20  # proposals before the first state, to forget where the walk began
STEPS = 3  # proposals between two states, so that they differ
VARIED = 5  # times as many steps, where a proposal varies the state before it only a little


def imagined_states(imagine: Imagine, view: Any, player: PlayerId, rng: Random) -> Iterator[Any]:
    """States that this view could belong to, without end."""
    while True:
        yield imagine(view, player, Seed(f"{rng.getrandbits(128):032x}"))


def plausible_states(
    imagined: Iterator[Any], plausibility: Plausibility, player: PlayerId, rng: Random, vary: Vary | None = None
) -> Iterator[Any]:
    """States among those that can be imagined, without end, each as often as it is plausible.

    This is the Metropolis algorithm: it goes on to a proposal that is more plausible than the present state, and to
    one that is less plausible with the ratio of the two as the probability. A proposal varies the present state. If a
    game cannot `vary` it, it is imagined anew; where much is hidden, hardly any such state is plausible.
    """
    state = next(imagined)
    factor = 1 if vary is None else VARIED
    weight, steps = plausibility(state, player), FIRST_STEPS * factor
    while True:
        for _ in range(steps):
            proposal = next(imagined) if vary is None else vary(state, player, rng)
            proposed = plausibility(proposal, player)
            if proposed >= weight * rng.random():
                state, weight = proposal, proposed
        steps = STEPS * factor
        yield state
