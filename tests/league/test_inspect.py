"""The machines of the league, found by their names and opened from outside."""

import pytest

from tests.league.player import played
from turnstile.kernel import Refusal, Rejection
from turnstile.league.proofs.inspect import (
    manager_inspectable,
    player_inspectable,
    referee_inspectable,
)
from turnstile.registry import find_inspectable

MACHINES = {"manager": manager_inspectable, "referee": referee_inspectable, "player": player_inspectable}


@pytest.mark.parametrize("name", MACHINES)
def test_the_machines_are_found_by_their_names(name: str) -> None:
    assert find_inspectable(name) is MACHINES[name]


def code(answer: object) -> str:
    assert isinstance(answer, Rejection), answer
    return answer.code


def test_each_of_them_is_opened_from_outside() -> None:
    referee_opened = referee_inspectable.new((), b'{"referee_id":"REF07"}', None)
    assert not isinstance(referee_opened, Rejection)
    assert referee_opened.referee_id == "REF07"
    player_opened = player_inspectable.new((), b'{"display_name":"Juniper","accepts_unannounced":true}', played.SEED)
    assert not isinstance(player_opened, Rejection)
    assert (player_opened.meta.display_name, player_opened.accepts_unannounced) == ("Juniper", True)
    manager_opened = manager_inspectable.new((), b'{"league_id":"spring","most_players":8}', played.SEED)
    assert not isinstance(manager_opened, Rejection)
    assert (manager_opened.league_id, manager_opened.options.most_players) == ("spring", 8)


def test_nothing_is_opened_from_nonsense() -> None:
    assert code(referee_inspectable.new((played.ME,), b"{}", None)) == Refusal.INVALID_PLAYERS
    assert code(referee_inspectable.new((), b"{}", played.SEED)) == Refusal.INVALID_SEED
    assert code(referee_inspectable.new((), b'{"referee_id":""}', None)) == Refusal.INVALID_OPTIONS
    assert code(player_inspectable.new((played.ME,), b"{}", played.SEED)) == Refusal.INVALID_PLAYERS
    assert code(player_inspectable.new((), b"{}", None)) == Refusal.INVALID_SEED
    assert code(player_inspectable.new((), b"{}", type(played.SEED)(""))) == Refusal.INVALID_SEED
    assert code(player_inspectable.new((), b'{"display_name":7}', played.SEED)) == Refusal.INVALID_OPTIONS
    assert code(manager_inspectable.new((played.ME,), b"{}", played.SEED)) == Refusal.INVALID_PLAYERS
    assert code(manager_inspectable.new((), b"{}", None)) == Refusal.INVALID_SEED
    assert code(manager_inspectable.new((), b"{}", type(played.SEED)(""))) == Refusal.INVALID_SEED
    assert code(manager_inspectable.new((), b'{"most_players":1}', played.SEED)) == Refusal.INVALID_OPTIONS
    assert code(manager_inspectable.read(b"{}")) == Refusal.INVALID_STATE
    assert code(referee_inspectable.read(b"{}")) == Refusal.INVALID_STATE
    assert code(player_inspectable.read(b"[]")) == Refusal.INVALID_STATE
