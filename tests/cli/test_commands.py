"""What every command has in common: it helps, it refuses in one sentence, and its exit status says how it went."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Turnstile

COMMANDS = ("games", "step", "diagram", "check", "play", "simulate", "solve", "replay", "verify", "matches")


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


@pytest.mark.parametrize("group", ["matches", "league"])
def test_a_group_without_a_command_shows_its_help(turnstile: Turnstile, group: str) -> None:
    assert turnstile(group) == turnstile(group, "--help")
    assert turnstile(group).status == 0


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
        (["simulate", "e-card", "--matches", "1" + 20 * "0"], "is not in the range 1<=x<=1000000000000"),
        (["arena", "e-card", "--bots", "cmd:cat,random", "--time-limit", "nan"], "nan is not a number"),
        (["tournament", "e-card", "--bots", "cmd:cat,random", "--time-limit", "inf"], "range 0<x<=86400"),
        (["simulate", "66", "--bots", "search:0"], "Write search:500 for 500 imagined matches, or search:0.2s"),
        (["simulate", "e-card", "--seed", ""], "A seed must have 1 to 1024 printable characters"),
        (["play", "e-card", "--seed", "x" * 1025], "A seed must have 1 to 1024 printable characters"),
        (["play", "e-card", "--players", "99999999999"], "takes 2 players, not 99999999999"),
        (["simulate", "up-down", "--options", '{"maxRoundSize": 26}'], "maxRoundSize must be at most 25"),
        (["check", "up-down", "--options", '{"maxRoundSize": 0}'], "maxRoundSize must be at least 1"),
        (
            ["check", "up-down", "--players", "3", "--options", '{"maxRoundSize": 18}'],
            "With 3 players maxRoundSize is from 1 to 17",
        ),
        (["check", "66", "--players", "6"], "takes 2 to 5 players, not 6"),
        (["diagram", "e-card", "-o", "picture.png"], "Unknown ending of picture.png: use .svg, .dot or .mmd"),
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


def test_what_others_wrote_is_never_read_as_markup(turnstile: Turnstile, tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    assert "seed [/x]" in turnstile("simulate", "e-card", "-n", 1, "--seed", "[/x]").out
    played = turnstile("play", "e-card", "--seed", "[/x]", "--record", path, given="1\n" * 200)
    assert "The seed was [/x];" in played.out
    assert turnstile("verify", path).status == 0
    path.write_text(path.read_text().replace('"Start"', '"[/y]"'))
    assert turnstile("verify", path).status == 1


def test_whoever_has_heard_enough_ends_it_quietly() -> None:
    command = f"{sys.executable} -m turnstile games --json | true"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode in (0, 128 + signal.SIGPIPE)  # it may have said all before it was noticed


def test_standard_output_that_cannot_be_written_is_one_sentence() -> None:
    command = f"{sys.executable} -m turnstile games >/dev/full"
    for surroundings in ({"PYTHONUNBUFFERED": "1"}, {}):
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        done = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, check=False, env=kept | surroundings
        )
        sentence = "turnstile: Standard output, or a file: No space left on device.\n"
        assert (done.returncode, done.stderr) == (2, sentence)


def test_without_an_input_there_is_nothing_to_answer() -> None:
    for arguments in ("step e-card", "play e-card"):
        command = f"{sys.executable} -m turnstile {arguments} <&-"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


INTERRUPTED_IMPORT = """
import os, signal, sys
from turnstile.__main__ import main

class Interrupts:
    def find_spec(name, *rest):
        if name == "turnstile.cli.arguments":
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, getattr(signal, sys.argv.pop(1)))
sys.meta_path.insert(0, Interrupts)
main()
"""


@pytest.mark.parametrize(("handler", "status"), [("default_int_handler", 130), ("SIG_IGN", 0)])
def test_ctrl_c_while_the_program_is_read_in_ends_it_without_a_word(handler: str, status: int) -> None:
    """But not who was started so that it does not hear it."""
    words = [sys.executable, "-c", INTERRUPTED_IMPORT, handler, "games"]
    ran = subprocess.run(words, capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (status, b"")
