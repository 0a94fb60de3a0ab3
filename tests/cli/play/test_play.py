"""A match in the terminal, from the first card to the revealed seed."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from tests.cli.conftest import Turnstile
from turnstile.kernel.chance import Seed, commit

WHOLE_MATCH = "1\n" * 200  # the special card whenever it is there: some match is over long before


def test_a_whole_match_is_told_in_sentences_and_ends_with_the_seed(turnstile: Turnstile) -> None:
    ran = turnstile("play", "e-card", "--seed", "4", given=WHOLE_MATCH)
    assert ran.status == 0
    assert f"committed to its seed: {commit(Seed('4'))}" in ran.out.replace("\n", "")
    assert "The match begins." in ran.out
    assert "The other player has laid a card face down." in ran.out
    assert re.search(
        r"Your (Emperor|Slave) meets bot's (Citizen|Emperor|Slave)\. (You win|bot wins) the round:", ran.out
    )
    assert "Side 2: the roles switch." in ran.out
    assert re.search(r"(You win|bot wins) the match \d+ : \d+\.", ran.out)
    assert "The seed was 4;" in ran.out


def test_the_cards_are_drawn_and_the_choices_numbered(turnstile: Turnstile) -> None:
    ran = turnstile("play", "e-card", "--seed", "3", given="q\n")
    assert "│ Slave │ │ Citizen │ │ Citizen │ │ Citizen │ │ Citizen │" in ran.out
    assert ran.out.partition("holds")[2].count("?") == 5
    assert "  1  Slave\n  2  Citizen\n" in ran.out


def test_the_other_players_card_is_not_shown_before_both_are_laid(turnstile: Turnstile) -> None:
    ran = turnstile("play", "e-card", "--seed", "3", given="2\nq\n")
    before, _, _ = ran.out.partition("> ")
    assert "Emperor │" not in before


def test_q_leaves(turnstile: Turnstile) -> None:
    ran = turnstile("play", "e-card", given="q\n")
    assert ran.status == 0
    assert "You leave the table." in ran.out


def test_the_end_of_input_leaves_too(turnstile: Turnstile) -> None:
    assert "You leave the table." in turnstile("play", "e-card", given="2\n").out


def test_ctrl_c_leaves_with_status_130_and_the_record_is_written(turnstile: Turnstile, tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    words = [sys.executable, "-m", "turnstile", "play", "e-card", "--record", str(path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as playing:
        assert playing.stdin is not None
        assert playing.stdout is not None
        told = b""
        while b"> " not in told:
            told += os.read(playing.stdout.fileno(), 1000)
        playing.send_signal(signal.SIGINT)
        told += playing.stdout.read()
        assert playing.wait() == 130
    assert b"You leave the table." in told
    assert turnstile("verify", path).status == 0


def test_an_answer_that_is_no_choice_is_asked_again(turnstile: Turnstile) -> None:
    ran = turnstile("play", "e-card", "--seed", "3", given=f"0\n3\n-1\n²\nhello\n\n{'9' * 5_000}\nq\n")
    assert ran.out.count("Type a number from 1 to 2, ? for the rules, or q to leave.") == 7


def test_a_match_can_be_recorded_and_the_record_verifies(turnstile: Turnstile, tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    turnstile("play", "e-card", "--bot", "random", "--record", path, given=WHOLE_MATCH)
    ran = turnstile("verify", path)
    assert ran.status == 0
    assert ran.out.count("passed") == 3


def test_a_match_that_was_left_can_be_recorded(turnstile: Turnstile, tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    turnstile("play", "e-card", "--record", path, given="2\nq\n")
    assert turnstile("verify", path).status == 0
    assert '"outcome":null' in path.read_text()


def test_the_same_seed_and_the_same_choices_repeat_the_match(turnstile: Turnstile) -> None:
    one, two = (turnstile("play", "e-card", "--seed", "again", given=WHOLE_MATCH) for _ in range(2))
    assert one == two
