"""The transitions of the referee, one after the other, as its specification numbers them."""

from typing import Any

import pytest

from tests.league.referee.refereed import (
    EVEN_SEED,
    MATCH,
    ODD_SEED,
    A,
    B,
    assigned,
    assignment,
    collecting,
    complete,
    errors,
    idle,
    notifying,
    play,
    refusal,
    repeated,
    reporting,
    sent,
    taken,
    timers,
)
from turnstile.games.evenodd import Parity, drawn_number
from turnstile.kernel import Rejection, Seed, Send, Step
from turnstile.kernel.chance import verify
from turnstile.league.protocol.messages import ChooseParityCall, GameInvitation, GameOver, MatchResultReport
from turnstile.league.protocol.words import Role, Status
from turnstile.league.referee.machine import referee
from turnstile.league.referee.state import Code, Phase, State

INVITED_A = "GAME_INVITATION to player:P05"
CALLED_A = "CHOOSE_PARITY_CALL to player:P05"


def messages(step: Step[State], kind: type[Any]) -> list[Any]:
    return [effect.message for effect in step.effects if isinstance(effect, Send) and isinstance(effect.message, kind)]


def result_of(state: State) -> tuple[str, str | None]:
    assert state.result is not None
    return state.result.status, state.result.winner_player_id


# 1


def test_transition_1_a_match_is_assigned_and_both_players_are_invited_for_5_seconds() -> None:
    step = taken(idle(), assignment())
    assert step.state.phase is Phase.WAITING_FOR_PLAYERS
    assert sent(step) == [INVITED_A, "GAME_INVITATION to player:P02"]
    assert timers(step) == ["player_A 5 s", "player_B 5 s"]
    first, second = messages(step, GameInvitation)
    assert (first.role_in_match, first.opponent_id, first.sender) == (Role.PLAYER_A, B, "referee:REF03")
    assert (second.role_in_match, second.opponent_id, second.round_id) == (Role.PLAYER_B, A, 2)


def test_transition_1_a_match_needs_two_different_players_and_a_seed() -> None:
    for wrong in (assignment(first=B), assignment(second=type(B)("")), assignment(seed=Seed(""))):
        answer = referee.step(idle(), wrong)
        assert isinstance(answer, Rejection)
        assert answer.code == Code.INVALID_ASSIGNMENT


def test_transition_1_an_invitation_that_cannot_be_delivered_is_sent_again_three_times_and_then_costs_the_match() -> (
    None
):
    state = play(assigned(), "B joins").state
    for _ in range(3):
        failed = play(state, "A is unreached")
        assert (sent(failed), timers(failed)) == ([], []), "the rest of the 5 seconds is waited for"
        step = play(failed.state, "A is silent")
        assert sent(step) == [INVITED_A], "there is no telling it that it is late"
        state = step.state
    state = play(state, "A is unreached", "A is silent").state
    assert state.phase is Phase.NOTIFYING_PLAYERS
    assert result_of(state) == (Status.TECHNICAL_LOSS, B)
    assert state.result is not None
    assert state.result.reason == "P05 could not be reached (E009 CONNECTION_ERROR)"


def test_transition_1_a_failure_is_reported_once_and_of_the_present_call_alone() -> None:
    state = play(assigned(), "A is unreached").state
    assert refusal(state, "A is unreached") == Code.STALE_TIMER
    assert refusal(play(assigned(), "A joins").state, "A is unreached") == Code.STALE_TIMER


# 2


def test_transition_2a_the_first_player_arrives_and_its_timer_stops() -> None:
    step = play(assigned(), "A joins")
    assert step.state.phase is Phase.WAITING_FOR_PLAYERS
    assert (sent(step), timers(step)) == ([], ["no player_A"])
    assert [seat.has_answered for seat in step.state.seats] == [True, False]


@pytest.mark.parametrize("before", [[], ["B joins"], ["B is silent"]])
def test_transition_2a_who_declines_has_the_technical_loss_at_once(before: list[str]) -> None:
    state = play(assigned(), *before, "A declines").state
    assert state.phase is Phase.NOTIFYING_PLAYERS
    assert result_of(state) == (Status.TECHNICAL_LOSS, B)


@pytest.mark.parametrize(("first", "second"), [("A", "B"), ("B", "A")])
def test_transition_2b_both_have_arrived_and_the_manager_is_asked_for_their_standings(first: str, second: str) -> None:
    step = play(assigned(), f"{first} joins", f"{second} joins")
    assert step.state.phase is Phase.COLLECTING_CHOICES
    assert sent(step) == ["LEAGUE_QUERY to league_manager"]
    assert timers(step) == [f"no player_{second}", "league_manager 10 s"]


