"""`turnstile check`: what can be proved about a machine, and what was only sampled."""

from collections.abc import Iterable
from typing import Any

import click
from rich.markup import escape

from turnstile.cli.arguments import (
    NO_OPTIONS,
    machine_argument,
    options_option,
    players_of,
    read_options,
    refuse_match,
)
from turnstile.cli.console import plain_console
from turnstile.cli.errors import FAILED
from turnstile.cli.json_option import json_option
from turnstile.kernel import AnyGame
from turnstile.kernel.check import MOST_STATES, Report, Verdict, World, world_of
from turnstile.kernel.check import check as run_check
from turnstile.kernel.inspect import AnyInspectable
from turnstile.kernel.values import encode
from turnstile.registry import find_game, study_of

STYLED_VERDICTS = {
    Verdict.PROVED: "[green]proved [/]",
    Verdict.SAMPLED: "[yellow]sampled[/]",
    Verdict.FAILED: "[bold red]failed [/]",
}


@click.command()
@machine_argument
@click.option("--players", type=click.IntRange(1), help="How many players; by default the fewest that the game takes.")
@options_option
@click.option(
    "--most-states",
    type=click.IntRange(1),
    default=MOST_STATES,
    show_default=True,
    help="Explore at most this many states, and sample the rest.",
)
@json_option("Print each report as a line of JSON.")
def check(machine: AnyInspectable, players: int | None, options: str, most_states: int, as_json: bool) -> None:
    """Prove what can be proved about a machine, and sample the rest.

    Explores every state that events can reach, from a few seeds. "proved" holds for all of them; "sampled" was tried
    on some. A failure shows the shortest list of events that leads to it. A machine that is not a game, such as the
    table, is checked in several settings, with one report each. Exits with 1 if a check fails.

    \b
    Examples:
      turnstile check e-card
      turnstile check e-card --json
      turnstile check table
    """
    passed = True
    for world in worlds_of(machine, players, options):
        with plain_console(stderr=True).status(f"Exploring the states of {machine.machine.name}, {world.setting} ..."):
            report = run_check(world, most_states)
        click.echo(encode(report)) if as_json else print_report(report)
        passed = passed and report.passed
    if not passed:
        raise click.exceptions.Exit(FAILED)


def worlds_of(inspectable: AnyInspectable, players: int | None, options: str) -> Iterable[World[Any]]:
    """The settings to explore. Only a game has a number of players and options to choose."""
    game = find_game(inspectable.machine.name)
    if game is not None:
        return [game_world(game, players, options)]
    if players is not None or options != NO_OPTIONS:
        raise click.UsageError(
            f"{inspectable.title} is not a game: leave out --players and --options, which are for games."
        )
    return inspectable.worlds()


def game_world(game: AnyGame, players: int | None, options: str) -> World[Any]:
    seated = players_of(game, players)
    chosen = read_options(game, options)
    refuse_match(game, seated, chosen)
    return world_of(game, study_of(game), chosen, seated)


def print_report(report: Report) -> None:
    """Print a line for each finding, and under a failure the shortest list of events that leads to it."""
    console = plain_console(highlight=False, soft_wrap=True)
    console.print(f"[bold]{report.machine}[/], {report.setting}: {report.states:,} states seen")
    for finding in report.findings:
        console.print(f"  {STYLED_VERDICTS[finding.verdict]}  {escape(finding.sentence)}")
        for number, event in enumerate(finding.path, start=1):
            console.print(f"{number:>11}. {event}", markup=False)
