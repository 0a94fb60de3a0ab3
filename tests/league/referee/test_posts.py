"""Posted answers, as far as the referee's state tells: the call that is to be answered, and what a post would do."""

import pytest
from msgspec import Raw

from tests.league.referee.moved import answer, asking, saying
from tests.league.referee.refereed import (
    STRANGER,
    A,
    B,
    assigned,
    collecting,
    complete,
    event_of,
    idle,
    notifying,
    play,
)
from turnstile.kernel import Rejection, Send, Step
from turnstile.league.protocol.words import Awaited
from turnstile.league.referee.posts import PlayerCall, awaited_call, call_made, complaint
from turnstile.league.referee.state import State


def short(value: State | str) -> str:
    return value.phase if isinstance(value, State) else value


JOIN, CHOICE, ACK = Awaited.GAME_JOIN_ACK, Awaited.CHOOSE_PARITY_RESPONSE, Awaited.GAME_OVER_ACK


@pytest.mark.parametrize(
    ("state", "waiting_for"), [(assigned(), JOIN), (collecting(), CHOICE), (notifying(), ACK)], ids=short
)
def test_a_player_is_to_answer_the_call_of_its_phase(state: State, waiting_for: Awaited) -> None:
    assert awaited_call(state, A) == PlayerCall(A, waiting_for, 0, 0)
    assert awaited_call(state, STRANGER) is None


def test_a_call_that_is_repeated_is_another_one_about_the_same_question() -> None:
    first = awaited_call(collecting(), A)
    again = awaited_call(play(collecting(), "A is silent").state, A)
    other = awaited_call(assigned(), A)
    assert first is not None
    assert again == PlayerCall(A, CHOICE, 0, 1)
    assert again.is_about_the_same(first)
    assert other is not None
    assert not other.is_about_the_same(first)


def test_every_move_is_a_question_of_its_own() -> None:
    assert awaited_call(asking("e-card").state, A) == PlayerCall(A, Awaited.GAME_MOVE_RESPONSE, 1, 0)


@pytest.mark.parametrize(
    "state",
    [
        idle(),
        play(assigned(), "A joins").state,
        play(assigned(), "A joins", "B joins").state,
        play(collecting(), "A odd").state,
        play(notifying(), "A acks").state,
        complete(),
    ],
    ids=lambda state: state.phase,
)
def test_who_has_answered_or_was_not_asked_has_no_call_to_answer(state: State) -> None:
    assert awaited_call(state, A) is None


def made(step: Step[State]) -> list[PlayerCall]:
    found = (call_made(effect) for effect in step.effects if isinstance(effect, Send))
    return [call for call in found if call is not None]


def test_invitations_choices_and_results_are_calls_and_complaints_and_reports_are_not() -> None:
    joined = play(assigned(), "A joins", "B joins")
    assert made(joined) == []
    assert made(play(joined.state, "standings")) == [PlayerCall(A, CHOICE, 0, 0), PlayerCall(B, CHOICE, 0, 0)]
    assert made(play(collecting(), "A is silent")) == [PlayerCall(A, CHOICE, 0, 1)]
    assert made(play(collecting(), "A odd", "B odd")) == [PlayerCall(A, ACK, 0, 0), PlayerCall(B, ACK, 0, 0)]
    assert made(play(notifying(), "A acks", "B acks")) == []


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (assigned(), "A joins"),
        (assigned(), "A declines"),
        (collecting(), "A odd"),
        (notifying(), "A acks"),
    ],
    ids=short,
)
def test_a_proper_answer_is_not_complained_about(state: State, words: str) -> None:
    assert complaint(state, event_of(state, words)) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (assigned(), "stranger joins"),
        (assigned(), "A joins elsewhere"),
        (assigned(), "A odd"),
        (collecting(), "A seven"),
        (play(collecting(), "A odd").state, "A even"),
    ],
    ids=short,
)
def test_an_answer_whose_player_would_be_told_off_is_complained_about(state: State, words: str) -> None:
    assert isinstance(complaint(state, event_of(state, words)), Step)  # type: ignore[arg-type]


def test_an_answer_that_is_ignored_is_complained_about() -> None:
    joined = play(assigned(), "A joins").state
    assert isinstance(complaint(joined, event_of(joined, "A declines")), Rejection)  # type: ignore[arg-type]


def test_a_move_that_is_not_legal_is_complained_about() -> None:
    state = asking("e-card").state
    assert complaint(state, answer(state, A)) is None
    assert isinstance(complaint(state, saying(A, Raw(b'"no card"'), 1)), Step)
