"""`turnstile check`: what can be proved about a machine."""

import sys
from collections.abc import Iterable
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

from turnstile.cli.arguments import NO_OPTIONS, company_of, machine_argument, options_option, read_options, refuse_match
from turnstile.kernel import AnyGame
from turnstile.kernel.check import MOST_STATES, Report, Verdict, World, world_of
from turnstile.kernel.check import check as run_check
from turnstile.kernel.inspect import AnyInspectable
from turnstile.kernel.values import encode
from turnstile.registry import find_game, study_of

LOOKS = {
    Verdict.PROVED: "[green]proved [/]",
    Verdict.SAMPLED: "[yellow]sampled[/]",
    Verdict.FAILED: "[bold red]failed [/]",
}


@click.command()
@machine_argument
@click.option("--players", type=click.IntRange(1), help="How many sit at the table; the fewest by default.")
@options_option
@click.option(
    "--most-states",
    type=click.IntRange(1),
    default=MOST_STATES,
    show_default=True,
    help="Stop walking once so many states were met; sample the rest.",
)
@click.option("--json", "as_json", is_flag=True, help="Print for programs instead of people.")
def check(machine: AnyInspectable, players: int | None, options: str, most_states: int, as_json: bool) -> None:
    """Prove what can be proved about a machine, and sample the rest.

    A game is played by its fewest players from a few seeds; the table is walked around every installed game, with few
    players and with every company, each with a report of its own.

    \b
    Examples:
      turnstile check e-card
      turnstile check e-card --json
      turnstile check table
    """
    passed = True
    for world in worlds_of(machine, players, options):
        with Console(stderr=True).status(f"Walking the states of {machine.machine.name}, {world.setting} ..."):
            report = run_check(world, most_states)
        click.echo(encode(report)) if as_json else tell(report)
        passed = passed and report.passed
    sys.exit(0 if passed else 1)


def worlds_of(inspectable: AnyInspectable, players: int | None, options: str) -> Iterable[World[Any]]:
    """What to walk. How many play, and with which options, can be chosen for a game alone."""
    game = find_game(inspectable.machine.name)
    if game is not None:
        return [game_world(game, players, options)]
    if players is not None or options != NO_OPTIONS:
        raise click.UsageError(f"{inspectable.title} is no game: --players and --options are for games.")
    return inspectable.worlds()


def game_world(game: AnyGame, players: int | None, options: str) -> World[Any]:
    company = company_of(game, players)
    chosen = read_options(game, options)
    refuse_match(game, company, chosen)
    return world_of(game, study_of(game), chosen, company)


def tell(report: Report) -> None:
    """The findings, a line each; under a failure the shortest way to it."""
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"[bold]{report.machine}[/], {report.setting}: {report.states:,} states seen")
    for finding in report.findings:
        console.print(f"  {LOOKS[finding.verdict]}  {escape(finding.sentence)}")
        for number, event in enumerate(finding.path, start=1):
            console.print(f"{number:>11}. {event}", markup=False)
