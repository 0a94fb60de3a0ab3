"""The bot that searches. It knows the rules, its own view and what the game's guide says, and nothing else."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from random import Random
from typing import Any

from turnstile.bots.guide import Guide
from turnstile.bots.search.beliefs import imagined_states, plausible_states
from turnstile.bots.search.budget import Budget, iterations
from turnstile.bots.search.playouts import Playouts
from turnstile.bots.search.race import choose_by_race
from turnstile.bots.search.stage import LARGEST_TABLE, choose_by_mixing, simultaneous_choices
from turnstile.bots.search.tree import Tree
from turnstile.kernel import AnyGame, AnyStudy, Move, PlayerId

HORIZON = 120  # events; a longer match is judged by its scores at that point
USUAL_BUDGET = iterations(200)


@dataclass(frozen=True, slots=True)
class SearchBot:
    """Imagines the hidden parts, plays many matches on from there, and chooses the action that does best."""

    game: AnyGame
    study: AnyStudy
    guide: Guide | None
    budget: Budget
    horizon: int

    def __call__(self, view: Any, actions: Sequence[Move], rng: Random) -> Move:
        """Choose an action for the player that sees this view."""
        if len(actions) == 1:
            return actions[0]
        player, left = actions[0].player, iter(self.budget())
        if self.guide is None:
            return Tree(self.game, self.study, self.horizon, view).choose(
                actions, self._imagined(view, player, rng), left, rng
            )
        playouts = Playouts(self.game, self.study, self.guide, self.horizon)
        states = self._believed(self.guide, view, player, rng)
        choices = simultaneous_choices(self.game, next(states))
        if len(choices) > 1 and prod(map(len, choices.values())) <= LARGEST_TABLE:
            mixed = choose_by_mixing(playouts, player, choices, states, left, rng)
            if mixed is not None:
                return mixed
        return choose_by_race(playouts, view, actions, states, left, rng)

    def with_budget(self, budget: Budget) -> "SearchBot":
        """The same bot with another budget."""
        return replace(self, budget=budget)

    def _imagined(self, view: Any, player: PlayerId, rng: Random) -> Iterator[Any]:
        assert self.study.imagine is not None
        return imagined_states(self.study.imagine, view, player, rng)

    def _believed(self, guide: Guide, view: Any, player: PlayerId, rng: Random) -> Iterator[Any]:
        """States that the view could belong to, as the guide weighs them, before all choices that are not shown yet."""
        states = self._imagined(view, player, rng)
        if guide.plausibility is not None:
            states = plausible_states(states, guide.plausibility, player, rng, guide.vary)
        return map(guide.retract, states)


def search_bot(
    game: AnyGame,
    study: AnyStudy,
    guide: Guide | None = None,
    budget: Budget = USUAL_BUDGET,
    horizon: int = HORIZON,
) -> SearchBot:
    """A bot for any game whose study has `imagine`."""
    assert study.imagine is not None, f"{game.name} cannot be searched: its study has no `imagine`"
    return SearchBot(game, study, guide, budget, horizon)
