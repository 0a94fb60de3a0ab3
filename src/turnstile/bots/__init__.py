"""Bots: programs that play. A bot gets a view and the actions it may choose from, never a state."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, TypeVar

from turnstile.bots.search import search_bot
from turnstile.kernel import AnyGame, Move
from turnstile.registry import BOTS, find, study_of

V = TypeVar("V")

Bot = Callable[[V, Sequence[Move], Random], Move]
"""Chooses one of the actions, given its player's view. It draws from the given generator and keeps no state."""


def random_bot(view: object, actions: Sequence[Move], rng: Random) -> Move:
    """Any action, each equally likely."""
    return rng.choice(actions)


def bots_of(game: AnyGame) -> Mapping[str, Bot[Any]]:
    """The bots that can play a game, by name: the game's own first, best first, then those for any game."""
    own, study = find(BOTS, game.name), study_of(game)
    search = {"search": search_bot(game, study)} if study.imagine else {}
    return {**(own if isinstance(own, dict) else {}), **search, "random": random_bot}
