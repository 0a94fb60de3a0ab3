"""What every command has in common: it helps, it refuses in one sentence, and its exit status says how it went."""

import pytest

from tests.cli.conftest import Turnstile

COMMANDS = ("games", "step", "diagram", "check", "play", "simulate", "replay", "verify")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_gives_an_example(turnstile: Turnstile, command: str) -> None:
    ran = turnstile(command, "--help")
    assert ran.status == 0
    assert "Example" in ran.out
    assert f"turnstile {command}" in ran.out.split("Example")[1]


def test_without_a_command_it_says_what_there_is(turnstile: Turnstile) -> None:
    ran = turnstile()
    assert ran.status == 0
    assert all(f"  {command} " in ran.out for command in COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chek"], "Did you mean 'check'?"),
        (["check"], "Missing argument"),
        (["check", "ecard"], "Did you mean e-card?"),
        (["check", "e-card", "--no-such-option"], "No such option"),
        (["check", "e-card", "--options", "{"], "options"),
        (["check", "e-card", "--options", '{"speed": 3}'], "unknown field `speed`"),
        (["games", "--schema"], "Name the game"),
        (["play", "e-card", "--bot", "deep thought"], "equilibrium, search, random"),
        (["play", "e-card", "--players", "3"], "takes 2 players, not 3"),
        (["play", "e-card", "--name", "bot"], "same id"),
        (["play", "e-card", "--record", "/no/such/folder/match.jsonl"], "no folder"),
        (["simulate", "e-card", "--bots", "random,random,random"], "takes 2 players, not 3"),
        (["simulate", "e-card", "--matches", "0"], "--matches"),
        (["replay", "/no/such/file"], "does not exist"),
        (["verify", "/"], "is a directory"),
        (["diagram", "e-card", "-o", "/no/such/folder/picture.svg"], "no folder"),
        (["diagram", "e-card", "-o", "/dev/full"], "No space left"),
    ],
)
def test_what_cannot_be_understood_is_refused_in_one_sentence(
    turnstile: Turnstile, arguments: list[str], words: str
) -> None:
    ran = turnstile(*arguments)
    assert ran.status == 2
    assert ran.out == ""
    assert words in ran.err
    assert ran.err.count("\n") == 1
