"""CFR+: two players play against each other again and again, and each chooses more often what it regrets not to have.

The average of all rounds, later ones counting more, approaches an equilibrium. (Tammelin, "Solving large imperfect
information games using CFR+", 2014.)
"""

from collections.abc import Iterator, Sequence

from turnstile.kernel import PlayerId
from turnstile.lab.solver.tree import GameTree, InfoSet, Leaf, Node

Weights = dict[InfoSet, list[float]]


class Regrets:
    """What each player regrets, and the average of its strategies so far."""

    def __init__(self, tree: GameTree) -> None:
        self.tree = tree
        self.rounds = 0
        self.regrets: Weights = {info: [0.0] * len(info.actions) for info in tree.infosets}
        self.totals: Weights = {info: [0.0] * len(info.actions) for info in tree.infosets}

    def play_round(self) -> None:
        """Each player plays the whole tree once against the present strategy of the other."""
        self.rounds += 1
        for player in self.tree.players:
            gained: Weights = {}
            for root in self.tree.roots:
                self._walk(root, player, 1.0, 1.0, gained)
            for info, gains in gained.items():
                self.regrets[info] = [max(0.0, old + new) for old, new in zip(self.regrets[info], gains, strict=True)]

    def _walk(self, node: Node, player: PlayerId, own: float, others: float, gained: Weights) -> float:
        """What `player` wins from this node on. `own` and `others`: how likely each side's choices lead here."""
        if isinstance(node, Leaf):
            return float(node.payoffs[player])
        info, strategy = node.info, proportions(self.regrets[node.info])
        if info.player != player:
            pairs = zip(strategy, node.children, strict=True)
            return sum(chance * self._walk(child, player, own, others * chance, gained) for chance, child in pairs)
        values = [
            self._walk(child, player, own * chance, others, gained)
            for chance, child in zip(strategy, node.children, strict=True)
        ]
        mean = sum(chance * value for chance, value in zip(strategy, values, strict=True))
        gains = gained.setdefault(info, [0.0] * len(values))
        for index, value in enumerate(values):
            gains[index] += others * (value - mean)
            self.totals[info][index] += self.rounds * own * strategy[index]
        return mean

    def average(self) -> Iterator[tuple[InfoSet, list[float]]]:
        """The average strategy in each information set."""
        for info, totals in self.totals.items():
            yield info, proportions(totals)


def proportions(weights: Sequence[float]) -> list[float]:
    """Probabilities in proportion to weights; equal ones when all weights are 0."""
    total = sum(weights)
    return [weight / total if total else 1 / len(weights) for weight in weights]
