"""Questions to the league manager: they are answered at any time, and change nothing."""

import pytest
from msgspec import UNSET

from tests.league.manager import managed
from tests.league.manager.managed import REF01, REF02, League
from turnstile.kernel import PlayerId, Send, Step
from turnstile.league.manager.machine import LAUNCHER
from turnstile.league.manager.state import JSON_RPC_ERRORS, Code, Phase
from turnstile.league.protocol.messages import LeagueQuery, LeagueQueryResponse
from turnstile.league.protocol.values import (
    GET_NEXT_MATCH,
    GET_PLAYER_STATS,
    GET_SCHEDULE,
    GET_STANDINGS,
    GET_STATUS,
    NextMatch,
    QueryData,
    QueryError,
    QueryParams,
)
from turnstile.league.protocol.words import Address, LeagueId

NAMES = [f"player {number}" for number in range(1, 133)]


def about(*players: str) -> QueryParams:
    return QueryParams(player_ids=tuple(map(PlayerId, players)))


def of_player(player: str) -> QueryParams:
    return QueryParams(player_id=PlayerId(player))


def data(answer: LeagueQueryResponse) -> QueryData:
    assert answer.success
    assert isinstance(answer.data, QueryData)
    assert answer.error is UNSET
    return answer.data


def error(answer: LeagueQueryResponse) -> tuple[str, str]:
    assert not answer.success
    assert isinstance(answer.error, QueryError)
    assert answer.data is UNSET
    return answer.error.error_code, answer.error.error_description


def after_one_round() -> League:
    """Three players; P02 has won R1M1 against P03, and P01 was out."""
    return League.of("Ana", "Bo", "Cy").heard().reports("R1M1", "P02")


# standings


def test_the_standings_stand_in_the_data_and_beside_it() -> None:
    answer = after_one_round().query(GET_STANDINGS)
    assert [(row.rank, row.player_id, row.display_name, row.points) for row in answer.standings] == [
        (1, "P02", "Bo", 3),
        (2, "P01", "Ana", 0),
        (3, "P03", "Cy", 0),
    ]
    assert (answer.current_round, answer.query_type) == (2, GET_STANDINGS)
    assert data(answer) == QueryData(standings=answer.standings, current_round=2)


def test_a_referee_asks_for_the_rows_of_its_players_alone() -> None:
    league = after_one_round()
    answer = league.query(GET_STANDINGS, "referee:REF01", query_params=about("P03", "P02", "P09", "nobody"))
    assert [(row.player_id, row.rank) for row in answer.standings] == [("P02", 1), ("P03", 3)]


def test_before_the_league_begins_nobody_has_points() -> None:
    league = League().enters("Ana").enters("Bo")
    assert [(row.rank, row.points) for row in league.query(GET_STANDINGS).standings] == [(1, 0), (2, 0)]
    assert [row.rank for row in league.query(GET_STANDINGS, query_params=about("P02")).standings] == [2]


@pytest.mark.parametrize("asking", ["player:P130", "referee:REF01"])
def test_of_a_long_table_the_top_is_told_and_the_row_of_whoever_asks(asking: str) -> None:
    league = League.of(*NAMES[:130])
    told = [row.player_id for row in league.query(GET_STANDINGS, asking).standings]
    assert told == [f"P{number:02}" for number in range(1, 101)] + ["P130"] * (asking == "player:P130")


# the schedule


def test_the_schedule_is_known_when_the_league_has_begun() -> None:
    assert data(League().enters("Ana").enters("Bo").query(GET_SCHEDULE)).rounds == ()
    rounds = data(after_one_round().query(GET_SCHEDULE)).rounds
    assert rounds is not UNSET
    assert [(each.round_id, [match.match_id for match in each.matches]) for each in rounds] == [
        (1, ["R1M1"]),
        (2, ["R2M1"]),
        (3, ["R3M1"]),
    ]
    assert [each.matches[0].referee_id for each in rounds] == ["REF01", "REF01", None], "of rounds that have begun"


def test_one_round_of_the_schedule() -> None:
    league = after_one_round()
    for wanted, expected in ((3, [3]), (4, []), (None, [1, 2, 3])):
        rounds = data(league.query(GET_SCHEDULE, query_params=QueryParams(round_id=wanted))).rounds
        assert rounds is not UNSET
        assert [each.round_id for each in rounds] == expected


def test_of_a_long_schedule_the_current_round_is_told_and_of_a_large_round_the_own_match() -> None:
    long = League.of(*NAMES[:24])
    rounds = data(long.query(GET_SCHEDULE)).rounds
    assert rounds is not UNSET
    assert [(each.round_id, len(each.matches)) for each in rounds] == [(1, 12)]
    large = League.of(*NAMES[:131])
    for asking, expected in (("player:P05", 1), ("player:P01", 0), ("launcher", 0)):  # P01 sits out
        (only,) = data(large.query(GET_SCHEDULE, asking)).rounds or ()
        assert len(only.matches) == expected
        assert all("P05" in (match.player_a_id, match.player_b_id) for match in only.matches)


