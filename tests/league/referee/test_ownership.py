"""Whose a match is: what a referee that comes back makes of the league manager's answer."""

import pytest
from msgspec.structs import replace

from tests.league.manager import managed
from tests.league.manager.managed import REF01, REF02, League
from turnstile.kernel import Seed, Send, Step
from turnstile.league.manager.calls import announced_match
from turnstile.league.manager.state import Phase as LeaguePhase
from turnstile.league.protocol.messages import LeagueMessage, LeagueQueryResponse, MatchResultAck
from turnstile.league.protocol.values import QueryData, ScheduledMatch, ScheduledRound
from turnstile.league.protocol.words import MatchId, RefereeId, referee_address
from turnstile.league.referee.ownership import Owner, may_go_on, owner_of, schedule_query
from turnstile.league.referee.state import MatchAssigned, Phase

RON, SUE = "http://localhost/Ron/mcp", "http://localhost/Sue/mcp"


def given(league: League, match: str = "R1M1") -> MatchAssigned:
    """A match as its referee was given it."""
    announced = announced_match(league.state, league.match(match))
    return MatchAssigned(league_id=league.state.league_id, round_id=1, match=announced, seed=Seed("1"))


def answer(league: League, referee: RefereeId = REF01) -> LeagueMessage:
    """What the manager tells a referee that asks."""
    step = league.tried(replace(schedule_query(league.state.league_id), sender=referee_address(referee)))
    assert isinstance(step, Step)
    (reply,) = step.effects
    assert isinstance(reply, Send)
    assert isinstance(reply.message, LeagueMessage)
    return reply.message


def test_a_match_that_nobody_else_was_given_is_still_the_referees_own() -> None:
    league = managed.playing()
    assert owner_of(given(league), answer(league), REF01, RON) is Owner.SAME


def test_a_match_that_was_given_to_another_is_the_others() -> None:
    league = managed.playing()
    before = given(league)
    league.watches(REF01, 4)
    assert owner_of(before, answer(league), REF01, RON) is Owner.ANOTHER
    assert owner_of(given(league), answer(league, REF02), REF02, SUE) is Owner.SAME


def test_a_match_that_was_given_away_and_back_is_not_the_one_that_was_begun() -> None:
    league = managed.playing()
    first = given(league)
    league.watches(REF01, 4).heard().watches(REF02, 4).answers(REF01)
    assert owner_of(first, answer(league), REF01, RON) is Owner.SAME_AGAIN
    assert owner_of(given(league), answer(league), REF01, RON) is Owner.SAME


def test_a_match_of_a_round_that_is_over_is_nobodys_to_go_on_with() -> None:
    league = managed.playing()
    before = given(league)
    assert league.plays_round().state.round_id == 2
    assert owner_of(before, answer(league), REF01, RON) is Owner.ANOTHER


def test_after_the_league_a_match_is_its_last_referees() -> None:
    league = League.of("Ana", "Bo", referees=("Ron", "Sue")).heard()
    before = given(league)
    league.watches(REF01, 4).heard()
    assert league.plays_round().phase is LeaguePhase.LEAGUE_COMPLETE
    assert owner_of(before, answer(league), REF01, RON) is Owner.ANOTHER
    assert owner_of(before, answer(league, REF02), REF02, SUE) is Owner.SAME


def test_in_a_large_round_a_match_that_is_not_listed_is_another_referees() -> None:
    league = League.of(*(f"player {number}" for number in range(132)), referees=("Ron", "Sue")).heard()
    assert owner_of(given(league, "R1M1"), answer(league), REF01, RON) is Owner.SAME
    assert owner_of(given(league, "R1M2"), answer(league), REF01, RON) is Owner.ANOTHER


def schedule(*matches: ScheduledMatch, round_id: int = 1) -> LeagueQueryResponse:
    """The answer of a manager that is not ours, and does not tell the current round."""
    rounds = (ScheduledRound(round_id=round_id, matches=matches),)
    return LeagueQueryResponse(success=True, data=QueryData(rounds=rounds))


def listed(**more: str) -> ScheduledMatch:
    named = {"match_id": MatchId("R1M1"), "player_a_id": "P01", "player_b_id": "P04", **more}
    return ScheduledMatch(**named)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "said",
    [
        None,
        MatchResultAck(status="ACCEPTED", match_id=MatchId("R1M1")),
        LeagueQueryResponse(success=False),
        LeagueQueryResponse(success=True, data=QueryData()),
        schedule(listed()),
        schedule(listed(), round_id=2),
    ],
    ids=["nothing", "something else", "no success", "no schedule", "nobody named", "other rounds"],
)
def test_a_manager_that_does_not_say_whose_a_match_is_leaves_it_with_its_referee(said: LeagueMessage | None) -> None:
    assert owner_of(given(managed.playing()), said, REF01, RON) is Owner.SAME


def test_a_referee_that_is_named_by_its_address_alone_is_known_by_it() -> None:
    match = given(managed.playing())
    assert owner_of(match, schedule(listed(referee_endpoint="http://LOCALHOST/Ron/mcp")), REF01, RON) is Owner.SAME
    assert owner_of(match, schedule(listed(referee_endpoint=SUE)), REF01, RON) is Owner.ANOTHER


@pytest.mark.parametrize("phase", Phase)
def test_a_referee_goes_on_with_its_own_and_reports_what_may_have_been_booked(phase: Phase) -> None:
    league = managed.playing()
    first = given(league)
    assert may_go_on(first, phase, answer(league), REF01, RON)
    league.watches(REF01, 4)
    is_reported = phase in (Phase.REPORTING_RESULT, Phase.MATCH_COMPLETE)
    assert may_go_on(first, phase, answer(league), REF01, RON) == is_reported
    league.heard().watches(REF02, 4).answers(REF01)
    assert may_go_on(first, phase, answer(league), REF01, RON) == (phase is Phase.MATCH_COMPLETE)
