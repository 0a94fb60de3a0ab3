"""What the contests showed: a table each for people, JSON for programs."""

import platform
from collections.abc import Sequence

import msgspec
from rich import box
from rich.console import Console
from rich.table import Table

from bench.gauges import CPU
from bench.harness import Result, Score, Spread, Verdict
from turnstile.kernel import Value, encode


class Report(Value, frozen=True):
    """All contests of one run, and what they ran on."""

    python: str
    processor: str
    contests: tuple[Result, ...]


def as_json(results: Sequence[Result]) -> str:
    python = f"{platform.python_implementation()} {platform.python_version()}"
    report = Report(python, platform.machine(), tuple(results))
    return msgspec.json.format(encode(report), indent=2).decode()


def show(result: Result, console: Console) -> None:
    """The table of one contest, who is who, the aims, and who did not come."""
    console.print(_table(result))
    lines = [f"{score.name}: {score.about}" for score in result.scores]
    lines += [f"Aim: {verdict.sentence}. {_seen(verdict)}" for verdict in result.aims]
    lines += [absent.sentence for absent in result.absent]
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    console.print()


def _table(result: Result) -> Table:
    title = f"{result.title}: {result.gauge} over {result.rounds} rounds"
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("contestant", no_wrap=True)
    per, each = f"{result.unit}s/{result.whole}", f"{result.measure}/{result.unit}"
    for heading in (per, each, "quartiles", f"x {result.baseline}", "quartiles", *_more_headings(result)):
        table.add_column(heading, justify="right")
    for score in result.scores:
        table.add_row(score.name, *_figures(score, result))
    return table


def _more_headings(result: Result) -> tuple[str, ...]:
    return () if result.gauge == CPU.name else (f"CPU ns/{result.unit}",)


def _figures(score: Score, result: Result) -> tuple[str, ...]:
    more = () if result.gauge == CPU.name else (three_digits(score.cpu.median),)
    return three_digits(score.rate), *figures_of(score.cost), *figures_of(score.ratio), *more


def figures_of(spread: Spread) -> tuple[str, str]:
    """The median, and the quartiles around it."""
    return three_digits(spread.median), f"{three_digits(spread.lower)}-{three_digits(spread.upper)}"


def three_digits(number: float) -> str:
    """1.63, 16.3, 163 and 1,630: what a timing can tell, and no whole digit lost."""
    decimals = 2 if number < 10 else 1 if number < 100 else 0
    return f"{number:,.{decimals}f}"


def _seen(verdict: Verdict) -> str:
    if verdict.ratio is None:
        return "Not measured."
    return f"Seen: {three_digits(verdict.ratio)}, so it is {'met' if verdict.is_met else 'missed'}."
