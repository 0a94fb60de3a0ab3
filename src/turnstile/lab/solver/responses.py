"""Best responses: the most that a player can win against a strategy that it knows."""

from collections import defaultdict
from fractions import Fraction

from turnstile.kernel import PlayerId
from turnstile.lab.solver.tree import Decision, GameTree, InfoSet, Leaf, Node, Strategy


def response_value(tree: GameTree, player: PlayerId, rival: Strategy) -> Fraction:
    """What `player` wins on average when it knows the strategy of its rival and responds in the best way."""
    response = _Response(tree, player, rival)
    return sum((response.value(root) for root in tree.roots), Fraction(0)) / len(tree.roots)


class _Response:
    """The best response of one player, found from the last decisions up to the first."""

    def __init__(self, tree: GameTree, player: PlayerId, rival: Strategy) -> None:
        self.player, self.rival = player, rival
        self.decisions: dict[InfoSet, list[tuple[Fraction, Decision]]] = defaultdict(list)
        self.best: dict[InfoSet, int] = {}
        for root in tree.roots:
            self._collect(root, Fraction(1))

    def _collect(self, node: Node, likely: Fraction) -> None:
        """Note each decision of the player, and how likely the rival's choices lead there."""
        if isinstance(node, Leaf):
            return
        if node.info.player == self.player:
            self.decisions[node.info].append((likely, node))
        for child, chance in zip(node.children, self._chances(node.info), strict=True):
            self._collect(child, likely * chance)

    def _chances(self, info: InfoSet) -> list[Fraction]:
        return [Fraction(1)] * len(info.actions) if info.player == self.player else list(self.rival[info])

    def value(self, node: Node) -> Fraction:
        """What the player wins from this node on."""
        if isinstance(node, Leaf):
            return node.payoffs[self.player]
        if node.info.player == self.player:
            return self.value(node.children[self._best_action(node.info)])
        pairs = zip(self.rival[node.info], node.children, strict=True)
        return sum((chance * self.value(child) for chance, child in pairs if chance), Fraction(0))

    def _best_action(self, info: InfoSet) -> int:
        """The action that is best on average over all decisions that look the same."""
        if info not in self.best:
            worths = [
                sum((likely * self.value(node.children[index]) for likely, node in self.decisions[info]), Fraction(0))
                for index in range(len(info.actions))
            ]
            self.best[info] = worths.index(max(worths))
        return self.best[info]
