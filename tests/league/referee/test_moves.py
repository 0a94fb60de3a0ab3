"""The referee in a match of another game: who is asked, who is late, who is wrong, and what it costs."""

import json
from dataclasses import replace as with_fields

import pytest
from msgspec import UNSET, Raw
from msgspec.structs import replace

from tests.league.matches import MATCH, A, B, assignment
from tests.league.referee.moved import SEED, answer, asking, calls, is_silent, joined, refused, result_of, saying, seat
from tests.league.referee.refereed import STRANGER, errors, idle, sent, taken, timers
from turnstile.games import ecard
from turnstile.kernel import ByPlayer, PlayerId, Seed, Send, encode
from turnstile.kernel.chance import verify
from turnstile.league.proofs.referee import violation
from turnstile.league.protocol.messages import (
    ChooseParityResponse,
    GameMoveResponse,
)
from turnstile.league.protocol.words import Awaited, MatchId, Status
from turnstile.league.referee.boards import options_of
from turnstile.league.referee.calls import call_player
from turnstile.league.referee.state import Code, Phase
from turnstile.registry import lent

CALLED_A, CALLED_B = "GAME_MOVE_CALL to player:P05", "GAME_MOVE_CALL to player:P02"
OVER = ["GAME_OVER to player:P05", "GAME_OVER to player:P02"]


# assignment


@pytest.mark.parametrize("game", ["e-card", "66", "up-down", "even-odd"])
def test_a_match_of_any_game_for_two_can_be_assigned(game: str) -> None:
    state = taken(idle(), assignment(game, SEED)).state
    assert (state.phase, state.board) == (Phase.WAITING_FOR_PLAYERS, None)
    assert violation(state) is None


@pytest.mark.parametrize(("game", "seed"), [("chess", "1"), ("EVEN_ODD", "1"), ("", "1"), ("e-card", "a\nb")])
def test_what_cannot_be_opened_is_no_assignment(game: str, seed: str) -> None:
    assert refused(idle(), assignment(game, Seed(seed))) == Code.INVALID_ASSIGNMENT


# the first questions


def test_players_who_choose_at_a_time_are_both_asked_for_30_seconds() -> None:
    step = asking("e-card")
    assert sent(step) == [CALLED_A, CALLED_B]
    assert timers(step) == ["no league_manager", "player_A 30 s", "player_B 30 s"]
    first, second = calls(step)
    assert (first.move_number, second.move_number) == (1, 1)
    assert (first.league_id, first.round_id, first.match_id, first.sender) == ("league", 1, MATCH, "referee:REF03")
    commitment = first.move_request.context.commitment
    assert commitment is not None
    assert verify(commitment, SEED)


def test_players_who_take_turns_are_asked_in_turn() -> None:
    step = asking("up-down")
    (call,) = calls(step)
    assert call.move_request.move_type == "PLACE_BET"
    state, other = step.state, B if call.player_id == A else A
    assert [state.seats[0].is_awaited, state.seats[1].is_awaited] == [call.player_id == A, call.player_id == B]
    assert refused(state, saying(other, call.move_request.valid_options[0], 0)) == Code.IGNORED
    step = taken(state, answer(state, call.player_id))
    (second,) = calls(step)
    assert second.player_id == other
    assert timers(step) in (["no player_A", "player_B 30 s"], ["player_A 30 s", "no player_B"])


def test_a_question_for_moves_of_several_kinds_says_any() -> None:
    (call,) = calls(asking("66"))
    assert call.move_request.move_type == "any"
    assert len({json.loads(bytes(option))["type"] for option in call.move_request.valid_options}) > 1


def test_the_standings_are_told_with_every_question() -> None:
    step = asking("e-card")
    state = taken(taken(step.state, answer(step.state, A)).state, answer(step.state, B)).state
    assert state.standings == ByPlayer.same((A, B), calls(step)[0].move_request.context.your_standings)


# moves


def test_when_both_have_moved_both_are_asked_again() -> None:
    state = asking("e-card").state
    one = taken(state, answer(state, A, 1))
    assert (sent(one), timers(one)) == ([], ["no player_A"])
    assert one.state.phase is Phase.COLLECTING_CHOICES
    assert [each.has_answered for each in one.state.seats] == [True, False]
    both = taken(one.state, answer(one.state, B, 1))
    assert sent(both) == [CALLED_A, CALLED_B]
    assert [call.move_number for call in calls(both)] == [2, 2]


def test_the_question_of_the_other_stands_with_its_retries_and_its_timer() -> None:
    state = asking("e-card").state
    state = taken(state, is_silent(state, B)).state
    late = seat(state, B)
    step = taken(state, answer(state, A))
    assert seat(step.state, B) == late
    assert taken(step.state, is_silent(step.state, B)).state.phase is Phase.COLLECTING_CHOICES


def turned_when_the_other_has_picked(state: ecard.State, player: PlayerId) -> tuple[ecard.Pick, ...]:
    """Actions that are other ones as soon as the other player has moved."""
    offered = ecard.actions(state, player)
    return offered[::-1] if any(state.pending_picks.values()) else offered


