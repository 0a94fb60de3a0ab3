"""Tokens: shown to whom they were made for, and worth nothing in anybody else's hands."""

from tests.agents.wire.wired import CALL, INVITATION, Player, referee, request, said
from turnstile.agents.wire.envelope import Identity, utc_now, wire_fields
from turnstile.league.protocol.messages import LeagueQuery
from turnstile.league.protocol.words import DEFAULT_LEAGUE, LEAGUE_MANAGER, Address


def token_shown(to: Address | None, who: Identity) -> object:
    return wire_fields(INVITATION, who, "conv", utc_now(), to=to)["auth_token"]


def test_A9_the_manager_is_shown_the_token_that_it_has_given() -> None:
    query = LeagueQuery(league_id=DEFAULT_LEAGUE)
    asked = wire_fields(query, referee(), "conv", utc_now(), to=LEAGUE_MANAGER)
    assert asked["auth_token"] == "tok-ref03-secret"  # noqa: S105


def test_A9_everybody_else_is_shown_one_of_their_own() -> None:
    shown = [token_shown(Address(f"player:P{number:02}"), referee()) for number in range(1, 9)]
    assert len(set(shown)) == 8
    assert all("secret" not in str(token) and str(token).startswith("tok-") for token in shown)
    assert shown[0] == token_shown(Address("player:P01"), referee())


def test_A9_who_calls_an_agent_does_not_learn_its_token() -> None:
    """Not even who claims to be the manager: a sender is a claim, and a reply goes to whoever made it."""
    spoofed = wire_fields(CALL, Identity(LEAGUE_MANAGER), "conv", utc_now())
    answer = said(request({**spoofed, "sender": LEAGUE_MANAGER}), Player().door())
    assert b"tok-" in answer.body
    assert b"tok-p05-secret" not in answer.body


def test_an_agent_without_a_token_shows_none() -> None:
    assert "auth_token" not in wire_fields(INVITATION, Identity(Address("referee:whistle")), "conv", utc_now())
