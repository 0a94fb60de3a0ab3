"""The figures of a report, as values. `page` draws them as HTML, `png` with matplotlib."""

from collections import Counter
from collections.abc import Iterable, Mapping

from turnstile.kernel import Value
from turnstile.lab.statistics import Rate
from turnstile.reports.analysis import Analysis, SeatRate
from turnstile.reports.axes import Axis, axis_around, axis_up_to

MOST_CURVES = 8  # as many as there are colours
MOST_IN_HEAT_MAP = 24
MOST_BARS = 30  # of a histogram
PART_OF_IT = "... "
"""The prefix of a fact that is a part of the fact before it; see `Study.tally`."""


class Interval(Value, frozen=True):
    """A rate with its 95 % interval."""

    label: str
    rate: float
    low: float
    high: float
    chances: int
    is_part: bool = False
    """Whether it is a part of the row above."""


class IntervalPlot(Value, frozen=True, tag="intervals"):
    name: str
    title: str
    caption: str
    first_column: str
    rows: tuple[Interval, ...]
    axis: Axis
    even: float | None = None
    """The rate that all would have if all were equal."""


class Curve(Value, frozen=True):
    name: str
    points: tuple[tuple[float, float], ...]
    low: float
    high: float
    """The interval of its last value."""


class CurvePlot(Value, frozen=True, tag="curves"):
    name: str
    title: str
    caption: str
    curves: tuple[Curve, ...]
    x: Axis
    y: Axis


class Cell(Value, frozen=True):
    rate: float
    low: float
    high: float
    matches: int

    @property
    def shade(self) -> int:
        """From 0, never better, to 10, always better."""
        return round(10 * self.rate)


class HeatMap(Value, frozen=True, tag="heat"):
    name: str
    title: str
    caption: str
    names: tuple[str, ...]
    rows: tuple[tuple[Cell | None, ...], ...]


class Bar(Value, frozen=True):
    """How many values lie from `low` to before the next bar."""

    low: float
    label: str
    times: int
    share: float


class Histogram(Value, frozen=True):
    label: str
    bars: tuple[Bar, ...]
    mean: float

    def times_at(self, low: float) -> int:
        return next((bar.times for bar in self.bars if bar.low == low), 0)


class HistogramPlot(Value, frozen=True, tag="histograms"):
    """Histograms with the same axes, one for each label."""

    name: str
    title: str
    caption: str
    quantity: str
    histograms: tuple[Histogram, ...]
    x: Axis
    width: float
    """Of a bar, on the axis."""
    most: float
    """The largest share of all bars."""

    @property
    def bins(self) -> list[tuple[float, str]]:
        """The beginning and the label of every bar of any histogram."""
        return sorted({(bar.low, bar.label) for each in self.histograms for bar in each.bars})

    @property
    def mark_shift(self) -> float:
        """A bar of a single number is marked in its middle, a wider one at its beginning."""
        return 0.5 if self.width == 1 else 0.0


Figure = IntervalPlot | CurvePlot | HeatMap | HistogramPlot


def figures_of(analysis: Analysis) -> tuple[Figure, ...]:
    """All figures for which there is something to show."""
    made = (
        win_rates(analysis),
        rating_curves(analysis),
        cross_table(analysis),
        seat_rates(analysis),
        fact_rates(analysis),
        score_histograms(analysis),
        length_histogram(analysis),
    )
    return tuple(figure for figure in made if figure is not None)


def win_rates(analysis: Analysis) -> IntervalPlot:
    standings = sorted(analysis.standings, key=lambda each: -each.alone.rate)
    rows = [_interval(each.name, each.alone) for each in standings]
    shared = any(each.shared for each in analysis.standings)
    caption = "How often each won alone, with the 95 % interval."
    if analysis.has_several_seats:
        caption += " A player that sat at several seats of a match is counted at each of them."
    return IntervalPlot(
        name="win-rates",
        title="Who wins",
        caption=caption + (" Shared wins and draws are not counted here." if shared else ""),
        first_column="Player",
        rows=tuple(rows),
        axis=_axis_of(rows, None if shared else 1 / analysis.players),
        even=None if shared else 1 / analysis.players,
    )


def rating_curves(analysis: Analysis) -> CurvePlot | None:
    if not analysis.rated_matches:
        return None
    shown = analysis.ratings[:MOST_CURVES]
    curves = tuple(
        Curve(
            each.name,
            tuple((point.matches, point.rating) for point in each.points),
            each.points[-1].low,
            each.points[-1].high,
        )
        for each in shown
    )
    heights = [height for curve in curves for _, height in curve.points]
    return CurvePlot(
        name="ratings",
        title="Ratings",
        caption=f"The rating of each by openskill, over the first {analysis.rated_matches:,} matches in their order. "
        f"All begin at 25.{_left_out(len(analysis.ratings))}",
        curves=curves,
        x=axis_up_to(analysis.rated_matches),
        y=axis_around(min(heights), max(heights)),
    )