def test_a_question_whose_options_are_no_longer_the_same_is_asked_anew_with_its_own_retries() -> None:
    with lent(with_fields(ecard.game, actions=turned_when_the_other_has_picked)):
        state = asking("e-card").state
        late = is_silent(state, B)
        state, old = taken(state, late).state, answer(state, B)
        step = taken(state, answer(state, A))
        assert sent(step) == [CALLED_B]
        assert timers(step) == ["no player_A", "player_B 30 s"]
        assert (seat(step.state, B).move_number, seat(step.state, B).retry_count) == (2, 0)
        assert refused(step.state, old) == Code.IGNORED
        assert refused(step.state, late) == Code.STALE_TIMER


def test_an_answer_without_a_number_answers_the_present_question() -> None:
    state = asking().state
    choice = options_of(state.board, A)[0] if state.board else Raw()
    assert taken(state, saying(A, choice, None)).state == taken(state, answer(state, A)).state


def test_A16_A17_how_a_move_is_written_does_not_matter_but_what_it_says() -> None:
    state = asking().state
    assert state.board is not None
    plain = json.loads(bytes(options_of(state.board, A)[0]))
    backwards = Raw(json.dumps(dict(reversed(plain.items())), indent=3).encode())
    assert taken(state, saying(A, backwards, 1)).state == taken(state, answer(state, A)).state
    for wrong in (
        {**plain, "extra": 1},
        {**plain, "player": B},
        {**plain, "card": "\N{FULLWIDTH LATIN CAPITAL LETTER E}"},
        {key: value for key, value in plain.items() if key != "player"},
    ):
        step = taken(state, saying(A, Raw(encode(wrong)), 1))
        assert [error.error_name for error in errors(step)] == ["INVALID_CHOICE"]


# bad moves


@pytest.mark.parametrize(
    "choice",
    [b"null", b"7", b'"E"', b"[1e999]", b'{"type":"Start","seed":"mine"}', b'{"type":"BeginPicking"}', b"{}"],
)
def test_A4_a_move_that_is_not_legal_is_E004_and_may_be_repeated(choice: bytes) -> None:
    state = asking().state
    step = taken(state, saying(A, Raw(choice), 1))
    assert sent(step) == ["GAME_ERROR E004 INVALID_CHOICE to player:P05", CALLED_A]
    assert timers(step) == ["player_A 30 s"]
    (error,) = errors(step)
    assert (error.action_required, error.retry_count) == ("GAME_MOVE_RESPONSE", 1)
    (call,) = calls(step)
    assert call.move_number == 1, "it is the same question"
    assert step.state.board == state.board
    assert taken(step.state, answer(step.state, A)).state.board != state.board


def test_A4_a_move_that_cannot_be_read_is_one_that_is_not_legal() -> None:
    state = asking().state
    unreadable = GameMoveResponse(match_id=MATCH, player_id=A, move_number=1)
    assert [error.error_code for error in errors(taken(state, unreadable))] == ["E004"]


def test_a_move_of_the_other_player_is_not_legal() -> None:
    state = asking().state
    assert state.board is not None
    step = taken(state, saying(A, options_of(state.board, B)[0], 1))
    assert [error.error_name for error in errors(step)] == ["INVALID_CHOICE"]


def test_after_three_repeats_a_bad_move_costs_the_match() -> None:
    state = taken(asking().state, answer(asking().state, B)).state
    for _ in range(3):
        state = taken(state, saying(A, Raw(b"7"), 1)).state
        assert state.phase is Phase.COLLECTING_CHOICES
    step = taken(state, saying(A, Raw(b"7"), 1))
    assert sent(step) == ["GAME_ERROR E004 INVALID_CHOICE to player:P05", *OVER]
    assert result_of(step.state) == (Status.TECHNICAL_LOSS, B, "P05 made no legal move")


def test_the_retries_begin_anew_with_every_question() -> None:
    state = asking().state
    for _ in range(3):
        state = taken(state, saying(A, Raw(b"7"), 1)).state
    state = taken(state, answer(state, A, 1)).state
    state = taken(state, answer(state, B, 1)).state
    assert [each.retry_count for each in state.seats] == [0, 0]
    assert [each.move_number for each in state.seats] == [2, 2]
    assert taken(state, saying(A, Raw(b"7"), 2)).state.phase is Phase.COLLECTING_CHOICES


# repeated, late and misdirected moves


def test_A5_a_move_that_comes_twice_counts_once() -> None:
    state = asking().state
    move = answer(state, A, 1)
    after = taken(state, move).state
    assert refused(after, move) == Code.IGNORED
    both = taken(after, answer(after, B, 1)).state
    assert refused(both, move) == Code.IGNORED, "it was the answer to an older question"
    assert refused(both, replace(move, move_number=3)) == Code.IGNORED, "and this is none at all"


def test_A6_whoever_is_not_in_the_match_or_speaks_of_another_is_told_so() -> None:
    state = asking().state
    for wrong, name in (
        (replace(answer(state, A), player_id=STRANGER), "PLAYER_NOT_FOUND"),
        (replace(answer(state, A), match_id=MatchId("R9M9")), "MATCH_NOT_FOUND"),
    ):
        step = taken(state, wrong)
        assert step.state == state
        assert [error.error_name for error in errors(step)] == [name]


