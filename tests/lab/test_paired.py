"""Statistics over deals, against values worked out by hand or taken from tables."""

from itertools import product
from math import isclose
from random import Random

import pytest

from turnstile.lab.contests.paired import holm, mean_of, mean_share, paired_p, student95


@pytest.mark.parametrize(("freedom", "quantile"), [(1, 12.706), (2, 4.303), (5, 2.571), (10, 2.228), (100, 1.984)])
def test_students_quantiles(freedom: int, quantile: float) -> None:
    assert isclose(student95(freedom), quantile, rel_tol=0.02)


def test_a_mean_with_students_interval() -> None:
    found = mean_of([1.0, 2.0, 3.0, 4.0, 5.0])
    assert found.mean == 3
    assert isclose(found.high - found.mean, 2.776 * 0.7071, rel_tol=0.01)
    assert isclose(found.mean - found.low, found.high - found.mean)


def test_a_few_wins_are_not_certain() -> None:
    three = mean_share([1.0] * 3)
    assert (three.mean, three.high) == (1, 1)
    assert three.low < 0.5
    assert 0.7 < mean_share([1.0] * 10).low < 0.75  # Wilson's interval begins at 0.72
    assert (mean_share([]).low, mean_share([]).high) == (0, 1)


def test_deals_that_cancel_out_are_more_certain_than_single_matches() -> None:
    """In each deal both bots win once: the seats decide, and neither bot is better."""
    found = mean_share([0.5] * 100)
    assert found.high - found.low < 0.05


def by_counting(differences: list[float]) -> float:
    """The probability from all signs."""
    sums = [
        abs(sum(sign * abs(each) for sign, each in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(each > abs(sum(differences)) - 1e-9 for each in sums) / len(sums)


@pytest.mark.parametrize("seed", range(5))
def test_the_paired_test_counts_all_signs(seed: int) -> None:
    rng = Random(seed)
    differences = [rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0, 1.0]) for _ in range(8)]
    assert isclose(paired_p(differences), by_counting(differences))


def test_the_paired_test_of_many_deals_is_close_to_the_exact_one() -> None:
    many = [1.0] * 36 + [-1.0] * 25  # too many to count all signs; without the last one they are counted
    assert isclose(paired_p(many), paired_p(many[:-1]), abs_tol=0.09)
    assert paired_p([1.0] * 5) == 2 / 32
    assert paired_p([0.0] * 5) == paired_p([]) == paired_p([1.0, -1.0]) == 1
    assert paired_p([1.0] * 1000) < 1e-100


def test_equal_bots_are_seldom_called_different() -> None:
    rng = Random(7)
    claims = sum(paired_p([rng.choice([-1.0, 0.0, 1.0]) for _ in range(30)]) < 0.05 for _ in range(300))
    assert claims < 300 * 0.08


def test_holms_correction() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == {"a": 0.03, "b": 0.06, "c": 0.06}
    assert holm({"a": 0.6, "b": 0.7}) == {"a": 1.0, "b": 1.0}
    assert holm({}) == {}
