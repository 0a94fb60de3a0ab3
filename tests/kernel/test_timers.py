"""A machine at work: its timers start, stop and run out with its steps, and its log makes it again."""

from random import Random

import pytest

from tests.league.player import played
from tests.league.referee import refereed
from turnstile.kernel import Event, Rejection, Step
from turnstile.kernel.timers import Timed, TimedMachine, Timer, postpone, replay_timed
from turnstile.kernel.values import Instant, Timeout
from turnstile.league.player.machine import player
from turnstile.league.player.state import State as Player
from turnstile.league.proofs import referee as referee_world
from turnstile.league.protocol.words import Awaited
from turnstile.league.referee.calls import expiry_of
from turnstile.league.referee.machine import referee
from turnstile.league.referee.state import Phase, State


def at_work(time_scale: float = 1.0) -> TimedMachine[State]:
    """A referee that was given its match at the instant 1000."""
    work = TimedMachine(referee, refereed.idle(), time_scale)
    work.take(refereed.assignment(), Instant(1000))
    return work


def said(work: TimedMachine[State], words: str, now: int) -> Step[State] | Rejection:
    return work.take(refereed.event_of(work.state, words), Instant(now))


def due(work: TimedMachine[State]) -> dict[str, Instant]:
    return {timer.name: timer.due for timer in work.timers}


def test_a_new_clockwork_waits_for_nothing() -> None:
    work = TimedMachine(referee, refereed.idle())
    assert work.timers == ()
    assert work.next_timer is None


def test_a_step_moves_the_state_and_starts_its_timers() -> None:
    work = at_work()
    assert work.state == refereed.assigned()
    assert due(work) == {"player_A": 6000, "player_B": 6000}


def test_a_step_stops_a_timer() -> None:
    work = at_work()
    said(work, "A joins", 1500)
    assert due(work) == {"player_B": 6000}


def test_stopping_a_timer_that_does_not_run_is_nothing() -> None:
    work = at_work()
    said(work, "A declines", 1500)
    assert due(work) == {"notification": 11_500}


def test_a_timer_that_is_started_again_begins_anew() -> None:
    work = at_work()
    said(work, "A is silent", 6000)
    assert due(work) == {"player_A": 11_000, "player_B": 6000}


def test_the_next_timer_is_the_one_that_runs_out_first() -> None:
    work = at_work()
    said(work, "A is silent", 6000)
    state = work.state
    assert work.next_timer == Timer(
        "player_B", Instant(6000), expiry_of(state, refereed.seat(state, "B"), Awaited.GAME_JOIN_ACK)
    )


def test_a_timer_whose_event_has_come_runs_no_more_even_if_the_event_is_refused() -> None:
    work = TimedMachine(player, played.invited())
    event = played.event_of(played.invited(), "join countdown")
    assert isinstance(event, Timeout)
    timer = Timer("join", Instant(5000), event)
    work.timed = Timed(played.joined(), (timer,))
    assert isinstance(work.take(timer.event, Instant(5000)), Rejection)
    assert work.timers == ()


def test_an_event_that_is_refused_moves_nothing() -> None:
    work = at_work()
    before, timers = work.state, work.timers
    assert isinstance(said(work, "booked", 2000), Rejection)
    assert work.state is before
    assert work.timers == timers


def test_the_time_scale_shortens_all_timers_alike() -> None:
    work = at_work(time_scale=0.1)
    assert due(work) == {"player_A": 1500, "player_B": 1500}


def test_no_timer_is_due_at_the_instant_at_which_it_starts() -> None:
    assert due(at_work(time_scale=0.000001)) == {"player_A": 1001, "player_B": 1001}


def test_T6_while_nobody_is_there_no_timer_runs() -> None:
    timers = at_work().timers
    later = postpone(timers, 60_000)
    assert [timer.due for timer in later] == [timer.due + 60_000 for timer in timers]
    assert [(timer.name, timer.event) for timer in later] == [(timer.name, timer.event) for timer in timers]


# the log


@pytest.mark.parametrize("seed", range(50))
def test_the_same_events_at_the_same_instants_make_the_same_timed_machine_at_any_point(seed: int) -> None:
    rng, now, log = Random(f"log {seed}"), 0, list[tuple[Instant, Event]]()
    work = TimedMachine(referee, refereed.idle(), 0.5)
    while work.state.phase is not Phase.MATCH_COMPLETE:
        now += rng.randrange(3000)
        event: Event = rng.choice(referee_world.HAPPENINGS)
        timer = work.next_timer
        if timer is not None and timer.due <= now:
            now, event = timer.due, timer.event
        if isinstance(work.take(event, Instant(now)), Step):
            log.append((Instant(now), event))
        again = replay_timed(referee, refereed.idle(), log, 0.5)
        assert (again.state, again.timers) == (work.state, work.timers)


def test_a_log_without_events_is_a_timed_machine_that_begins() -> None:
    again = replay_timed(player, played.starting(), [])
    assert isinstance(again.state, Player)
    assert (again.state, again.timers) == (played.starting(), ())