def test_a_move_before_its_question_is_E004_INVALID_STATE() -> None:
    early = saying(A, Raw(b"{}"), 1)
    for state in (taken(idle(), assignment("e-card", SEED)).state, joined("e-card")):
        step = taken(state, early)
        assert (step.state, [error.error_name for error in errors(step)]) == (state, ["INVALID_STATE"])


def test_a_choice_in_a_match_of_moves_and_a_move_in_Even_Odd_are_E004_INVALID_STATE() -> None:
    state = asking().state
    step = taken(state, ChooseParityResponse(match_id=MATCH, player_id=A, parity_choice="even"))
    assert step.state == state
    assert [(error.error_name, error.action_required) for error in errors(step)] == [
        ("INVALID_STATE", "GAME_MOVE_RESPONSE")
    ]
    even_odd = asking("even_odd").state
    step = taken(even_odd, saying(A, Raw(b"{}"), 1))
    assert step.state == even_odd
    assert [(error.error_name, error.action_required) for error in errors(step)] == [
        ("INVALID_STATE", "CHOOSE_PARITY_RESPONSE")
    ]


# silence


def test_who_does_not_move_in_time_is_told_so_and_asked_again() -> None:
    state = asking().state
    step = taken(state, is_silent(state, A))
    assert sent(step) == ["GAME_ERROR E001 TIMEOUT_ERROR to player:P05", CALLED_A]
    assert timers(step) == ["player_A 30 s"]
    assert [error.action_required for error in errors(step)] == ["GAME_MOVE_RESPONSE"]
    assert [call.move_number for call in calls(step)] == [1]


def test_A1_after_three_repeats_silence_costs_the_match_when_the_other_has_moved_or_is_not_asked() -> None:
    state = taken(asking().state, answer(asking().state, B)).state
    late = answer(state, A)
    for _ in range(4):
        state = taken(state, is_silent(state, A)).state
    assert state.phase is Phase.NOTIFYING_PLAYERS
    assert result_of(state) == (Status.TECHNICAL_LOSS, B, "P05 did not move in time")
    assert refused(state, late) == Code.IGNORED
    assert state.result is not None
    assert (state.result.scores, state.result.seed) == (UNSET, SEED)
    assert isinstance(state.result.moves, tuple)
    assert len(state.result.moves) == 1


def test_who_is_not_asked_has_nothing_to_answer_when_the_other_runs_out_of_retries() -> None:
    state = asking("up-down").state
    (called_player,) = [each.player_id for each in state.seats if each.is_awaited]
    for _ in range(4):
        state = taken(state, is_silent(state, called_player)).state
    winner = B if called_player == A else A
    assert result_of(state)[:2] == (Status.TECHNICAL_LOSS, winner)


def test_who_is_out_loses_when_the_other_moves_and_both_lose_when_it_does_not() -> None:
    state = asking().state
    for _ in range(4):
        state = taken(state, is_silent(state, A)).state
    assert state.phase is Phase.COLLECTING_CHOICES, "the other may still move"
    assert refused(state, answer(state, A)) == Code.IGNORED
    assert violation(state) is None
    bad = taken(state, saying(B, Raw(b"7"), 1)).state
    assert bad.phase is Phase.COLLECTING_CHOICES
    won = taken(bad, answer(bad, B)).state
    assert result_of(won) == (Status.TECHNICAL_LOSS, B, "P05 did not move in time")
    for _ in range(4):
        state = taken(state, is_silent(state, B)).state
    assert result_of(state)[:2] == (Status.TECHNICAL_LOSS, None)


def test_a_timer_of_an_older_question_is_stale() -> None:
    state = asking().state
    old = is_silent(state, A)
    state = taken(taken(state, answer(state, A, 1)).state, answer(state, B, 1)).state
    assert [each.retry_count for each in state.seats] == [0, 0]
    assert refused(state, old) == Code.STALE_TIMER
    assert refused(state, replace(old, waiting_for=Awaited.CHOOSE_PARITY_RESPONSE)) == Code.STALE_TIMER


def test_a_question_that_did_not_arrive_is_asked_again_in_time_and_costs_the_match_in_the_end() -> None:
    state = taken(asking().state, answer(asking().state, B)).state
    for _ in range(4):
        call = next(effect for effect in call_player(state, seat(state, A)) if isinstance(effect, Send))
        failed = call.on_failure
        assert failed is not None
        unreached = taken(state, failed).state
        assert refused(unreached, failed) == Code.STALE_TIMER
        state = taken(unreached, is_silent(unreached, A)).state
    assert result_of(state) == (Status.TECHNICAL_LOSS, B, "P05 could not be reached (E009 CONNECTION_ERROR)")


def test_a_failure_of_an_older_question_is_stale() -> None:
    state = asking().state
    call = next(effect for effect in call_player(state, seat(state, A)) if isinstance(effect, Send))
    failed = call.on_failure
    state = taken(taken(state, answer(state, A, 1)).state, answer(state, B, 1)).state
    assert refused(state, failed) == Code.STALE_TIMER
