"""Who is let into the league, as whom, and who is believed to be somebody."""

from typing import Any, cast

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from tests.league.manager.managed import League
from turnstile.kernel import Arm, Send
from turnstile.league.manager.entry import UNREGISTERED
from turnstile.league.manager.register import (
    clean_name,
    is_member,
    is_mixed,
    is_too_old,
    name_key,
)
from turnstile.league.manager.rounds import wanted
from turnstile.league.manager.state import AllAreHere, Code, Options, Phase
from turnstile.league.proofs.manager import entering, refereeing
from turnstile.league.protocol.endpoints import home_of
from turnstile.league.protocol.management import (
    LeagueError,
    LeagueStatus,
    RefereeRegisterRequest,
    RefereeRegisterResponse,
    StartLeague,
)
from turnstile.league.protocol.messages import (
    LeagueCompleted,
    LeagueRegisterRequest,
    LeagueRegisterResponse,
    RoundAnnouncement,
)
from turnstile.league.protocol.words import Address, LeagueId, Registration
from turnstile.league.trust import manager_proof


def answer(league: League, name: str, **more: str) -> LeagueRegisterResponse:
    reply = league.asks(entering(name, **more))
    assert isinstance(reply, LeagueRegisterResponse)
    return reply


def reason(league: League, name: str, **more: str) -> str | None:
    """Why a player is rejected. It is told so in its exchange, and nothing changes."""
    before = league.state
    reply = answer(league, name, **more)
    assert league.state == before
    assert [effect.to for effect in league.effects if isinstance(effect, Send)] == [UNREGISTERED]
    assert (reply.status, reply.player_id, reply.auth_token) == (Registration.REJECTED, None, None)
    return reply.reason


def referee_answer(league: League, name: str, at: str | None = None) -> RefereeRegisterResponse:
    reply = league.asks(refereeing(name, at=at))
    assert isinstance(reply, RefereeRegisterResponse)
    return reply


# players


def test_players_are_numbered_in_the_order_of_their_arrival_and_each_has_a_token_of_its_own() -> None:
    league = League()
    first, second = answer(league, "Ana"), answer(league, "Bo")
    assert (first.status, first.player_id, first.league_id) == (Registration.ACCEPTED, "P01", "league_2025_even_odd")
    assert (second.player_id, second.reason) == ("P02", None)
    assert first.auth_token != second.auth_token
    assert first.auth_token is not None
    assert first.auth_token.startswith("tok-p01-")
    assert len(first.auth_token.removeprefix("tok-p01-")) == 32


def test_the_hundredth_player_has_three_digits() -> None:
    league = League()
    for number in range(99):
        league.enters(f"player {number}")
    assert answer(league, "late").player_id == "P100"


def test_N1_who_asks_again_is_given_the_same_again() -> None:
    league = League()
    first = answer(league, "Ana")
    before = league.state
    assert answer(league, "Ana") == first
    assert answer(league, "  ANA ", at="Ana") == first
    assert league.state == before


def test_a_name_that_is_taken_is_refused_in_these_words() -> None:
    assert reason(League().enters("Ana"), "Ana", at="elsewhere") == "Duplicate name"


def test_A7_an_endpoint_that_is_taken_is_refused() -> None:
    league = League().enters("Ana").referees("Ron")
    assert reason(league, "Eve", at="Ana") == "Duplicate endpoint"
    assert reason(league, "Eve", at="Ron") == "Duplicate endpoint"


@pytest.mark.parametrize(
    ("endpoint", "alike"),
    [
        ("http://127.0.0.1:9302/mcp", "http://localhost:9302/mcp"),
        ("http://127.0.0.1:9302/mcp", "http://127.0.0.2:9302/mcp"),
        ("http://127.0.0.1:9302/mcp", "http://[::1]:9302/mcp"),
        ("http://127.0.0.1:9302/mcp", "HTTP://a.LOCALHOST.:09302//x/.././%6dcp"),
        ("http://Agents.example/mcp", "http://agents.example.:80/mcp"),
        ("https://agents.example/mcp", "https://agents.example:443/mcp"),
        ("https://[2001:db8:0::1]/mcp", "https://[2001:db8::1]/mcp"),
    ],
)
def test_A7_two_spellings_of_an_endpoint_are_one_home(endpoint: str, alike: str) -> None:
    assert home_of(endpoint) == home_of(alike)


