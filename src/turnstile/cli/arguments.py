"""Arguments and options that several commands share: a game or machine by name, game options, seeds, record files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from turnstile.cli.errors import unknown_name
from turnstile.kernel import AnyGame, PlayerId, Rejection, Seed, refuse_seed
from turnstile.kernel.chance import new_seed
from turnstile.kernel.game import refuse_count
from turnstile.kernel.inspect import AnyInspectable
from turnstile.kernel.record import Record, load
from turnstile.registry import find_game, find_inspectable, machine_names, names


def find_game_argument(context: click.Context, parameter: click.Parameter, name: str | None) -> AnyGame | None:
    """The installed game with this name, or a usage error that lists the installed games."""
    game = find_game(name) if name else None
    if name and game is None:
        raise unknown_name("game", name, names(), context)
    return game


def find_machine_argument(context: click.Context, parameter: click.Parameter, name: str) -> AnyInspectable:
    """The installed machine with this name, or a usage error that lists the installed machines."""
    inspectable = find_inspectable(name)
    if inspectable is None:
        raise unknown_name("machine", name, machine_names(), context)
    return inspectable


def complete_machine(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in machine_names() if name.startswith(incomplete)]


def complete_name(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in names() if name.startswith(incomplete)]


game_argument = click.argument("game", callback=find_game_argument, shell_complete=complete_name)
machine_argument = click.argument("machine", callback=find_machine_argument, shell_complete=complete_machine)
any_game_argument = click.argument("game", callback=find_game_argument, shell_complete=complete_name, required=False)
NO_OPTIONS = "{}"
options_option = click.option(
    "--options",
    default=NO_OPTIONS,
    metavar="JSON",
    help="Options of the game, as a JSON object. 'turnstile games GAME' lists them.",
)


def refuse_player_count(game: AnyGame, count: int) -> None:
    """Raise a usage error if the game does not take this many players."""
    if fault := refuse_count(count, game.seats):
        raise click.UsageError(f"{game.title}: {fault.sentence}")


def players_of(game: AnyGame, count: int | None) -> tuple[PlayerId, ...]:
    """This many players, by default the fewest that the game takes."""
    count = count or game.seats[0]
    refuse_player_count(game, count)
    return tuple(PlayerId(f"player {seat}") for seat in range(1, count + 1))


def refuse_match(game: AnyGame, players: Sequence[PlayerId], options: Any) -> None:
    """Raise a usage error, before anything is played, if the game cannot start with these players and options."""
    opened = game.new(players, options, Seed("any"))
    if isinstance(opened, Rejection):
        raise click.UsageError(opened.sentence)


def refuse_folder(path: Path | None) -> None:
    """Raise a usage error, before anything is played, if the folder of an output file does not exist."""
    if path and not path.absolute().parent.is_dir():
        folder = path.absolute().parent
        raise click.UsageError(f"There is no folder {folder} to write {path.name} into; create it first.")


def read_seed(text: str | None) -> Seed:
    """The seed that was given, or a new secret one."""
    seed = new_seed() if text is None else Seed(text)
    if fault := refuse_seed(seed):
        raise click.UsageError(fault.sentence)
    return seed


def read_options(game: AnyGame, text: str) -> Any:
    """The options of a game, or a usage error that says what is invalid about them."""
    options = game.read_options(text)
    if isinstance(options, Rejection):
        raise click.UsageError(options.sentence)
    return options


def read_record(path: Path) -> Record | Rejection:
    """The record in a file; `-` is standard input. A broken chain of hashes is a rejection."""
    with click.open_file(str(path), "rb") as file:
        return load(file.read())


def game_of(record: Record) -> AnyGame:
    """The installed game that a record belongs to."""
    game = find_game(record.header.game)
    if game is None:
        raise click.UsageError(
            f"This is a record of {record.header.game!r}, which is not installed. "
            f"Installed games: {', '.join(names())}. Install the game first."
        )
    return game
