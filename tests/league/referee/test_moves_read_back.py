"""The state of a referee in a match of moves: what contradicts itself is not sound and not read."""

import pytest
from msgspec import UNSET, Raw
from msgspec.structs import replace

from tests.league.matches import A, B, announced, assignment
from tests.league.referee.moved import SEED, answer, asking
from tests.league.referee.refereed import STRANGER, idle, refusal, taken
from turnstile.games import ecard
from turnstile.kernel import ByPlayer, Rejection, encode
from turnstile.league.proofs.inspect import referee_inspectable
from turnstile.league.proofs.referee import violation
from turnstile.league.protocol.words import Status
from turnstile.league.referee.boards import game_of, match_of, options_of
from turnstile.league.referee.state import Code, Phase, State


def lies(state: State) -> dict[str, State]:
    assert state.board is not None
    board, other = state.board, asking("up-down").state.board
    assert other is not None
    over = replace(match_of(board), phase=ecard.Phase.FINISHED)
    strangers = replace(match_of(board), players=(A, STRANGER))
    unsound = replace(match_of(board), decisive_round_index=77)
    return {
        "no board": replace(state, board=None),
        "a game that is not here": replace(state, board=replace(board, game="chess")),
        "another version": replace(state, board=replace(board, version=77)),
        "another game": replace(state, board=replace(board, match=other.match)),
        "other players": replace(state, board=replace(board, match=Raw(encode(strangers)))),
        "a match that is over": replace(state, board=replace(board, match=Raw(encode(over)))),
        "not what the moves lead to": replace(state, board=replace(board, moves=(options_of(board, A)[0],))),
        "no match of this game": replace(state, board=replace(board, moves=None, match=Raw(encode(unsound)))),
        "nobody is asked of those who should be": replace(
            state, seats=(state.seats[0], replace(state.seats[1], has_answered=True))
        ),
        "asked too often": replace(state, seats=tuple(replace(each, move_number=501) for each in state.seats)),
    }


@pytest.mark.parametrize("lie", lies(asking().state))
def test_a_board_that_contradicts_itself_is_not_sound_and_not_read(lie: str) -> None:
    state = asking().state
    assert referee_inspectable.read(encode(state)) == state
    false = lies(state)[lie]
    assert violation(false) is not None
    assert isinstance(referee_inspectable.read(encode(false)), Rejection)


def test_how_a_match_came_to_a_position_makes_no_other_state_of_the_small_world() -> None:
    state = asking().state
    assert state.board is not None
    forgotten = replace(state, board=replace(state.board, moves=None))
    state_key = list(referee_inspectable.worlds())[-1].state_key
    assert state_key(forgotten) == state_key(state)
    assert state_key(taken(state, answer(state, A)).state) != state_key(state)


def test_a_board_without_moves_is_judged_by_its_match() -> None:
    state = asking().state
    assert state.board is not None
    assert violation(replace(state, board=replace(state.board, moves=None))) is None
    assert game_of(state.board).name == "e-card"


def test_a_referee_is_not_read_with_a_match_that_it_could_not_begin() -> None:
    state = taken(idle(), assignment("e-card", SEED)).state
    given = replace(state.given, match=replace(announced("e-card"), game_type="chess"))
    assert violation(replace(state, assignment=given)) == "There is no game chess here."


def test_a_result_that_is_not_what_came_of_the_moves_is_not_sound() -> None:
    state = asking("even-odd").state
    while state.phase is Phase.COLLECTING_CHOICES:
        state = taken(state, answer(state, next(each.player_id for each in state.seats if each.is_awaited))).state
    result = state.result
    assert result is not None
    assert isinstance(result.moves, tuple)
    assert violation(state) is None
    assert violation(replace(state, result=replace(result, moves=UNSET))) is None, "there is nothing to hold against it"
    for wrong in (
        replace(result, scores=ByPlayer({A: 30, B: 0})),
        replace(result, scores=UNSET, status=Status.WIN, winner_player_id=A),
        replace(result, moves=result.moves[:-1]),
        replace(result, status=Status.WIN, winner_player_id=B if result.winner_player_id == A else A),
        replace(result, drawn_number=7),
    ):
        assert violation(replace(state, result=wrong)) is not None
    assert refusal(state, "manager is silent") == Code.IGNORED
