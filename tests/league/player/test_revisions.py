"""A round that is announced anew: what a lost referee has ended is played again, and what is old is known as such."""

import pytest
from msgspec.structs import replace

from tests.league.player import played
from tests.league.player.played import (
    ANOTHER,
    IN_MATCH,
    LEAGUE,
    RESULTS,
    announcement,
    call,
    game_over,
    invitation,
    play,
    refused,
    registered,
    sent,
    taken,
    timers,
)
from turnstile.league.player.machine import wanted
from turnstile.league.player.state import MOST_KEPT, Code, OwnResult, Phase, Question, Round, State
from turnstile.league.proofs.player import violation
from turnstile.league.protocol.messages import RoundAnnouncement
from turnstile.league.protocol.values import Tally
from turnstile.league.protocol.words import LeagueId, MatchId

ANEW = announcement(1, referee="REF04", revision=1)
THIRD = announcement(1, referee="REF05", revision=2)


def known(state: State) -> tuple[int, int]:
    """The round that the player knows, and from which announcement."""
    assert state.round is not None
    return state.round.round_id, state.round.revision


def results(state: State) -> list[tuple[str, OwnResult | None]]:
    return [(match.match_id, match.result) for match in state.history]


# what was over


@pytest.mark.parametrize("how", RESULTS)
def test_a_result_of_a_referee_that_was_replaced_is_taken_back(how: str) -> None:
    step = taken(play(played.chosen(), f"{how} R1M1").state, ANEW)
    assert step.state.phase is Phase.WAITING_FOR_ROUND
    assert (step.state.history, step.state.statistics, step.state.match) == ((), Tally(), None)
    assert sent(step) == ["ROUND_ANNOUNCEMENT_ACK to league_manager"]
    assert timers(step) == []
    assert violation(step.state) is None


def test_the_new_referee_begins_anew_and_its_result_counts() -> None:
    state = taken(played.complete(), ANEW).state
    assert refused(state, invitation("R1M1")) == Code.WRONG_REFEREE
    assert refused(state, game_over("R1M1", RESULTS["won"])) == Code.IGNORED
    state = play(taken(state, invitation("R1M1", sender=ANOTHER)).state, "ready").state
    state = taken(state, call("R1M1", sender=ANOTHER)).state
    asked = wanted(state)
    assert isinstance(asked, Question)
    assert (asked.history, asked.statistics) == ((), Tally())
    assert refused(play(state, "odd").state, game_over("R1M1", RESULTS["won"])) == Code.WRONG_REFEREE
    state = taken(play(state, "odd").state, game_over("R1M1", RESULTS["lost"], sender=ANOTHER)).state
    assert results(state) == [("R1M1", OwnResult.LOSS)]
    assert state.statistics == Tally(losses=1)
    assert state.history[0].referee == ANOTHER


@pytest.mark.parametrize(
    "again",
    [
        announcement(1, revision=1),
        announcement(1, referee=None, revision=1),
        announcement(1, referee="REF04"),
        announcement(1, referee="REF04", revision=0),
    ],
    ids=["the same referee", "none named", "by nobody who counts", "by who has not counted on"],
)
def test_otherwise_what_is_over_stays_over(again: RoundAnnouncement) -> None:
    before = played.complete()
    state = taken(before, again).state
    assert state.phase is Phase.MATCH_COMPLETE
    assert (state.history, state.statistics, state.match) == (before.history, before.statistics, before.match)
    assert refused(state, invitation("R1M1", sender=ANOTHER)) == Code.IGNORED


def test_it_is_taken_back_once() -> None:
    state = taken(played.complete(), ANEW).state
    state = play(taken(state, invitation("R1M1", sender=ANOTHER)).state, "ready").state
    state = taken(state, game_over("R1M1", RESULTS["won"], sender=ANOTHER)).state
    assert taken(state, ANEW).state == state
    assert taken(taken(state, THIRD).state, ANEW).state.statistics == Tally()


def test_a_result_that_was_never_told_is_taken_back_too() -> None:
    state = play(played.chosen(), "round 1 over").state
    assert results(state) == [("R1M1", None)]
    assert taken(state, ANEW).state.history == ()


def test_of_a_long_history_only_the_match_is_missing() -> None:
    one = played.complete()
    (last,) = one.history
    rounds = [replace(last, match_id=MatchId(f"R{number}M9"), round_id=number) for number in range(1, MOST_KEPT)]
    rounds.append(replace(last, round_id=MOST_KEPT))
    match = replace(one.playing, round_id=MOST_KEPT)
    before = replace(
        one,
        history=tuple(rounds),
        statistics=Tally(wins=500, points=1500),
        match=match,
        round=Round(round_id=MOST_KEPT, matches=()),
    )
    state = taken(before, replace(ANEW, round_id=MOST_KEPT)).state
    assert state.history == before.history[:-1]
    assert state.statistics == Tally(wins=499, points=1497)
    assert violation(state) is None


# several matches in a round


