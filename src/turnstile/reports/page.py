"""The report as one page of HTML that needs no other file: what the templates in `templates/` need."""

from pathlib import Path
from typing import NamedTuple

from turnstile.kernel.values import encode
from turnstile.lab.results import Header
from turnstile.net import theme
from turnstile.net.static import StaticFiles
from turnstile.net.templates import render
from turnstile.registry import find_game
from turnstile.reports.analysis import Analysis, Standing
from turnstile.reports.figures import CurvePlot, Figure, HeatMap, IntervalPlot

PACKAGE = "turnstile.reports"
STATIC_FILES = StaticFiles(PACKAGE, theme.PACKAGE)
TEMPLATES: dict[type[Figure], str] = {
    IntervalPlot: "intervals.html",
    CurvePlot: "curves.html",
    HeatMap: "heat_map.html",
}
"""All other figures are histograms."""
NO_BREAK = "\N{NO-BREAK SPACE}"


class Fact(NamedTuple):
    """A fact about what was played, in the head of the page."""

    word: str
    value: str


def render_report(header: Header, analysis: Analysis, figures: tuple[Figure, ...], own_page: Path | None = None) -> str:
    """The page. `own_page` is a page of the league itself, to link to."""
    return render(
        PACKAGE,
        "report.html",
        style="\n".join(STATIC_FILES.text(name) for name in (*theme.STYLES, "report.css")),
        title=title_of(header, analysis),
        facts=facts_of(header, analysis),
        sentences=sentences_of(analysis),
        figures=[(figure, TEMPLATES.get(type(figure), "histograms.html")) for figure in figures],
        analysis=analysis,
        own_page=None if own_page is None else own_page.resolve().as_uri(),
        percent=percent,
        number=number,
    )


def title_of(header: Header, analysis: Analysis) -> str:
    game = find_game(header.game.replace("_", "-"))
    name = header.game if game is None else game.title
    if header.kind == "simulation":
        return f"{name}: {analysis.matches:,} simulated matches"
    kind = "tournament" if header.kind == "tournament" else "league"
    return f"{name}: a {kind} of {len(analysis.names)}"


def facts_of(header: Header, analysis: Analysis) -> list[Fact]:
    asked = header.matches
    stopped = f" of {asked:,}: it was stopped early" if asked is not None and asked > analysis.matches else ""
    facts = [
        Fact("Matches", f"{analysis.matches:,}{stopped}"),
        Fact("Players in a match", str(analysis.players)),
        Fact("Deals", "" if header.deals is None else f"{header.deals:,}, each played in several seatings"),
        Fact("Options", encode(header.options).decode() if header.options else ""),
        Fact("Seed", header.seed),
        Fact("Version of the game", str(header.game_version or "")),
    ]
    return [fact for fact in facts if fact.value]


def sentences_of(analysis: Analysis) -> list[str]:
    """The result in a few sentences."""
    return [
        sentence
        for sentence in (_strongest(analysis), _shared(analysis), _seats(analysis), _length(analysis))
        if sentence
    ]


def _strongest(analysis: Analysis) -> str:
    if len(analysis.standings) < 2:
        return ""
    ordered = sorted(analysis.standings, key=lambda each: -each.alone.rate)
    best, second = ordered[0], ordered[1]
    is_sure = best.alone.low > second.alone.high
    whole = "the matches at each of its seats" if analysis.has_several_seats else "its matches"
    how_often = f"{percent(best.alone.rate)} of {whole} ({_interval_of(best)})"
    if is_sure:
        return f"{best.name} is the strongest: it wins {how_often}."
    return (
        f"{best.name} wins most often, {how_often}; but {second.name} is too close "
        f"({percent(second.alone.rate)}, {_interval_of(second)}) to say which is stronger."
    )


def _interval_of(standing: Standing) -> str:
    return f"95{NO_BREAK}% interval {percent(standing.alone.low)} to {percent(standing.alone.high)}"


def _shared(analysis: Analysis) -> str:
    if not analysis.shared.times:
        return ""
    return f"{percent(analysis.shared.rate)} of the matches ended with a shared win or a draw."


def _seats(analysis: Analysis) -> str:
    if analysis.are_seats_fixed:
        return "Each player kept its seat, so that players and seats cannot be told apart; a tournament changes seats."
    seats = [each for each in analysis.seats if each.name is None]
    best, worst = max(seats, key=lambda each: each.rate.rate), min(seats, key=lambda each: each.rate.rate)
    if best.rate.low > worst.rate.high:
        rates = f"{percent(best.rate.rate)} against {percent(worst.rate.rate)} of the matches"
        return f"The seat matters: seat {best.seat + 1} wins more often than seat {worst.seat + 1}, {rates}."
    return "No seat wins clearly more often than another."


def _length(analysis: Analysis) -> str:
    lengths = analysis.lengths
    if not lengths:
        return ""
    mean = sum(moves * times for moves, times in lengths.items()) / sum(lengths.values())
    if len(lengths) == 1:
        return f"Every match had {mean:.0f} moves."
    return f"A match had {mean:.1f} moves on average, from {min(lengths):,} to {max(lengths):,}."


def percent(rate: float) -> str:
    return f"{100 * rate:.1f}{NO_BREAK}%"


def number(value: float) -> str:
    """`1,200`, `25`, `0.5`"""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.10g}"
