"""`turnstile actions`: the action ids of a game and the layout of its observations, for programs that learn."""

import json

import click

from turnstile.cli.arguments import game_argument, refuse_player_count
from turnstile.cli.json_option import json_option
from turnstile.kernel import AnyGame
from turnstile.lab.encoding import NoActionIds, NoTensor, Slice, action_ids, layout_of

OUTLINE_HEADS = ("slots", "field of the view", "meaning")


@click.command()
@game_argument
@click.option("--observation", is_flag=True, help="Print what an observation tensor holds instead of the action ids.")
@click.option("--players", type=int, help="The number of players that the tensor is for; by default the fewest.")
@json_option("Print JSON for programs; see above.")
def actions(game: AnyGame, observation: bool, players: int | None, as_json: bool) -> None:
    """List the action ids of a game, or what its observations hold.

    Environments use both; the page docs/environments.md explains them. The ids are the same in every match, for
    any players. In a move that names another player, +1 is the next one.

    \b
    Examples:
      turnstile actions up-down
      turnstile actions 66 --observation --players 3

    \b
    --json prints an object:
      game, version         the name of the game, and the version of its rules
      actions               the names of all actions, in the order of their ids
      observation           [{"name": "phase", "start": 0, "size": 5, "meaning": "..."}, ...], with --observation only
    """
    count = game.seats[0] if players is None else players
    refuse_player_count(game, count)
    try:
        names = action_ids(game).names()
        layout = layout_of(game, count) if observation else None
    except (NoActionIds, NoTensor) as fault:
        raise click.UsageError(str(fault)) from None
    if as_json:
        found = {"game": game.name, "version": game.version, "actions": names}
        slices = {"observation": [each._asdict() for each in layout.slices()]} if layout else {}
        click.echo(json.dumps({**found, **slices}, indent=2))
    elif layout is not None:
        click.echo(f"An observation of {game.title} for {count} players has {layout.size} slots.")
        _print(OUTLINE_HEADS, [[places(each), each.name, each.meaning] for each in layout.outline()])
    else:
        _print(("id", "action"), [[str(action), name] for action, name in enumerate(names)])


def places(part: Slice) -> str:
    """Where a part is: `3`, `3 to 7`, or nowhere."""
    if part.size == 0:
        return "none"
    return f"{part.start}" if part.size == 1 else f"{part.start} to {part.start + part.size - 1}"


def _print(heads: tuple[str, ...], lines: list[list[str]]) -> None:
    from rich import box
    from rich.table import Table

    from turnstile.cli.console import plain_console

    table = Table(*heads, box=box.SIMPLE)
    for line in lines:
        table.add_row(*(cell.replace("[", r"\[") for cell in line))
    plain_console(highlight=False).print(table)