def cross_table(analysis: Analysis) -> HeatMap | None:
    if not 2 <= len(analysis.names) <= MOST_IN_HEAT_MAP:
        return None
    found = {
        (each.name, each.against): Cell(each.rate, each.low, each.high, each.matches) for each in analysis.pairings
    }
    caption = (
        "How often the player on the left beat the player above; a shared win or a draw counts as half."
        if analysis.players == 2
        else "How often the player on the left came out ahead of the player above: winners are first, the others "
        "follow by their scores, and an equal place counts as half."
    )
    return HeatMap(
        name="cross-table",
        title="Who beats whom",
        caption=caption,
        names=analysis.names,
        rows=tuple(tuple(found.get((one, other)) for other in analysis.names) for one in analysis.names),
    )


def seat_rates(analysis: Analysis) -> IntervalPlot | None:
    """Nothing, where each participant has a seat of its own: that plot is the one of the win rates."""
    if analysis.are_seats_fixed:
        return None
    rows: list[Interval] = []
    for seat in range(analysis.players):
        found = [each for each in analysis.seats if each.seat == seat]
        whole = next(each for each in found if each.name is None)
        rows.append(_interval(f"Seat {seat + 1}", whole.rate))
        named = {each.name: each for each in found}
        rows += [_of_name(named[name]) for name in analysis.names if name in named and len(analysis.names) > 1]
    return IntervalPlot(
        name="seats",
        title="Does the seat matter?",
        caption="How often each seat won alone, over all players, and each player at this seat.",
        first_column="Seat",
        rows=tuple(rows),
        axis=_axis_of(rows, None),
    )


def fact_rates(analysis: Analysis) -> IntervalPlot | None:
    rows = [
        _interval(fact.removeprefix(PART_OF_IT), rate, is_part=fact.startswith(PART_OF_IT))
        for fact, rate in analysis.facts.items()
        if rate.chances
    ]
    if not rows:
        return None
    return IntervalPlot(
        name="roles",
        title="Roles and turning points",
        caption="How often the rules' own events happened, with the 95 % interval; a row that is set in is a part of "
        "the row above it.",
        first_column="Event",
        rows=tuple(rows),
        axis=Axis(0, 1, (0, 0.25, 0.5, 0.75, 1)),
    )


def score_histograms(analysis: Analysis) -> HistogramPlot | None:
    counts = {name: analysis.scores[name] for name in analysis.names[:MOST_CURVES] if name in analysis.scores}
    caption = f"The score at the end of a match, for each player.{_left_out(len(analysis.names))}"
    return _histograms("scores", "Scores", caption, "score", counts)


def length_histogram(analysis: Analysis) -> HistogramPlot | None:
    lengths = {float(moves): times for moves, times in analysis.lengths.items()}
    return _histograms("lengths", "Length", "How many moves a match had.", "moves", {"All matches": lengths})


# the parts of figures


def _left_out(players: int) -> str:
    """The end of a caption, if a figure has only some of so many players: those with the highest ratings."""
    left_out = players - MOST_CURVES
    return f" The {left_out} with the lowest ratings are not shown." if left_out > 0 else ""


def _interval(label: str, rate: Rate, *, is_part: bool = False) -> Interval:
    return Interval(label, rate.rate, rate.low, rate.high, rate.chances, is_part)


def _of_name(each: SeatRate) -> Interval:
    return _interval(each.name or "", each.rate, is_part=True)


def _axis_of(rows: Iterable[Interval], even: float | None) -> Axis:
    """As much of 0 to 1 as the intervals need."""
    ends = [end for row in rows for end in (row.low, row.high)] + ([] if even is None else [even])
    return axis_around(max(0.0, min(ends)), min(1.0, max(ends)))


def _histograms(
    name: str, title: str, caption: str, quantity: str, counts: Mapping[str, Mapping[float, int]]
) -> HistogramPlot | None:
    values = [value for each in counts.values() for value in each]
    if not values or min(values) == max(values):
        return None
    width = _bar_width(min(values), max(values), least=1 if all(value == int(value) for value in values) else 0)
    first = min(values) // width * width
    histograms = tuple(_histogram(label, each, first, width) for label, each in counts.items())
    low, high = first, max(bar.low for each in histograms for bar in each.bars) + width
    marks = tuple(mark for mark in axis_around(low, high).marks if low <= mark < high and mark == int(mark))
    return HistogramPlot(
        name=name,
        title=title,
        caption=caption,
        quantity=quantity,
        histograms=histograms,
        x=Axis(low, high, marks),
        width=width,
        most=max(bar.share for each in histograms for bar in each.bars),
    )


def _bar_width(low: float, high: float, *, least: float) -> float:
    """A round width, at least `least`, that makes at most `MOST_BARS` bars."""
    scales = (10.0**exponent for exponent in range(-3, 9))
    widths = (scale * times for scale in scales for times in (1, 2, 5))
    return next(width for width in widths if width >= least and (high - low) / width < MOST_BARS)


def _histogram(label: str, counts: Mapping[float, int], first: float, width: float) -> Histogram:
    total = sum(counts.values())
    bars: Counter[int] = Counter()
    for value, times in counts.items():
        bars[int((value - first) // width)] += times
    return Histogram(
        label,
        tuple(
            Bar(low := first + number * width, _label(low, width), times, times / total)
            for number, times in sorted(bars.items())
        ),
        sum(value * times for value, times in counts.items()) / total,
    )


def _label(low: float, width: float) -> str:
    if width == 1:
        return f"{low:g}"
    return f"{low:g} to {low + width - 1:g}" if width > 1 else f"{low:g} to below {low + width:g}"
