"""`python -m bench`: run the contests and show what came out."""

import sys
from collections.abc import Callable
from functools import partial

import click
from rich.console import Console

from bench import door, ecard, playouts, updown, updown_step
from bench.harness import Contest, Result, measure
from bench.report import as_json, show
from turnstile.registry import names

CONTESTS: dict[str, Callable[[], Contest]] = {
    "e-card": ecard.contest,
    "door": door.contest,
    "up-down": updown.contest,
    "up-down step": updown_step.contest,
    **{f"{name} playouts": partial(playouts.contest_of, name) for name in names()},
}
ROUNDS = 100
INTERRUPTED = 130  # what a shell reports for a program that was stopped with Ctrl-C


@click.command(epilog=f"Contests: {', '.join(CONTESTS)}.")
@click.option(
    "--rounds", type=click.IntRange(min=1), default=ROUNDS, show_default=True, help="How often each one runs."
)
@click.option("--only", type=click.Choice(list(CONTESTS)), help="One contest instead of all.")
@click.option("--json", "is_json", is_flag=True, help="Print JSON instead of tables: times in nanoseconds.")
def main(rounds: int, only: str | None, is_json: bool) -> None:
    """How fast is Turnstile, beside something worth comparing with?

    First of all, the contestants of a contest must show that they do the same work. Then, in every round, each of them
    runs once, in an order that rotates, and only CPU time counts. A figure is the median of all rounds, with its
    quartiles beside it. Quote the ratios, not the times: a busy computer slows all contestants of a round alike.

    \b
    python -m bench                             all of it, in about a minute
    python -m bench --only e-card --rounds 500  for a steadier figure
    python -m bench --json > today.json         for a program
    """
    try:
        results = [_measured(CONTESTS[name](), rounds) for name in ([only] if only else CONTESTS)]
    except KeyboardInterrupt:
        click.echo("Stopped before the last round, so there is nothing to show.", err=True)
        sys.exit(INTERRUPTED)
    if is_json:
        click.echo(as_json(results))
    else:
        for result in results:
            show(result, Console())


def _measured(contest: Contest, rounds: int) -> Result:
    # One line and no moving bar: a bar is drawn by a thread of this process, whose CPU time would count.
    click.echo(f"{contest.title}: {len(contest.contestants)} contestants, rounds: {rounds} ...", err=True)
    return measure(contest, rounds)


if __name__ == "__main__":
    main(prog_name="python -m bench")
