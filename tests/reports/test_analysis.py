"""What a report counts, against values worked out by hand."""

from itertools import combinations
from math import isclose
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.reports.tournaments import write_tournament
from turnstile.lab.contests.pairs import pair_results
from turnstile.lab.results import Header, ResultLine
from turnstile.reports import rating_curves
from turnstile.reports.analysis import Analysis, analyse
from turnstile.reports.axes import axis_around, axis_up_to
from turnstile.reports.figures import HistogramPlot, IntervalPlot, figures_of
from turnstile.reports.page import sentences_of
from turnstile.reports.reading import read_source


def header(players: int = 2) -> Header:
    return Header(
        kind="tournament", version=1, game="e-card", game_version=1, options={}, bots=(), players=players, seed="7"
    )


def match(seats: str, winners: str, *scores: float, moves: int = 10) -> ResultLine:
    """A match in short: `match("ab", "a")` is won by a."""
    won = tuple(seat for seat, name in enumerate(seats) if name in winners)
    return ResultLine(seats=tuple(seats), winners=won, scores=scores, moves=moves)


def of(*matches: ResultLine) -> Analysis:
    return analyse(header(len(matches[0].seats)), matches)


def test_win_rates_count_wins_alone_and_shares_count_shared_wins_and_draws() -> None:
    found = of(match("ab", "a"), match("ba", "a"), match("ab", "ab"), match("ba", ""))
    a, b = sorted(found.standings, key=lambda each: each.name)
    assert (a.alone.times, a.alone.chances, a.shared, a.mean_share) == (2, 4, 2, 0.75)
    assert (b.alone.times, b.shared, b.mean_share) == (0, 2, 0.25)
    assert found.shared.times == 2
    assert found.names == ("a", "b")


def test_pairs_are_compared_over_all_seats_and_a_shared_win_is_a_half() -> None:
    found = of(match("ab", "a"), match("ba", "b"), match("ab", "ab"), match("ba", "b"))
    (a,) = [each for each in found.pairings if each.name == "a"]
    (b,) = [each for each in found.pairings if each.name == "b"]
    assert (a.rate, b.rate, a.matches) == (1.5 / 4, 2.5 / 4, 4)
    assert a.low < a.rate < a.high
    assert isclose(a.low, 1 - b.high)


def test_two_of_three_who_both_lost_are_compared_by_their_scores() -> None:
    found = of(match("abc", "a", 9, 5, 2), match("cab", "c", 8, 1, 1))
    assert {(each.name, each.against): (each.rate, each.matches) for each in found.pairings} == {
        ("a", "b"): (0.75, 2),
        ("b", "a"): (0.25, 2),
        ("a", "c"): (0.5, 2),
        ("c", "a"): (0.5, 2),
        ("b", "c"): (0.5, 2),
        ("c", "b"): (0.5, 2),
    }


def test_the_heat_map_of_a_tournament_is_its_cross_table(tmp_path: Path) -> None:
    bots = ("counter", "random", "search:1")
    path = write_tournament(tmp_path / "t.jsonl", "up-down", bots, deals=3, players=3, options='{"maxRoundSize":2}')
    source = read_source(path)
    matches = list(source.matches)
    shown = {(each.name, each.against): each for each in analyse(source.header, matches).pairings}
    for pair in pair_results(list(combinations(bots, 2)), matches):
        found = shown[pair.bot, pair.other]
        assert (found.rate, found.low, found.high) == pytest.approx((pair.ahead.mean, pair.ahead.low, pair.ahead.high))
        assert found.matches == pair.matches


def test_one_deal_that_all_seatings_have_won_is_no_proof() -> None:
    """Luck decides a deal: its matches are one observation, however many seatings have played it."""
    seatings = [match("ab", "a"), match("ba", "a")] * 15
    assert sentences_of(of(*seatings))[0].startswith("a is the strongest")
    one_deal = of(*(replace(each, deal=0) for each in seatings))
    assert one_deal.deals == 1
    assert "too close" in sentences_of(one_deal)[0]
    thirty_deals = of(*(replace(each, deal=number) for number, each in enumerate(seatings)))
    assert sentences_of(thirty_deals)[0].startswith("a is the strongest")
    (first, *_) = one_deal.seats
    assert (first.rate.rate, first.rate.low, first.rate.high) == (0.5, 0.0, 1.0)


