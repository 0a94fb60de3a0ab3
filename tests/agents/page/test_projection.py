"""What a league that waits says it waits for."""

from tests.league.manager.managed import REF01, League
from turnstile.agents.page.projection import missing
from turnstile.league.manager.state import MOST_UNANSWERED, AllAreHere, Options


def test_a_league_that_begins_by_itself_counts_who_is_missing() -> None:
    league = League(Options(expected_players=3))
    assert missing(league.state) == "3 more players and a referee"
    assert missing(league.enters("Ana").enters("Bo").state) == "1 more player and a referee"
    assert missing(league.referees("Ron").state) == "1 more player"
    assert missing(league.enters("Cy").state) == "its last agent to listen"
    assert missing(league.takes(AllAreHere()).state) is None


def test_a_referee_may_be_all_that_is_missing() -> None:
    league = League(Options(expected_players=2)).enters("Ana").enters("Bo")
    assert missing(league.state) == "a referee"


def test_a_league_that_is_begun_by_a_command_waits_for_it_when_enough_are_here() -> None:
    league = League()
    assert missing(league.state) == "2 more players and a referee"
    league.enters("Ana").enters("Bo").enters("Cy").referees("Ron")
    assert missing(league.state) == "'turnstile league start'"


def test_a_round_whose_referees_are_all_given_up_waits_for_one() -> None:
    league = League.of("Ana", "Bo").heard()
    assert missing(league.state) is None
    assert missing(league.watches(REF01, MOST_UNANSWERED + 1).state) == "a referee"
    assert missing(league.referees("Sue").plays_round().state) is None