def test_transition_2b_with_the_standings_both_are_called_for_30_seconds() -> None:
    step = play(assigned(), "A joins", "B joins", "standings")
    assert sent(step) == [CALLED_A, "CHOOSE_PARITY_CALL to player:P02"]
    assert timers(step) == ["no league_manager", "player_A 30 s", "player_B 30 s"]
    first, second = messages(step, ChooseParityCall)
    assert (first.context.your_standings.points, second.context.your_standings.losses) == (3, 2)
    assert (first.context.opponent_id, second.player_id) == (B, B)
    assert verify(first.context.commitment, ODD_SEED)


@pytest.mark.parametrize("trouble", ["manager is silent", "manager is unreached"])
def test_transition_2b_without_an_answer_of_the_manager_the_standings_are_zeros(trouble: str) -> None:
    step = play(assigned(), "A joins", "B joins", trouble)
    first, second = messages(step, ChooseParityCall)
    assert first.context.your_standings == second.context.your_standings
    assert first.context.your_standings.points == 0


def test_transition_2b_declining_costs_the_match_even_when_the_other_has_joined() -> None:
    assert result_of(play(assigned(), "A joins", "B declines").state) == (Status.TECHNICAL_LOSS, A)


def test_transition_2c_player_a_is_late_and_is_told_so_and_invited_again() -> None:
    step = play(assigned(), "A is silent")
    assert step.state.phase is Phase.WAITING_FOR_PLAYERS
    assert sent(step) == ["GAME_ERROR E001 TIMEOUT_ERROR to player:P05", INVITED_A]
    assert timers(step) == ["player_A 5 s"]
    (error,) = errors(step)
    assert (error.action_required, error.retry_count, error.max_retries) == ("GAME_JOIN_ACK", 1, 3)
    assert error.retryable


def test_transition_2c_the_first_call_and_three_retries_and_the_fourth_expiry_is_the_end() -> None:
    state = play(assigned(), "B joins", *repeated("A is silent", 3)).state
    assert state.phase is Phase.WAITING_FOR_PLAYERS
    step = play(state, "A is silent")
    assert step.state.phase is Phase.NOTIFYING_PLAYERS
    assert result_of(step.state) == (Status.TECHNICAL_LOSS, B)
    assert sent(step) == ["GAME_OVER to player:P05", "GAME_OVER to player:P02"]


def test_transition_2d_player_b_is_late_and_is_told_so_and_invited_again() -> None:
    step = play(assigned(), "B is silent")
    assert sent(step) == ["GAME_ERROR E001 TIMEOUT_ERROR to player:P02", "GAME_INVITATION to player:P02"]
    assert timers(step) == ["player_B 5 s"]
    assert result_of(play(assigned(), "A joins", *repeated("B is silent", 4)).state) == (Status.TECHNICAL_LOSS, A)


def test_transition_2_when_one_is_out_the_referee_waits_for_the_other_and_it_wins_if_it_answers() -> None:
    step = play(assigned(), *repeated("A is silent", 4))
    assert step.state.phase is Phase.WAITING_FOR_PLAYERS
    assert (sent(step), timers(step)) == ([], [])
    assert refusal(step.state, "A joins") == Code.IGNORED
    assert refusal(step.state, "A is silent") == Code.STALE_TIMER
    assert result_of(play(step.state, "B joins").state) == (Status.TECHNICAL_LOSS, B)


def test_transition_2_when_both_are_out_nobody_wins_and_both_have_0_points() -> None:
    step = play(assigned(), *repeated("A is silent", 4), *repeated("B is silent", 4))
    assert result_of(step.state) == (Status.TECHNICAL_LOSS, None)
    assert step.state.result is not None
    assert step.state.result.reason == "P05 did not join in time; P02 did not join in time"
    (report,) = messages(play(step.state, "A acks", "B acks"), MatchResultReport)
    assert report.result.score == {A: 0, B: 0}


def test_transition_2_who_declines_after_the_other_is_out_loses_too() -> None:
    assert result_of(play(assigned(), *repeated("A is silent", 4), "B declines").state)[1] is None


def test_transition_2_an_answer_after_an_expiry_still_counts() -> None:
    assert play(assigned(), "A is silent", "A joins", "B joins").state.phase is Phase.COLLECTING_CHOICES


# 3


def test_transition_3a_the_first_choice_is_kept_and_its_timer_stops() -> None:
    step = play(collecting(), "A odd")
    assert step.state.phase is Phase.COLLECTING_CHOICES
    assert (sent(step), timers(step)) == ([], ["no player_A"])
    assert step.state.seats[0].choice is Parity.ODD


