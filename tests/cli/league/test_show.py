"""What `turnstile league run` shows of a league: a line a round, the table, and how it ended."""

import json
from io import StringIO

import pytest
from msgspec.structs import replace
from rich.console import Console
from rich.text import Text

from tests.agents.page.boards import NAMES, board
from turnstile.agents.page.scoreboard import Place
from turnstile.cli.league.show import Show, champions, glimpse, leading, table_of
from turnstile.kernel.values import PlayerId


def test_a_league_that_is_followed_from_outside_gets_the_same_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """Boards come whenever something changes: within rounds, twice, and for a league that had begun before."""
    show = Show(as_json=True)
    for played, more in ((1, 0), (1, 2), (2, 0), (2, 0), (2, 1), (4, 1), (5, 0)):
        seen = board(played)
        show.update(glimpse(replace(seen, matches_completed=seen.matches_completed + more)))
    show.finish(glimpse(board(5)))
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["rounds_completed"] for line in lines] == [2, 3, 4, 5]
    assert [line["matches_completed"] for line in lines] == [6, 9, 12, 15]
    assert [line["progress"] for line in lines] == ["running", "running", "running", "completed"]


@pytest.mark.parametrize("as_json", [False, True])
def test_rounds_that_end_between_two_looks_are_told_of_one_by_one(
    as_json: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    show = Show(as_json=as_json)
    for played in (0, 0, 3, 3, 5):
        show.update(glimpse(board(played)))
    said = capsys.readouterr()
    lines = said.out.splitlines() if as_json else said.err.splitlines()
    told = [json.loads(line)["rounds_completed"] if as_json else int(line.split()[1]) for line in lines]
    assert told == ([1, 2, 3, 4] if as_json else [1, 2, 3, 4, 5])
    show.finish(glimpse(board(5)))
    assert ('"rounds_completed":5' in capsys.readouterr().out) is as_json


def test_a_round_before_the_last_never_says_that_the_league_is_over(capsys: pytest.CaptureFixture[str]) -> None:
    """The look may come when all is over, which is told of round by round."""
    show = Show(as_json=True)
    for played in (0, 5):
        show.update(glimpse(board(played)))
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["rounds_completed"], line["progress"]) for line in lines] == [(n, "running") for n in (1, 2, 3, 4)]


def test_a_league_that_is_stopped_says_no_round_twice(capsys: pytest.CaptureFixture[str]) -> None:
    show = Show(as_json=True)
    for played in (0, 1, 2):
        show.update(glimpse(board(played)))
    show.finish(glimpse(board(3)))
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["rounds_completed"] for line in lines] == [1, 2, 3]


def test_a_league_that_was_over_is_one_line_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    show = Show(as_json=True)
    show.update(glimpse(board(5)))
    show.finish(glimpse(board(5)))
    assert [json.loads(line)["rounds_completed"] for line in capsys.readouterr().out.splitlines()] == [5]


def test_how_fast_a_league_was_is_counted_until_its_last_match(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr("turnstile.cli.league.show.time.monotonic", lambda: now)
    show = Show(as_json=False)
    show.update(glimpse(board(0)))
    now = 3.0
    show.update(glimpse(board(5)))
    now = 100.0  # when the last agent has left
    show.finish(glimpse(board(5)))
    assert "15 of 15 matches, 5.0 a second" in capsys.readouterr().out


def test_a_league_that_was_over_has_no_rate(capsys: pytest.CaptureFixture[str]) -> None:
    show = Show(as_json=False)
    show.update(glimpse(board(5)))
    show.finish(glimpse(board(5)))
    out = capsys.readouterr().out
    assert "15 of 15 matches" in out
    assert "a second" not in out


def placed(*points_and_wins: tuple[int, int]) -> list[Place]:
    named = zip(NAMES, points_and_wins, strict=False)
    counts = {"played": 5, "draws": 0, "losses": 0, "technical_losses": 0}
    return [
        Place(rank=at, player_id=PlayerId(f"P0{at}"), display_name=name, points=points, wins=wins, **counts)
        for at, (name, (points, wins)) in enumerate(named, 1)
    ]


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ([(9, 3), (3, 1)], "Champion: Juniper with 9 points."),
        ([(1, 0), (0, 0)], "Champion: Juniper with 1 point."),
        ([(3, 1), (3, 0), (1, 0)], "Champion: Juniper with 3 points. 1 other has as many points, and fewer wins."),
        ([(3, 1), (3, 1)], "Champions: Juniper and Sorrel with 3 points each."),
        ([(1, 0)] * 3, "Champions: Juniper, Sorrel and Rowan with 1 point each."),
        ([(0, 0)] * 6, "Champions: Juniper, Sorrel, Rowan and 3 others with 0 points each."),
        (
            [(3, 1), (3, 1), (3, 0), (1, 0)],
            "Champions: Juniper and Sorrel with 3 points each. 1 other has as many points, and fewer wins.",
        ),
    ],
)
def test_several_champions_are_told_as_such(table: list[tuple[int, int]], sentence: str) -> None:
    assert champions(placed(*table)) == sentence


@pytest.mark.parametrize(
    ("table", "ranks"),
    [
        ([(9, 3), (3, 1)], ["1", "2"]),
        ([(3, 1), (3, 1), (1, 0)], ["1", "1", "3"]),
        ([(3, 1), (3, 0), (3, 0), (0, 0)], ["1", "2", "2", "4"]),
        ([(2, 0)] * 4, ["1", "1", "1", "1"]),
    ],
)
def test_equal_points_and_wins_share_a_place_in_the_terminal(table: list[tuple[int, int]], ranks: list[str]) -> None:
    shown = table_of(placed(*table), 80)
    assert [*shown.columns[0].cells] == [Text(rank) for rank in ranks]


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ([(3, 1), (1, 0)], "; Juniper leads"),
        ([(3, 1), (3, 1)], "; Juniper and Sorrel lead"),
        ([(2, 0)] * 6, "; Juniper, Sorrel, Rowan and 3 others lead"),
    ],
)
def test_several_leaders_are_told_as_such(table: list[tuple[int, int]], told: str) -> None:
    assert leading(replace(glimpse(board(1)), standings=tuple(placed(*table)))) == told


@pytest.mark.parametrize(
    ("width", "labels"),
    [
        (80, ["Rank", "Player", "Id", "Played", "W", "D", "L", "TL", "Points"]),
        (50, ["Rank", "Player", "W", "D", "L", "TL", "Points"]),
        (40, ["Rank", "Player", "W", "D", "L", "Points"]),
    ],
)
def test_a_narrow_terminal_has_room_for_the_names(width: int, labels: list[str]) -> None:
    table = table_of(placed((9, 3), (3, 1)), width)
    assert [column.header for column in table.columns] == labels
    console = Console(width=width, record=True, file=StringIO())
    console.print(table)
    assert "Juniper" in console.export_text()