def test_A7_other_endpoints_are_other_homes() -> None:
    others = (
        "http://localhost:9302/mcp",
        "http://localhost:9303/mcp",
        "https://localhost:9302/mcp",
        "http://agents.example:9302/mcp",
        "http://localhost:9302/other/mcp",
        "http://localhost:port/mcp",
        "http://localhost:other/mcp",
        "local:player:1",
    )
    assert len(set(map(home_of, others))) == len(others)


def test_a_full_league_is_refused_in_these_words() -> None:
    league = League(Options(most_players=2)).enters("Ana").enters("Bo")
    assert reason(league, "Cy") == "League full"
    assert answer(league, "Ana").status is Registration.ACCEPTED


def test_an_old_version_and_another_game_are_refused() -> None:
    league = League()
    assert reason(league, "Old", version="1.9.9") == "Unsupported protocol version: E018 PROTOCOL_VERSION_MISMATCH"
    assert reason(League(Options(game_type="chess")), "Ana") == "Unsupported game"


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("2.0.0", False),
        ("2.1.0", False),
        ("10", False),
        ("league.v2", False),
        ("", False),
        ("1.9.9", True),
        ("0", True),
    ],
)
def test_versions_before_two_are_too_old_and_what_is_no_version_says_nothing(version: str, expected: bool) -> None:
    assert is_too_old(version) is expected


@pytest.mark.parametrize("name", ["", "   ", "\u202e", "\x1b\x00"])
def test_a_name_that_shows_nothing_is_refused(name: str) -> None:
    assert reason(League(), name, at="somewhere") == "Name missing"


def test_A13_what_cannot_be_printed_or_is_too_long_is_not_part_of_a_name() -> None:
    assert clean_name(" \x1b[31mAna\u202e\n") == "[31mAna"
    assert len(clean_name("x" * 1000)) == 64
    assert League().enters("Ana\x07").state.players[0].display_name == "Ana"


def test_A17_names_that_look_the_same_are_the_same() -> None:
    assert name_key("\uff21na") == name_key("ana") == name_key("ANA ")
    assert reason(League().enters("Ana"), "\uff21\uff2e\uff21", at="elsewhere") == "Duplicate name"


def test_A17_a_name_that_mixes_alphabets_is_refused() -> None:
    for mixed in ("\u0410na", "An\u03b1", "\u0391\u0430"):
        assert reason(League(), mixed, at="somewhere") == "Name mixes alphabets"
    for one in ("\u0410\u043d\u043d\u0430 7", "\u0386\u03bd\u03bd\u03b1", "Zo\u00eb-2", "\u6797 Lin", "42"):
        assert not is_mixed(one)


# who asks again


Request = LeagueRegisterRequest | RefereeRegisterRequest


def with_secret(request: Request, secret: str | None, known_as: str | None = None) -> Request:
    """The same request with a secret, from somebody whose token was seen."""
    of = "player_meta" if isinstance(request, LeagueRegisterRequest) else "referee_meta"
    meta = replace(getattr(request, of), registration_secret=secret or UNSET)
    return replace(request, known_as=known_as or UNSET, **{of: meta})


@pytest.mark.parametrize("begins", [False, True])
@pytest.mark.parametrize("request_of", [entering, refereeing])
def test_A9_who_had_a_secret_shows_it_again(request_of: Any, begins: bool) -> None:
    league = League()
    ours = with_secret(request_of("Ivy"), "a secret")
    league.takes(ours).enters("Ana").enters("Bo").referees("Ron")
    if begins:
        league.takes(StartLeague())
    for shown in (None, "another"):
        before = league.state
        answer: Any = league.asks(with_secret(request_of("Ivy"), shown, known_as="player:P01"))
        assert (answer.status, answer.reason) == ("REJECTED", "Duplicate name")
        assert answer.auth_token is None
        assert league.state == before
    answer = league.asks(ours)
    assert answer.status == "ACCEPTED"
    assert answer.manager_proof
    assert "a secret" not in repr(league.state)


