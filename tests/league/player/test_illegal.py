"""What the player does not expect, state by state, row by row, as its specification lists it."""

import pytest
from msgspec.structs import replace

from tests.league.player.played import (
    ANOTHER,
    IN_MATCH,
    announcement,
    choosing,
    chosen,
    complete,
    event_of,
    finished,
    game_over,
    invitation,
    invited,
    joined,
    play,
    refusal,
    refused,
    registered,
    registering,
    sent,
    starting,
    taken,
    waiting,
)
from turnstile.kernel import Send
from turnstile.league.player.state import Code, Phase, State
from turnstile.league.protocol.words import LeagueId

GAME_MESSAGES = ("invited R1M1", "called R1M1", "won R1M1", "complaint R1M1")
LEAGUE_MESSAGES = ("standings", "round 1 over", "league over")


# UNREGISTERED, REGISTERING


@pytest.mark.parametrize("words", [*GAME_MESSAGES, *LEAGUE_MESSAGES, "round 1", "accepted"])
def test_unregistered_ignores_every_message(words: str) -> None:
    assert refusal(starting(), words) == Code.IGNORED


def test_registering_queues_a_round_for_later() -> None:
    step = play(registering(), "round 1")
    assert (step.state.phase, sent(step)) == (Phase.REGISTERING, [])
    assert step.state.queued is not None


def test_a_round_queued_while_registering_becomes_transition_3_once_the_player_is_accepted() -> None:
    step = play(registering(), "round 1", "accepted")
    assert (step.state.phase, step.state.queued) == (Phase.WAITING_FOR_ROUND, None)
    assert sent(step) == ["ROUND_ANNOUNCEMENT_ACK to league_manager"]
    assert refusal(step.state, "invited R2M1") == Code.MATCH_NOT_FOUND
    assert play(step.state, "invited R1M1").state.phase is Phase.INVITED_TO_MATCH


def test_a_queued_round_without_a_match_is_acknowledged_and_leaves_the_player_registered() -> None:
    step = play(registering(), "round 3", "accepted")
    assert (step.state.phase, step.state.queued) == (Phase.REGISTERED, None)
    assert sent(step) == ["ROUND_ANNOUNCEMENT_ACK to league_manager"]


def test_a_queued_round_of_another_league_is_dropped() -> None:
    queued = taken(registering(), announcement(1, LeagueId("another"))).state
    step = play(queued, "accepted")
    assert (step.state.phase, step.state.queued, sent(step)) == (Phase.REGISTERED, None, [])


@pytest.mark.parametrize("words", [*GAME_MESSAGES, *LEAGUE_MESSAGES])
def test_registering_ignores_every_other_message(words: str) -> None:
    assert refusal(registering(), words) == Code.IGNORED


def test_registering_uses_the_first_response_and_ignores_a_duplicate() -> None:
    assert refusal(registered(), "accepted") == Code.IGNORED
    assert refusal(registered(), "rejected: League full") == Code.IGNORED


# REGISTERED


@pytest.mark.parametrize("words", GAME_MESSAGES)
def test_registered_ignores_a_match_that_was_not_announced(words: str) -> None:
    assert refusal(registered(), words) == Code.IGNORED


def test_registered_answers_an_invitation_of_another_league_with_an_error() -> None:
    assert refused(registered(), invitation("R1M1", league=LeagueId("another"))) == Code.WRONG_LEAGUE


# WAITING_FOR_ROUND


@pytest.mark.parametrize("words", ["called R1M1", "won R1M1", "complaint R1M1"])
def test_waiting_for_a_round_ignores_calls_and_results(words: str) -> None:
    assert refusal(waiting(), words) == Code.IGNORED


def test_waiting_for_a_round_accepts_a_different_one() -> None:
    state = play(waiting(), "round 2").state
    assert state.round is not None
    assert (state.phase, state.round.round_id) == (Phase.WAITING_FOR_ROUND, 2)
    assert play(state, "round 3").state.phase is Phase.REGISTERED


def test_waiting_for_a_round_rejects_a_wrong_match() -> None:
    assert refusal(waiting(), "invited R2M1") == Code.MATCH_NOT_FOUND


# INVITED_TO_MATCH


def test_invited_ignores_a_call() -> None:
    assert refusal(invited(), "called R1M1") == Code.IGNORED


def test_invited_is_already_answering_a_duplicate_invitation() -> None:
    assert refusal(invited(), "invited R1M1") == Code.PENDING


def test_invited_accepts_an_early_end() -> None:
    assert play(invited(), "by-default R1M1").state.phase is Phase.MATCH_COMPLETE


@pytest.mark.parametrize("state", [each() for each in IN_MATCH.values()], ids=list(IN_MATCH))
def test_a_round_that_is_announced_during_a_match_is_queued(state: State) -> None:
    step = play(state, "round 2")
    assert step.state.phase is state.phase
    assert sent(step) == ["ROUND_ANNOUNCEMENT_ACK to league_manager"]
    assert step.state.queued is not None
    assert play(state, "round 1").state.queued is None, "repeated, not queued"


