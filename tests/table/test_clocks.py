"""Clocks: who loses time when, what happens when it has run out, and that no time is lost through the server."""

import pytest

from tests.rules.sixtysix.matches import ALICE, BOB, turn
from tests.table.tables import ANA, BO, Sitting, around, heard, play, refusal, started, starting
from turnstile.kernel import PlayerId
from turnstile.kernel.values import Instant
from turnstile.table.clocks import clock_of, timer_of
from turnstile.table.sight import bots_to_move
from turnstile.table.values import Code, How, Phase, Resume, Ring


def running(table: Sitting) -> dict[PlayerId, float]:
    """How many seconds the clocks that run still have."""
    timers = {player: timer_of(table.state, clock_of(player)) for player in table.state.players}
    return {player: (timer.due - table.clock) / 1000 for player, timer in timers.items() if timer}


def left(table: Sitting, player: PlayerId) -> float:
    return table.state.left[player] / 1000


def away(table: Sitting) -> list[str]:
    return [seat.player for seat in table.state.seats if seat.is_away]


# who loses time


def test_a_table_without_a_clock_has_none() -> None:
    table = started()
    assert running(table) == {}
    assert table.state.left == {}


def test_where_both_may_move_both_clocks_run() -> None:
    assert running(started(clock="60 per move, then wait")) == {ANA: 60, BO: 60}


def test_who_has_moved_loses_no_time_while_the_other_thinks() -> None:
    table = play(started(clock="60 per move, then wait"), "later 10", "ana C", "later 5")
    assert running(table) == {BO: 45}


def test_a_clock_that_runs_is_not_set_anew_by_what_others_do() -> None:
    table = play(started("even-odd", clock="60 per match, then wait"), "later 10", "ana even")
    assert running(table) == {BO: 50}


def test_per_move_every_move_has_the_whole_time() -> None:
    table = play(started("even-odd", clock="60 per move, then wait"), "later 10", "ana even", "later 20", "bo odd")
    assert running(table) == {ANA: 60, BO: 60}


def test_per_match_what_is_left_counts_for_the_next_move() -> None:
    table = play(started("even-odd", clock="60 per match, then wait"), "later 10", "ana even", "later 20", "bo odd")
    assert running(table) == {ANA: 50, BO: 30}


def test_all_clocks_stand_while_the_table_waits_for_acknowledgements() -> None:
    table = play(around(turn(BOB), clock="60 per match, then forfeit"), "bob stop")
    assert table.state.phase is Phase.GATHERING
    assert running(table) == {}
    assert running(starting(clock="60 per match, then forfeit")) == {}


def test_in_66_the_clock_of_the_active_player_runs_alone() -> None:
    table = heard(play(started("66", "alice bob", clock="60 per match, then wait"), "later 7", "alice start"))
    (active,) = running(table)
    assert active == table.state.players[table.match.turn]
    assert left(table, ALICE) == 53 or running(table) == {ALICE: 53}


def test_a_refused_move_costs_nothing_and_changes_nothing() -> None:
    table = play(started(clock="60 per move, then wait"), "later 10")
    assert refusal(table, "ana S" if table.match.roles.emperor_player == ANA else "ana E") == "CardNotInHand"
    assert running(table) == {ANA: 50, BO: 50}


# run out: wait


def test_where_the_table_waits_who_is_late_may_still_move() -> None:
    table = play(started(clock="60 per move, then wait"), "ring clock ana")
    assert table.state.phase is Phase.PLAYING
    assert table.state.late == (ANA,)
    assert running(table) == {BO: 0}
    assert play(table, "ana C").state.late == ()


def test_who_is_late_is_not_late_again_before_its_next_turn() -> None:
    table = play(started("even-odd", clock="60 per move, then wait"), "ring clock ana", "bo odd")
    assert running(table) == {}
    assert running(play(table, "ana even")) == {ANA: 60, BO: 60}


def test_per_match_who_has_no_time_left_is_late_at_once() -> None:
    table = play(started("even-odd", clock="60 per match, then wait"), "ring clock ana", "ana even", "bo odd")
    assert running(table) == {ANA: 0, BO: 0}
    assert left(table, ANA) == 0


# run out: bot


def test_a_bot_moves_from_now_on_for_who_is_late() -> None:
    table = play(started("even-odd", clock="60 per move, then bot"), "ring clock ana")
    assert away(table) == [ANA]
    assert bots_to_move(table.state) == (ANA,)
    table = play(table, "ana even", "bo odd")
    assert away(table) == [ANA], "a move of the bot does not bring her back"
    assert bots_to_move(table.state) == (ANA,)
    assert running(table) == {BO: 60}


