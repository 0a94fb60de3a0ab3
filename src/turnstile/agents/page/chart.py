"""The chart of a league: where its lines, marks and labels are. `templates/chart.html` draws it."""

from typing import ClassVar

import msgspec

from turnstile.agents.page.scoreboard import Scoreboard, points_by_round

MOST_LINES = 8  # as many as the style sheet has colours for
TOP, BOTTOM = 16, 308
LABEL_HEIGHT = 15  # the least distance between two names beside their lines


class Mark(msgspec.Struct, frozen=True):
    """A value on an axis, and its place in the picture."""

    value: int
    at: float


class Line(msgspec.Struct, frozen=True):
    """The points of a player after each round, as places in the picture, with the name at the end of the line."""

    name: str
    total: int
    points: tuple[tuple[float, float], ...]
    label_at: float


class Chart(msgspec.Struct, frozen=True):
    """The points of the leading players, round by round."""

    points: tuple[Mark, ...]
    rounds: tuple[Mark, ...]
    lines: tuple[Line, ...]

    width: ClassVar[int] = 960
    height: ClassVar[int] = 340
    left: ClassVar[int] = 40
    right: ClassVar[int] = 790


def chart_of(board: Scoreboard) -> Chart | None:
    """The chart, once a round is finished."""
    totals = points_by_round(board)
    leading = board.places[:MOST_LINES]
    rounds = max((len(line) - 1 for line in totals.values()), default=0)
    if rounds < 1:
        return None
    most = max(1, *(max(totals[place.player_id]) for place in leading))
    labels = spread_labels([_y(totals[place.player_id][-1], most) for place in leading])
    lines = (
        Line(
            name=place.display_name,
            total=totals[place.player_id][-1],
            points=tuple((_x(at, rounds), _y(value, most)) for at, value in enumerate(totals[place.player_id])),
            label_at=round(label + 4, 1),
        )
        for place, label in zip(leading, labels, strict=True)
    )
    return Chart(point_marks(most), round_marks(rounds), tuple(lines))


def point_marks(most: int) -> tuple[Mark, ...]:
    """Marks from 0 to the most points, at equal steps."""
    return tuple(Mark(value, _y(value, most)) for value in range(0, most + 1, _step(most)))


def round_marks(rounds: int) -> tuple[Mark, ...]:
    """Marks from 0 to the last round. The last round is always marked, and no mark is close to it."""
    step = _step(rounds)
    return tuple(Mark(at, _x(at, rounds)) for at in sorted({*range(0, rounds - step // 2 + 1, step), rounds}))


def _step(most: int) -> int:
    """A step of 1, 2 or 5 times a power of ten that divides an axis into at most ten parts."""
    scale = 1
    while True:
        for step in (scale, 2 * scale, 5 * scale):
            if most <= 10 * step:
                return step
        scale *= 10


def spread_labels(heights: list[float]) -> list[float]:
    """Heights of labels from the top down, moved apart where they would overlap or leave the picture."""
    moved: list[float] = []
    for height in heights:
        moved.append(max(height, moved[-1] + LABEL_HEIGHT) if moved else height)
    lowest = Chart.height - LABEL_HEIGHT / 2
    for index in reversed(range(len(moved))):
        moved[index] = min(moved[index], lowest)
        lowest = moved[index] - LABEL_HEIGHT
    return moved


def _x(at: int, rounds: int) -> float:
    return round(Chart.left + (Chart.right - Chart.left) * at / rounds, 1)


def _y(points: int, most: int) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * points / most, 1)
