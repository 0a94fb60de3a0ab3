"""Timers of the referee that run out late: they change nothing."""

from typing import Any

import pytest

from tests.league.referee.refereed import (
    assigned,
    collecting,
    event_of,
    notifying,
    play,
    refusal,
    reporting,
)
from turnstile.kernel import Rejection
from turnstile.league.referee.machine import referee
from turnstile.league.referee.state import Code, State


@pytest.mark.parametrize(
    ("state", "of"),
    [
        (collecting(), assigned()),
        (notifying(), collecting()),
        (play(assigned(), "A is silent").state, assigned()),
        (play(assigned(), "A joins", "B joins").state, collecting()),
        (notifying(), notifying()),
    ],
)
def test_A1_a_timer_of_a_call_that_is_past_changes_nothing(state: State, of: State) -> None:
    answer = referee.step(state, event_of(of, "A is silent"))
    assert isinstance(answer, Rejection)
    assert answer.code == Code.STALE_TIMER


def test_A1_a_timer_of_the_manager_that_is_past_changes_nothing() -> None:
    assert refusal(collecting(), "manager is silent") == Code.STALE_TIMER
    assert refusal(play(assigned(), "A joins", "B joins").state, "A is unreached") == Code.STALE_TIMER
    late = referee.step(play(reporting(), "manager is silent").state, _first_report_timeout())
    assert isinstance(late, Rejection)
    assert late.code == Code.STALE_TIMER


def _first_report_timeout() -> Any:
    return event_of(reporting(), "manager is silent")
