"""The strategy of a bot: with which probability it chooses each action, wherever it may have to choose.

A bot draws from the generator it is given. If it draws with `choice` only, all its draws are tried one after the other,
and the probabilities are exact. Otherwise it is asked many times, and they are estimates.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from random import Random
from typing import Any

from turnstile.bots import AnyBot
from turnstile.kernel import Move
from turnstile.lab.solver.tree import GameTree, InfoSet, Strategy

Chances = dict[Move, Fraction]

MOST_PATHS = 10_000  # ways in which one decision may be drawn


@dataclass(frozen=True, slots=True)
class BotStrategy:
    """What a bot does in a game tree."""

    strategy: Strategy
    is_exact: bool


class NotEnumerable(BaseException):
    """The bot draws in a way whose outcomes cannot be listed.

    It is no `Exception`: it passes through the code of the bot, which may catch its own errors and must not catch this.
    """


class ScriptedChoices(Random):
    """A generator whose choices follow a script and then take the first item. It notes how many items there were."""

    def __init__(self, script: Sequence[int]) -> None:
        super().__init__(0)
        self.script = script
        self.made: list[tuple[int, int]] = []

    def choice(self, items: Any) -> Any:
        index = self.script[len(self.made)] if len(self.made) < len(self.script) else 0
        self.made.append((index, len(items)))
        return items[index]

    def random(self) -> float:
        raise NotEnumerable

    def getrandbits(self, k: int, /) -> int:
        raise NotEnumerable


def strategy_of(
    bot: AnyBot, tree: GameTree, draws: int, rng: Random, tell: Callable[[], None] = lambda: None
) -> BotStrategy:
    """The strategy of a bot in all information sets. `tell` is called after each of them."""
    strategy, is_exact = {}, True
    for info in tree.infosets:
        try:
            chances = exact_chances(bot, info)
        except NotEnumerable:
            chances, is_exact = estimated_chances(bot, info, draws, rng), False
        strategy[info] = [chances[action] for action in info.actions]
        tell()
    return BotStrategy(strategy, is_exact)


def exact_chances(bot: AnyBot, info: InfoSet) -> Chances:
    """The exact probability of each action, from all outcomes of the bot's draws; or `NotEnumerable`."""
    chances = dict.fromkeys(info.actions, Fraction(0))
    for number, generator in enumerate(all_choices(), start=1):
        if number > MOST_PATHS:
            raise NotEnumerable
        chosen = bot(info.view, info.actions, generator)
        chances[chosen] += Fraction(1, prod(count for _, count in generator.made))
    return chances


def all_choices() -> Iterator[ScriptedChoices]:
    """Generators that make, one after the other, every possible sequence of choices."""
    script: list[int] | None = []
    while script is not None:
        generator = ScriptedChoices(script)
        yield generator
        script = next_script(generator.made)


def next_script(made: Sequence[tuple[int, int]]) -> list[int] | None:
    """The sequence of choices after this one; `None` after the last."""
    for place in reversed(range(len(made))):
        index, count = made[place]
        if index + 1 < count:
            return [*(before for before, _ in made[:place]), index + 1]
    return None


def estimated_chances(bot: AnyBot, info: InfoSet, draws: int, rng: Random) -> Chances:
    """How often the bot chooses each action when it is asked many times."""
    chosen = Counter(bot(info.view, info.actions, rng) for _ in range(draws))
    return {action: Fraction(chosen[action], draws) for action in info.actions}
