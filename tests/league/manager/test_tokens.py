"""Tokens and proofs: which agent a manager believes, and what it tells the others."""

import pytest

from tests.league.manager.managed import SECRET, League
from turnstile.kernel import PlayerId
from turnstile.league.manager.register import (
    authenticate,
)
from turnstile.league.manager.state import State
from turnstile.league.protocol.errors import LEAGUE_ERROR_CODES, number_of
from turnstile.league.protocol.management import (
    LeagueError,
)
from turnstile.league.protocol.words import Address
from turnstile.league.trust import agent_token


def registered() -> State:
    return League().enters("Ana").enters("Bo").referees("Ron").state


def proof(agent: str) -> str:
    return agent_token(SECRET, Address(agent))


def fault(sender: str | None, shown: str | None) -> str:
    told = authenticate(registered(), sender, shown)
    assert isinstance(told, LeagueError), told
    assert len(shown or "") < len("tok-p01-") or str(shown) not in str(told.context), "an error never repeats a token"
    return f"{told.error_code} {told.error_name}"


@pytest.mark.parametrize("agent", ["player:P01", "player:P02", "referee:REF01"])
def test_who_shows_its_token_is_believed(agent: str) -> None:
    assert authenticate(registered(), agent, proof(agent)) == agent
    assert authenticate(registered(), None, proof(agent)) == agent, "the token alone says who it is"


def test_a_token_is_missing_or_wrong() -> None:
    assert fault("player:P01", None) == fault("player:P01", "") == "E011 AUTH_TOKEN_MISSING"
    for wrong in (
        "tok",
        "tok-p01-",
        "tok-p01-" + "0" * 32,
        "tok-p09-0",
        "\ud800-p01-\ud800",
        proof("player:P01") + "0",
    ):
        assert fault("player:P01", wrong) == "E012 AUTH_TOKEN_INVALID"


def test_A6_who_claims_to_be_somebody_else_is_not_believed() -> None:
    assert fault("player:P02", proof("player:P01")) == "E012 AUTH_TOKEN_INVALID"
    assert fault("referee:REF01", proof("player:P01")) == "E012 AUTH_TOKEN_INVALID"
    assert fault("league_manager", proof("player:P01")) == "E012 AUTH_TOKEN_INVALID"


def test_strangers_are_told_that_nobody_knows_them() -> None:
    assert fault("player:P09", proof("player:P09")) == "E005 PLAYER_NOT_REGISTERED"
    assert fault("player:P001", proof("player:P01")) == "E005 PLAYER_NOT_REGISTERED"
    assert fault("referee:REF09", proof("referee:REF09")) == "E013 REFEREE_NOT_REGISTERED"


def test_another_league_has_other_tokens() -> None:
    assert agent_token(SECRET, Address("player:P01")) != agent_token(type(SECRET)("another"), Address("player:P01"))


def test_codes_have_numbers() -> None:
    assert sorted(map(number_of, LEAGUE_ERROR_CODES.values())) == [1, 3, 5, 9, 11, 12, 13, 18, 21]
    assert registered().player_at(PlayerId("P00")) is None
