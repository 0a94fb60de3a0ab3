"""The plots of a report as pictures."""

from itertools import pairwise

from matplotlib.backends.backend_agg import FigureCanvasAgg

from turnstile.reports.figures import Cell, HeatMap
from turnstile.reports.png import _draw


def test_the_numbers_of_a_large_cross_table_do_not_touch() -> None:
    names = tuple(f"many:strategy_with_a_long_name_{number}" for number in range(14))
    rows = tuple(tuple(None if row is other else Cell(1.0, 0.5, 1.0, 4) for other in names) for row in names)
    canvas = _draw(HeatMap("cross-table", "Who beats whom", "", names, rows))
    drawn = FigureCanvasAgg(canvas)
    drawn.draw()
    axes = canvas.axes[0]
    first_row = [text.get_window_extent(drawn.get_renderer()) for text in axes.texts[: len(names)]]
    assert all(left.x1 < right.x0 for left, right in pairwise(first_row))
    labels = [label.get_window_extent(drawn.get_renderer()) for label in axes.get_yticklabels()]
    assert min(label.x0 for label in labels) >= 0
