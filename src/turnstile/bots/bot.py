"""What a bot is, and the bot that plays any game without looking."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar

from turnstile.kernel import Move

V = TypeVar("V")

Bot = Callable[[V, Sequence[Move], Random], Move]
"""Chooses one of the actions, given its player's view. It draws from the given generator and keeps no state."""

AnyBot = Callable[[Any, Sequence[Any], Random], Move]
"""A bot of a game that is not known, so its view and its actions may have any type."""


def random_bot(view: object, actions: Sequence[Move], rng: Random) -> Move:
    """Any action, each equally likely."""
    return rng.choice(actions)
