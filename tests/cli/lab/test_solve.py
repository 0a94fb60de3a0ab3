"""`turnstile solve`: the strategy and the losses of bots, in a table and for programs."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Turnstile
from turnstile.lab.solver.regrets import Regrets


def test_it_prints_the_exact_solution_of_a_decisive_round(turnstile: Turnstile) -> None:
    said = turnstile("solve", "e-card").out
    assert "E-Card, a decisive round" in said
    assert "The first player wins 4/5 on average. This is exact" in " ".join(said.split())
    assert "ECCCC" in said
    assert "0.1375" in said


def test_programs_get_fractions_and_losses(turnstile: Turnstile) -> None:
    said = json.loads(turnstile("solve", "e-card", "--bots", "random", "--json").out)
    assert (said["game"], said["part"], said["value"], said["gap"]) == ("e-card", "a decisive round", "4/5", 0)
    first = {"seat": "the emperor's side", "situation": "ECCCC", "action": "Emperor", "probability": "1/5"}
    assert said["strategy"][0] == first
    assert [(bot["seat"], bot["loss"], bot["isExact"]) for bot in said["bots"]] == [
        ("the emperor's side", pytest.approx(0.3), True),
        ("the slave's side", pytest.approx(0.1375), True),
    ]


def test_a_bot_that_searches_is_asked_often_enough_to_estimate_it(turnstile: Turnstile) -> None:
    said = turnstile("solve", "e-card", "--bots", "search:8", "--draws", 3, "--rounds", 2).out
    assert "estimated" in said
    assert "players can gain" in " ".join(said.split())


def test_losses_are_estimates_as_long_as_the_solution_is_not_exact(turnstile: Turnstile) -> None:
    said = json.loads(turnstile("solve", "e-card", "--bots", "equilibrium", "--rounds", 3, "--json").out)
    assert said["gap"] > 0
    assert [bot["isExact"] for bot in said["bots"]] == [False, False]
    assert min(bot["loss"] for bot in said["bots"]) == 0


def test_a_game_without_a_small_part_is_refused(turnstile: Turnstile) -> None:
    answer = turnstile("solve", "66")
    assert answer.status == 1
    assert "66 cannot be solved: its study names no part that is small enough" in answer.err


def test_ctrl_c_prints_what_was_found(turnstile: Turnstile, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("turnstile.cli.lab.solve.strategy_of", interrupt)
    answer = turnstile("solve", "e-card")
    assert answer.status == 130
    assert "wins 4/5" in " ".join(answer.out.split())
    assert "Stopped." in answer.err
    monkeypatch.setattr(Regrets, "play_round", interrupt)
    answer = turnstile("solve", "e-card")
    assert (answer.status, answer.out) == (130, "")


OWN_BOTS = """
def first(view, actions, rng):
    print("hello")
    return rng.choice(actions[:1])

def half(view, actions, rng):
    try:
        return actions[0 if rng.random() < 0.5 else -1]
    except Exception:
        return actions[0]

def broken(view, actions):
    raise ValueError("no idea")
"""


def test_bots_of_users_are_examined_too(turnstile: Turnstile, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN_BOTS)
    own = tmp_path / "own.py"
    answer = turnstile("solve", "e-card", "--bots", f"{own}:first,{own}:half", "--draws", 8, "--json")
    first, _, half, _ = json.loads(answer.out)["bots"]
    assert (first["wins"], first["isExact"]) == (0, True)  # it always lays the emperor at once
    assert 0 < half["wins"] < 0.8, "draws with random() are made, not taken for an error of the bot"
    assert not half["isExact"]
    assert "hello" in answer.err
    broken = turnstile("solve", "e-card", "--bots", f"{own}:broken")
    assert (broken.status, broken.out) == (1, "")
    assert "ValueError: no idea" in broken.err
    assert "Traceback" not in broken.err
