"""Spaces and seeds that the adapters for PettingZoo and Gymnasium share."""

import numpy as np
from gymnasium import spaces

from turnstile.kernel import Seed
from turnstile.lab.encoding import Layout


def observation_box(layout: Layout) -> spaces.Box:
    """The space of a view as a tensor."""
    low, high = layout.bounds()
    return spaces.Box(low, high, dtype=np.float32)


def draw_seed(random: np.random.Generator) -> Seed:
    """The seed of the next match."""
    return Seed(random.bytes(16).hex())
