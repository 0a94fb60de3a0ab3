"""A match that is given to another referee, and a history that does not grow without end."""

import pytest
from msgspec.structs import replace

from tests.league.player import played
from tests.league.player.played import (
    ANOTHER,
    IN_MATCH,
    announcement,
    call,
    invitation,
    play,
    refused,
    sent,
    taken,
    timers,
)
from turnstile.league.player.state import MOST_KEPT, Code, Phase, PlayedMatch, Round, State
from turnstile.league.proofs.player import violation
from turnstile.league.protocol.messages import RoundAnnouncement
from turnstile.league.protocol.words import MatchId

WITH_ANOTHER = announcement(1, referee="REF04")


# another referee


@pytest.mark.parametrize("phase", IN_MATCH)
def test_a_match_that_is_given_to_another_referee_is_dropped_with_its_timers(phase: Phase) -> None:
    step = taken(IN_MATCH[phase](), WITH_ANOTHER)
    assert step.state.phase is Phase.WAITING_FOR_ROUND
    assert step.state.match is None
    assert step.state.history == ()
    assert timers(step) == ["no join", "no choice"]
    assert sent(step) == ["ROUND_ANNOUNCEMENT_ACK to league_manager"]
    assert violation(step.state) is None


@pytest.mark.parametrize("phase", IN_MATCH)
def test_the_new_referee_begins_anew_and_the_old_one_is_turned_away(phase: Phase) -> None:
    state = taken(IN_MATCH[phase](), WITH_ANOTHER).state
    assert refused(state, invitation("R1M1")) == Code.WRONG_REFEREE
    state = taken(state, invitation("R1M1", sender=ANOTHER)).state
    state = play(state, "ready").state
    assert refused(state, call("R1M1")) == Code.WRONG_REFEREE
    assert taken(state, call("R1M1", sender=ANOTHER)).state.phase is Phase.CHOOSING_PARITY


@pytest.mark.parametrize("phase", IN_MATCH)
@pytest.mark.parametrize("again", [announcement(1), announcement(1, referee=None)], ids=["the same", "none named"])
def test_a_round_that_is_announced_again_with_the_same_referee_changes_nothing(
    phase: Phase, again: RoundAnnouncement
) -> None:
    state = IN_MATCH[phase]()
    step = taken(state, again)
    assert step.state == state
    assert sent(step) == ["ROUND_ANNOUNCEMENT_ACK to league_manager"]
    assert timers(step) == []


def test_another_referee_for_another_match_changes_nothing() -> None:
    state = play(played.registered(), "round 2", "invited R2M1").state
    again = announcement(2, referee="REF04")
    others = replace(again, matches=tuple(match for match in again.matches if match.match_id != "R2M1"))
    assert taken(state, others).state == state


def test_another_referee_comes_too_late_when_the_next_round_is_announced() -> None:
    state = play(played.chosen(), "round 2").state
    assert taken(state, WITH_ANOTHER).state == state


# away and back

BACK = announcement(1, revision=2, reassignments=2)


@pytest.mark.parametrize("phase", IN_MATCH)
def test_a_match_that_is_given_away_and_back_is_dropped_though_the_player_heard_of_neither_before(phase: Phase) -> None:
    step = taken(IN_MATCH[phase](), BACK)
    assert (step.state.phase, step.state.match) == (Phase.WAITING_FOR_ROUND, None)
    assert timers(step) == ["no join", "no choice"]
    assert violation(step.state) is None


@pytest.mark.parametrize("phase", IN_MATCH)
def test_a_player_that_dropped_a_match_is_invited_anew_by_its_first_referee(phase: Phase) -> None:
    state = taken(taken(IN_MATCH[phase](), WITH_ANOTHER).state, BACK).state
    state = play(taken(state, invitation("R1M1")).state, "ready").state
    state = play(taken(state, call("R1M1")).state, "odd", "won R1M1").state
    assert [(match.match_id, match.reassignments) for match in state.history] == [("R1M1", 2)]


def test_a_match_that_was_begun_anew_is_not_dropped_when_that_is_announced_again() -> None:
    state = taken(play(played.registered(), "round 1").state, BACK).state
    state = taken(state, invitation("R1M1")).state
    assert taken(state, BACK).state == state


def test_a_result_of_a_match_that_is_given_away_and_back_is_taken_back() -> None:
    state = taken(played.complete(), BACK).state
    assert (state.phase, state.history, state.match) == (Phase.WAITING_FOR_ROUND, (), None)
    state = play(taken(state, invitation("R1M1")).state, "ready").state
    state = play(taken(state, call("R1M1")).state, "odd", "won R1M1").state
    assert taken(state, BACK).state.history == state.history, "it is played once more, and once"


# the history


def after(matches: int) -> State:
    """A player that has won as many matches as that, one a round."""
    before = played.complete()
    (one,) = before.history
    history = tuple(of_round(one, number) for number in range(1, matches + 1))[-MOST_KEPT:]
    statistics = replace(before.statistics, wins=matches, points=3 * matches)
    last = replace(before.playing, match_id=history[-1].match_id, round_id=matches)
    known = Round(round_id=matches, matches=())
    return replace(before, history=history, statistics=statistics, match=last, round=known, phase=Phase.REGISTERED)


def of_round(one: PlayedMatch, number: int) -> PlayedMatch:
    return replace(one, match_id=MatchId(f"R{number}M1"), round_id=number)


def with_announced(state: State, number: int) -> State:
    announced = replace(announcement(1), round_id=number)
    match = replace(announced.matches[0], match_id=MatchId(f"R{number}M1"))
    return taken(state, replace(announced, matches=(match,))).state


@pytest.mark.parametrize("matches", [MOST_KEPT - 1, MOST_KEPT, MOST_KEPT + 900])
def test_only_the_latest_matches_are_kept_and_all_are_counted(matches: int) -> None:
    number = matches + 1
    state = with_announced(after(matches), number)
    state = taken(state, replace(invitation("R1M1"), match_id=MatchId(f"R{number}M1"), round_id=number)).state
    state = play(state, "ready").state
    state = taken(state, call(f"R{number}M1")).state
    state = play(state, "odd", f"won R{number}M1").state
    assert len(state.history) == min(number, MOST_KEPT)
    assert state.history[-1].round_id == number
    assert state.statistics.wins == number
    assert violation(state) is None


@pytest.mark.parametrize("number", [1, 5, 999, 1_000])
def test_a_finished_match_of_any_round_is_known_as_such(number: int) -> None:
    state = after(1_000)
    again = replace(invitation("R1M1"), match_id=MatchId(f"R{number}M1"), round_id=number)
    assert refused(state, again) == Code.IGNORED
    assert refused(replace(state, accepts_unannounced=True), again) == Code.IGNORED
    assert with_announced(state, number).phase is Phase.REGISTERED


def test_a_player_of_an_unannounced_league_does_not_go_back_to_an_earlier_round() -> None:
    state = play(played.registered(accepts_unannounced=True), "invited R2M1", "won R2M1").state
    assert refused(state, invitation("R1M1")) == Code.IGNORED
    assert taken(state, invitation("R2M2")).state.phase is Phase.INVITED_TO_MATCH


def test_a_history_that_is_too_long_or_out_of_order_is_unsound() -> None:
    state = after(1_000)
    assert violation(state) is None
    assert violation(replace(state, history=(state.history[0], *state.history))) is not None
    assert violation(replace(state, history=state.history[::-1])) is not None
    assert violation(replace(state, statistics=replace(state.statistics, wins=99))) is not None
