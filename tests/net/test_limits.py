"""A quota: a burst at once, then a steady rate, and never more, however often a caller asks in vain."""

from hypothesis import given
from hypothesis import strategies as st

from turnstile.net.limits import Quota

RATE, BURST = 2, 3
EIGHTHS = st.integers(0, 4)
"""Eighths of a second: all sums are exact in floating point."""


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def used_up(clock: Clock) -> Quota:
    """A quota of which the whole burst was taken now."""
    quota = Quota(rate=RATE, burst=BURST, clock=clock)
    assert [quota.wait_of("ana") for _ in range(BURST)] == [0] * BURST
    return quota


def test_who_asks_in_vain_gets_the_time_that_has_passed_once_not_twice() -> None:
    clock = Clock()
    quota = used_up(clock)
    clock.now = 0.25
    assert quota.wait_of("ana") == 0.25
    clock.now = 0.375
    assert quota.wait_of("ana") == 0.125
    clock.now = 0.5
    assert quota.wait_of("ana") == 0
    assert quota.wait_of("ana") == 0.5


def test_who_waits_as_long_as_it_was_told_is_served() -> None:
    clock = Clock()
    quota = used_up(clock)
    for _ in range(20):
        clock.now += quota.wait_of("ana")
        assert quota.wait_of("ana") == 0


def test_a_quota_that_was_not_used_for_long_is_full_and_not_more() -> None:
    clock = Clock()
    quota = used_up(clock)
    clock.now = 1_000.0
    assert [quota.wait_of("ana") for _ in range(BURST + 1)] == [0, 0, 0, 0.5]


@given(st.lists(EIGHTHS, min_size=10, max_size=60))
def test_in_any_time_nobody_gets_more_than_the_burst_and_the_rate_of_that_time(gaps: list[int]) -> None:
    clock, served = Clock(), list[float]()
    quota = Quota(rate=RATE, burst=BURST, clock=clock)
    for gap in gaps:
        clock.now += gap / 8
        if quota.wait_of("ana") == 0:
            served.append(clock.now)
    for first, start in enumerate(served):
        for number, end in enumerate(served[first:], 1):
            assert number <= BURST + RATE * (end - start)
