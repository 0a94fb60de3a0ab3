"""An author whose game cannot be loaded, or fails, is told in a sentence which line of which file is wrong."""

import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from tests.bots.toys import Pile, sticks
from turnstile import registry
from turnstile.bots.search import search_bot
from turnstile.cli.main import run
from turnstile.games import evenodd
from turnstile.kernel import PlayerId, Seed, Study
from turnstile.lab.match import play_out, seated

Install = Callable[[str], object]
NAME = "even-odd"
GAME = """
from dataclasses import replace
from turnstile.games.evenodd import game as right
from turnstile.kernel import Move

{function}

game = replace(right, {name}={name})
"""
SIMULATE = ("simulate", NAME, "--bots", "random", "--matches", "2", "--processes", "1")


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs the text of a module as a package with the game even-odd, and with no other."""
    entry = EntryPoint(NAME, "faulty_game:game", registry.GAMES)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_entries", lambda group: {NAME: entry} if group == registry.GAMES else {})
    monkeypatch.delitem(sys.modules, "faulty_game", raising=False)
    registry.look_again()
    yield lambda text: (tmp_path / "faulty_game.py").write_text(text)
    sys.modules.pop("faulty_game", None)
    registry.look_again()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("game = (\n", "'(' was never closed (PATH/faulty_game.py, line 1)"),
        ("\nimport nothing_of_this_name\n", "ModuleNotFoundError: No module named 'nothing_of_this_name'"),
        ("\n1 // 0\n", "ZeroDivisionError: integer division or modulo by zero (PATH/faulty_game.py, line 2)"),
        ("spiel = 1\n", "AttributeError: module 'faulty_game' has no attribute 'game'"),
        ("game = 1\n", "The game even-odd cannot be used: faulty_game:game is not a Game."),
        ("from turnstile.games.ecard import game\n", "the machine of faulty_game:game is called e-card."),
    ],
)
@pytest.mark.parametrize(
    "command", [("games",), ("check", NAME), SIMULATE, ("serve", "--port", "0")], ids=lambda command: command[0]
)
def test_a_game_that_cannot_be_loaded(
    install: Install,
    command: tuple[str, ...],
    text: str,
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    install(text)
    assert run(command) == 1
    said = capsys.readouterr().err
    assert said.startswith("turnstile: ")
    assert sentence.replace("PATH", str(tmp_path)) in said
    assert said.count("\n") == 1


FAULTS = {
    "def actions(state, player):\n    return state.nothing": (
        "AttributeError: 'State' object has no attribute 'nothing' (faulty_game.py, line 7: return state.nothing)."
    ),
    "def actions(state, player):\n    return ()": "No player can move in this match of even-odd, and it is not over.",
    "def actions(state, player):\n    return right.actions(state, player) and (Move(player),)": (
        "it offers Move(player='WHO') and refuses it: even-odd has no event Move."
    ),
}


@pytest.mark.parametrize("function", FAULTS)
@pytest.mark.parametrize("command", [SIMULATE, ("play", NAME, "--bot", "random")], ids=lambda command: command[0])
def test_a_game_that_fails(
    install: Install, command: tuple[str, ...], function: str, capsys: pytest.CaptureFixture[str]
) -> None:
    install(GAME.format(function=function, name="actions"))
    assert run(command) == 1
    said = capsys.readouterr().err
    sentence = FAULTS[function].replace("WHO", "random 1" if command is SIMULATE else "you")
    assert f"turnstile: Even/Odd has failed: {sentence}" in said
    assert "turnstile/lab" not in said  # no line of ours


def test_a_bot_of_a_game_that_chooses_nothing() -> None:
    def choose(view: Any, actions: Any) -> Any:
        return None

    participants = {PlayerId("ana"): choose, PlayerId("bo"): choose}
    with pytest.raises(
        registry.PackageFault, match="A bot of Even/Odd has failed: it chose None, which was not offered"
    ):
        play_out(evenodd.game, evenodd.game.options(), Seed("1"), participants)


def test_a_study_that_imagines_an_impossible_state() -> None:
    """All sticks are gone in it, so that none can be taken."""
    study: Study[Pile, Pile] = Study(imagine=lambda view, player, seed: replace(view, sticks=0))
    bot = search_bot(sticks, study)
    participants = {PlayerId(name): seated(bot, Random(7)) for name in ("ana", "bo")}
    with pytest.raises(registry.PackageFault) as failed:
        play_out(sticks, sticks.options(), Seed("1"), participants)
    assert failed.value.sentence.startswith(
        "Sticks has failed: a state that `search` imagines refuses Take(player='ana', "
    )
