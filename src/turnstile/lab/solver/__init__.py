"""The solver: equilibria of games that are small enough, and how much a bot loses there to its best opponent.

- `tree` builds the game tree from the rules.
- `regrets` finds a strategy for both players that is close to an equilibrium (CFR+).
- `exact` turns it into fractions, and proves that they are an equilibrium.
- `responses` computes the best response to a strategy.
- `strategies` finds the probabilities with which a bot chooses.
"""

from turnstile.lab.solver.exact import Solution, solve
from turnstile.lab.solver.responses import response_value
from turnstile.lab.solver.strategies import BotStrategy, strategy_of
from turnstile.lab.solver.tree import GameTree, InfoSet, Strategy, TooLarge, build_tree

__all__ = [
    "BotStrategy",
    "GameTree",
    "InfoSet",
    "Solution",
    "Strategy",
    "TooLarge",
    "build_tree",
    "response_value",
    "solve",
    "strategy_of",
]
