"""`turnstile games`: what is installed."""

import json

import click
from rich.console import Console
from rich.table import Table

from turnstile.bots import bots_of
from turnstile.cli.arguments import any_game_argument
from turnstile.kernel import AnyGame, wire_name
from turnstile.registry import find_game, names


@click.command()
@any_game_argument
@click.option("--schema", is_flag=True, help="Print the JSON Schemas of events, messages, state, view and options.")
@click.option("--json", "as_json", is_flag=True, help="Print for programs instead of people.")
def games(game: AnyGame | None, schema: bool, as_json: bool) -> None:
    """List the installed games, or tell about one of them.

    \b
    Examples:
      turnstile games
      turnstile games e-card --schema
    """
    if schema:
        if game is None:
            raise click.UsageError("Name the game whose schema you want.")
        click.echo(json.dumps(game.schema(), indent=2))
        return
    found = [game] if game else [each for each in map(find_game, names()) if each]
    if as_json:
        click.echo(json.dumps([described(each) for each in found], indent=2))
        return
    table = Table("name", "title", "players", "version", "bots")
    for each in found:
        table.add_row(each.name, each.title, company(each), str(each.version), ", ".join(bots_of(each)))
    Console().print(table)


def described(game: AnyGame) -> dict[str, object]:
    """What there is to know about a game before one plays it."""
    return {
        "name": game.name,
        "title": game.title,
        "players": company(game),
        "version": game.version,
        "bots": list(bots_of(game)),
        "events": [wire_name(event) for event in game.machine.events],
    }


def company(game: AnyGame) -> str:
    fewest, most = game.seats[0], game.seats[-1]
    return f"{fewest}" if fewest == most else f"{fewest} to {most}"
