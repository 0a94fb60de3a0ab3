"""Arguments that several commands share: a game or another machine by its name, its options, a record by its file."""

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from turnstile.bots import bots_of
from turnstile.kernel import AnyGame, PlayerId, Rejection, Seed, refuse_seed
from turnstile.kernel.chance import new_seed
from turnstile.kernel.game import refuse_count
from turnstile.kernel.inspect import AnyInspectable
from turnstile.kernel.record import Record, load
from turnstile.registry import find_game, find_inspectable, machine_names, names

INTERRUPTED = 130  # the exit status of what was stopped with Ctrl-C: 128 + SIGINT, as shells have it


def find_named(context: click.Context, parameter: click.Parameter, name: str | None) -> AnyGame | None:
    """The installed game of this name, or a usage error that says which there are."""
    game = find_game(name) if name else None
    if name and game is None:
        raise _unknown("game", name, names(), context)
    return game


def find_machine(context: click.Context, parameter: click.Parameter, name: str) -> AnyInspectable:
    """The stand of the installed machine of this name, or a usage error that says which there are."""
    inspectable = find_inspectable(name)
    if inspectable is None:
        raise _unknown("machine", name, machine_names(), context)
    return inspectable


def _unknown(kind: str, name: str, known: Sequence[str], context: click.Context) -> click.UsageError:
    close = get_close_matches(name, known, n=1, cutoff=0.4)
    hint = f" Did you mean {close[0]}?" if close else ""
    return click.UsageError(f"There is no {kind} {name!r}; installed are: {', '.join(known)}.{hint}", context)


def complete_machine(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in machine_names() if name.startswith(incomplete)]


def complete_name(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in names() if name.startswith(incomplete)]


game_argument = click.argument("game", callback=find_named, shell_complete=complete_name)
machine_argument = click.argument("machine", callback=find_machine, shell_complete=complete_machine)
any_game_argument = click.argument("game", callback=find_named, shell_complete=complete_name, required=False)
NO_OPTIONS = "{}"
options_option = click.option(
    "--options", default=NO_OPTIONS, metavar="JSON", help="Options of the game, as a JSON object."
)


def refuse_company(game: AnyGame, count: int) -> None:
    """A usage error where so many cannot sit down to this game."""
    if fault := refuse_count(count, game.seats):
        raise click.UsageError(f"{game.title}: {fault.sentence}")


def company_of(game: AnyGame, players: int | None) -> tuple[PlayerId, ...]:
    """So many players, or the fewest that a game takes."""
    count = players or game.seats[0]
    refuse_company(game, count)
    return tuple(PlayerId(f"player {seat}") for seat in range(1, count + 1))


def refuse_match(game: AnyGame, players: Sequence[PlayerId], options: Any) -> None:
    """A usage error where no match can be opened like this, before anything is played."""
    opened = game.new(players, options, Seed("any"))
    if isinstance(opened, Rejection):
        raise click.UsageError(opened.sentence)


def refuse_folder(path: Path | None) -> None:
    """A usage error, before anything is played, where a file could not be written afterwards."""
    if path and not path.absolute().parent.is_dir():
        raise click.UsageError(f"There is no folder {path.absolute().parent} to write {path.name} into.")


def read_seed(text: str | None) -> Seed:
    """The seed that was given, or a secret one."""
    seed = new_seed() if text is None else Seed(text)
    if fault := refuse_seed(seed):
        raise click.UsageError(fault.sentence)
    return seed


def read_options(game: AnyGame, text: str) -> Any:
    """The options given for a game, or a usage error that says what is wrong with them."""
    options = game.read_options(text)
    if isinstance(options, Rejection):
        raise click.UsageError(options.sentence)
    return options


def bot_named(game: AnyGame, name: str | None) -> str:
    """The name of a bot that plays this game; the best one where none is named."""
    known = bots_of(game)
    if name is not None and name not in known:
        raise click.UsageError(f"{game.name} has no bot {name!r}; there are: {', '.join(known)}.")
    return name or next(iter(known))


def read_record(path: Path) -> Record | Rejection:
    """The record in a file, as far as its chain of hashes goes; `-` is standard input."""
    with click.open_file(str(path), "rb") as file:
        return load(file.read())


def game_of(record: Record) -> AnyGame:
    """The installed game that a record is of."""
    game = find_game(record.header.game)
    if game is None:
        raise click.UsageError(
            f"This is a record of {record.header.game!r}, which is not installed; installed are: {', '.join(names())}."
        )
    return game