def test_one_match_of_a_round_is_taken_back_while_another_is_played() -> None:
    state = play(registered(), "round 2", "invited R2M1", "won R2M1", "invited R2M2", "ready").state
    anew = announcement(2, referee="REF04", revision=1)
    first_alone = replace(anew, matches=(anew.matches[0], announcement(2).matches[1]))
    after = taken(state, first_alone).state
    assert (after.phase, after.match) == (state.phase, state.match)
    assert after.history == ()
    after = play(after, "won R2M2").state
    assert taken(after, invitation("R2M1", sender=ANOTHER)).state.phase is Phase.INVITED_TO_MATCH
    both = taken(state, anew).state
    assert (both.phase, both.match, both.history) == (Phase.WAITING_FOR_ROUND, None, ())


def test_a_player_that_waits_for_its_second_match_plays_the_first_again() -> None:
    state = play(registered(), "round 2", "invited R2M1", "won R2M1", "round 2").state
    assert state.phase is Phase.WAITING_FOR_ROUND
    state = taken(state, announcement(2, referee="REF04", revision=1)).state
    assert state.history == ()
    assert taken(state, invitation("R2M1", sender=ANOTHER)).state.phase is Phase.INVITED_TO_MATCH


def test_matches_of_earlier_rounds_stay() -> None:
    state = play(played.complete(), "round 2", "invited R2M1", "lost R2M1").state
    state = taken(state, announcement(2, referee="REF04", revision=1)).state
    assert results(state) == [("R1M1", OwnResult.WIN)]
    assert state.statistics == Tally(wins=1, points=3)
    assert taken(state, ANEW).state == state


# what is old


@pytest.mark.parametrize("phase", IN_MATCH)
def test_what_was_announced_before_sends_nobody_back(phase: Phase) -> None:
    state = taken(IN_MATCH[phase](), announcement(1, revision=2)).state
    assert (state.phase, known(state)) == (phase, (1, 2))
    step = taken(state, ANEW)
    assert step.state == state
    assert sent(step) == ["ROUND_ANNOUNCEMENT_ACK to league_manager"]


@pytest.mark.parametrize("old", [announcement(1), announcement(1, revision=0)])
def test_who_waits_for_the_new_referee_waits_on(old: RoundAnnouncement) -> None:
    state = taken(played.waiting(), ANEW).state
    step = taken(state, old)
    assert step.state == state
    assert sent(step) == ["ROUND_ANNOUNCEMENT_ACK to league_manager"]
    assert taken(state, invitation("R1M1", sender=ANOTHER)).state.phase is Phase.INVITED_TO_MATCH


def test_what_is_old_is_known_as_such_after_the_round() -> None:
    state = taken(played.complete(), announcement(1, revision=2)).state
    state = play(state, "round 1 over").state
    assert known(state) == (1, 2)
    assert taken(state, ANEW).state == state
    assert play(state, "round 2").state.phase is Phase.WAITING_FOR_ROUND


def test_a_round_that_is_over_and_was_never_heard_of_is_not_learned_of() -> None:
    assert play(registered(), "round 3 over").state.round is None
    assert known(play(registered(), "round 2", "round 3 over").state) == (2, 0)


# what waits


@pytest.mark.parametrize("before", [played.registering, played.chosen])
def test_the_later_of_two_announcements_waits(before: object) -> None:
    state: State = before()  # type: ignore[operator]
    first, second = announcement(2), announcement(2, referee="REF04", revision=1)
    third, another = announcement(4), replace(first, league_id=LeagueId("another"))
    for sequence, waits in [
        ((first, second), second),
        ((second, first), second),
        ((second, third), third),
        ((third, second), third),
        ((first, announcement(2, referee="REF04")), announcement(2, referee="REF04")),
    ]:
        after = state
        for each in sequence:
            after = taken(after, each).state
        assert after.queued == waits
    registering = taken(taken(played.registering(), another).state, first).state
    assert registering.queued == first
    assert first.league_id == LEAGUE


def test_who_has_heard_of_the_next_round_takes_nothing_back() -> None:
    state = play(registered(), "round 2", "invited R2M1", "won R2M1", "invited R2M2", "round 4").state
    assert taken(state, announcement(2, referee="REF04", revision=1)).state == state


# unannounced


def test_an_unannounced_match_is_taken_back_like_any_other() -> None:
    state = play(registered(accepts_unannounced=True), "invited R1M1", "ready").state
    assert known(state) == (1, 0)
    assert taken(state, ANEW).state.phase is Phase.WAITING_FOR_ROUND
    state = play(state, "won R1M1").state
    assert taken(state, announcement(1)).state.phase is Phase.MATCH_COMPLETE
    state = taken(state, ANEW).state
    assert (state.phase, state.history) == (Phase.WAITING_FOR_ROUND, ())


def test_who_has_played_in_a_round_knows_of_it() -> None:
    state = play(played.complete(), "round 1 over").state
    assert violation(state) is None
    assert violation(replace(state, round=None)) is not None
    assert violation(replace(played.invited(), round=None)) is not None
    assert violation(replace(played.invited(), round=Round(round_id=2, matches=()))) is not None
