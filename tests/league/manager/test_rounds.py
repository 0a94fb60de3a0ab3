"""A round from its announcement to its end, and the end of the league."""

from itertools import pairwise

import pytest

from tests.league.manager.managed import REF01, REF02, League, ids
from turnstile.kernel import PlayerId, Send
from turnstile.league.manager.calls import resumed
from turnstile.league.manager.state import (
    AllAreHere,
    AnnouncementExpired,
    AnnouncementLost,
    Code,
    Options,
    Phase,
    player_id,
)
from turnstile.league.protocol.messages import (
    LeagueCompleted,
    LeagueCompletedAck,
    LeagueStandingsUpdate,
    RoundAnnouncement,
    RoundAnnouncementAck,
    RoundCompleted,
)
from turnstile.league.protocol.values import RoundSummary
from turnstile.league.protocol.words import Status

NAMES = [f"player {number}" for number in range(1, 133)]


# announcing


def test_a_round_is_announced_to_its_players_first_with_all_that_there_is_to_know() -> None:
    league = League.of("Ana", "Bo", "Cy")
    assert league.said(RoundAnnouncement).keys() == {"player:P01", "player:P02", "player:P03"}
    announcement = league.said(RoundAnnouncement)["player:P01"]
    assert announcement.round_id == 1
    (match,) = announcement.matches
    assert (match.match_id, match.game_type) == ("R1M1", "even_odd")
    assert (match.player_a_id, match.player_a_endpoint) == ("P02", "http://localhost/Bo/mcp")
    assert (match.player_b_id, match.player_b_endpoint) == ("P03", "http://localhost/Cy/mcp")
    assert (match.referee_id, match.referee_endpoint) == ("REF01", "http://localhost/Ron/mcp")


def test_when_all_players_have_heard_of_it_the_referees_are_told_their_matches() -> None:
    league = League.of("Ana", "Bo", "Cy", "Di", referees=("Ron", "Sue"))
    for player in ids(4)[:-1]:
        league.takes(RoundAnnouncementAck(player_id=player, round_id=1))
        assert league.phase is Phase.ANNOUNCING_ROUND
        assert league.effects == ()
    league.takes(RoundAnnouncementAck(player_id=PlayerId("P04"), round_id=1))
    assert league.phase is Phase.PLAYING_ROUND
    told = league.said(RoundAnnouncement)
    assert {who: [match.match_id for match in told[who].matches] for who in told} == {
        "referee:REF01": ["R1M1"],
        "referee:REF02": ["R1M2"],
    }
    assert league.disarmed == {"announcement"}
    assert league.armed == {"referee REF01": 10.0, "referee REF02": 10.0}


def test_who_cannot_be_reached_is_not_waited_for() -> None:
    league = League.of("Ana", "Bo").misses("P01").misses("P02")
    assert league.phase is Phase.PLAYING_ROUND


def test_P5_after_ten_seconds_the_round_begins_whoever_has_not_answered() -> None:
    league = League.of("Ana", "Bo").waits()
    assert league.phase is Phase.PLAYING_ROUND
    assert league.state.unheard == ()


def test_what_is_about_another_round_or_about_nobody_is_ignored() -> None:
    league = League.of("Ana", "Bo")
    assert league.refusal(RoundAnnouncementAck(player_id=PlayerId("P01"), round_id=2)) == Code.IGNORED
    assert league.refusal(RoundAnnouncementAck(player_id=PlayerId("P09"), round_id=1)) == Code.IGNORED
    assert league.refusal(RoundAnnouncementAck(round_id=1)) == Code.IGNORED
    assert league.refusal(AnnouncementLost(player_id=PlayerId("P01"), round_id=2)) == Code.IGNORED
    assert league.refusal(AnnouncementExpired(round_id=2)) == Code.STALE_TIMER
    league.waits()
    assert league.refusal(RoundAnnouncementAck(player_id=PlayerId("P01"), round_id=1)) == Code.IGNORED


