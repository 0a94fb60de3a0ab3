"""The figures of a report as PNG pictures, for papers and slides. Needs matplotlib: `pip install 'turnstile[plots]'`.

Matplotlib draws without a display and without a window.
"""

from pathlib import Path
from textwrap import fill
from typing import Any

from matplotlib import rc_context
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure as Canvas
from matplotlib.layout_engine import ConstrainedLayoutEngine

from turnstile.reports.figures import CurvePlot, Figure, HeatMap, HistogramPlot, IntervalPlot

INK, SOFT, GRID, BAR, EVEN, SHEET = "#17251e", "#3d4f45", "#dfe4dc", "#2f6b55", "#7a4a02", "#ffffff"
LINES = ("#0b5fa5", "#b5480a", "#0b7a5b", "#8a4a8f", "#17251e", "#8a6100", "#2f7fae", "#b03a6a")
DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 3)), (0, (8, 3)), (0, (1, 3)), (0, (5, 2, 1, 2)))
HEAT = LinearSegmentedColormap.from_list("beaten to winning", ["#f0a860", "#f3f3ee", "#74b6ec"])
WIDTH = 8.0  # inches
DOTS_PER_INCH = 160
LETTER, LINE, CELL, BAR_WITH_LABELS = 0.1, 0.19, 0.55, 1.6  # inches: a plot grows with its names and cells
NAME_WIDTH = 36  # characters in a line of a name beside a plot
LABEL_WIDTH = 30  # characters in a line above one of two histograms beside each other


