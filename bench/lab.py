"""`python -m bench.lab`: the contests about simulations, as tables in Markdown for docs/performance.md.

Random rounds beside OpenSpiel, random decisions beside RLCard and PettingZoo, what actions and views cost, and how
throughput grows with processes. Run it on a quiet machine: the last one needs two idle cores.
"""

import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

import click

from bench.__main__ import TABLES, contests
from bench.harness import Result, measure
from bench.report import figures_of, three_digits

CONTESTS = (
    "up-down",
    "large decisions",
    "small decisions",
    "e-card playouts",
    "66 playouts",
    "up-down playouts",
    "even-odd playouts",
    "processes",
)
PACKAGES = ("open_spiel", "rlcard", "pettingzoo", "numpy")
ROUNDS = 40


@click.command()
@click.option("--rounds", type=click.IntRange(min=1), help="How often each one runs; by default as often as it needs.")
@click.option("--tables", type=click.IntRange(min=20), default=TABLES, hidden=True)
@click.option("--only", multiple=True, type=click.Choice(CONTESTS), help="Only this contest; may be repeated.")
def main(rounds: int | None, tables: int, only: tuple[str, ...]) -> None:
    """Measure simulations, and print tables in Markdown. Takes some three minutes on a quiet machine."""
    click.echo(f"{_machine()}\n")
    for name, make in contests(tables).items():
        if name in (only or CONTESTS):
            contest = make()
            click.echo(f"{contest.title} ...", err=True)
            click.echo(f"{markdown(measure(contest, rounds or contest.rounds or ROUNDS))}\n")


def markdown(result: Result) -> str:
    """The table of a contest, and what became of its aims."""
    article = "an" if result.unit[0] in "aeiou" else "a"
    heads = (
        result.name,
        f"{_plural(result.unit)} a second",
        f"nanoseconds {article} {result.unit}",
        f"times {result.baseline}",
    )
    rows = [
        (
            score.name,
            three_digits(score.rate),
            _with_quartiles(*figures_of(score.cost)),
            "1.00" if score.name == result.baseline else _with_quartiles(*figures_of(score.ratio)),
        )
        for score in result.scores
    ]
    lines = [_line(heads), "| --- | ---: | ---: | ---: |", *map(_line, rows), ""]
    for aim in result.aims:
        seen = (
            "not measured"
            if aim.ratio is None
            else f"{three_digits(aim.ratio)}: {'met' if aim.is_met else '**missed**'}"
        )
        lines.append(f"- Aim: {aim.sentence}. Seen: {seen}.")
    lines += [f"- {absent.sentence}" for absent in result.absent]
    return "\n".join(lines)


def _plural(unit: str) -> str:
    return f"{unit}es" if unit.endswith("ch") else f"{unit}s"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _with_quartiles(median: str, quartiles: str) -> str:
    return f"{median} [{quartiles}]"


def _machine() -> str:
    packages = ", ".join(f"{name} {found}" for name in PACKAGES if (found := _version(name)))
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return f"Python {platform.python_version()}, {packages}; {os.cpu_count()} cores, load {load} at the start."


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


if __name__ == "__main__":
    main(prog_name="python -m bench.lab")