def test_of_a_large_round_everybody_hears_of_its_own_match_alone() -> None:
    league = League.of(*NAMES[:131])
    told = league.said(RoundAnnouncement)
    assert len(told) == 131
    for who, announcement in told.items():
        expected = 0 if who == "player:P01" else 1  # who sits out
        assert len(announcement.matches) == expected
        assert all(who.removeprefix("player:") in (m.player_a_id, m.player_b_id) for m in announcement.matches)
    league.waits()
    assert len(league.one(RoundAnnouncement).matches) == 65, "the only referee has all of them"


def test_matches_go_to_referees_as_they_can_take_them() -> None:
    league = League(Options(expected_players=24)).referees("Ron", capacity=1).referees("Sue", capacity=3)
    league.referees("Tim", capacity=1).referees("Tim", capacity=2)  # who has come back with more
    for name in NAMES[:24]:
        league.enters(name)
    league.takes(AllAreHere())
    assert [referee.load for referee in league.state.referees] == [2, 6, 4]


# the end of a round


def test_after_the_last_result_everybody_is_sent_the_table_and_then_hears_that_the_round_is_over() -> None:
    league = League.of("Ana", "Bo", "Cy").heard().reports("R1M1", "P02")
    assert league.phase is Phase.ANNOUNCING_ROUND
    assert league.state.round_id == 2
    table = league.said(LeagueStandingsUpdate)["player:P01"]
    assert (table.round_id, [row.player_id for row in table.standings]) == (1, ["P02", "P01", "P03"])
    completed = league.said(RoundCompleted)["player:P01"]
    assert (completed.round_id, completed.next_round_id) == (1, 2)
    assert (completed.matches_played, completed.matches_completed) == (1, 1)
    assert completed.summary == RoundSummary(total_matches=1, wins=1, draws=0, technical_losses=0)


def test_to_each_player_the_table_comes_before_the_end_of_the_round_and_that_before_the_next() -> None:
    league = League.of("Ana", "Bo", "Cy").heard().reports("R1M1", "P02")
    for player in ids(3):
        said = [e.message for e in league.effects if isinstance(e, Send) and e.to == f"player:{player}"]
        assert [type(message) for message in said] == [LeagueStandingsUpdate, RoundCompleted, RoundAnnouncement]


def test_a_round_is_summed_up() -> None:
    league = League.of(*NAMES[:8]).heard()
    a = [match.player_a_id for match in league.state.matches]
    league.reports("R1M1", a[0]).reports("R1M2", None).reports("R1M3", a[2], Status.TECHNICAL_LOSS)
    league.reports("R1M4", None, Status.TECHNICAL_LOSS)
    summary = league.said(RoundCompleted)["player:P01"].summary
    assert summary == RoundSummary(total_matches=4, wins=1, draws=1, technical_losses=2)
    assert league.state.finished == ("ADax",)


def test_after_the_last_round_players_and_referees_hear_who_has_won() -> None:
    league = League.of("Ana", "Bo", "Cy", referees=("Ron", "Sue"))
    while league.phase is not Phase.LEAGUE_COMPLETE:
        league.plays_round()
    told = league.said(LeagueCompleted)
    assert told.keys() == {"player:P01", "player:P02", "player:P03", "referee:REF01", "referee:REF02"}
    over = told["referee:REF02"]
    assert (over.total_rounds, over.total_matches) == (3, 3)
    assert over.champion.player_id == over.final_standings[0].player_id
    assert over.champion.display_name == "Ana"
    assert [row.rank for row in over.final_standings] == [1, 2, 3]
    assert league.said(RoundCompleted)["player:P01"].next_round_id is None


def test_of_a_long_table_everybody_is_sent_the_top_and_its_own_row() -> None:
    league = League.of(*NAMES[:130]).plays_round()
    for who, table in league.said(LeagueStandingsUpdate).items():
        ranks = [row.rank for row in table.standings]
        assert ranks[:100] == [*range(1, 101)]
        assert who.removeprefix("player:") in [row.player_id for row in table.standings] or len(ranks) == 100
        assert len(ranks) <= 101
    shown = {row.player_id for who, t in league.said(LeagueStandingsUpdate).items() for row in t.standings[100:]}
    assert len(shown) == 30, "everybody below the top sees itself"


