"""From counts to rates with confidence intervals."""

from math import sqrt
from typing import TYPE_CHECKING

from turnstile.kernel import Value

if TYPE_CHECKING:
    from turnstile.lab.simulation import Plan, Totals

Z95 = 1.959964  # two-sided 95 % of the normal distribution


class Rate(Value, frozen=True):
    """How often something was true, with the 95 % confidence interval of its probability."""

    times: int
    chances: int
    rate: float
    low: float
    high: float


class Lengths(Value, frozen=True):
    """How many moves the matches had."""

    mean: float
    low: float
    high: float
    shortest: int
    median: int
    longest: int


class Summary(Value, frozen=True):
    """A simulation in numbers. The same plan gives the same summary, whatever the number of processes."""

    game: str
    seed: str
    matches: int
    wins: dict[str, Rate]
    shared: Rate
    mean_points: dict[str, float]
    facts: dict[str, Rate]
    moves: Lengths


def wilson(times: int, chances: int) -> Rate:
    """A rate with Wilson's score interval: accurate also for rates near 0 and 1 and for small samples."""
    if chances == 0:
        return Rate(0, 0, 0.0, 0.0, 1.0)
    rate = times / chances
    return Rate(times, chances, rate, *wilson_interval(rate, chances))


def wilson_interval(rate: float, chances: int) -> tuple[float, float]:
    """Wilson's interval around a rate that was seen in at least one chance."""
    spread = Z95**2 / chances
    middle = (rate + spread / 2) / (1 + spread)
    half = Z95 * sqrt(rate * (1 - rate) / chances + spread / (4 * chances)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def summary(plan: "Plan", totals: "Totals") -> Summary:
    """The summary of a plan's totals, from at least one match."""
    count = totals.matches
    return Summary(
        game=plan.game,
        seed=plan.seed,
        matches=count,
        wins={player: wilson(totals.wins[player], count) for player in plan.players},
        shared=wilson(totals.shared, count),
        mean_points={player: totals.points[player] / count for player in plan.players},
        facts={fact: wilson(totals.happened[fact], chances) for fact, chances in totals.chances.items()},
        moves=_lengths(sorted(totals.lengths.elements())),
    )


def _lengths(lengths: list[int]) -> Lengths:
    count = len(lengths)
    mean = sum(lengths) / count
    variance = sum((length - mean) ** 2 for length in lengths) / max(1, count - 1)
    half = Z95 * sqrt(variance / count)
    return Lengths(mean, mean - half, mean + half, lengths[0], lengths[count // 2], lengths[-1])
