"""The timers of a game at its table: they ring, are stopped and set anew, and cannot keep a table busy for ever."""

import pytest
from msgspec.structs import replace

from tests.table.tables import ANA, Sitting, heard, play, refusal, started, taken
from turnstile.kernel.values import Instant
from turnstile.table.clocks import MOST_TIMERS, TooManyTimers
from turnstile.table.play import MOST_RINGS
from turnstile.table.values import Code, How, Phase, Ring

pytestmark = pytest.mark.usefixtures("toys")


def names(table: Sitting) -> list[str]:
    return [timer.name for timer in table.state.timers]


def test_a_timer_that_the_game_has_armed_brings_its_event_when_it_is_due() -> None:
    table = play(started("hourglass"), "ana turns sand 10", "ring game sand")
    assert table.match.ran == 1
    assert table.stream(ANA)[-1] == "Ran"
    assert names(table) == []


def test_a_timer_that_the_game_has_stopped_does_not_ring() -> None:
    before = play(started("hourglass"), "ana turns sand 10")
    (timer,) = before.state.timers
    table = play(before, "ana stops sand")
    assert names(table) == []
    assert refusal(table, Ring(timer.due, timer.name, timer.due)) == Code.STALE_TIMER


def test_stopping_what_does_not_run_is_harmless() -> None:
    assert names(play(started("hourglass"), "ana stops sand")) == []


def test_a_timer_that_is_armed_again_starts_anew() -> None:
    table = play(started("hourglass"), "ana turns sand 10", "later 4", "ana turns sand 10")
    (timer,) = table.state.timers
    assert timer.due - table.clock == 10_000


def test_a_game_that_has_no_use_for_a_timer_any_more_is_left_as_it_is() -> None:
    table = play(started("hourglass"), "ana turns sand 10", "ana covers", "ring game sand")
    assert table.match.ran == 0
    assert table.state.phase is Phase.PLAYING
    assert names(table) == []


def test_a_timer_of_the_game_rings_while_acknowledgements_are_awaited() -> None:
    table = play(started("gated-hourglass"), "ana turns sand 10", "ana asks", "ring game sand")
    assert table.state.phase is Phase.GATHERING
    assert table.stream(ANA).count("Ran") == 1
    assert heard(table).stream(ANA).count("Ran") == 2


def test_the_names_of_a_game_s_timers_cannot_be_those_of_the_table() -> None:
    table = play(started("hourglass", clock="60 per move, then wait"), "ana turns acks 10", "ana turns clock 10")
    assert sorted(names(table)) == ["clock ana", "clock bo", "game acks", "game clock"]


@pytest.mark.parametrize("seconds", ["nan", "inf", "-inf", "-1", "0", "1e12"])
def test_T9_a_timer_of_no_length_or_of_any_length_is_refused_by_the_kernel(seconds: str) -> None:
    with pytest.raises(ValueError, match="cannot run for"):
        taken(started("hourglass"), f"ana turns sand {seconds}")


def test_T10_a_game_has_so_many_timers_running_and_no_more() -> None:
    table = play(started("hourglass"), *(f"ana turns t{number} 10" for number in range(MOST_TIMERS)))
    assert len(names(table)) == MOST_TIMERS
    with pytest.raises(TooManyTimers):
        taken(table, "ana turns one-more 10")


def test_T10_timers_that_ring_for_ever_while_no_player_moves_halt_the_match() -> None:
    table = play(started("hourglass"), "ana turns sand 10 again", *["ring game sand"] * (MOST_RINGS - 1))
    assert table.state.phase is Phase.PLAYING
    halted = play(table, "ring game sand")
    assert halted.state.result is not None
    assert halted.state.result.how is How.HALTED
    assert halted.stream(ANA)[-1] == "Ran MatchEnded"


def test_T10_a_move_starts_the_count_anew() -> None:
    table = play(started("hourglass"), "ana turns sand 10 again", "ring game sand")
    nearly = Sitting(replace(table.state, rings=MOST_RINGS - 1), table.clock, table.streams)
    assert play(nearly, "ana hides", "ring game sand").state.phase is Phase.PLAYING


def test_T12_what_a_timer_does_depends_on_the_recorded_time_alone() -> None:
    table = play(started("hourglass"), "ana turns sand 10")
    (timer,) = table.state.timers
    late = Ring(Instant(timer.due + 5_000), timer.name, timer.due)
    assert taken(table, late).state == taken(table, late).state
    assert taken(table, late).state.now == timer.due + 5_000
