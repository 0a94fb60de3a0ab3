"""Controls the numbers that a step draws: the same again, or one of them different.

All of them come from one function of `kernel.chance`, which is replaced during a step. A game that caches drawn numbers
would not notice.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import factorial
from random import Random
from typing import NamedTuple
from unittest.mock import patch

from turnstile.kernel import Seed, chance

SHUFFLES = {factorial(size): size for size in range(4, 200)}
"""How many things are shuffled by a number drawn below this bound."""
MOST_NUMBERS = 10_000  # from which another number is chosen, unless it is a shuffle


class Draw(NamedTuple):
    label: str
    counter: int
    bound: int
    number: int


@contextmanager
def drawn_again(wanted: Sequence[Draw] = ()) -> Iterator[list[Draw]]:
    """Make these draws give their numbers again, whatever the seed. Yields the list of all draws made meanwhile."""
    honest, made = chance._number, list[Draw]()
    known = {draw[:3]: draw.number for draw in wanted}

    def number(seed: Seed, label: str, counter: int, bound: int) -> int:
        found = known.get((label, counter, bound))
        made.append(Draw(label, counter, bound, honest(seed, label, counter, bound) if found is None else found))
        return made[-1].number

    with patch.object(chance, "_number", number):
        yield made


def drawn_differently(draws: Sequence[Draw], rng: Random) -> list[Draw]:
    """The same draws, except one."""
    changed = rng.randrange(len(draws))
    return [
        draw._replace(number=another_number(draw.number, draw.bound, rng)) if index == changed else draw
        for index, draw in enumerate(draws)
    ]


def another_number(number: int, bound: int, rng: Random) -> int:
    """Another number below the bound; for a shuffle, one that moves at most three items."""
    if bound not in SHUFFLES:
        others = [other for other in range(min(bound, MOST_NUMBERS)) if other != number]
        return rng.choice(others) if others else number
    radices = range(SHUFFLES[bound], 1, -1)
    digits = []
    for radix in radices:
        number, digit = divmod(number, radix)
        digits.append(digit)
    changed = rng.randrange(len(digits))
    digits[changed] = rng.choice([digit for digit in range(radices[changed]) if digit != digits[changed]])
    for radix, digit in zip(reversed(radices), reversed(digits), strict=True):
        number = number * radix + digit
    return number
