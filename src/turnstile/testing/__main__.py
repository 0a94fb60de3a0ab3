"""`python -m turnstile.testing MODULE NAME`: fingerprints of the same random matches of a game, on any Python."""

import sys
from importlib import import_module
from random import Random

from turnstile.kernel import Seed, digest
from turnstile.testing.strategies import NAMES, RandomMatch

module, name = sys.argv[1:]
game = getattr(import_module(module), name)
for number in range(5):
    match = RandomMatch(game, NAMES[: game.seats[0]], Seed(str(number)), 300, Random(number), {})
    print(*(digest(state) for state in match.states), sep="\n")
