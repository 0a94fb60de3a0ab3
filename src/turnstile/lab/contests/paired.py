"""Statistics over deals. The matches of one deal belong together: they are one observation, not several.

All seatings play the same deal, so its luck cancels out in the mean of its matches. That mean is what is compared.
"""

from collections.abc import Mapping, Sequence
from math import erfc, sqrt
from typing import TypeVar

from turnstile.kernel import Value
from turnstile.lab.statistics import Z95

K = TypeVar("K")

MOST_EXACT = 60  # deals; with more, the normal distribution is close enough


class Mean(Value, frozen=True):
    """The mean over deals, with its 95 % confidence interval."""

    mean: float
    low: float
    high: float


def mean_share(shares: Sequence[float]) -> Mean:
    """The mean of shares between 0 and 1.

    For the interval, one deal with 0 and one with 1 are added, as Agresti and Caffo do: otherwise three wins of three
    would be certain. Without any deal it is everything from 0 to 1.
    """
    widened = mean_of([*shares, 0.0, 1.0])
    mean = sum(shares) / len(shares) if shares else 0.5
    return Mean(mean, min(mean, max(0.0, widened.low)), max(mean, min(1.0, widened.high)))


def mean_of(numbers: Sequence[float]) -> Mean:
    """The mean of at least one number, with Student's interval."""
    count = len(numbers)
    mean = sum(numbers) / count
    if count == 1:
        return Mean(mean, float("-inf"), float("inf"))
    variance = sum((number - mean) ** 2 for number in numbers) / (count - 1)
    half = student95(count - 1) * sqrt(variance / count)
    return Mean(mean, mean - half, mean + half)


def student95(freedom: int) -> float:
    """The two-sided 95 % quantile of Student's distribution, by its expansion around the normal one.

    For one degree of freedom the expansion is too small, and the value is given.
    """
    if freedom == 1:
        return 12.7062
    z = Z95
    terms: tuple[float, ...] = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / float(freedom) ** power for power, term in enumerate(terms, start=1))


def paired_p(differences: Sequence[float]) -> float:
    """How likely differences at least as far from 0 in sum are, if both bots were equally strong.

    Then each difference would be as likely with the other sign. Up to 60 deals all signs are counted, exactly; above
    that the sum is taken as normally distributed.
    """
    sizes = [abs(difference) for difference in differences if difference]
    if not sizes:
        return 1.0
    total = abs(sum(differences))
    if len(sizes) > MOST_EXACT:
        return erfc(total / sqrt(2 * sum(size * size for size in sizes)))
    chances = {0.0: 1.0}
    for size in sizes:
        after: dict[float, float] = {}
        for reached, chance in chances.items():
            for sign in (size, -size):
                place = round(reached + sign, 9)  # equal sums must meet, whatever the order of addition
                after[place] = after.get(place, 0.0) + chance / 2
        chances = after
    return min(1.0, sum(chance for reached, chance in chances.items() if abs(reached) > total - 1e-6))


def holm(p_values: Mapping[K, float]) -> dict[K, float]:
    """The p-values corrected for many comparisons, by Holm's method: one wrong claim among all stays as unlikely."""
    corrected: dict[K, float] = {}
    worst = 0.0
    for place, (key, p_value) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        worst = max(worst, min(1.0, p_value * (len(p_values) - place)))
        corrected[key] = worst
    return {key: corrected[key] for key in p_values}