def test_the_rate_of_a_player_at_several_seats_is_not_that_of_its_matches() -> None:
    first_of_two = ResultLine(seats=("a", "a", "b"), winners=(0,), scores=(), moves=10)
    found = of(*[first_of_two] * 30)  # a wins every match, with one of its two seats
    sentence = sentences_of(found)[0]
    assert sentence.startswith(
        "a is the strongest: it wins 50.0\N{NO-BREAK SPACE}% of the matches at each of its seats ("
    )
    assert "several seats" in figures_of(found)[0].caption
    assert "it wins 100.0\N{NO-BREAK SPACE}% of its matches (" in sentences_of(of(*[match("ab", "a")] * 30))[0]


def test_a_seat_that_always_wins_is_found() -> None:
    found = of(*[match("ab", "a"), match("ba", "b")] * 30)
    first, second = (each for each in found.seats if each.name is None)
    assert (first.rate.rate, second.rate.rate) == (1, 0)
    assert not found.are_seats_fixed
    assert any(sentence.startswith("The seat matters: seat 1 wins") for sentence in sentences_of(found))


def test_where_each_keeps_its_seat_nothing_is_said_about_seats() -> None:
    found = of(match("ab", "a"), match("ab", "b"))
    assert found.are_seats_fixed
    assert "seats" not in [figure.name for figure in figures_of(found)]


def test_ratings_rise_for_the_winner_and_cover_every_match_however_many() -> None:
    found = of(*[match("ab", "a"), match("ba", "a")] * 250)
    winner, loser = found.ratings
    assert (winner.name, loser.name) == ("a", "b")
    assert winner.points[0].rating == loser.points[0].rating == 25
    assert winner.points[-1].low > loser.points[-1].high
    assert winner.points[-1].matches == found.rated_matches == 500
    assert len(winner.points) <= rating_curves.MOST_POINTS + 1
    assert [point.matches for point in winner.points] == sorted({point.matches for point in winner.points})


def test_one_against_itself_has_no_rating_and_no_cross_table() -> None:
    found = of(match("aa", "a"), match("aa", "a"))
    assert (found.ratings, found.rated_matches) == ((), 0)
    assert [figure.name for figure in figures_of(found)] == ["win-rates", "seats"]


def test_the_bars_of_a_histogram_count_every_score_once() -> None:
    scores = [0, 3, 66, 67, 100, 250]
    found = of(*(match("ab", "a", score, 0, moves=20 + score) for score in scores))
    (scored,) = [each for each in figures_of(found) if each.name == "scores"]
    assert isinstance(scored, HistogramPlot)
    a = next(each for each in scored.histograms if each.label == "a")
    assert sum(bar.times for bar in a.bars) == len(scores)
    assert a.mean == sum(scores) / len(scores)
    assert {bar.label: bar.times for bar in a.bars}["60 to 69"] == 2
    assert scored.x.low <= 0
    assert scored.x.high > 250


def test_figures_that_leave_players_out_say_so() -> None:
    found = of(*(match(f"{one}{other}", one, 5, 3) for one, other in combinations("abcdefghij", 2)))
    captions = {each.name: each.caption for each in figures_of(found)}
    for name in ("ratings", "scores"):
        assert captions[name].endswith(" The 2 with the lowest ratings are not shown.")
    few = of(match("ab", "a", 5, 3))
    assert not [each for each in figures_of(few) if "not shown" in each.caption]


def test_facts_keep_their_order_and_parts_are_told_from_wholes() -> None:
    one = ResultLine(seats=("a", "b"), winners=(0,), scores=(), facts={"z wins": (3, 4), "... early": (1, 1)})
    (roles,) = [each for each in figures_of(of(one, one)) if each.name == "roles"]
    assert isinstance(roles, IntervalPlot)
    assert [(row.label, row.rate, row.chances, row.is_part) for row in roles.rows] == [
        ("z wins", 0.75, 8, False),
        ("early", 1.0, 2, True),
    ]


def test_axes_have_few_round_marks_around_all_values() -> None:
    assert axis_around(0.47, 0.52).marks == (0.47, 0.48, 0.49, 0.5, 0.51, 0.52)
    assert axis_around(3, 3).marks[0] < 3 < axis_around(3, 3).marks[-1]
    assert axis_up_to(3_000).marks == (0, 1_000, 2_000, 3_000)
    assert axis_up_to(1_200).at(300) == 25
