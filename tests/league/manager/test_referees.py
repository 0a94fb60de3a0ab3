"""Referees that do not answer, answer without ever sending a result, die, and come back."""

from msgspec import UNSET
from msgspec.structs import replace

from tests.league.manager.managed import REF01, REF02, League
from turnstile.kernel import PlayerId
from turnstile.league.manager.calls import expiry_of, resumed
from turnstile.league.manager.state import PERIODS_OF_A_MATCH, Code, Options, Phase
from turnstile.league.proofs.manager import refereeing
from turnstile.league.protocol.management import Ping, RefereeRegisterResponse
from turnstile.league.protocol.messages import MatchResultAck, RoundAnnouncement, RoundAnnouncementAck
from turnstile.league.protocol.words import RefereeId


def playing(*referees: str) -> League:
    return League.of("Ana", "Bo", "Cy", "Di", referees=referees).heard()


def told_to(league: League) -> dict[str, list[str]]:
    """Whom a round was announced to in the last step, and with which matches."""
    return {who: [match.match_id for match in a.matches] for who, a in league.said(RoundAnnouncement).items()}


# watching


def test_a_referee_that_has_not_answered_is_told_its_matches_again() -> None:
    league = playing("Ron").watches(REF01)
    assert told_to(league) == {"referee:REF01": ["R1M1", "R1M2"]}
    assert league.armed == {"referee REF01": 10.0}


def test_a_referee_that_has_answered_is_only_asked_whether_it_is_there() -> None:
    """Not every referee knows a round that it is told twice from a new one."""
    league = playing("Ron").answers(REF01).watches(REF01)
    assert list(league.said(Ping)) == ["referee:REF01"]
    assert told_to(league) == {}
    assert league.armed == {"referee REF01": 10.0}


def test_a_referee_that_does_not_answer_that_is_told_its_matches_again() -> None:
    league = playing("Ron").reports("R1M1", "P01").watches(REF01, 2)
    assert told_to(league) == {"referee:REF01": ["R1M2"]}


def test_a_referee_that_answers_and_sends_no_result_is_told_its_matches_when_they_should_be_over() -> None:
    league = playing("Ron")
    for period in range(1, PERIODS_OF_A_MATCH + 1):
        league.answers(REF01).watches(REF01)
        assert bool(told_to(league)) == (period == PERIODS_OF_A_MATCH)


def test_a_result_is_a_sign_of_life() -> None:
    league = playing("Ron").watches(REF01, 2).reports("R1M1", "P01")
    assert league.armed == {"referee REF01": 10.0}
    assert (league.referee(REF01).unanswered, league.referee(REF01).periods) == (0, 0)


def test_who_has_nothing_left_to_do_is_not_watched() -> None:
    league = playing("Ron", "Sue").reports("R1M1", "P01")
    assert league.disarmed == {"referee REF01"}


def test_T5_a_timer_that_is_past_is_refused() -> None:
    league = playing("Ron", "Sue")
    past = expiry_of(league.state, league.referee(REF01))
    league.watches(REF01)
    assert league.refusal(past) == Code.STALE_TIMER
    done = playing("Ron", "Sue").reports("R1M1", "P01")
    assert done.refusal(past) == Code.STALE_TIMER
    assert done.refusal(expiry_of(done.state, done.referee(REF01))) == Code.STALE_TIMER
    strange = type(past)(referee_id=RefereeId("REF09"), round_id=1, periods=0)
    assert league.refusal(strange) == Code.STALE_TIMER


def test_an_answer_that_nobody_waits_for_is_ignored() -> None:
    league = playing("Ron").answers(REF01)
    assert league.refusal(RoundAnnouncementAck(referee_id=REF01, round_id=1)) == Code.IGNORED
    assert league.refusal(RoundAnnouncementAck(referee_id=REF02, round_id=1)) == Code.IGNORED
    assert league.watches(REF01).refusal(RoundAnnouncementAck(referee_id=REF01, round_id=2)) == Code.IGNORED


# giving up


