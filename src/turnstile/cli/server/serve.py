"""`turnstile serve`: the flags of the server. `process` runs it."""

from collections.abc import Callable
from enum import EnumType
from pathlib import Path
from typing import Any

import click
import msgspec

from turnstile.cli.streams import ignore_closed_pipes
from turnstile.server.settings import (
    InvalidSettings,
    ServerSettings,
    check_settings,
    description_of,
    flag_of,
    read_settings,
    variable_of,
)


def setting_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """One option for each setting."""
    for field in reversed(msgspec.structs.fields(ServerSettings)):
        command = _option(field.name, field.default)(command)
    return command


def _option(name: str, default: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    text = f"{description_of(name)}  [${variable_of(name)}]"
    if isinstance(default, bool):
        return click.option(flag_of(name), name, is_flag=True, default=None, help=text)
    if isinstance(default, tuple):
        return click.option(flag_of(name), name, multiple=True, metavar="TEXT", help=f"{text} May be repeated.")
    shown = "" if default is None else f" Default: {default}."
    kind = click.Choice([each.value for each in type(default)]) if isinstance(type(default), EnumType) else str
    return click.option(flag_of(name), name, type=kind, metavar=_metavar(default), help=text + shown)


def _metavar(default: Any) -> str | None:
    if isinstance(type(default), EnumType):
        return None
    return "NUMBER" if isinstance(default, int | float) else "TEXT"


@click.command()
@click.option(
    "--config",
    type=click.Path(dir_okay=False, path_type=Path),
    envvar="TURNSTILE_CONFIG",
    help="A TOML file with settings, such as port = 8000.  [$TURNSTILE_CONFIG]",
)
@setting_options
def serve(config: Path | None, **flags: Any) -> None:
    """Serve tables over HTTP and WebSocket.

    The server runs until Ctrl-C or SIGTERM. A flag counts more than the environment, and the environment more than
    the file. A store in a SQLite file serves one process; with PostgreSQL, any number of processes may serve the same
    tables.

    With --dev, an author of a game plays all seats of a table, sees each step of the rules, and sees a change of the
    game's file at once. --game names the file of a game that is not installed.

    \b
    Examples:
      turnstile serve
      turnstile serve --store postgresql://localhost/turnstile --port 8001
      turnstile serve --host 0.0.0.0 --public-url https://play.example.org
      turnstile serve --dev --game undercut.py
    """
    ignore_closed_pipes()
    try:
        settings = read_settings(flags, file=config)
        check_settings(settings)
    except InvalidSettings as fault:
        raise click.UsageError(str(fault)) from None
    from turnstile.cli.server.process import run_server  # only now: the help and a wrong setting need no server

    run_server(settings)
