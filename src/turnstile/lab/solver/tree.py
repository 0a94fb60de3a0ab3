"""Game trees, built from nothing but the rules: `actions`, `apply`, `view` and the dealer.

Decisions that look the same to a player belong to one information set: the player must choose alike in all of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from turnstile.kernel import AnyGame, AnySubgame, Move, PlayerId, Rejection

LARGEST_TREE = 100_000  # nodes


class TooLarge(Exception):
    """The tree has more nodes than can be solved in a reasonable time."""


@dataclass(frozen=True, slots=True, eq=False)
class InfoSet:
    """All decisions that look the same to their player. Each information set is one object."""

    player: PlayerId
    view: Any
    actions: tuple[Move, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """A decision, with the node that each action of its information set leads to."""

    info: InfoSet
    children: tuple["Node", ...]


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """An end, with what each player has won."""

    payoffs: Mapping[PlayerId, Fraction]


Node = Decision | Leaf
Strategy = Mapping[InfoSet, Sequence[Fraction]]
"""The probability of each action, in the order of the information set. It may hold one player's sets or both's."""


@dataclass(frozen=True, slots=True)
class GameTree:
    """A game of two players in which one wins what the other loses. Its roots are equally likely."""

    players: tuple[PlayerId, PlayerId]
    roots: tuple[Node, ...]
    infosets: tuple[InfoSet, ...]
    size: int
    total: Fraction
    """What both players win together, wherever the game ends."""

    def other(self, player: PlayerId) -> PlayerId:
        return self.players[1] if player == self.players[0] else self.players[0]


def build_tree(game: AnyGame, subgame: AnySubgame, largest: int = LARGEST_TREE) -> GameTree:
    """The tree of a subgame, or `TooLarge`."""
    builder = _Builder(game, subgame, largest)
    starts = subgame.starts()
    roots = tuple(builder.node_of(start) for start in starts)
    first, second = game.players(starts[0])
    totals = {sum(leaf.payoffs.values(), Fraction(0)) for leaf in leaves(roots)}
    assert len(totals) == 1, f"In {subgame.title} of {game.name} one player does not win what the other loses."
    return GameTree((first, second), roots, tuple(builder.infosets.values()), builder.size, totals.pop())


def leaves(nodes: Sequence[Node]) -> Iterator[Leaf]:
    """All ends that can be reached from these nodes."""
    for node in nodes:
        if isinstance(node, Leaf):
            yield node
        else:
            yield from leaves(node.children)


@dataclass(slots=True)
class _Builder:
    game: AnyGame
    subgame: AnySubgame
    largest: int
    infosets: dict[tuple[PlayerId, Any], InfoSet] = field(default_factory=dict)
    size: int = 0

    def node_of(self, state: Any) -> Node:
        """The node of a state. What the dealer does is no decision, so it has no node."""
        payoffs = self.subgame.payoffs(state)
        while payoffs is None and (due := self.game.dealer(state)) is not None:
            state = self._after(state, due)
            payoffs = self.subgame.payoffs(state)
        self.size += 1
        if self.size > self.largest:
            raise TooLarge(f"The tree of {self.subgame.title} has more than {self.largest:,} nodes.")
        if payoffs is not None:
            return Leaf({player: Fraction(won) for player, won in payoffs.items()})
        player, actions = self.game.next_to_act(state)
        view = self.game.view(state, player)
        info = self.infosets.setdefault((player, view), InfoSet(player, view, actions))
        assert info.actions == actions, "a player that sees the same may do the same"
        return Decision(info, tuple(self.node_of(self._after(state, action)) for action in actions))

    def _after(self, state: Any, event: Any) -> Any:
        following = self.game.machine.apply(state, event)
        assert not isinstance(following, Rejection), following.sentence
        return following
