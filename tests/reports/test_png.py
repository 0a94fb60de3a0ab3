"""The plots of a report as pictures."""

from itertools import pairwise
from typing import Any

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from turnstile.reports.axes import Axis
from turnstile.reports.figures import Cell, Curve, CurvePlot, Figure, HeatMap, Interval, IntervalPlot
from turnstile.reports.png import _draw

LONG = (
    "cmd:/usr/bin/python3 /home/researcher/experiments/2026-11/strategies/aggressive/late_special.py --depth 12 --seed "
)
NAMES = tuple(f"{LONG}{number}" for number in range(3))
PERCENT = Axis(0, 1, (0, 0.5, 1))
HALF = Cell(0.5, 0.2, 0.8, 4)


def test_the_numbers_of_a_large_cross_table_do_not_touch() -> None:
    names = tuple(f"many:strategy_with_a_long_name_{number}" for number in range(14))
    rows = tuple(tuple(None if row is other else Cell(1.0, 0.5, 1.0, 4) for other in names) for row in names)
    canvas = _draw(HeatMap("cross-table", "Who beats whom", "", names, rows))
    drawn = FigureCanvasAgg(canvas)
    drawn.draw()
    axes = canvas.axes[0]
    first_row = [text.get_window_extent(drawn.get_renderer()) for text in axes.texts[: len(names)]]
    assert all(left.x1 < right.x0 for left, right in pairwise(first_row))


@pytest.mark.parametrize(
    "figure",
    [
        IntervalPlot("seats", "", "", "", tuple(Interval(name, 0.5, 0.2, 0.8, 4) for name in NAMES), PERCENT),
        CurvePlot("ratings", "", "", tuple(Curve(name, ((0, 0), (1, 1)), 0, 1) for name in NAMES), PERCENT, PERCENT),
        HeatMap("cross-table", "", "", NAMES, ((HALF,) * 3,) * 3),
    ],
    ids=lambda figure: figure.name,
)
def test_long_names_are_on_the_picture_and_do_not_touch(figure: Figure) -> None:
    canvas = _draw(figure)
    drawn = FigureCanvasAgg(canvas)
    drawn.draw()
    axes: Any = canvas.axes[0]
    legend = axes.get_legend()
    texts = axes.get_yticklabels() if legend is None else legend.get_texts()
    boxes = [text.get_window_extent(drawn.get_renderer()) for text in texts]
    assert [" ".join(text.get_text().split()).count("--seed") for text in texts] == [1, 1, 1]
    assert min(box.x0 for box in boxes) >= 0
    assert max(box.x1 for box in boxes) <= canvas.bbox.width
    assert all(upper.y0 > lower.y1 for upper, lower in pairwise(boxes))