def test_after_four_calls_without_an_answer_another_referee_takes_over() -> None:
    league = playing("Ron", "Sue")
    assert league.watches(REF01, 3).phase is Phase.PLAYING_ROUND
    assert league.watches(REF01).phase is Phase.ANNOUNCING_ROUND
    assert [match.referee_id for match in league.state.matches] == [REF02, REF02]
    assert not league.referee(REF01).is_up


def test_a_referee_that_answers_now_and_then_is_not_given_up_for_it() -> None:
    league = playing("Ron", "Sue")
    for _ in range(8):
        league.watches(REF01, 3).answers(REF01)
    assert league.referee(REF01).is_up


def test_a_referee_that_answers_but_sends_no_result_is_given_up_after_25_periods() -> None:
    league = playing("Ron", "Sue")
    for _ in range(24):
        league.answers(REF01).watches(REF01)
    assert league.phase is Phase.PLAYING_ROUND
    league.answers(REF01).watches(REF01)
    assert not league.referee(REF01).is_up


def test_the_players_concerned_hear_of_the_new_referee_before_it_does() -> None:
    league = playing("Ron", "Sue").watches(REF01, 4)
    match = league.match("R1M1")
    assert told_to(league).keys() == {f"player:{match.player_a_id}", f"player:{match.player_b_id}"}
    entry = league.said(RoundAnnouncement)[f"player:{match.player_a_id}"].matches[0]
    assert (entry.match_id, entry.referee_id, entry.referee_endpoint) == ("R1M1", REF02, "http://localhost/Sue/mcp")
    assert league.disarmed == {"referee REF01", "referee REF02"}, "nobody is watched until the players have heard"
    league.heard()
    assert told_to(league) == {"referee:REF02": ["R1M1", "R1M2"]}


def revisions(league: League) -> set[object]:
    """How the announcements of the last step are numbered."""
    return {announced.revision for announced in league.said(RoundAnnouncement).values()}


def test_every_announcement_that_replaces_another_has_a_higher_revision() -> None:
    league = League.of("Ana", "Bo", "Cy", "Di", referees=("Ron", "Sue"))
    assert revisions(league) == {UNSET}, "as long as no referee is lost, the message is that of the protocol"
    assert revisions(league.heard().watches(REF01, 4)) == {1}
    assert {send.message.revision for send in resumed(league.state)} == {1}  # type: ignore[attr-defined]
    assert revisions(league.enters("Cy")) == {1}, "who has been away hears the latest"
    assert revisions(league.heard()) == {1}
    league.watches(REF02, 4)
    assert (league.phase, league.state.revision) == (Phase.WAITING_FOR_REFEREE, 1)
    assert revisions(league.answers(REF01)) == {2}


def test_a_match_is_announced_with_the_number_of_times_it_was_given_to_another_referee() -> None:
    league = playing("Ron", "Sue")

    def told(league: League) -> dict[str, object]:
        """Of every match announced in the last step, its number."""
        entries = (entry for said in league.said(RoundAnnouncement).values() for entry in said.matches)
        return {entry.match_id: entry.reassignments for entry in entries}

    assert told(league) == {"R1M1": UNSET, "R1M2": UNSET}
    assert told(league.watches(REF01, 4)) == {"R1M1": 1, "R1M2": UNSET}
    league.heard().watches(REF02, 4)
    assert league.phase is Phase.WAITING_FOR_REFEREE
    assert told(league.answers(REF01)) == {"R1M1": 2, "R1M2": 1}, "it was given away and back"
    assert told(league.heard()) == {"R1M1": 2, "R1M2": 1}
    assert {entry.times_reassigned for entry in league.said(RoundAnnouncement)["referee:REF01"].matches} == {1, 2}


def test_a_match_that_its_referee_keeps_was_given_to_nobody_else() -> None:
    league = playing("Ron").watches(REF01, 4)
    assert league.phase is Phase.WAITING_FOR_REFEREE
    league.answers(REF01)
    assert {entry.reassignments for entry in league.said(RoundAnnouncement)["player:P01"].matches} == {UNSET}


