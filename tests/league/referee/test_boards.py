"""Boards: what no game in the box does, and what is said of it."""

from dataclasses import replace as with_fields
from functools import partial
from typing import Any

import pytest
from msgspec import Raw

from tests.league.matches import PLAYERS, A, B
from tests.table import toys
from turnstile.games import ecard, evenodd
from turnstile.games.sixtysix import rules as sixtysix
from turnstile.kernel import AnyGame, Outcome, Rejection, Seed, encode
from turnstile.league.protocol.values import option_meant
from turnstile.league.referee import boards
from turnstile.league.referee.boards import Board, apply_move, kind_of, open_board, options_of, outcome_of, view_of
from turnstile.registry import lent

SEED = Seed("1")


def board_of(game: str, seed: Seed = SEED) -> Board:
    board = open_board(game, PLAYERS, seed)
    assert isinstance(board, Board), board
    return board


def sentence(game: AnyGame) -> str:
    with lent(game):
        refused = open_board(game.name, PLAYERS, SEED)
    assert isinstance(refused, Rejection)
    return refused.sentence


def test_a_board_is_opened_up_to_the_first_decision() -> None:
    board = board_of("e-card")
    assert (board.game, board.version, board.moves, outcome_of(board)) == ("e-card", 1, (), None)
    assert kind_of(board, A) == "Pick"
    assert len(options_of(board, A)) == 2
    assert bytes(view_of(board, A)) != bytes(view_of(board, B))


def test_a_game_for_another_number_of_players_is_none() -> None:
    three = with_fields(ecard.game, seats=range(3, 5))
    assert sentence(three) == "E-Card is not a game for 2."


def test_a_game_with_timers_of_its_own_is_none() -> None:
    assert sentence(toys.hourglass) == "Hourglass has timers of its own, which a referee does not run."


def test_a_match_that_is_over_before_anybody_is_asked_is_none() -> None:
    over = with_fields(evenodd.game, outcome=lambda state: Outcome(state.players, state.score))
    assert sentence(over) == "This match of Even/Odd leaves nothing to decide."


def test_what_a_game_refuses_is_refused_in_its_words() -> None:
    refused = open_board("e-card", PLAYERS, Seed("a\nb"))
    assert isinstance(refused, Rejection)
    assert refused.sentence.startswith("A seed must have")


def test_a_game_in_which_nobody_can_go_on_is_a_bug() -> None:
    game = with_fields(sixtysix.game, dealer=lambda state: None)
    with lent(game), pytest.raises(AssertionError, match="No player can move"):
        open_board("66", PLAYERS, SEED)


class Restless:
    """A machine that takes everything and stays where it is."""

    def __init__(self, machine: Any) -> None:
        self.machine = machine

    def __getattr__(self, name: str) -> Any:
        return getattr(self.machine, name)

    def apply(self, state: Any, event: Any) -> Any:
        return state


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"dealer": ecard.dealer}, "The dealer of e-card never rests."),
        (
            {"dealer": lambda state: None, "actions": lambda state, player: (ecard.Pick(player, ecard.Card.CITIZEN),)},
            "e-card goes on and on without a decision.",
        ),
    ],
)
def test_a_game_that_goes_on_without_a_decision_is_a_bug(change: dict[str, Any], fault: str) -> None:
    game = with_fields(ecard.game, machine=Restless(ecard.ecard), **change)  # type: ignore[arg-type]
    with lent(game), pytest.raises(AssertionError, match=fault):
        open_board("e-card", PLAYERS, SEED)


def test_a_move_that_is_not_legal_leads_nowhere() -> None:
    board = board_of("e-card")
    assert apply_move(board, A, Raw(b'{"type":"BeginPicking"}')) is None
    assert apply_move(board, A, options_of(board, B)[0]) is None


def test_moves_that_are_too_many_to_be_told_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boards, "MOST_TOLD", 100)
    board = board_of("even-odd")
    kept = []
    for _ in range(3):
        after = apply_move(board, A, options_of(board, A)[0])
        assert after is not None
        kept.append(after.moves)
        after = apply_move(after, B, options_of(after, B)[0])
        assert after is not None
        board = after
    assert kept[0] is not None
    assert kept[1:] == [None, None]


def test_a_choice_is_the_option_that_says_the_same() -> None:
    options = [Raw(b'{"a":1,"b":[2]}'), Raw(b"1e999"), Raw(b"null")]
    meant = partial(option_meant, options)
    assert meant(Raw(b' { "b" : [ 2 ] , "a" : 1 } ')) == 0
    assert meant(Raw(b"null")) == 2
    assert meant(Raw(b"1e999")) is None
    assert meant(Raw(b"[" * 5_000 + b"]" * 5_000)) is None
    assert meant(Raw(encode({"a": 1}))) is None
