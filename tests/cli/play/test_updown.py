"""A match of Up-Down in the terminal."""

import re

import pytest

from tests.cli.conftest import Turnstile
from turnstile.cli.terminals.updown import name, show, tell
from turnstile.games.updown.messages import GameCompleted
from turnstile.games.updown.moves import StartGame
from turnstile.games.updown.rules import new
from turnstile.games.updown.sight import view
from turnstile.games.updown.state import Options, State
from turnstile.kernel import ByPlayer, Message, PlayerId, Seed

FIRST_CHOICES = "0\n1\n" * 100  # each question takes one of them; the other is asked again
ANA, BO = PlayerId("ana"), PlayerId("bo")


def test_a_whole_match_is_told_in_sentences(turnstile: Turnstile) -> None:
    ran = turnstile(
        *("play", "up-down", "--seed", "5", "--players", "3", "--options", '{"maxRoundSize": 3}'), given=FIRST_CHOICES
    )
    assert ran.status == 0
    assert "The match begins: 5 rounds, of 1 card up to 3 and down again. bot 2 starts." in ran.out
    assert "Round 1: 1 card each. The mesa is 6♦: diamonds beat everything." in ran.out
    assert "bot 2 bets 0." in ran.out
    assert "You bet 0." in ran.out
    assert "You play Q♠." in ran.out
    assert "bot 1 wins the hand with 5♦." in ran.out
    assert "  you: bet 0, won 0, +10 points, 10 in all" in ran.out
    assert re.search(r"wins? the match \(you \d+, bot 1 \d+, bot 2 \d+\)\.", ran.out)
    assert "The seed was 5;" in ran.out


def test_cards_are_drawn_and_choices_are_named(turnstile: Turnstile) -> None:
    options = '{"maxRoundSize": 2}'
    ran = turnstile("play", "up-down", "--seed", "5", "--players", "3", "--options", options, given="1\n1\n1\n1\nq\n")
    assert "│ 3♣  │ │ K♦  │" in ran.out
    assert "╭─ bot 1 ─╮ ╭─ bot 2 ─╮" in ran.out
    assert "How many hands will you win?\n  0     1     2" in ran.out
    assert "Which card do you play?\n  1  3♣   2  K♦" in ran.out


def test_a_round_size_that_cannot_be_is_a_usage_error(turnstile: Turnstile) -> None:
    for players, size, why in ((2, 26, "must be at most 25."), (3, 18, "is from 1 to 17.")):
        ran = turnstile("play", "up-down", "--players", players, "--options", f'{{"maxRoundSize": {size}}}')
        assert ran.status == 2
        assert f"maxRoundSize {why}" in ran.err


def test_before_the_start_the_table_waits() -> None:
    match = new((ANA, BO), Options(), Seed("7"))
    assert isinstance(match, State)
    assert str(show(view(match, ANA), ANA)) == "The table waits for its admin to start."
    assert name(StartGame(ANA)) == "start the game"


@pytest.mark.parametrize(
    ("winners", "sentence"),
    [
        ((ANA,), "You win the match (you 9, bo 9)."),
        ((BO,), "Bo wins the match (you 9, bo 9)."),
        ((ANA, BO), "You and bo win the match (you 9, bo 9)."),
    ],
)
def test_the_end_is_told_in_good_grammar(winners: tuple[PlayerId, ...], sentence: str) -> None:
    assert tell(GameCompleted(winners, ByPlayer({ANA: 9, BO: 9}), Seed("7")), ANA) == f"\n{sentence}"


def test_what_is_no_message_of_up_down_says_nothing() -> None:
    class Other(Message, frozen=True):
        """Something else."""

    assert tell(Other(), ANA) == ""
