"""The kinds of bots that users bring. A kind turns the text after its word into a bot, as in `cmd:./mybot`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from turnstile.kernel import AnyGame, Move, Outcome

USUAL_SECONDS = 30.0
"""How long a program or an agent may think about one decision."""


class OwnBot(Protocol):
    """A bot that may keep a program or a connection for many matches."""

    def __call__(self, view: Any, actions: Sequence[Move], rng: Random) -> Move:
        """The chosen action. Raises `BotFailed`."""

    def end_match(self, view: Any, outcome: Outcome) -> None:
        """The match is over; `view` is what the bot's player sees last."""

    def close(self) -> None:
        """No more matches are played."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of own bots."""

    load: Callable[[AnyGame, str, float], OwnBot]
    """The bot for a game, from the text after the kind's word, and the seconds for a decision. Raises `InvalidBot`."""
    plays_one_match_at_a_time: bool = False