@pytest.mark.parametrize(("agent", "request_of"), [("player:P01", entering), ("referee:REF01", refereeing)])
def test_A9_who_had_no_secret_shows_its_token_where_the_league_is_not_local(agent: str, request_of: Any) -> None:
    league = League(Options(trusts_repeats=False)).takes(request_of("Ivy"))
    for known_as in (None, "player:P02"):
        answer: Any = league.asks(with_secret(request_of("Ivy"), "too late", known_as))
        assert (answer.status, answer.reason) == ("REJECTED", "Duplicate name")
    assert cast(Any, league.asks(with_secret(request_of("Ivy"), None, agent))).status == "ACCEPTED"


def test_A9_a_referee_that_is_back_after_the_end_shows_its_secret() -> None:
    league = League().enters("Ana").enters("Bo").takes(with_secret(refereeing("Ron"), "a secret"))
    league.takes(StartLeague()).plays_round()
    assert referee_answer(league, "Ron").reason == "Duplicate name"
    assert cast(Any, league.asks(with_secret(refereeing("Ron"), "a secret"))).referee_id == "REF01"


# referees


def test_A18_referees_are_not_without_number() -> None:
    league = League()
    for number in range(1_000):
        league.referees(f"Ron {number}")
    assert referee_answer(league, "Sue").reason == "League full"


def test_referees_are_numbered_on_their_own() -> None:
    league = League().enters("Ana")
    reply = referee_answer(league, "Ana", at="whistle")
    assert (reply.status, reply.referee_id, reply.league_id) == ("ACCEPTED", "REF01", "league_2025_even_odd")
    assert referee_answer(league, "Ana", at="whistle") == reply
    assert referee_answer(league, "Ana", at="elsewhere").reason == "Duplicate name"
    assert referee_answer(league, "Ron", at="whistle").reason == "Duplicate endpoint"


def test_a_referee_takes_one_match_at_a_time_at_least() -> None:
    league = League().referees("Ron", capacity=-3).referees("Sue", capacity=4).referees("Tom", capacity=10**30)
    assert [referee.capacity for referee in league.state.referees] == [1, 4, 10_000]


# the beginning


def test_a_league_needs_two_players_and_a_referee() -> None:
    league = League().enters("Ana")
    assert league.takes(StartLeague()).one(LeagueError).error_name == "PLAYER_NOT_REGISTERED"
    told = league.enters("Bo").takes(StartLeague()).one(LeagueError)
    assert (told.error_code, told.error_name, told.original_message_type) == (
        "E013",
        "REFEREE_NOT_REGISTERED",
        "START_LEAGUE",
    )
    assert league.phase is Phase.ACCEPTING_REGISTRATIONS


def test_a_started_league_announces_its_first_round() -> None:
    league = League.of("Ana", "Bo", "Cy")
    assert league.phase is Phase.ANNOUNCING_ROUND
    assert league.one(LeagueStatus) == LeagueStatus(
        league_id=LeagueId("league_2025_even_odd"),
        status="running",
        current_round=1,
        total_rounds=3,
        matches_completed=0,
    )
    assert league.armed == {"announcement": 10.0}


def test_who_starts_a_league_twice_is_told_how_far_it_is() -> None:
    league = League.of("Ana", "Bo", "Cy").plays_round()
    before = league.state
    status = league.takes(StartLeague(league_id=league.state.league_id)).one(LeagueStatus)
    assert (status.status, status.current_round, status.matches_completed) == ("running", 2, 1)
    assert league.state == before
    done = League.of("Ana", "Bo").plays_round().takes(StartLeague()).one(LeagueStatus)
    assert (done.status, done.current_round, done.matches_completed) == ("completed", 1, 1)


