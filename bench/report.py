"""What the contests showed: a table each for people, JSON for programs."""

import platform
from collections.abc import Sequence

import msgspec
from rich import box
from rich.console import Console
from rich.table import Table

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
    title = f"{result.title}: CPU time over {result.rounds} rounds"
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("contestant", no_wrap=True)
    for heading in (f"{result.unit}s/s", f"ns/{result.unit}", "quartiles", f"x {result.baseline}", "quartiles"):
        table.add_column(heading, justify="right")
    for score in result.scores:
        table.add_row(score.name, *_figures(score))
    return table


def _figures(score: Score) -> tuple[str, ...]:
    return _three_digits(score.per_second), *_figures_of(score.nanoseconds), *_figures_of(score.ratio)


def _figures_of(spread: Spread) -> tuple[str, str]:
    """The median, and the quartiles around it."""
    return _three_digits(spread.median), f"{_three_digits(spread.lower)}-{_three_digits(spread.upper)}"


def _three_digits(number: float) -> str:
    """1.63, 16.3, 163 and 1,630: what a timing can tell, and no whole digit lost."""
    decimals = 2 if number < 10 else 1 if number < 100 else 0
    return f"{number:,.{decimals}f}"


def _seen(verdict: Verdict) -> str:
    if verdict.ratio is None:
        return "Not measured."
    return f"Seen: {_three_digits(verdict.ratio)}, so it is {'met' if verdict.is_met else 'missed'}."