def test_the_next_round_begins_without_a_revision() -> None:
    league = playing("Ron", "Sue").watches(REF01, 4).heard().plays_round()
    assert (league.state.round_id, league.state.revision) == (2, 0)
    assert revisions(league) == {UNSET}


def test_results_of_other_matches_count_while_a_match_is_announced_again() -> None:
    league = playing("Ron", "Sue").watches(REF01, 4).reports("R1M2", None)
    assert league.phase is Phase.ANNOUNCING_ROUND
    assert league.armed == {}
    league.reports("R1M1", None)
    assert league.state.round_id == 2
    assert "announcement" in league.disarmed


def test_an_answer_counts_while_a_match_is_announced_again() -> None:
    league = playing("Ron", "Sue").watches(REF01, 4)
    assert league.referee(REF02).unanswered == 1
    assert league.answers(REF02).referee(REF02).unanswered == 0


def test_a_match_that_is_booked_stays_with_its_referee() -> None:
    league = playing("Ron").referees("Sue").reports("R1M1", None).watches(REF01, 5)
    assert [match.referee_id for match in league.state.matches] == [REF01, REF02]
    assert [referee.load for referee in league.state.referees] == [0, 1]


def test_who_was_given_up_has_no_say_any_more() -> None:
    league = playing("Ron", "Sue").watches(REF01, 4)
    assert league.refusal(league.report("R1M1", None, by=REF01)) == Code.WRONG_REFEREE


def test_who_was_given_up_has_no_matches_in_the_next_round() -> None:
    league = playing("Ron", "Sue").watches(REF01, 4).heard().plays_round()
    assert {match.referee_id for match in league.state.matches} == {REF02}


# without any referee


def alone() -> League:
    """A league whose only referee has been given up."""
    return playing("Ron").watches(REF01, 4)


def test_without_any_referee_the_round_waits_and_all_referees_are_called_on() -> None:
    league = playing("Ron", "Sue").watches(REF01, 4).heard().watches(REF02, 3)
    assert league.phase is Phase.WAITING_FOR_REFEREE
    assert league.armed == {"referee REF01": 10.0, "referee REF02": 10.0}
    before = league.state
    for _ in range(100):
        assert told_to(league.watches(REF01)) == {"referee:REF01": []}
        assert told_to(league.watches(REF02)) == {"referee:REF02": ["R1M1", "R1M2"]}
        assert league.armed == {"referee REF02": 10.0}
    assert league.state == before
    assert [send.to for send in resumed(league.state)] == ["referee:REF01", "referee:REF02"]


def test_a_referee_that_answers_after_all_is_back_and_has_all_matches() -> None:
    league = playing("Ron", "Sue").watches(REF01, 4).heard().watches(REF02, 3).answers(REF01)
    assert league.phase is Phase.ANNOUNCING_ROUND
    assert league.disarmed == {"referee REF01", "referee REF02"}
    assert told_to(league.heard()) == {"referee:REF01": ["R1M1", "R1M2"]}


def test_while_the_round_waits_what_is_past_or_of_nobody_is_refused() -> None:
    league = alone()
    expiry = expiry_of(league.state, league.referee(REF01))
    assert league.refusal(replace(expiry, round_id=2)) == Code.STALE_TIMER
    assert league.refusal(replace(expiry, referee_id=REF02)) == Code.STALE_TIMER
    assert league.refusal(RoundAnnouncementAck(referee_id=REF01, round_id=2)) == Code.IGNORED
    assert league.refusal(RoundAnnouncementAck(player_id=PlayerId("P01"), round_id=1)) == Code.IGNORED


def test_a_new_referee_takes_over_a_round_that_waits() -> None:
    league = alone().referees("Sue")
    assert league.phase is Phase.ANNOUNCING_ROUND
    assert league.one(RefereeRegisterResponse).referee_id == REF02
    assert {match.referee_id for match in league.state.matches} == {REF02}
    assert told_to(league.heard()) == {"referee:REF02": ["R1M1", "R1M2"]}


def test_A14_a_referee_that_is_back_has_its_matches_again() -> None:
    league = alone().referees("Ron")
    assert league.one(RefereeRegisterResponse).referee_id == REF01
    assert told_to(league.heard()) == {"referee:REF01": ["R1M1", "R1M2"]}


