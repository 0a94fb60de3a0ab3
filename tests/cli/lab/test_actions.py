"""`turnstile actions`: the ids of a game's moves, and what its observations hold."""

import json

import pytest

from tests.cli.conftest import Turnstile


def test_it_lists_every_id_with_its_action(turnstile: Turnstile) -> None:
    ran = turnstile("actions", "up-down")
    assert ran.status == 0
    lines = ran.out.splitlines()
    assert any(line.split() == ["1", "PLACE_BET", "bet=0"] for line in lines)
    assert any(line.split() == ["78", "PLAY_CARD", "card=spades", "A"] for line in lines)


def test_it_lists_what_an_observation_holds_for_a_number_of_players(turnstile: Turnstile) -> None:
    ran = turnstile("actions", "66", "--observation", "--players", 3)
    assert ran.out.startswith("An observation of 66 for 3 players has 398 slots.")
    assert "handSizes[me..+2]" in ran.out


def test_it_prints_json_for_programs(turnstile: Turnstile) -> None:
    found = json.loads(turnstile("actions", "e-card", "--json").out)
    assert found == {"game": "e-card", "version": 1, "actions": ["Pick card=E", "Pick card=C", "Pick card=S"]}
    slices = json.loads(turnstile("actions", "e-card", "--observation", "--json").out)["observation"]
    assert slices[0]["name"] == "phase"
    assert sum(part["size"] for part in slices) == 85


@pytest.mark.parametrize("count", [0, 3])
def test_a_number_of_players_that_the_game_does_not_take_is_refused(turnstile: Turnstile, count: int) -> None:
    ran = turnstile("actions", "e-card", "--observation", "--players", count)
    assert ran.status == 2
    assert f"This game takes 2 players, not {count}." in ran.err