@pytest.mark.parametrize("end", ["won R1M1", "round 1 over"])
@pytest.mark.parametrize("state", [each() for each in IN_MATCH.values()], ids=list(IN_MATCH))
def test_a_round_queued_during_a_match_becomes_transition_3_when_the_match_ends(state: State, end: str) -> None:
    after = play(state, "round 2", end).state
    assert (after.phase, after.queued) == (Phase.WAITING_FOR_ROUND, None)
    assert after.round is not None
    assert after.round.round_id == 2
    assert refusal(after, "invited R4M1") == Code.MATCH_NOT_FOUND
    assert play(after, "invited R2M1").state.phase is Phase.INVITED_TO_MATCH
    sits_out = play(state, "round 3", end).state
    assert (sits_out.phase, sits_out.queued) == (Phase.REGISTERED, None)


def test_a_player_whose_only_match_is_taken_from_the_announced_round_is_registered_again() -> None:
    without = replace(announcement(1, revision=1), matches=())
    assert taken(waiting(), without).state.phase is Phase.REGISTERED


# WAITING_FOR_CHOICE_REQUEST


@pytest.mark.parametrize("state", [joined(), choosing(), chosen()])
def test_a_repeated_invitation_gets_the_first_answer_again_and_another_is_ignored(state: State) -> None:
    step = play(state, "invited R1M1")
    assert sent(step) == ["GAME_JOIN_ACK to referee:REF03"]
    assert step.state == state
    assert refused(state, invitation("R1M1", sender=ANOTHER)) == Code.WRONG_REFEREE
    assert refusal(state, "invited R2M1") == Code.IGNORED
    assert refusal(state, "invited R1M2") == Code.IGNORED


def test_waiting_for_a_call_accepts_an_early_end() -> None:
    assert play(joined(), "by-default R1M1").state.phase is Phase.MATCH_COMPLETE


# CHOOSING_PARITY


def test_choosing_is_already_answering_a_duplicate_call() -> None:
    assert refusal(choosing(), "called R1M1") == Code.PENDING


def test_choosing_accepts_an_early_end() -> None:
    assert play(choosing(), "by-default R1M1").state.phase is Phase.MATCH_COMPLETE


# WAITING_FOR_RESULT


def test_waiting_for_the_result_gives_the_same_choice_again() -> None:
    first, again = play(choosing(), "odd"), play(chosen(), "called R1M1")
    assert again.state == chosen()
    assert [each for each in again.effects if isinstance(each, Send)] == [
        each for each in first.effects if isinstance(each, Send)
    ]


def test_the_first_result_counts_and_a_duplicate_is_acknowledged_again() -> None:
    step = play(complete(), "lost R1M1")
    assert step.state == complete()
    assert sent(step) == ["GAME_OVER_ACK to referee:REF03"]


# MATCH_COMPLETE


@pytest.mark.parametrize("words", ["invited R1M1", "called R1M1", "complaint R1M1", "won R1M9"])
def test_a_complete_match_ignores_messages_about_it(words: str) -> None:
    assert refusal(complete(), words) == Code.IGNORED


def test_a_complete_match_does_not_keep_the_next_one_from_starting() -> None:
    assert play(complete(), "round 2", "invited R2M1").state.phase is Phase.INVITED_TO_MATCH


# LEAGUE_COMPLETE


@pytest.mark.parametrize("words", [*GAME_MESSAGES, *LEAGUE_MESSAGES, "round 2"])
def test_a_complete_league_ignores_every_message(words: str) -> None:
    assert refusal(finished(), words) == Code.IGNORED


# in a match


@pytest.mark.parametrize("state", [each() for each in IN_MATCH.values()], ids=list(IN_MATCH))
def test_a_complaint_is_acknowledged_and_changes_nothing(state: State) -> None:
    step = play(state, "complaint R1M1")
    assert (step.state, sent(step)) == (state, ["GAME_ERROR_ACK to referee:REF03"])
    assert refusal(state, "complaint R1M9") == Code.MATCH_NOT_FOUND


@pytest.mark.parametrize("state", [each() for each in IN_MATCH.values()], ids=list(IN_MATCH))
def test_a_result_of_another_match_or_by_another_referee_is_refused(state: State) -> None:
    assert refused(state, game_over("R1M9", None)) == Code.MATCH_NOT_FOUND
    assert refused(state, game_over("R1M1", None, ANOTHER)) == Code.WRONG_REFEREE
    later = play(complete(), "round 2", "invited R2M1").state
    assert refusal(later, "won R1M1") == Code.IGNORED, "that match is over"


@pytest.mark.parametrize(("words", "of"), [("join countdown", invited()), ("choice countdown", choosing())])
def test_A1_a_countdown_of_a_match_before_changes_nothing(words: str, of: State) -> None:
    later = play(complete(), "round 2", "invited R2M1").state
    if words == "choice countdown":
        later = play(later, "ready", "called R2M1").state
    assert refused(later, event_of(of, words)) == Code.STALE_TIMER
    assert refused(complete(), event_of(of, words)) == Code.IGNORED


def test_A1_a_timer_of_an_earlier_request_changes_nothing() -> None:
    late = event_of(registering(), "manager is silent")
    assert refused(play(registering(), "manager is silent").state, late) == Code.STALE_TIMER
    assert refused(starting(), late) == Code.STALE_TIMER
    assert taken(registering(), late).state.retry_count == 1


def test_an_invitation_to_another_match_of_the_same_round_does_not_end_the_one_that_is_played() -> None:
    announced = play(complete(), "round 2", "invited R2M1").state
    assert refusal(announced, "invited R2M2") == Code.IGNORED
    unannounced = play(registered(accepts_unannounced=True), "invited R1M1").state
    assert refusal(unannounced, "invited R1M9") == Code.IGNORED
    assert play(unannounced, "invited R4M1").state.playing.match_id == "R4M1"