def write_pngs(figures: tuple[Figure, ...], folder: Path) -> list[Path]:
    """Draws every figure into a folder. Returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with rc_context({"text.parse_math": False}):  # a name may have dollar signs: they are no formula
        for figure in figures:
            path = folder / f"{figure.name}.png"
            _draw(figure).savefig(path, dpi=DOTS_PER_INCH, facecolor=SHEET, metadata={"Software": None})
            written.append(path)
    return written


def _draw(figure: Figure) -> Canvas:
    match figure:
        case IntervalPlot():
            return _draw_intervals(figure)
        case CurvePlot():
            return _draw_curves(figure)
        case HeatMap():
            return _draw_heat_map(figure)
        case HistogramPlot():
            return _draw_histograms(figure)


def _draw_intervals(figure: IntervalPlot) -> Canvas:
    labels = [_wrapped(f"… {row.label}" if row.is_part else row.label) for row in figure.rows]
    canvas = _canvas(1.5 + max(0.36, _height_of(labels)) * len(figure.rows))
    axes = _axes(canvas, figure.title)
    places = range(len(figure.rows))
    for place, row in zip(places, figure.rows, strict=True):
        ends = [100 * row.low, 100 * row.high]
        axes.plot(ends, [place, place], color=BAR, alpha=0.55, lw=4, solid_capstyle="round", clip_on=False)
        axes.plot([100 * row.rate], [place], "o", color=BAR, ms=7, clip_on=False)  # whole, also at 0 and 100
    if figure.even is not None:
        axes.axvline(100 * figure.even, color=EVEN, ls=(0, (3, 2)), lw=1.5)
    axes.tick_params(axis="y", pad=8)  # a dot at 0 has its half there
    axes.set_yticks(places, labels)
    axes.set_ylim(len(figure.rows) - 0.5, -0.5)
    axes.set_xticks([100 * mark for mark in figure.axis.marks])
    axes.set_xlim(100 * figure.axis.low, 100 * figure.axis.high)
    axes.set_xlabel("percent, with the 95 % interval")
    axes.grid(axis="x", color=GRID)
    return canvas


def _draw_curves(figure: CurvePlot) -> Canvas:
    names = [_wrapped(curve.name) for curve in figure.curves]
    canvas = _canvas(max(4.5, 1.5 + _height_of(names) * len(names)))
    axes = _axes(canvas, figure.title)
    for name, curve, colour, dashes in zip(names, figure.curves, LINES, DASHES, strict=False):
        across, up = zip(*curve.points, strict=True)
        axes.plot(across, up, color=colour, ls=dashes, lw=2, label=f"{name}  {up[-1]:.1f}")
    axes.set_xlim(figure.x.low, figure.x.high)
    axes.set_ylim(figure.y.low, figure.y.high)
    axes.set_xticks(figure.x.marks, [f"{mark:,.0f}" for mark in figure.x.marks])
    axes.set_xlabel("matches")
    axes.set_ylabel("rating")
    axes.grid(axis="y", color=GRID)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=3, labelcolor=INK)
    return canvas


def _draw_heat_map(figure: HeatMap) -> Canvas:
    count = len(figure.names)
    labels = [_wrapped(f"{number}. {name}") for number, name in enumerate(figure.names, start=1)]
    width = LETTER * max(len(line) for label in labels for line in label.splitlines()) + CELL * count + BAR_WITH_LABELS
    canvas = _canvas(1.6 + max(CELL, _height_of(labels)) * count, max(WIDTH, width))
    axes = _axes(canvas, figure.title)
    rates = [[float("nan") if cell is None else cell.rate for cell in row] for row in figure.rows]
    shown = axes.imshow(rates, cmap=HEAT, vmin=0, vmax=1, aspect="auto")
    for down, row in enumerate(figure.rows):
        for across, cell in enumerate(row):
            text = "·" if cell is None else f"{100 * cell.rate:.1f}"
            axes.text(across, down, text, ha="center", va="center", color=INK)
    axes.set_xticks(range(count), [str(number) for number in range(1, count + 1)])
    axes.set_yticks(range(count), labels)
    axes.xaxis.tick_top()
    bar = canvas.colorbar(shown, ax=axes, ticks=[0, 0.5, 1], pad=0.02)
    bar.ax.set_yticklabels(["loses", "even", "wins"])
    bar.ax.tick_params(length=0, labelcolor=INK)
    bar.outline.set_visible(False)
    return canvas


def _draw_histograms(figure: HistogramPlot) -> Canvas:
    count = len(figure.histograms)
    columns = min(count, 2)
    rows = -(-count // columns)
    canvas = _canvas(0.8 + 2.2 * rows)
    canvas.suptitle(figure.title, color=INK, x=0.03, ha="left", fontsize=14)
    for number, each in enumerate(figure.histograms, start=1):
        label = fill(each.label, LABEL_WIDTH)
        axes = _axes(canvas, f"{label}: mean {each.mean:.1f}", (rows, columns, number), size=10)
        places = [bar.low + figure.width / 2 for bar in each.bars]
        axes.bar(places, [100 * bar.share for bar in each.bars], width=0.88 * figure.width, color=BAR)
        axes.set_xlim(figure.x.low, figure.x.high)
        axes.set_ylim(0, 105 * figure.most)
        axes.set_xticks([mark + figure.mark_shift for mark in figure.x.marks], [f"{m:g}" for m in figure.x.marks])
        axes.set_xlabel(figure.quantity)
        axes.set_ylabel("percent")
    return canvas


def _wrapped(name: str) -> str:
    return fill(name, NAME_WIDTH)


def _height_of(names: list[str]) -> float:
    """The inches that the name with the most lines needs."""
    return LINE * max(name.count("\n") + 1 for name in names)


def _canvas(height: float, width: float = WIDTH) -> Canvas:
    return Canvas(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.18, h_pad=0.18, wspace=0.06))


def _axes(canvas: Canvas, title: str, place: tuple[int, int, int] = (1, 1, 1), size: int = 14) -> Any:
    """Axes without a box."""
    axes = canvas.add_subplot(*place)
    axes.set_title(title, loc="left", color=INK, fontsize=size)
    axes.spines[["top", "right", "left", "bottom"]].set_visible(False)
    axes.tick_params(length=0, colors=SOFT, labelcolor=INK)
    axes.xaxis.label.set_color(SOFT)
    axes.yaxis.label.set_color(SOFT)
    return axes
