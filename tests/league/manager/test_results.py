"""Results: what is believed, what is refused, and that everything counts exactly once."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.league.manager.managed import REF01, REF02, League
from turnstile.games.evenodd import Parity
from turnstile.kernel import ByPlayer, PlayerId, Step
from turnstile.league.manager.standings import standings, tally_of
from turnstile.league.manager.state import (
    JSON_RPC_ERRORS,
    MOST_REFEREES,
    Code,
    LeagueMatch,
    MatchOutcome,
    Options,
    Phase,
    referee_id,
    referee_letter,
    referee_with,
)
from turnstile.league.proofs.manager import entering, refereeing
from turnstile.league.proofs.manager_invariants import violation
from turnstile.league.protocol.management import RefereeRegisterRequest, StartLeague
from turnstile.league.protocol.messages import LeagueCompleted, LeagueRegisterRequest, MatchResultAck, MatchResultReport
from turnstile.league.protocol.values import ReportDetails, ReportedResult, Tally
from turnstile.league.protocol.words import Address, LeagueId, MatchId, Status


def playing() -> League:
    """Four players and two referees; R1M1 is P01 against P04 with REF01, R1M2 P02 against P03 with REF02."""
    return League.of("Ana", "Bo", "Cy", "Di", referees=("Ron", "Sue")).heard()


def told(league: League, match: str = "R1M1", **result: object) -> MatchResultReport:
    """A report with a result of any form."""
    return replace(league.report(match, None), result=ReportedResult(**result))  # type: ignore[arg-type]


# booking


def test_a_result_is_booked_and_acknowledged() -> None:
    league = playing().reports("R1M1", "P01", Status.WIN)
    assert league.said(MatchResultAck) == {
        "referee:REF01": MatchResultAck(status="ACCEPTED", match_id=MatchId("R1M1"), round_id=1)
    }
    assert league.match("R1M1").outcome is MatchOutcome.A_WON
    assert league.tally("P01") == Tally(wins=1, points=3)
    assert league.tally("P04") == Tally(losses=1)


def test_a_draw_is_a_point_each() -> None:
    league = playing().reports("R1M1", None, Status.DRAW)
    assert league.tally("P01") == league.tally("P04") == Tally(draws=1, points=1)


def test_a_technical_loss_is_a_loss_and_a_win_for_the_other() -> None:
    league = playing().reports("R1M1", "P04", Status.TECHNICAL_LOSS)
    assert league.match("R1M1").outcome is MatchOutcome.B_BY_DEFAULT
    assert league.tally("P04") == Tally(wins=1, points=3)
    assert league.tally("P01") == Tally(losses=1, technical_losses=1)


def test_where_both_are_at_fault_both_have_lost() -> None:
    league = playing().reports("R1M1", None, Status.TECHNICAL_LOSS)
    assert league.tally("P01") == league.tally("P04") == Tally(losses=1, technical_losses=1)


@pytest.mark.parametrize("nobody", [None, ""])
def test_without_a_winner_and_a_status_it_is_a_draw(nobody: str | None) -> None:
    assert playing().reports("R1M1", nobody).match("R1M1").outcome is MatchOutcome.DRAW


def test_with_a_winner_and_without_a_status_it_is_a_win() -> None:
    assert playing().reports("R1M1", "P04").match("R1M1").outcome is MatchOutcome.B_WON


def test_a_score_cannot_bend_the_standings() -> None:
    league = playing()
    league.takes(told(league, winner="P01", score=ByPlayer({PlayerId("P01"): 0, PlayerId("P04"): 99})))
    assert (league.tally("P01").points, league.tally("P04").points) == (3, 0)


# once


def test_C3_the_same_result_again_is_acknowledged_again_and_counts_once() -> None:
    league = playing().reports("R1M1", "P01")
    before, ack = league.state, league.one(MatchResultAck)
    assert league.reports("R1M1", "P01", Status.WIN).one(MatchResultAck) == ack
    assert league.state == before


def test_another_result_for_a_match_that_is_booked_is_refused() -> None:
    league = playing().reports("R1M1", "P01")
    for winner, status in ((None, None), ("P04", None), ("P01", Status.TECHNICAL_LOSS)):
        assert league.refusal(league.report("R1M1", winner, status)) == Code.ALREADY_REPORTED
    assert JSON_RPC_ERRORS[Code.ALREADY_REPORTED] == 5003


def test_a_result_of_a_round_that_is_over_is_acknowledged_again_or_refused() -> None:
    league = playing().reports("R1M1", "P01").reports("R1M2", None)
    assert league.state.round_id == 2
    before = league.state
    assert league.reports("R1M1", "P01").one(MatchResultAck).round_id == 1
    assert league.state == before
    assert league.refusal(league.report("R1M2", "P02")) == Code.ALREADY_REPORTED


def test_a_result_of_a_round_that_is_over_is_acknowledged_to_the_referee_that_had_the_match_and_to_no_other() -> None:
    league = playing().reports("R1M1", "P01").reports("R1M2", None)
    assert league.refusal(league.report("R1M1", "P01", by=REF02)) == Code.WRONG_REFEREE
    assert league.refusal(league.report("R1M2", None, by=REF01)) == Code.WRONG_REFEREE
    assert league.takes(league.report("R1M2", None, by=REF02)).one(MatchResultAck).match_id == "R1M2"


def test_after_the_league_a_result_is_acknowledged_to_the_referee_that_had_the_match_and_to_no_other() -> None:
    league = League.of("Ana", "Bo", referees=("Ron", "Sue")).plays_round()
    assert league.phase is Phase.LEAGUE_COMPLETE
    assert league.refusal(league.report("R1M1", "P01", by=REF02)) == Code.WRONG_REFEREE


def test_a_match_that_changed_its_referee_counts_for_the_last_one_after_its_round() -> None:
    league = playing().watches(REF01, 4).heard().reports("R1M1", "P01").reports("R1M2", None)
    assert league.state.round_id == 2
    assert league.refusal(league.report("R1M1", "P01", by=REF01)) == Code.WRONG_REFEREE
    assert league.takes(league.report("R1M1", "P01", by=REF02)).one(MatchResultAck).match_id == "R1M1"


def test_the_thousandth_referee_is_remembered_as_well_as_the_first() -> None:
    everybody = [referee_id(number) for number in range(1, MOST_REFEREES + 1)]
    envelopes = [referee_letter(referee) for referee in everybody]
    assert [*map(referee_with, envelopes)] == everybody
    assert {*map(len, envelopes)} == {1}


def test_after_the_end_results_are_acknowledged_again_or_refused() -> None:
    league = League.of("Ana", "Bo").plays_round()
    assert league.reports("R1M1", "P01").one(MatchResultAck).status == "ACCEPTED"
    assert league.refusal(league.report("R1M1", None)) == Code.ALREADY_REPORTED


# who, and which match


def test_A6_only_the_referee_of_a_match_is_believed() -> None:
    league = playing()
    assert league.refusal(league.report("R1M1", "P01", by=REF02)) == Code.WRONG_REFEREE
    report = league.report("R1M1", "P01")
    for sender in ("player:P01", "player:REF01", "referee:REF09", "league_manager"):
        assert league.refusal(replace(report, sender=Address(sender))) == Code.WRONG_REFEREE
    nobody = MatchResultReport(league_id=report.league_id, round_id=1, match_id=report.match_id, result=report.result)
    assert league.refusal(nobody) == Code.WRONG_REFEREE
    assert JSON_RPC_ERRORS[Code.WRONG_REFEREE] == 5002


@pytest.mark.parametrize(
    "match", ["R1M3", "R2M1", "R1M0", "R0M1", "R1M01", "R1M", "RM1", "M1", "", "R1M\u0661", "R1M-1"]
)
def test_a_match_that_is_not_played_now_or_ever_is_unknown(match: str) -> None:
    league = playing()
    report = replace(league.report("R1M1", "P01"), match_id=MatchId(match))
    assert league.refusal(report) == Code.MATCH_NOT_FOUND
    assert league.refusal(replace(report, round_id=2)) == Code.MATCH_NOT_FOUND
    assert JSON_RPC_ERRORS[Code.MATCH_NOT_FOUND] == 5002


def test_a_match_of_another_league_or_another_round_is_unknown_and_another_game_is_no_result() -> None:
    league = playing()
    report = league.report("R1M1", "P01")
    assert league.refusal(replace(report, league_id=LeagueId("another"))) == Code.MATCH_NOT_FOUND
    assert league.refusal(replace(report, round_id=2)) == Code.MATCH_NOT_FOUND
    assert league.refusal(replace(report, game_type="chess")) == Code.INVALID_RESULT


def test_before_the_league_begins_nothing_is_reported() -> None:
    assert League().refusal(League().report("R1M1", None)) == Code.IGNORED


def test_the_result_of_a_course_before_a_match_was_given_away_and_back_is_refused() -> None:
    league = playing().watches(REF01, 4).heard().watches(REF02, 4).answers(REF01)
    assert (league.match("R1M1").referee_id, league.match("R1M1").reassignments) == (REF01, 2)
    for number in (0, 1, 3):
        early = told(league, winner="P01", details=ReportDetails(reassignments=number))
        assert league.refusal(early) == Code.WRONG_REFEREE
    for details in (ReportDetails(reassignments=2), ReportDetails()):  # not every referee counts
        assert isinstance(league.tried(told(league, winner="P01", details=details)), Step)
    booked = told(league, winner="P01", details=ReportDetails(reassignments=2))
    assert league.takes(booked).takes(booked).one(MatchResultAck).status == "ACCEPTED"


# what


@pytest.mark.parametrize(
    ("winner", "status"),
    [("P02", None), ("P09", Status.WIN), ("p01", None), (None, Status.WIN), ("DRAW", Status.WIN), ("P01", Status.DRAW)],
)
def test_a_result_that_cannot_be_is_refused(winner: str | None, status: Status | None) -> None:
    league = playing()
    assert league.refusal(league.report("R1M1", winner, status)) == Code.INVALID_RESULT


def chosen(a: Parity | None, b: Parity | None, number: int | None = 7) -> ReportDetails:
    choices = ByPlayer({PlayerId("P01"): a, PlayerId("P04"): b})
    return ReportDetails(drawn_number=number, choices=choices)


def test_a_result_that_the_number_and_the_choices_contradict_is_refused() -> None:
    league = playing()
    won_by_a = chosen(Parity.ODD, Parity.EVEN)
    assert league.refusal(told(league, winner="P04", details=won_by_a)) == Code.INVALID_RESULT
    assert league.refusal(told(league, winner=None, details=won_by_a)) == Code.INVALID_RESULT
    assert league.refusal(told(league, winner="P01", details=chosen(Parity.ODD, Parity.ODD))) == Code.INVALID_RESULT
    assert isinstance(league.tried(told(league, winner="P01", details=won_by_a)), Step)


def test_where_number_or_choices_are_missing_the_winner_is_believed() -> None:
    for details in (chosen(None, Parity.EVEN), chosen(Parity.ODD, None), chosen(Parity.EVEN, Parity.ODD, None)):
        league = playing()
        assert isinstance(league.tried(told(league, winner="P01", details=details)), Step)


def test_a_result_that_what_is_told_rules_out_is_refused_though_something_is_missing() -> None:
    league = playing()
    assert league.refusal(told(league, winner="P01", details=chosen(Parity.EVEN, None))) == Code.INVALID_RESULT
    assert league.refusal(told(league, winner="P01", details=chosen(None, Parity.ODD))) == Code.INVALID_RESULT
    alike = chosen(Parity.ODD, Parity.ODD, None)
    assert league.refusal(told(league, winner="P01", details=alike)) == Code.INVALID_RESULT
    different = chosen(Parity.ODD, Parity.EVEN, None)
    assert league.refusal(told(league, winner=None, details=different)) == Code.INVALID_RESULT


@pytest.mark.parametrize("number", [0, 11, 12, -1, 10**6])
@pytest.mark.parametrize("status", [Status.WIN, Status.DRAW, None])
def test_a_number_that_cannot_be_drawn_is_refused(number: int, status: Status | None) -> None:
    league = playing()
    parity = Parity.ODD if number % 2 else Parity.EVEN
    other = Parity.EVEN if number % 2 else Parity.ODD
    won = replace(chosen(parity, parity if status is Status.DRAW else other, number), status=status)
    winner = None if status is Status.DRAW else "P01"
    assert league.refusal(told(league, winner=winner, details=won)) == Code.INVALID_RESULT
    untold = replace(chosen(None, None, number), status=status)
    assert league.refusal(told(league, winner=winner, details=untold)) == Code.INVALID_RESULT


@pytest.mark.parametrize("number", [*range(1, 11), None])
def test_every_number_from_1_to_10_can_be_drawn(number: int | None) -> None:
    league = playing()
    assert isinstance(league.tried(told(league, winner=None, details=chosen(Parity.ODD, Parity.ODD, number))), Step)


def test_a_technical_loss_needs_no_number() -> None:
    for number in (None, 0, 7):
        league = playing()
        details = replace(chosen(Parity.ODD, Parity.EVEN, number), status=Status.TECHNICAL_LOSS)
        assert isinstance(league.tried(told(league, winner="P04", details=details)), Step)


def test_a_technical_loss_with_a_number_that_cannot_be_drawn_is_refused() -> None:
    league = playing()
    details = replace(chosen(None, None, 12), status=Status.TECHNICAL_LOSS)
    assert league.refusal(told(league, winner="P04", details=details)) == Code.INVALID_RESULT


# other games


def playing_cards() -> League:
    """Two players of E-Card; R1M1 is P01 against P02."""
    league = League(Options(game_type="e-card"))
    for name in ("Ana", "Bo"):
        meta = entering(name).player_meta
        league.takes(LeagueRegisterRequest(player_meta=replace(meta, game_types=("e-card",))))
    ron = refereeing("Ron").referee_meta
    league.takes(RefereeRegisterRequest(referee_meta=replace(ron, game_types=("e-card",))))
    return league.takes(StartLeague()).heard()


def cards(league: League, **details: object) -> MatchResultReport:
    won = ReportedResult(winner=PlayerId("P01"), details=ReportDetails(status=Status.WIN, **details))  # type: ignore[arg-type]
    return replace(league.report("R1M1", "P01"), game_type="e-card", result=won)


def test_a_match_of_another_game_is_booked_with_the_scores_of_its_two_players() -> None:
    league, both = playing_cards(), ByPlayer({PlayerId("P01"): 8, PlayerId("P02"): 4})
    nobody_chose: ByPlayer[Parity | None] = ByPlayer({PlayerId("P01"): None, PlayerId("P02"): None})
    for details in ({}, {"scores": both}, {"choices": nobody_chose}):
        assert isinstance(league.tried(cards(league, **details)), Step)


def test_a_number_choices_or_scores_that_the_game_cannot_have_are_refused() -> None:
    league = playing_cards()
    assert league.refusal(cards(league, drawn_number=7)) == Code.INVALID_RESULT
    chose = ByPlayer({PlayerId("P01"): Parity.ODD})
    assert league.refusal(cards(league, choices=chose)) == Code.INVALID_RESULT
    strangers = ByPlayer({PlayerId("P01"): 8, PlayerId("P09"): 4})
    assert league.refusal(cards(league, scores=strangers)) == Code.INVALID_RESULT


# all together


def reports_of(match: LeagueMatch, rng: Random) -> tuple[PlayerId | None, Status | None, MatchOutcome]:
    a, b = match.player_a_id, match.player_b_id
    return rng.choice(
        [
            (a, Status.WIN, MatchOutcome.A_WON),
            (b, None, MatchOutcome.B_WON),
            (None, None, MatchOutcome.DRAW),
            (a, Status.TECHNICAL_LOSS, MatchOutcome.A_BY_DEFAULT),
            (b, Status.TECHNICAL_LOSS, MatchOutcome.B_BY_DEFAULT),
            (None, Status.TECHNICAL_LOSS, MatchOutcome.BOTH_AT_FAULT),
        ]
    )


@settings(deadline=None, print_blob=True, max_examples=40)
@given(st.integers(2, 9), st.integers(0, 2**32))
def test_C10_the_table_is_the_sum_of_all_results_in_whatever_order_they_come(players: int, seed: int) -> None:
    rng, points = Random(seed), dict.fromkeys(range(1, players + 1), 0)
    league = League.of(*(f"player {number}" for number in range(players)), referees=("Ron", "Sue"))
    while league.phase is not Phase.LEAGUE_COMPLETE:
        league.heard()
        for match in rng.sample(league.state.matches, len(league.state.matches)):
            winner, status, outcome = reports_of(match, rng)
            for _ in range(rng.choice([1, 1, 2])):
                league.reports(match.match_id, winner, status)
                assert violation(league.state) is None
            for player in (match.player_a_id, match.player_b_id):
                points[int(player[1:])] += 3 if player == winner else outcome is MatchOutcome.DRAW
    table = standings(league.state)
    assert {int(row.player_id[1:]): row.points for row in table} == points
    assert all(row.played == players - 1 for row in table)
    order = [(-(row.points or 0), -(row.wins or 0), int(row.player_id[1:])) for row in table]
    assert order == sorted(order), "points, then wins, then who came first"
    assert [row.rank for row in table] == [*range(1, players + 1)]
    assert [tally_of(league.state, row.player_id).points for row in table] == [row.points for row in table]


def test_the_winner_has_most_points() -> None:
    league = League.of("Ana", "Bo")
    league.heard().reports("R1M1", "P02")
    assert league.said(LeagueCompleted)["player:P01"].champion.player_id == "P02"
    assert league.referee(REF01).load == 0