@pytest.mark.parametrize("who", ["A", "B"])
@pytest.mark.parametrize("before", [[], ["the other"]])
def test_transition_3a_an_invalid_choice_is_told_and_asked_for_again_by_either_player(
    who: str, before: list[str]
) -> None:
    state = collecting()
    if before:
        state = play(state, f"{'B' if who == 'A' else 'A'} even").state
    step = play(state, f"{who} seven")
    address = {"A": "player:P05", "B": "player:P02"}[who]
    assert sent(step) == [f"GAME_ERROR E004 INVALID_CHOICE to {address}", f"CHOOSE_PARITY_CALL to {address}"]
    assert timers(step) == [f"player_{who} 30 s"]
    step = play(step.state, *repeated(f"{who} seven", 2))
    assert step.state.phase is Phase.COLLECTING_CHOICES
    step = play(step.state, f"{who} seven")
    assert step.state.phase is (Phase.NOTIFYING_PLAYERS if before else Phase.COLLECTING_CHOICES)
    assert step.state.seats["AB".index(who)].is_out != bool(before), "the seats begin anew when it is over"


def test_transition_3a_silences_and_invalid_choices_share_the_retries() -> None:
    state = play(collecting(), "B even", "A is silent", "A seven", "A is silent").state
    assert state.phase is Phase.COLLECTING_CHOICES
    assert result_of(play(state, "A seven").state) == (Status.TECHNICAL_LOSS, B)


def test_transition_3b_both_have_chosen_and_the_number_is_drawn() -> None:
    step = play(collecting(), "A odd", "B even")
    assert [hop.target for hop in step.trace] == ["DRAWING_NUMBER", "NOTIFYING_PLAYERS"]
    assert timers(step)[0] == "no player_B"


def test_transition_3c_player_a_is_late_with_its_choice() -> None:
    step = play(collecting(), "A is silent")
    assert sent(step) == ["GAME_ERROR E001 TIMEOUT_ERROR to player:P05", CALLED_A]
    assert timers(step) == ["player_A 30 s"]
    assert errors(step)[0].action_required == "CHOOSE_PARITY_RESPONSE"
    state = play(collecting(), "B even", *repeated("A is silent", 4)).state
    assert result_of(state) == (Status.TECHNICAL_LOSS, B)
    assert state.result is not None
    assert state.result.choices == {A: None, B: Parity.EVEN}
    assert state.result.drawn_number is None


def test_transition_3c_the_retries_of_the_invitation_do_not_count_here() -> None:
    state = play(assigned(), *repeated("A is silent", 3), "A joins", "B joins", "standings").state
    assert play(state, "B even", *repeated("A is silent", 3)).state.phase is Phase.COLLECTING_CHOICES


def test_transition_3d_player_b_is_late_with_its_choice() -> None:
    step = play(collecting(), "B is silent")
    assert sent(step) == ["GAME_ERROR E001 TIMEOUT_ERROR to player:P02", "CHOOSE_PARITY_CALL to player:P02"]
    assert result_of(play(collecting(), "A odd", *repeated("B is silent", 4)).state) == (Status.TECHNICAL_LOSS, A)


def test_transition_3_who_cannot_be_reached_is_called_again_after_its_30_seconds() -> None:
    step = play(collecting(), "A is unreached", "A is silent")
    assert sent(step) == [CALLED_A]
    state = play(step.state, "B odd", *repeated("A is silent", 2), "A is unreached", "A is silent").state
    assert result_of(state) == (Status.TECHNICAL_LOSS, B)


def test_transition_3_when_one_is_out_the_referee_waits_for_the_choice_of_the_other() -> None:
    state = play(collecting(), *repeated("A is silent", 4)).state
    assert state.phase is Phase.COLLECTING_CHOICES
    assert refusal(state, "A odd") == Code.IGNORED
    assert result_of(play(state, "B odd").state) == (Status.TECHNICAL_LOSS, B)
    assert result_of(play(state, *repeated("B seven", 4)).state) == (Status.TECHNICAL_LOSS, None)


# 4


@pytest.mark.parametrize(
    ("seed", "choices", "status", "winner", "reason"),
    [
        (ODD_SEED, ("odd", "even"), Status.WIN, A, "7 is odd; only P05 chose odd"),
        (EVEN_SEED, ("odd", "even"), Status.WIN, B, "6 is even; only P02 chose even"),
        (ODD_SEED, ("odd", "odd"), Status.DRAW, None, "7 is odd; both chose odd"),
        (ODD_SEED, ("even", "even"), Status.DRAW, None, "7 is odd; nobody chose odd"),
    ],
)
def test_transition_4_the_number_comes_from_the_seed_and_decides(
    seed: Seed, choices: tuple[str, str], status: Status, winner: str | None, reason: str
) -> None:
    state = play(collecting(seed), f"A {choices[0]}", f"B {choices[1]}").state
    assert state.result is not None
    assert result_of(state) == (status, winner)
    assert state.result.drawn_number == drawn_number(seed, 0)
    assert state.result.reason == reason
    assert state.result.seed == seed


