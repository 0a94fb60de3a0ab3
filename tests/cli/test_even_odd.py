"""Even/Odd in the terminal."""

import re

from tests.cli.conftest import Turnstile


def test_a_whole_match_is_told_in_sentences_and_ends_with_the_seed(turnstile: Turnstile) -> None:
    ran = turnstile("play", "even-odd", "--seed", "4", given="1\n2\n" * 5)
    text = " ".join(ran.out.split())
    assert ran.status == 0
    assert "The match begins: 10 numbers from 1 to 10." in text
    assert "  1  even\n  2  odd\n" in ran.out
    assert re.search(r"You said \w+, bot said \w+\. The number is \d+\. (You are|bot is) right: \d+ : \d+\.", text)
    assert re.search(r"You both said (even|odd)\. The number is \d+\. A draw, a point each: \d+ : \d+\.", text)
    assert re.search(r"(You win the match|bot wins the match|You share the win,) \d+ : \d+\.", text)
    assert "The seed was 4;" in text


def test_numbers_are_drawn_with_what_both_said_about_them(turnstile: Turnstile) -> None:
    ran = turnstile("play", "even-odd", "--seed", "4", "--bot", "always-even", given="2\nq\n")
    assert "│   9    │\n│ odd ✓  │\n│ even   │" in ran.out
    assert "Draw 2 of 10   you 3 : 0 bot" in ran.out


def test_the_help_says_which_numbers_make_a_choice_right(turnstile: Turnstile) -> None:
    ran = turnstile("play", "even-odd", given="?\nq\n")
    assert "1  even: right if the number is one of 2, 4, 6, 8, 10" in ran.out
    assert "2  odd: right if the number is one of 1, 3, 5, 7, 9" in ran.out


def test_a_single_draw_may_be_shared(turnstile: Turnstile) -> None:
    single = ("play", "even-odd", "--options", '{"draws": 1}', "--bot", "always-even")
    assert "one number from 1 to 10" in turnstile(*single, given="1\n").out
    assert "You share the win, 1 : 1." in turnstile(*single, given="1\n").out


def test_options_that_cannot_be_are_refused(turnstile: Turnstile) -> None:
    ran = turnstile("play", "even-odd", "--options", '{"draws": 0}')
    assert (ran.status, ran.out) == (2, "")
    assert "draws must be at least 1" in ran.err