def test_who_returns_plays_on_itself_with_its_clock_running() -> None:
    table = play(started("even-odd", clock="60 per move, then bot"), "ring clock ana", "ana returns")
    assert bots_to_move(table.state) == ()
    assert running(table) == {ANA: 60, BO: 0}


def test_a_bot_also_moves_for_who_is_away_for_its_silence() -> None:
    table = play(starting("even-odd", clock="60 per move, then bot"), "ring acks")
    assert bots_to_move(table.state) == (ANA, BO)
    assert running(table) == {}


def test_without_a_clock_that_says_so_no_bot_moves_for_who_is_away() -> None:
    assert bots_to_move(play(starting("even-odd"), "ring acks").state) == ()
    table = play(starting("even-odd", clock="60 per move, then wait"), "ring acks")
    assert bots_to_move(table.state) == ()
    assert running(table) == {ANA: 60, BO: 60}, "the clock runs, wherever its owner is"


# run out: forfeit


@pytest.mark.parametrize("per", ["move", "match"])
def test_P8_who_runs_out_of_time_loses_the_match(per: str) -> None:
    table = play(started(clock=f"60 per {per}, then forfeit"), "ring clock ana")
    result = table.state.result
    assert result is not None
    assert (result.how, result.winners, result.reason, result.scores) == (How.OUT_OF_TIME, (BO,), ANA, None)
    assert table.state.phase is Phase.FINISHED
    assert table.state.timers == ()


def test_when_the_match_is_over_the_clocks_show_what_was_left() -> None:
    table = play(started(clock="60 per match, then forfeit"), "later 20", "bo resigns")
    assert (left(table, ANA), left(table, BO)) == (40, 40)


# time and order


def test_T4_a_move_and_its_deadline_in_one_instant_the_first_in_the_log_counts() -> None:
    table = play(started("even-odd", clock="60 per move, then forfeit"), "bo odd", "later 60")
    timer = timer_of(table.state, clock_of(ANA))
    assert timer is not None
    ring = Ring(timer.due, timer.name, timer.due)
    moved = play(table, "ana even")
    assert moved.state.phase is Phase.PLAYING
    assert refusal(moved, ring) == Code.STALE_TIMER
    late = play(table, ring)
    assert late.state.phase is Phase.FINISHED
    assert refusal(late, "ana even") == "WrongPhase"


def test_T5_a_timer_that_was_stopped_or_set_anew_is_stale() -> None:
    table = started("even-odd", clock="60 per move, then forfeit")
    timer = timer_of(table.state, clock_of(ANA))
    assert timer is not None
    later = play(table, "later 5", "ana even", "bo odd")
    assert refusal(later, Ring(timer.due, timer.name, timer.due)) == Code.STALE_TIMER
    assert refusal(later, Ring(timer.due, "nobody's", timer.due)) == Code.STALE_TIMER


@pytest.mark.parametrize("table", [starting(), play(starting(), "acks"), started(clock="60 per move, then forfeit")])
def test_no_timer_rings_early(table: Sitting) -> None:
    timer = table.state.timers[0]
    assert refusal(table, Ring(timer.due, timer.name, Instant(timer.due + 1))) == Code.STALE_TIMER
    assert refusal(table, Ring(Instant(timer.due - 1), timer.name, timer.due)) == Code.TOO_EARLY


@pytest.mark.parametrize(
    "table",
    [starting(), play(starting(), "acks"), started(clock="60 per move, then forfeit")],
    ids=["starting", "gathering", "playing"],
)
def test_T6_an_outage_moves_every_deadline_by_the_time_that_was_lost(table: Sitting) -> None:
    after = play(table, "later 3", "lost 600")
    assert [timer.due for timer in after.state.timers] == [timer.due + 600_000 for timer in table.state.timers]
    assert after.state.phase is table.state.phase
    before = table.state.timers[0]
    assert refusal(after, Ring(after.clock, before.name, before.due)) == Code.STALE_TIMER


def test_after_an_outage_a_player_has_as_much_time_as_before() -> None:
    table = play(started(clock="60 per match, then forfeit"), "later 20")
    assert running(table) == running(play(table, "lost 600")) == {ANA: 40, BO: 40}


def test_T1_time_at_a_table_never_goes_back() -> None:
    table = play(started(clock="60 per match, then forfeit"), "later 20", "ana C")
    back = Resume(Instant(table.state.now - 10_000), 1)
    assert play(table, back).state.now == table.state.now
