"""Matches between bots, counted."""

from functools import partial
from random import Random
from typing import Any

from turnstile.bots import Bot, bots_of
from turnstile.kernel import AnyGame, PlayerId, Seed
from turnstile.lab.match import Chooser, play_out


def chooser(bot: Bot[Any], rng: Random) -> Chooser:
    """A bot with its own chance, at a table."""
    return partial(_choose, bot, rng)


def _choose(bot: Bot[Any], rng: Random, view: Any, actions: Any) -> Any:
    chosen = bot(view, actions, rng)
    assert chosen in actions
    return chosen


def results(game: AnyGame, *names: str, matches: int, options: Any = None) -> tuple[list[float], list[float]]:
    """Bots by name, one a seat: how many matches each seat won (a shared win counts in part), and its mean points."""
    bots = [bots_of(game)[name] for name in names]
    seats = [PlayerId(f"seat {number}") for number in range(1, len(bots) + 1)]
    wins, points = [0.0] * len(bots), [0.0] * len(bots)
    for number in range(matches):
        choosers = {seat: chooser(bot, Random(f"{number} {seat}")) for seat, bot in zip(seats, bots, strict=True)}
        state, _ = play_out(game, options or game.options(), Seed(str(number)), choosers)
        outcome = game.outcome(state)
        assert outcome is not None
        for seat, player in enumerate(seats):
            wins[seat] += (player in outcome.winners) / len(outcome.winners)
            points[seat] += outcome.scores[player] / matches
    return wins, points
