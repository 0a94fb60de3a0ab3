"""What the referee does not expect, state by state, row by row, as its specification lists it."""

import pytest

from tests.league.referee.refereed import (
    A,
    assigned,
    assignment,
    collecting,
    complete,
    errors,
    event_of,
    idle,
    notifying,
    play,
    refusal,
    reporting,
    sent,
    timers,
)
from turnstile.games.evenodd import Parity
from turnstile.kernel import Rejection
from turnstile.league.referee.machine import referee
from turnstile.league.referee.state import Code, Phase, State

ANY_MESSAGE = ("A joins", "A odd", "A acks", "booked", "standings")


# IDLE


@pytest.mark.parametrize("words", ANY_MESSAGE)
def test_idle_ignores_every_message(words: str) -> None:
    assert refusal(idle(), words) == Code.IGNORED


# WAITING_FOR_PLAYERS


def test_waiting_answers_a_choice_with_E004_INVALID_STATE_and_stays() -> None:
    step = play(assigned(), "A odd")
    assert sent(step) == ["GAME_ERROR E004 INVALID_STATE to player:P05"]
    assert step.state == assigned()


@pytest.mark.parametrize("words", ["A odd", "A odd elsewhere", "A joins elsewhere"])
@pytest.mark.parametrize(
    ("before", "required"),
    [
        ((), "GAME_JOIN_ACK"),
        (("B joins",), "GAME_JOIN_ACK"),
        (("A joins",), "CHOOSE_PARITY_RESPONSE"),
        (("A is silent",) * 4, "GAME_OVER_ACK"),
    ],
)
def test_waiting_tells_who_is_wrong_what_is_expected_of_it_next(
    before: tuple[str, ...], required: str, words: str
) -> None:
    state = play(assigned(), *before).state if before else assigned()
    assert [error.action_required for error in errors(play(state, words))] == [required]


def test_waiting_ignores_MATCH_RESULT_ACK() -> None:
    assert refusal(assigned(), "booked") == Code.IGNORED


@pytest.mark.parametrize("words", ["stranger joins", "stranger odd"])
def test_waiting_answers_a_wrong_player_with_E002_PLAYER_NOT_FOUND(words: str) -> None:
    step = play(assigned(), words)
    assert sent(step) == ["GAME_ERROR E002 PLAYER_NOT_FOUND to player:P09"]
    assert step.state == assigned()


@pytest.mark.parametrize("words", ["A joins elsewhere", "A odd elsewhere"])
def test_waiting_answers_a_wrong_match_with_E003_MATCH_NOT_FOUND(words: str) -> None:
    step = play(assigned(), words)
    assert sent(step) == ["GAME_ERROR E003 MATCH_NOT_FOUND to player:P05"]
    assert step.state == assigned()


@pytest.mark.parametrize("words", ["A joins", "A declines"])
def test_waiting_ignores_a_duplicate_join(words: str) -> None:
    assert refusal(play(assigned(), "A joins").state, words) == Code.IGNORED


# COLLECTING_CHOICES


@pytest.mark.parametrize("words", ["A joins", "A declines", "booked"])
def test_collecting_ignores_joins_and_MATCH_RESULT_ACK(words: str) -> None:
    assert refusal(collecting(), words) == Code.IGNORED


def test_collecting_answers_a_wrong_player_with_E002() -> None:
    assert sent(play(collecting(), "stranger odd")) == ["GAME_ERROR E002 PLAYER_NOT_FOUND to player:P09"]


def test_collecting_answers_a_wrong_match_with_E003() -> None:
    step = play(collecting(), "A odd elsewhere")
    assert sent(step) == ["GAME_ERROR E003 MATCH_NOT_FOUND to player:P05"]
    assert step.state == collecting()


def test_collecting_uses_the_latest_choice_and_warns_the_player() -> None:
    step = play(collecting(), "A odd", "A even")
    assert step.state.phase is Phase.COLLECTING_CHOICES
    assert step.state.seats[0].choice is Parity.EVEN
    assert sent(step) == ["GAME_ERROR E004 INVALID_STATE to player:P05"]
    assert errors(step)[0].consequence == "your latest choice counts: even"
    assert timers(step) == []
    result = play(step.state, "B odd").state.result
    assert result is not None
    assert result.choices[A] is Parity.EVEN


def test_collecting_keeps_a_choice_when_the_second_is_none() -> None:
    step = play(collecting(), "A odd", "A seven")
    assert step.state.seats[0].choice is Parity.ODD
    assert sent(step) == ["GAME_ERROR E004 INVALID_CHOICE to player:P05"]
    assert errors(step)[0].consequence == "your earlier choice counts: odd"


def test_collecting_answers_a_choice_before_the_call_with_E004_INVALID_STATE() -> None:
    asking = play(assigned(), "A joins", "B joins").state
    assert sent(play(asking, "A odd")) == ["GAME_ERROR E004 INVALID_STATE to player:P05"]


def test_collecting_ignores_a_second_answer_of_the_manager() -> None:
    assert refusal(collecting(), "standings") == Code.IGNORED


# DRAWING_NUMBER


def test_nothing_can_arrive_while_the_number_is_drawn() -> None:
    assert [row.event for row in referee.rows if row.phase is Phase.DRAWING_NUMBER] == [None]


# NOTIFYING_PLAYERS


@pytest.mark.parametrize("words", ["A joins", "A odd", "booked", "stranger acks", "A acks elsewhere"])
def test_notifying_ignores_everything_but_its_acknowledgements(words: str) -> None:
    assert refusal(notifying(), words) == Code.IGNORED


def test_notifying_accepts_an_acknowledgement_once_and_goes_on() -> None:
    once = play(notifying(), "A acks").state
    assert refusal(once, "A acks") == Code.IGNORED
    assert play(once, "B acks").state.phase is Phase.REPORTING_RESULT


# REPORTING_RESULT


@pytest.mark.parametrize("words", ["A joins", "A odd", "A acks", "booked-another", "manager is unreached"])
def test_reporting_ignores_players_and_acknowledgements_of_another_match(words: str) -> None:
    assert refusal(reporting(), words) == Code.IGNORED


# MATCH_COMPLETE


@pytest.mark.parametrize("words", ANY_MESSAGE)
def test_a_complete_match_ignores_every_message(words: str) -> None:
    assert refusal(complete(), words) == Code.IGNORED


@pytest.mark.parametrize("state", [assigned(), collecting(), notifying(), reporting(), complete()])
def test_a_second_match_is_not_taken_before_the_first_is_cleaned_up(state: State) -> None:
    answer = referee.step(state, assignment())
    assert isinstance(answer, Rejection)
    assert answer.code == Code.IGNORED


def test_an_event_of_no_kind_is_told_what_there_is() -> None:
    answer = referee.read_event(b'{"message_type":"FLY"}')
    assert isinstance(answer, Rejection)
    assert "GAME_JOIN_ACK" in answer.sentence
    assert event_of(idle(), "A joins") == referee.read_event(
        b'{"message_type":"GAME_JOIN_ACK","match_id":"R2M1","player_id":"P05","accept":true,"arrival_timestamp":"x"}'
    )
