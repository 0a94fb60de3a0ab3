"""The chart in the report of a league: which lines, marks and names it has, and where."""

from itertools import pairwise

import pytest

from tests.agents.page.boards import NAMES, board
from turnstile.agents.page.chart import LABEL_HEIGHT, Chart, chart_of, round_marks, spread_labels
from turnstile.agents.page.render import render_report


@pytest.mark.parametrize(("players", "title"), [(8, "Points, round"), (9, "Points of the first 8, round")])
def test_the_chart_says_when_it_does_not_show_everybody(players: int, title: str) -> None:
    assert title in render_report(board(players - 1, tuple(f"Player {at}" for at in range(players))))


def test_a_league_without_a_finished_round_has_no_chart() -> None:
    assert chart_of(board(0)) is None
    assert "<svg" not in render_report(board(0))


@pytest.mark.parametrize(
    ("rounds", "numbers"),
    [
        (3, "0 1 2 3"),
        (11, "0 2 4 6 8 10 11"),
        (49, "0 5 10 15 20 25 30 35 40 45 49"),
        (51, "0 10 20 30 40 51"),
        (55, "0 10 20 30 40 50 55"),
    ],
)
def test_the_last_round_has_its_number_in_the_chart(rounds: int, numbers: str) -> None:
    marks = round_marks(rounds)
    assert [mark.value for mark in marks] == [int(number) for number in numbers.split()]
    assert (marks[0].at, marks[-1].at) == (Chart.left, Chart.right)


def test_every_mark_and_line_of_the_chart_is_drawn() -> None:
    chart = chart_of(board(5))
    assert chart is not None
    source = render_report(board(5))
    assert source.count("<polyline") == len(chart.lines) == len(NAMES)
    assert source.count("<line") == len(chart.points)
    assert source.count("<text") == len(chart.points) + len(chart.rounds) + len(chart.lines)
    for number, line in enumerate(chart.lines, 1):
        path = " ".join(f"{x},{y}" for x, y in line.points)
        assert f'<polyline points="{path}" class="line-{number}">' in source


def test_names_beside_the_chart_neither_cover_each_other_nor_leave_it() -> None:
    for heights in ([300.0] * 8, [16.0] * 8, [16.0, 300.0, 302.0, 304.0]):
        moved = spread_labels(heights)
        assert all(below - above >= LABEL_HEIGHT for above, below in pairwise(moved))
        assert moved[0] > 0
        assert moved[-1] < Chart.height
