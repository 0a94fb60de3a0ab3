"""`python -m bench`: run the contests and show what came out."""

import sys
from collections.abc import Callable
from functools import partial

import click
from rich.console import Console

from bench import (
    at_table,
    commits,
    decisions,
    door,
    ecard,
    memory,
    moves,
    opening,
    playouts,
    processes,
    recovery,
    updown,
    updown_length,
    updown_step,
)
from bench.harness import Contest, Result, measure
from bench.report import as_json, show
from turnstile.registry import names

TABLES = 10_000


def contests(tables: int = TABLES) -> dict[str, Callable[[], Contest]]:
    """Every contest by its name; `tables` is how many are open in those that are about many."""
    return {
        "e-card": ecard.contest,
        "door": door.contest,
        "up-down": updown.contest,
        "up-down step": updown_step.contest,
        "up-down length": updown_length.contest,
        "small decisions": decisions.small,
        "large decisions": decisions.large,
        "processes": partial(processes.contest, tables),
        **{f"{name} playouts": partial(playouts.contest_of, name) for name in names()},
        **{f"{name} at a table": partial(at_table.contest_of, name) for name in names()},
        "commits on sqlite": commits.on_sqlite,
        "commits on postgresql": commits.on_postgresql,
        "moves": partial(moves.contest, tables),
        "opening": partial(opening.contest, tables),
        "recovery": partial(recovery.contest, tables),
        "memory": partial(memory.objects, tables),
        "resident memory": partial(memory.resident, tables),
    }


ROUNDS = 100
INTERRUPTED = 130  # what a shell reports for a program that was stopped with Ctrl-C


@click.command(epilog=f"Contests: {', '.join(contests())}.")
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    help=f"How often each one runs: {ROUNDS} times, or as often as a long contest finds enough.",
)
@click.option("--only", type=click.Choice(list(contests())), help="One contest instead of all.")
@click.option(
    "--tables",
    type=click.IntRange(min=20),
    default=TABLES,
    show_default=True,
    help="How many are open, where that is what a contest is about.",
)
@click.option("--json", "is_json", is_flag=True, help="Print JSON instead of tables: times in nanoseconds.")
def main(rounds: int | None, only: str | None, tables: int, is_json: bool) -> None:
    """How fast is Turnstile, beside something worth comparing with?

    First of all, the contestants of a contest must show that they do the same work. Then, in every round, each of them
    runs once, in an order that rotates. CPU time counts, unless a contest says otherwise. A figure is the median of all
    rounds, with its quartiles beside it. Quote the ratios, not the times: a busy computer slows all contestants of a
    round alike.

    \b
    python -m bench                             all of it, in a quarter of an hour
    python -m bench --only e-card --rounds 500  for a steadier figure
    python -m bench --json > today.json         for a program
    """
    try:
        results = [_measured(make, rounds) for name, make in contests(tables).items() if only in (None, name)]
    except KeyboardInterrupt:
        click.echo("Stopped before the last round, so there is nothing to show.", err=True)
        sys.exit(INTERRUPTED)
    if is_json:
        click.echo(as_json(results))
    else:
        for result in results:
            show(result, Console())


def _measured(make: Callable[[], Contest], rounds: int | None) -> Result:
    contest = make()
    rounds = rounds or contest.rounds or ROUNDS
    # One line and no moving bar: a bar is drawn by a thread of this process, whose CPU time would count.
    click.echo(f"{contest.title}: {len(contest.contestants)} contestants, rounds: {rounds} ...", err=True)
    try:
        return measure(contest, rounds)
    finally:
        contest.close()


if __name__ == "__main__":
    main(prog_name="python -m bench")