def test_a_referee_whose_result_comes_after_all_is_back() -> None:
    league = alone().reports("R1M1", "P01")
    assert league.one(MatchResultAck).status == "ACCEPTED"
    assert league.phase is Phase.ANNOUNCING_ROUND
    assert league.referee(REF01).is_up
    assert told_to(league.heard()) == {"referee:REF01": ["R1M2"]}


def test_a_last_result_that_comes_after_all_ends_the_round() -> None:
    league = League.of("Ana", "Bo").heard().watches(REF01, 4).reports("R1M1", "P01")
    assert league.phase is Phase.LEAGUE_COMPLETE


def test_what_is_booked_is_acknowledged_while_the_round_waits_and_changes_nothing() -> None:
    league = playing("Ron").reports("R1M1", "P01").watches(REF01, 5)  # four of them after a call
    before = league.state
    assert league.reports("R1M1", "P01").one(MatchResultAck).match_id == "R1M1"
    assert league.state == before
    assert before.phase is Phase.WAITING_FOR_REFEREE


def test_who_may_not_referee_does_not_end_the_waiting() -> None:
    league = alone().referees("Eve", at="Ana")
    assert league.one(RefereeRegisterResponse).reason == "Duplicate endpoint"
    assert league.phase is Phase.WAITING_FOR_REFEREE


def test_of_two_referees_that_are_gone_the_one_that_is_back_has_all_matches() -> None:
    league = playing("Ron", "Sue").watches(REF01, 4).heard().watches(REF02, 3)
    assert league.phase is Phase.WAITING_FOR_REFEREE
    league.referees("Ron").heard()
    assert told_to(league) == {"referee:REF01": ["R1M1", "R1M2"]}
    assert league.referee(REF02).load == 0


# coming back while the round goes on


def test_a_referee_that_registers_again_is_told_its_matches_again() -> None:
    league = playing("Ron", "Sue").watches(REF01, 3).referees("Ron")
    assert league.one(RefereeRegisterResponse).referee_id == REF01
    assert told_to(league) == {"referee:REF01": ["R1M1"]}
    assert (league.referee(REF01).unanswered, league.referee(REF01).periods) == (1, 0)
    assert league.armed == {"referee REF01": 10.0}


def test_a_referee_that_was_given_up_can_come_back_and_wait_for_the_next_round() -> None:
    league = playing("Ron", "Sue").watches(REF01, 4).heard().referees("Ron")
    assert league.referee(REF01).is_up
    assert told_to(league) == {}
    league.plays_round()
    assert {match.referee_id for match in league.state.matches} == {REF01, REF02}


def test_a_new_referee_has_matches_in_the_next_round() -> None:
    league = playing("Ron").referees("Sue")
    assert league.effects == (league.effects[0],)
    assert {match.referee_id for match in league.plays_round().state.matches} == {REF01, REF02}


def test_a_referee_that_comes_while_a_round_is_announced_is_told_when_the_players_have_heard() -> None:
    league = League.of("Ana", "Bo").referees("Ron")
    assert told_to(league) == {}
    assert told_to(league.heard()) == {"referee:REF01": ["R1M1"]}


def test_who_may_not_referee_is_told_so_at_any_time() -> None:
    for league in (League(), League.of("Ana", "Bo"), playing("Ron")):
        before = league.takes(refereeing("Ron")).state
        assert league.referees("Eve", at="Ron").one(RefereeRegisterResponse).reason == "Duplicate endpoint"
        assert league.state == before


def test_how_patient_the_manager_is_is_an_option() -> None:
    options = Options(most_unanswered=1, most_periods=2)
    league = League.of("Ana", "Bo", options=options).heard().answers(REF01).watches(REF01)
    assert league.phase is Phase.PLAYING_ROUND
    assert league.answers(REF01).watches(REF01).phase is Phase.WAITING_FOR_REFEREE
    assert League.of("Ana", "Bo", options=options).heard().watches(REF01).phase is Phase.WAITING_FOR_REFEREE
