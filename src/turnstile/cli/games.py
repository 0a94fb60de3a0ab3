"""`turnstile games`: the installed games, and the rules, options and bots of each."""

import json
import sys
from inspect import getdoc
from typing import TYPE_CHECKING, Any

import click

from turnstile.bots import bots_of
from turnstile.cli.arguments import any_game_argument
from turnstile.cli.json_option import json_option
from turnstile.kernel import AnyGame, wire_name
from turnstile.registry import find_game, names

if TYPE_CHECKING:
    from rich.table import Table

# `rich` is imported where something is printed for people; programs that read JSON or a schema do not wait for it.


@click.command()
@any_game_argument
@click.option(
    "--schema", is_flag=True, help="Print the JSON Schemas of the events, messages, state, view and options of a game."
)
@json_option("Print JSON for programs; see above.")
def games(game: AnyGame | None, schema: bool, as_json: bool) -> None:
    """List the installed games, or describe one of them.

    The description of a game has its rules, its options and its bots.

    \b
    Examples:
      turnstile games
      turnstile games e-card
      turnstile games e-card --schema

    \b
    --json prints a list with an object for each game:
      name, title, version  text, text and a number
      players               {"fewest": 2, "most": 10}
      bots                  [{"name": "random", "about": "..."}, ...], the game's own first
      options               {"draws": {"type": "integer", "minimum": 1, ...}, ...}, a JSON Schema for each
      events                the types of all events
      rules                 the rules, in Markdown
    """
    if schema:
        if game is None:
            raise click.UsageError("Name the game whose schema to print, such as: turnstile games e-card --schema.")
        click.echo(json.dumps(game.schema(), indent=2))
        return
    found = [game] if game else [each for each in map(find_game, names()) if each]
    if as_json:
        click.echo(json.dumps([describe(each) for each in found], indent=2))
    elif game is not None:
        print_game(game)
    else:
        print_list(found)


def print_list(found: list[AnyGame]) -> None:
    from rich.table import Table

    from turnstile.cli.console import plain_console

    table = Table("name", "title", "players", "version", "bots")
    for each in found:
        table.add_row(each.name, each.title, player_range(each), str(each.version), ", ".join(bots_of(each)))
    plain_console().print(table)
    click.echo("Rules, options and bots of a game: turnstile games NAME")


def print_game(game: AnyGame) -> None:
    """Print the rules of a game, its options with their bounds, and its bots."""
    from rich.markdown import Markdown
    from rich.text import Text

    from turnstile.cli.console import plain_console

    console = plain_console(highlight=False)
    console.print(Text(f"{game.title}, for {player_range(game)} players. Play it with: turnstile play {game.name}"))
    console.print()
    console.print(Markdown(rules_of(game)))
    console.print()
    options = options_of(game)
    console.print(Text("Options, given as --options JSON" if options else "Options: none", style="bold"))
    console.print(_pairs({name: bounds(schema) for name, schema in options.items()}))
    console.print(Text("Bots, the game's own first", style="bold"))
    console.print(_pairs({name: about(bot) for name, bot in bots_of(game).items()}))


def _pairs(texts: dict[str, str]) -> "Table":
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    for name, text in texts.items():
        grid.add_row(Text(f"  {name}"), Text(text))
    return grid


def describe(game: AnyGame) -> dict[str, object]:
    """What `--json` prints about a game."""
    return {
        "name": game.name,
        "title": game.title,
        "version": game.version,
        "players": {"fewest": game.seats[0], "most": game.seats[-1]},
        "bots": [{"name": name, "about": about(bot)} for name, bot in bots_of(game).items()],
        "options": options_of(game),
        "events": [wire_name(event) for event in game.machine.events],
        "rules": rules_of(game),
    }


def rules_of(game: AnyGame) -> str:
    """The rules of a game for people: its own text, or the docstring of the module that defines its state."""
    return game.rules or sys.modules[game.machine.state.__module__].__doc__ or ""


def about(bot: object) -> str:
    """What a bot does: the first line of its docstring."""
    return (getdoc(bot) or "").partition("\n")[0]


def options_of(game: AnyGame) -> dict[str, dict[str, Any]]:
    """The JSON Schema of each option of a game, by name."""
    schema = game.schema()["options"]
    options: dict[str, dict[str, Any]] = schema["$defs"][schema["$ref"].rpartition("/")[2]]["properties"]
    return options


def bounds(option: dict[str, Any]) -> str:
    """The values that an option takes, in words."""
    kinds = option.get("anyOf", [option])
    low, high = _first(kinds, "minimum"), _first(kinds, "maximum")
    types = " or ".join(TYPES.get(str(kind.get("type")), "a value") for kind in kinds)
    span = {(True, True): f"{low} to {high}", (True, False): f"at least {low}", (False, True): f"at most {high}"}
    values = span.get((low is not None, high is not None), types)
    usual = f"{json.dumps(option['default'])} when left out" if "default" in option else "required"
    return ". ".join(part.rstrip(".") for part in (f"{values}; {usual}", option.get("description", "")) if part) + "."


TYPES = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "string": "a text",
    "null": "null",
    "array": "a list",
    "object": "an object",
}


def _first(kinds: list[dict[str, Any]], name: str) -> int | float | None:
    return next((kind[name] for kind in kinds if name in kind), None)


def player_range(game: AnyGame) -> str:
    """How many players a game takes: `2`, or `2 to 10`."""
    fewest, most = game.seats[0], game.seats[-1]
    return f"{fewest}" if fewest == most else f"{fewest} to {most}"
