"""Axes of plots: round numbers to mark, and where a value is between the ends of an axis."""

from math import ceil, floor, log10

from turnstile.kernel import Value

MOST_MARKS = 5


class Axis(Value, frozen=True):
    """An axis from `low` to `high`, with marks at round numbers."""

    low: float
    high: float
    marks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Where a value is, in percent of the axis."""
        return round(100 * (value - self.low) / (self.high - self.low), 2)


def axis_around(low: float, high: float) -> Axis:
    """An axis from a mark at or below `low` to a mark at or above `high`."""
    if high <= low:
        low, high = low - 0.5, high + 0.5
    step = _round_step((high - low) / MOST_MARKS)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    marks = tuple(round(number * step, 10) for number in range(first, last + 1))
    return Axis(marks[0], marks[-1], marks)


def axis_up_to(high: float) -> Axis:
    """An axis from 0 to exactly `high`, such as a number of matches."""
    step = _round_step(high / MOST_MARKS)
    marks = tuple(round(number * step, 10) for number in range(floor(high / step + 1e-9) + 1))
    return Axis(0, high, marks)


def _round_step(least: float) -> float:
    """The next step of 1, 2 or 5 times a power of ten."""
    scale = 10.0 ** floor(log10(least))
    return next(times * scale for times in (1.0, 2.0, 5.0, 10.0) if times * scale >= least * (1 - 1e-9))