@pytest.mark.parametrize("league", [League(), League.of("Ana", "Bo"), League.of("Ana", "Bo").plays_round()])
def test_another_league_is_not_started_here(league: League) -> None:
    assert league.refusal(StartLeague(league_id=LeagueId("another"))) == Code.WRONG_LEAGUE


def test_a_league_wants_to_begin_when_the_expected_players_and_a_referee_are_there() -> None:
    options = Options(expected_players=2)
    last_is_player = League(options).referees("Ron").enters("Ana")
    assert wanted(last_is_player.state) is None
    assert last_is_player.refusal(AllAreHere()) == Code.IGNORED
    last_is_player.enters("Bo")
    assert [type(effect) for effect in last_is_player.effects] == [Send], "the last agent has its answer first"
    last_is_referee = League(options).enters("Ana").enters("Bo").referees("Ron")
    for league in (last_is_player, last_is_referee):
        assert league.phase is Phase.ACCEPTING_REGISTRATIONS
        assert wanted(league.state) == AllAreHere()
        assert league.takes(AllAreHere()).phase is Phase.ANNOUNCING_ROUND
        assert [type(effect) for effect in league.effects] == [Send, Send, Arm]
        assert wanted(league.state) is None
    by_command = League().enters("Ana").enters("Bo").referees("Ron")
    assert wanted(by_command.state) is None
    assert by_command.refusal(AllAreHere()) == Code.IGNORED


def test_while_a_league_is_about_to_begin_by_itself_no_other_player_can_enter() -> None:
    league = League(Options(expected_players=2)).enters("Ana").enters("Bo")
    assert answer(league, "Cy").player_id == "P03", "without a referee the league does not begin"
    league = League(Options(expected_players=2)).enters("Ana").enters("Bo").referees("Ron")
    assert reason(league, "Cy") == "Registration closed"
    assert answer(league, "Ana").player_id == "P01"
    assert referee_answer(league, "Sue").referee_id == "REF02"


# while it runs, and afterwards


def test_nobody_new_can_play_in_a_league_that_has_begun() -> None:
    for league in (League.of("Ana", "Bo"), League.of("Ana", "Bo").heard(), League.of("Ana", "Bo").plays_round()):
        assert reason(league, "Cy") == "Registration closed"


def test_A14_a_player_that_comes_back_has_its_place_and_hears_of_the_round_again() -> None:
    league = League.of("Ana", "Bo", "Cy").heard()
    before = league.state
    assert answer(league, "Bo").player_id == "P02"
    assert league.said(RoundAnnouncement).keys() == {"player:P02"}
    assert league.one(RoundAnnouncement).matches[0].match_id == "R1M1"
    assert league.state == before


def test_who_comes_back_after_the_end_hears_of_the_end() -> None:
    league = League.of("Ana", "Bo").plays_round()
    assert answer(league, "Ana").player_id == "P01"
    assert league.said(LeagueCompleted).keys() == {"player:P01"}
    assert referee_answer(league, "Ron").referee_id == "REF01"
    assert league.said(LeagueCompleted).keys() == {"referee:REF01"}
    assert referee_answer(league, "Sue").reason == "Registration closed"


def test_A6_every_agent_is_given_another_proof_of_the_manager() -> None:
    league = League()
    answers: list[Any] = [answer(league, "Ana"), answer(league, "Bo"), referee_answer(league, "Ron")]
    proofs = {each.manager_proof for each in answers}
    assert len(proofs) == 3
    assert proofs.isdisjoint(each.auth_token for each in answers)
    assert answers[1].manager_proof == manager_proof(league.state.secret, Address("player:P02"))
    assert [is_member(league.state, name) for name in ("player:P02", "referee:REF01")] == [True, True]
    strangers = ("player:P03", "referee:REF02", "league_manager", "", "observer:P01")
    assert not any(is_member(league.state, name) for name in strangers)
