"""Bots that move for players: they are given the view and the options, and answer the same when asked again."""

from random import Random

import pytest
from msgspec import Raw
from msgspec.structs import replace

from tests.league.matches import MATCH, PLAYERS, A
from turnstile.agents.strategies.bots import bot_move, find_mover
from turnstile.agents.strategies.program import Failed
from turnstile.kernel import Seed
from turnstile.league.player.state import AskedMove
from turnstile.league.protocol.values import MoveContext, MoveRequest
from turnstile.league.referee.boards import Board, kind_of, open_board, options_of, view_of

SEED = Seed("a bot")


def asked(game: str = "e-card", number: int = 1) -> AskedMove:
    board = open_board(game, PLAYERS, Seed("1"))
    assert isinstance(board, Board)
    player = next(player for player in PLAYERS if options_of(board, player))
    context = MoveContext(opponent_id=A, round_id=1, view=view_of(board, player))
    request = MoveRequest(move_type=kind_of(board, player), valid_options=options_of(board, player), context=context)
    return AskedMove(number=number, game_type=game, request=request)


@pytest.mark.parametrize("word", ["random", "bot", "bot:random", "bot:attentive", "bot:counter", "bot:equilibrium"])
@pytest.mark.parametrize("game", ["e-card", "66", "up-down", "even-odd"])
def test_a_bot_chooses_one_of_the_options_and_the_same_when_asked_again(game: str, word: str) -> None:
    mover = find_mover(word, SEED)
    assert mover is not None
    question = asked(game)
    choice = mover(question, MATCH)
    assert choice in question.request.valid_options
    assert mover(question, MATCH) == choice


@pytest.mark.parametrize("word", ["", "bots", "bot:", "even", "random:1", ":random"])
def test_other_words_name_nobody(word: str) -> None:
    assert find_mover(word, SEED) is None


def test_what_is_random_depends_on_the_seed_the_match_and_the_question() -> None:
    def said(seed: str, match: str, number: int) -> list[Raw]:
        mover = find_mover("random", Seed(seed))
        assert mover is not None
        return [mover(asked("66", number + more), type(MATCH)(match)) for more in range(12)]

    assert said("1", "R1M1", 1) == said("1", "R1M1", 1)
    assert len({tuple(map(bytes, said(*case))) for case in [("1", "R1M1", 1), ("2", "R1M1", 1), ("1", "R1M2", 1)]}) == 3


def test_a_bot_says_why_it_cannot_move() -> None:
    question = asked()
    for wrong, why in (
        (replace(question, game_type="chess"), "The game chess is not installed"),
        (question_with(question, b'{"type":"Fly"}'), "Invalid event for e-card"),
        (question_with(question, b'{"type":"BeginPicking"}'), "This is not a player's move of E-Card"),
        (with_view(question, b"{}"), "Invalid view of E-Card"),
    ):
        with pytest.raises(Failed, match=why):
            bot_move("equilibrium", wrong, Random(1))


def question_with(question: AskedMove, option: bytes) -> AskedMove:
    return replace(question, request=replace(question.request, valid_options=(Raw(option),)))


def with_view(question: AskedMove, view: bytes) -> AskedMove:
    context = replace(question.request.context, view=Raw(view))
    return replace(question, request=replace(question.request, context=context))
