"""`turnstile serve`: the server, until it is stopped."""

import asyncio
import signal
import sys
from collections.abc import Callable
from enum import EnumType
from pathlib import Path
from typing import Any

import click
import msgspec

from turnstile.cli.errors import Failed
from turnstile.cli.interrupts import INTERRUPTED
from turnstile.cli.streams import discard_unwritten, ignore_closed_pipes
from turnstile.host import Host
from turnstile.net import serving
from turnstile.server import Running, Server, ServerSettings
from turnstile.server import serving as serve_all
from turnstile.server.logs import write_logs
from turnstile.server.settings import (
    InvalidSettings,
    check_settings,
    description_of,
    flag_of,
    read_settings,
    variable_of,
)
from turnstile.store.opening import open_store
from turnstile.store.protocol import StoreFault


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
    """Serve tables over HTTP and WebSocket, until Ctrl-C or SIGTERM.

    A flag counts more than the environment, and the environment more than the file. A store in a SQLite file serves
    one process; with PostgreSQL, any number of processes may serve the same tables.

    \b
    Examples:
      turnstile serve
      turnstile serve --store postgresql://localhost/turnstile --port 8001
      turnstile serve --host 0.0.0.0 --public-url https://play.example.org
    """
    ignore_closed_pipes()
    try:
        settings = read_settings(flags, file=config)
        check_settings(settings)
    except InvalidSettings as fault:
        raise click.UsageError(str(fault)) from None
    write_logs(settings.log_format)
    try:
        status = serving.run(_until_stopped(settings))
    except StoreFault as fault:
        raise click.ClickException(str(fault)) from None
    except ExceptionGroup as group:
        raise Failed(f"The server has failed: {_first(group)}") from group
    if status:
        raise click.exceptions.Exit(status)


def _first(group: BaseException) -> BaseException:
    return _first(group.exceptions[0]) if isinstance(group, BaseExceptionGroup) else group


async def _until_stopped(settings: ServerSettings) -> int:
    """Run the server. Ctrl-C and SIGTERM stop it cleanly."""
    stop, loop, status = asyncio.Event(), asyncio.get_running_loop(), 0

    def interrupt() -> None:
        nonlocal status
        status = INTERRUPTED
        stop.set()

    loop.add_signal_handler(signal.SIGTERM, stop.set)
    loop.add_signal_handler(signal.SIGINT, interrupt)
    store = await open_store(settings.store)
    try:
        async with serve_all(Server(Host(store), store.directory, settings)) as running:
            _tell_ready(running)
            await stop.wait()
    finally:
        await store.close()
    return status


def _tell_ready(running: Running) -> None:
    try:
        click.echo(f"turnstile serves {running.url} (operations: {running.operations_url})")
        sys.stdout.flush()
    except BrokenPipeError:
        discard_unwritten()