def test_of_a_large_round_a_referee_is_told_its_own_matches() -> None:
    large = League.of(*NAMES[:131], referees=("Ron", "Sue"))
    for asking in (REF01, REF02):
        (only,) = data(large.query(GET_SCHEDULE, f"referee:{asking}")).rounds or ()
        own = [match.match_id for match in large.state.matches if match.referee_id == asking]
        assert [match.match_id for match in only.matches] == own
    (later,) = data(large.query(GET_SCHEDULE, "referee:REF01", query_params=QueryParams(round_id=2))).rounds or ()
    assert later.matches == ()


def test_the_schedule_tells_who_has_a_match_and_how_often_it_was_given_to_another() -> None:
    league = managed.playing()
    (first, *_) = data(league.query(GET_SCHEDULE, "referee:REF01")).rounds or ()
    assert [(match.referee_id, match.reassignments) for match in first.matches] == [(REF01, UNSET), (REF02, UNSET)]
    league.watches(REF01, 4)
    (first, *_) = data(league.query(GET_SCHEDULE, "referee:REF01")).rounds or ()
    assert [(match.referee_id, match.reassignments) for match in first.matches] == [(REF02, 1), (REF02, UNSET)]


# the next match


def test_the_next_match_is_the_first_without_a_result() -> None:
    league = League.of("Ana", "Bo", "Cy")
    assert data(league.query(GET_NEXT_MATCH, "player:P02")).next_match == NextMatch(
        match_id=league.state.matches[0].match_id,
        round_id=1,
        opponent_id=PlayerId("P03"),
        referee_endpoint="http://localhost/Ron/mcp",
    )
    out = data(league.query(GET_NEXT_MATCH, "player:P01")).next_match
    assert isinstance(out, NextMatch)
    assert (out.round_id, out.opponent_id, out.referee_endpoint) == (2, "P03", None), "P01 sits out in the first round"


def test_a_match_that_is_booked_is_not_the_next() -> None:
    league = League.of("Ana", "Bo", "Cy", "Di").heard().reports("R1M1", None)
    upcoming = data(league.query(GET_NEXT_MATCH)).next_match
    assert isinstance(upcoming, NextMatch)
    assert upcoming.round_id == 2


def test_before_and_after_the_league_there_is_no_next_match() -> None:
    before, after = League().enters("Ana").enters("Bo"), League.of("Ana", "Bo").plays_round()
    assert after.phase is Phase.LEAGUE_COMPLETE
    assert data(before.query(GET_NEXT_MATCH)).next_match is None
    assert data(after.query(GET_NEXT_MATCH)).next_match is None


# a player


def test_the_row_of_a_player() -> None:
    told = data(after_one_round().query(GET_PLAYER_STATS, query_params=of_player("P02")))
    assert (told.rank, told.player_id, told.display_name, told.played) == (1, "P02", "Bo", 1)
    assert (told.wins, told.draws, told.losses, told.points) == (1, 0, 0, 3)


def test_without_a_player_the_question_is_about_whoever_asks() -> None:
    assert data(after_one_round().query(GET_PLAYER_STATS, "player:P03")).player_id == "P03"


@pytest.mark.parametrize("kind", [GET_PLAYER_STATS, GET_NEXT_MATCH])
def test_a_question_about_nobody_has_no_answer(kind: str) -> None:
    league = after_one_round()
    assert error(league.query(kind, "referee:REF01")) == ("E003", "MISSING_REQUIRED_FIELD")
    assert error(league.query(kind, query_params=of_player("P09"))) == ("E005", "PLAYER_NOT_REGISTERED")


# the league


def test_how_far_the_league_is() -> None:
    told = data(after_one_round().query(GET_STATUS))
    assert told == QueryData(status="running", current_round=2, total_rounds=3, matches_completed=1)
    assert data(League().query(GET_STATUS)).status == "pending"


def test_an_unknown_question_has_no_answer() -> None:
    assert error(League().query("GET_LUCKY")) == ("6002", "UNKNOWN_QUERY_TYPE")


def test_a_question_about_another_league_is_refused() -> None:
    for league in (League(), after_one_round()):
        assert league.refusal(LeagueQuery(league_id=LeagueId("another"))) == Code.WRONG_LEAGUE
    assert JSON_RPC_ERRORS[Code.WRONG_LEAGUE] == 6003


def test_whoever_asks_without_a_name_is_answered_in_its_exchange() -> None:
    step = League().tried(LeagueQuery(league_id=League().state.league_id, query_type=GET_STATUS))
    assert isinstance(step, Step)
    assert [effect.to for effect in step.effects if isinstance(effect, Send)] == [LAUNCHER]
    assert Address("launcher") == LAUNCHER
