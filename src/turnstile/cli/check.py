"""`turnstile check`: what can be proved about a machine."""

import sys

import click
from rich.console import Console
from rich.markup import escape

from turnstile.cli.arguments import company_of, game_argument, options_option, read_options, refuse_match
from turnstile.kernel import AnyGame
from turnstile.kernel.check import MOST_STATES, Report, Verdict, world_of
from turnstile.kernel.check import check as run_check
from turnstile.kernel.values import encode
from turnstile.registry import study_of

LOOKS = {
    Verdict.PROVED: "[green]proved [/]",
    Verdict.SAMPLED: "[yellow]sampled[/]",
    Verdict.FAILED: "[bold red]failed [/]",
}


@click.command()
@game_argument
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
def check(game: AnyGame, players: int | None, options: str, most_states: int, as_json: bool) -> None:
    """Prove what can be proved about a game, and sample the rest.

    \b
    Examples:
      turnstile check e-card
      turnstile check e-card --json
    """
    company = company_of(game, players)
    chosen = read_options(game, options)
    refuse_match(game, company, chosen)
    world = world_of(game, study_of(game), chosen, company)
    with Console(stderr=True).status(f"Walking the states of {game.name} ..."):
        report = run_check(world, most_states)
    if as_json:
        click.echo(encode(report))
    else:
        tell(report)
    sys.exit(0 if report.passed else 1)


def tell(report: Report) -> None:
    """The findings, a line each; under a failure the shortest way to it."""
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"[bold]{report.machine}[/], {report.setting}: {report.states:,} states seen")
    for finding in report.findings:
        console.print(f"  {LOOKS[finding.verdict]}  {escape(finding.sentence)}")
        for number, event in enumerate(finding.path, start=1):
            console.print(f"{number:>11}. {event}", markup=False)
