"""Rates and their intervals, against values worked out by hand."""

from collections import Counter
from math import isclose

import pytest

from turnstile.kernel import Seed
from turnstile.lab import Plan, Totals, summary
from turnstile.lab.statistics import wilson


@pytest.mark.parametrize(
    ("times", "chances", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),  # Wilson's interval for the classic cases
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (80, 100, 0.7112, 0.8666),
    ],
)
def test_wilsons_interval(times: int, chances: int, low: float, high: float) -> None:
    rate = wilson(times, chances)
    assert isclose(rate.low, low, abs_tol=5e-4)
    assert isclose(rate.high, high, abs_tol=5e-4)
    assert rate.rate == times / chances


def test_without_chances_nothing_is_known() -> None:
    rate = wilson(0, 0)
    assert (rate.low, rate.high) == (0.0, 1.0)


def test_totals_add_up() -> None:
    one = Totals(2, Counter(a=2), 0, Counter(a=3), Counter(x=1), Counter(x=2), Counter({10: 2}))
    one.add(Totals(3, Counter(a=1, b=1), 1, Counter(b=5), Counter(x=2), Counter(x=3), Counter({10: 1, 12: 2})))
    assert one == Totals(
        5, Counter(a=3, b=1), 1, Counter(a=3, b=5), Counter(x=3), Counter(x=5), Counter({10: 3, 12: 2})
    )


def test_a_summary_says_what_the_totals_say() -> None:
    plan = Plan("e-card", ("equilibrium", "random"), b"{}", Seed("7"))
    first, second = plan.players
    assert (first, second) == ("equilibrium 1", "random 2")
    counted = Totals(4, Counter({first: 1, second: 2}), 1, Counter({first: 6}), Counter(x=1), Counter(x=2))
    counted.lengths = Counter({10: 1, 20: 2, 60: 1})
    told = summary(plan, counted)
    assert (told.wins[first].rate, told.wins[second].rate, told.shared.rate) == (0.25, 0.5, 0.25)
    assert told.mean_points == {first: 1.5, second: 0.0}
    assert told.facts["x"].rate == 0.5
    assert (told.moves.mean, told.moves.shortest, told.moves.median, told.moves.longest) == (27.5, 10, 20, 60)
    assert told.moves.low < told.moves.mean < told.moves.high
