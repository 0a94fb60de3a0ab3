"""The database's clock as a server reads it, without a database."""

from hypothesis import given
from hypothesis import strategies as st

from turnstile.store.postgres.clock import DatabaseClock

START = 1_800_000_000_000


class Local:
    """A monotonic clock that is moved by hand; it begins anywhere, and reads nanoseconds."""

    def __init__(self, start: int = 77) -> None:
        self.microseconds = start

    def __call__(self) -> int:
        return self.microseconds * 1000


def test_T7_between_two_looks_the_local_clock_counts_on() -> None:
    local = Local()
    clock = DatabaseClock(local)
    clock.learn(clock.reading(), START * 1000, clock.reading())
    local.microseconds += 5_000_000
    assert clock.now() == START + 5_000


def test_T7_a_slow_answer_does_not_spoil_what_a_quick_one_taught() -> None:
    local = Local()
    clock = DatabaseClock(local)
    clock.learn(clock.reading(), START * 1000, clock.reading())
    asked = clock.reading()
    local.microseconds += 4_000_000  # the answer was made at once, and took four seconds to come
    clock.learn(asked, START * 1000, clock.reading())
    assert clock.now() == START + 4_000


def test_T7_who_is_proved_wrong_is_set_right() -> None:
    local = Local()
    clock = DatabaseClock(local)
    clock.learn(clock.reading(), START * 1000, clock.reading())
    clock.learn(clock.reading(), START * 1000 + 2_000_000, clock.reading())
    assert clock.now() == START + 2_000


looks = st.tuples(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(-(10**10), 10**10))


@given(st.lists(looks))
def test_T1_it_never_goes_back_whatever_the_database_says(taken: list[tuple[int, int, int]]) -> None:
    local = Local()
    clock = DatabaseClock(local)
    clock.learn(clock.reading(), START * 1000, clock.reading())
    seen = [clock.now()]
    for passed, waited, jump in taken:
        local.microseconds += passed
        seen.append(clock.now())
        asked = clock.reading()
        local.microseconds += waited
        clock.learn(asked, START * 1000 + local.microseconds + jump, clock.reading())
        seen.append(clock.now())
    assert seen == sorted(seen)
