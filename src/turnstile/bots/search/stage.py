"""Simultaneous choices: a table of what each combination of choices is worth, and mixed strategies for it.

A pure choice can be predicted. So `search` draws its choice from an equilibrium of the table, which regret matching
finds: each player weighs its choices by how much more each of them would have won so far.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from random import Random
from typing import Any

from turnstile.bots.guide import Shares
from turnstile.bots.search.budget import spend
from turnstile.bots.search.playouts import Playouts
from turnstile.kernel import AnyGame, Move, PlayerId

ROUNDS = 200  # of regret matching; it then is within a percent or so of an equilibrium
LARGEST_TABLE = 64

Mixed = dict[Move, float]
"""The probability of each choice."""


def choose_by_mixing(
    playouts: Playouts,
    player: PlayerId,
    choices: Mapping[PlayerId, Sequence[Move]],
    states: Iterator[Any],
    left: Iterator[object],
    rng: Random,
) -> Move | None:
    """A choice drawn from the player's part of an equilibrium. Every combination is tried in each imagined state.

    `None` if the choices of others depend on what is hidden, such as a hand: then one table cannot have them all.
    """
    stage = Stage(choices)
    while spend(left, len(stage.cells)):
        state, luck = next(states), rng.getrandbits(64)
        if simultaneous_choices(playouts.game, state) != choices:
            return None
        for cell in stage.cells:
            stage.add(cell, playouts.reward(state, cell, Random(luck)))
    return draw_choice(stage.equilibrium()[player], rng)


def simultaneous_choices(game: AnyGame, state: Any) -> Mapping[PlayerId, Sequence[Move]]:
    """The actions of each player that may act now."""
    offered = {player: game.actions(state, player) for player in game.players(state)}
    return {player: actions for player, actions in offered.items() if actions}


class Stage:
    """One simultaneous decision: the choices of each player, and the mean reward of each combination."""

    def __init__(self, choices: Mapping[PlayerId, Sequence[Move]]) -> None:
        self.choices = choices
        self.cells: dict[tuple[Move, ...], dict[PlayerId, float]] = {
            cell: dict.fromkeys(choices, 0.0) for cell in product(*choices.values())
        }

    def add(self, cell: tuple[Move, ...], rewards: Shares) -> None:
        """Add what a combination of choices has brought in one more imagined state. All get equally many states."""
        for player in self.choices:
            self.cells[cell][player] += rewards[player]

    def equilibrium(self) -> Mapping[PlayerId, Mixed]:
        """Mixed strategies, one for each player, from which no player gains by changing alone, nearly."""
        regrets = {player: dict.fromkeys(moves, 0.0) for player, moves in self.choices.items()}
        totals = {player: dict.fromkeys(moves, 0.0) for player, moves in self.choices.items()}
        present = {player: scaled(regret) for player, regret in regrets.items()}
        for number in range(1, ROUNDS + 1):
            for player in self.choices:  # one after the other, which converges faster
                strategy, worths = present[player], self._worths(player, present)
                mean = sum([strategy[move] * worth for move, worth in worths.items()])
                for move, worth in worths.items():
                    regrets[player][move] = max(0.0, regrets[player][move] + worth - mean)
                    totals[player][move] += number * strategy[move]  # later rounds are closer
                present[player] = scaled(regrets[player])
        return {player: scaled(total) for player, total in totals.items()}

    def _worths(self, player: PlayerId, strategies: Mapping[PlayerId, Mixed]) -> Mixed:
        """What each choice of a player is worth when the others choose by their strategies."""
        worths = dict.fromkeys(self.choices[player], 0.0)
        place = list(self.choices).index(player)
        for cell, rewards in self.cells.items():
            chance = prod([strategies[move.player][move] for move in cell if move.player != player])
            worths[cell[place]] += chance * rewards[player]
        return worths


def scaled(weights: Mixed) -> Mixed:
    """Probabilities in proportion to weights; equal ones when all weights are 0."""
    total = sum(weights.values())
    return {move: weight / total if total else 1 / len(weights) for move, weight in weights.items()}


def draw_choice(strategy: Mixed, rng: Random) -> Move:
    """A choice drawn from a mixed strategy."""
    return rng.choices(list(strategy), list(strategy.values()))[0]