@pytest.mark.parametrize(("words", "score"), [(("odd", "even"), (3, 0)), (("odd", "odd"), (1, 1))])
def test_transition_4_a_win_is_3_points_and_a_draw_1_for_both(words: tuple[str, str], score: tuple[int, int]) -> None:
    over = play(collecting(), f"A {words[0]}", f"B {words[1]}").state
    (report,) = messages(play(over, "A acks", "B acks"), MatchResultReport)
    assert report.result.score == {A: score[0], B: score[1]}


# 5


def test_transition_5_both_players_are_told_the_complete_result_and_have_10_seconds_to_acknowledge_it() -> None:
    step = play(collecting(), "A odd", "B even")
    assert sent(step) == ["GAME_OVER to player:P05", "GAME_OVER to player:P02"]
    assert timers(step)[-1] == "notification 10 s"
    assert [over.game_result for over in messages(step, GameOver)] == [step.state.result] * 2


def test_transition_5_after_both_acknowledgements_or_10_seconds_the_result_is_reported() -> None:
    assert play(notifying(), "A acks").state.phase is Phase.NOTIFYING_PLAYERS
    assert play(notifying(), "A acks", "B acks").state.phase is Phase.REPORTING_RESULT
    step = play(notifying(), "A acks", "notification is over")
    assert step.state.phase is Phase.REPORTING_RESULT
    assert "no notification" in timers(step)


def test_transition_5_a_notification_that_cannot_be_delivered_is_repeated_three_times_after_a_pause() -> None:
    state = play(notifying(), "B acks").state
    for _ in range(3):
        failed = play(state, "A is unreached")
        assert timers(failed) == ["player_A 2 s"]
        step = play(failed.state, "A is silent")
        assert (sent(step), timers(step)) == (["GAME_OVER to player:P05"], [])
        state = step.state
    assert refusal(state, "A is silent") == Code.STALE_TIMER
    assert play(state, "A is unreached").state.phase is Phase.REPORTING_RESULT


# 6 to 8


def test_transition_6_the_result_is_reported_with_winner_score_number_choices_and_status() -> None:
    step = play(notifying(), "A acks", "B acks")
    (report,) = messages(step, MatchResultReport)
    assert (report.league_id, report.round_id, report.match_id) == ("league_2025_even_odd", 2, MATCH)
    assert (report.result.winner, report.result.score) == (A, {A: 3, B: 0})
    details = report.result.details
    assert (details.drawn_number, details.status, details.choices[B]) == (7, Status.WIN, Parity.EVEN)
    assert timers(step)[-1] == "league_manager 10 s"


def test_transition_6_the_report_is_repeated_three_times_and_then_the_match_is_complete_anyway() -> None:
    state = reporting()
    for _ in range(3):
        step = play(state, "manager is silent")
        assert sent(step) == ["MATCH_RESULT_REPORT to league_manager"]
        assert timers(step) == ["league_manager 10 s"]
        state = step.state
    state = play(state, "manager is silent").state
    assert (state.phase, state.is_reported) == (Phase.MATCH_COMPLETE, False)


def test_transition_7_the_result_is_acknowledged_and_the_match_is_complete() -> None:
    step = play(reporting(), "booked")
    assert (step.state.phase, step.state.is_reported) == (Phase.MATCH_COMPLETE, True)
    assert timers(step) == ["no league_manager"]


def test_transition_7_only_ACCEPTED_is_an_acknowledgement() -> None:
    assert refusal(reporting(), "booked REJECTED") == Code.IGNORED


def test_transition_8_the_referee_is_idle_again_and_keeps_nothing_but_its_id() -> None:
    assert play(complete(), "cleanup").state == idle()


# matches that are given to another referee


@pytest.mark.parametrize("state", [assigned(), collecting(), notifying(), reporting()], ids=lambda state: state.phase)
def test_a_match_that_is_given_to_another_referee_is_dropped_with_its_timers_and_nobody_is_told(state: State) -> None:
    step = play(state, "withdrawn")
    assert step.state == idle()
    assert sent(step) == []
    assert set(timers(step)) == {"no player_A", "no player_B", "no league_manager", "no notification"}
    assert refusal(state, "withdrawn elsewhere") == Code.IGNORED


def test_a_match_that_is_complete_or_not_begun_cannot_be_withdrawn() -> None:
    assert refusal(complete(), "withdrawn") == refusal(idle(), "withdrawn") == Code.IGNORED


def test_a_match_that_was_withdrawn_can_be_begun_anew_with_invitations() -> None:
    again = taken(play(collecting(), "withdrawn").state, assignment())
    assert again.state == assigned()
    assert sent(again) == ["GAME_INVITATION to player:P05", "GAME_INVITATION to player:P02"]