def test_a_league_has_as_many_matches_as_pairs_and_no_referee_is_left_busy() -> None:
    league = League.of(*NAMES[:7], referees=("Ron", "Sue"))
    rounds = []
    while league.phase is not Phase.LEAGUE_COMPLETE:
        rounds.append(league.state.round_id)
        league.plays_round()
    assert rounds == [1, 2, 3, 4, 5, 6, 7]
    assert league.state.matches_completed == 21
    assert all((referee.load, referee.unanswered) == (0, 0) for referee in league.state.referees)


def test_nothing_is_left_to_happen_after_the_end() -> None:
    league = League.of("Ana", "Bo").plays_round()
    assert league.refusal(AnnouncementExpired(round_id=1)) == Code.IGNORED
    assert league.refusal(RoundAnnouncementAck(player_id=PlayerId("P01"), round_id=1)) == Code.IGNORED


# for hosts


def test_only_of_a_player_that_cannot_hear_of_its_round_the_manager_wants_to_know() -> None:
    league = League.of("Ana", "Bo")
    lost = [effect.on_failure for effect in league.effects if isinstance(effect, Send)]
    assert lost == [
        None,  # the answer to START_LEAGUE
        AnnouncementLost(player_id=PlayerId("P01"), round_id=1),
        AnnouncementLost(player_id=PlayerId("P02"), round_id=1),
    ]
    league.waits()
    assert [effect.on_failure for effect in league.effects if isinstance(effect, Send)] == [None]


def test_A15_after_a_restart_what_is_unanswered_is_said_again() -> None:
    league = League.of("Ana", "Bo", "Cy", "Di", referees=("Ron", "Sue"))
    first = [effect for effect in league.effects if isinstance(effect, Send)][1:]
    assert resumed(league.state) == first
    league.misses("P01").misses("P02")
    assert resumed(league.state) == first[2:]
    league.waits()
    calls = [effect for effect in league.effects if isinstance(effect, Send)]
    assert resumed(league.state) == calls
    assert resumed(league.answers(REF01).state) == calls[1:]
    assert resumed(league.answers(REF02).state) == []


def test_after_a_restart_at_the_end_everybody_hears_of_the_end_again() -> None:
    assert resumed(League().state) == []
    league = League.of("Ana", "Bo").plays_round()
    ended = [e for e in league.effects if isinstance(e, Send) and isinstance(e.message, LeagueCompleted)]
    assert resumed(league.state) == ended


@pytest.mark.parametrize("seconds", [0.5, 7.0])
def test_how_long_is_waited_is_an_option(seconds: float) -> None:
    options = Options(announce_seconds=seconds, watch_seconds=2 * seconds)
    league = League.of("Ana", "Bo", options=options)
    assert league.armed == {"announcement": seconds}
    assert league.waits().armed == {"referee REF01": 2 * seconds}


def test_who_has_heard_that_the_league_is_over_is_not_told_again_after_a_restart() -> None:
    league = League.of("Ana", "Bo").heard().reports("R1M1", "P01")
    assert [send.to for send in resumed(league.state)] == ["player:P01", "player:P02", "referee:REF01"]
    league.takes(LeagueCompletedAck(player_id=player_id(1))).takes(LeagueCompletedAck(referee_id=REF01))
    assert [send.to for send in resumed(league.state)] == ["player:P02"]
    assert league.refusal(LeagueCompletedAck(player_id=player_id(1))) == Code.IGNORED
    assert league.refusal(LeagueCompletedAck()) == Code.IGNORED


def test_the_order_of_the_table_is_points_then_wins_then_who_came_first() -> None:
    league = League.of(*NAMES[:8])
    while league.phase is not Phase.LEAGUE_COMPLETE:
        league.heard()
        for number, match in enumerate(league.state.matches):
            league.reports(match.match_id, (None, match.player_a_id, match.player_b_id)[number % 3])
    rows = league.said(LeagueCompleted)["player:P01"].final_standings
    keys = [(-(row.points or 0), -(row.wins or 0), row.player_id) for row in rows]
    assert all(one < other for one, other in pairwise(keys))
