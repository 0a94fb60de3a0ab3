"""Exact equilibria: the average of CFR+, rounded to simple fractions, and a proof in whole numbers.

A strategy of both players is an equilibrium exactly if no player wins more by its best response. That is computed with
fractions, so nothing is rounded in the proof. If no simple fractions pass it, the solution is an approximation, and
says by how much it may be wrong.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from turnstile.lab.solver.regrets import Regrets
from turnstile.lab.solver.responses import response_value
from turnstile.lab.solver.tree import GameTree, Strategy

LARGEST_DENOMINATOR = 60
FINEST = 1_000_000  # the denominator of an approximation
ROUNDS_BETWEEN_PROOFS = 100


@dataclass(frozen=True, slots=True)
class Solution:
    """A strategy of both players, and how far it is from an equilibrium."""

    strategy: Strategy
    value: Fraction
    """What the first player wins on average; the true value is at most `gap` away."""
    gap: Fraction
    """What both players together could gain by responding; 0 for an equilibrium."""
    rounds: int


def solve(tree: GameTree, rounds: int) -> Iterator[Solution]:
    """Better and better solutions, every hundred rounds of CFR+; the last one is exact or comes after all rounds."""
    regrets = Regrets(tree)
    while regrets.rounds < rounds:
        for _ in range(min(ROUNDS_BETWEEN_PROOFS, rounds - regrets.rounds)):
            regrets.play_round()
        found = best_rounding(tree, regrets)
        yield found
        if found.gap == 0:
            return


def best_rounding(tree: GameTree, regrets: Regrets) -> Solution:
    """The average strategy in the simplest fractions that are an equilibrium, or else in fine ones."""
    for largest in range(1, LARGEST_DENOMINATOR + 1):
        strategy = rounded(regrets, largest)
        if strategy is not None and (found := judge(tree, strategy, regrets.rounds)).gap == 0:
            return found
    fine = rounded(regrets, FINEST)
    assert fine is not None, "the last probability takes up the rest"
    return judge(tree, fine, regrets.rounds)


def rounded(regrets: Regrets, largest: int) -> Strategy | None:
    """The average strategy in fractions with denominators up to `largest`; `None` if they are no probabilities."""
    strategy = {}
    for info, chances in regrets.average():
        first = [Fraction(chance).limit_denominator(largest) for chance in chances[:-1]]
        last = 1 - sum(first, Fraction(0))
        if last < 0:
            return None
        strategy[info] = [*first, last]
    return strategy


def judge(tree: GameTree, strategy: Strategy, rounds: int) -> Solution:
    """How far a strategy of both players is from an equilibrium."""
    first, second = tree.players
    best = response_value(tree, first, strategy)
    least = tree.total - response_value(tree, second, strategy)
    return Solution(strategy, (best + least) / 2, best - least, rounds)
