"""Runs the server as a program: its store, its signals and its exit status."""

import asyncio
import logging
import os
import signal
import sys

import click

from turnstile.bots import bots_of
from turnstile.cli.errors import Failed
from turnstile.cli.interrupts import INTERRUPTED
from turnstile.cli.streams import discard_unwritten
from turnstile.host import Host
from turnstile.net import serving
from turnstile.registry import find_game, names
from turnstile.server import Running, Server, ServerSettings
from turnstile.server import serving as serve_all
from turnstile.server.dev.access import is_for_authors
from turnstile.server.dev.sources import CannotLoad
from turnstile.server.operations.logs import write_logs
from turnstile.server.operations.open_files import fit_open_files
from turnstile.server.play.socket import CLOSE_SECONDS
from turnstile.store.opening import open_store
from turnstile.store.protocol import StoreFault
from turnstile.web import web_routes

log = logging.getLogger("turnstile.server")

LATE = 1
"""The exit status of a server that has not stopped in time."""


def load_games() -> None:
    """Load every installed game with its study and its bots. Raises `PackageFault` before a player meets the fault."""
    for game in map(find_game, names()):
        if game is not None:
            bots_of(game)


def run_server(settings: ServerSettings) -> None:
    """Run a server until it is stopped."""
    write_logs(settings.log_format, level=settings.log_level)
    load_games()
    try:
        status = serving.run(_until_stopped(fit_open_files(settings)))
    except (StoreFault, CannotLoad) as fault:
        raise click.ClickException(str(fault)) from None
    except ExceptionGroup as group:
        first = _first(group)
        if isinstance(first, serving.CannotListen):
            raise click.ClickException(str(first)) from None
        raise Failed(f"The server has failed: {first}") from group
    if status:
        raise click.exceptions.Exit(status)


def _first(group: BaseException) -> BaseException:
    return _first(group.exceptions[0]) if isinstance(group, BaseExceptionGroup) else group


async def _until_stopped(settings: ServerSettings) -> int:
    """Run the server. Ctrl-C and SIGTERM stop it cleanly, within a limit; a second Ctrl-C ends it at once."""
    stop, loop, status = asyncio.Event(), asyncio.get_running_loop(), 0

    def interrupt() -> None:
        nonlocal status
        if stop.is_set():
            os._exit(INTERRUPTED)
        status = INTERRUPTED
        stop.set()

    loop.add_signal_handler(signal.SIGTERM, stop.set)
    loop.add_signal_handler(signal.SIGINT, interrupt)
    store = await open_store(settings.store)
    try:
        host = Host(store, longest_step=settings.step_seconds)
        async with serve_all(
            Server(host, store.directory, settings), web_routes(is_for_authors=is_for_authors(settings))
        ) as running:
            _tell_ready(running)
            await stop.wait()
            loop.call_later(CLOSE_SECONDS + 2 * settings.stop_seconds, _end_late)
    finally:
        await store.close()
    return status


def _end_late() -> None:
    """End a server that cannot stop cleanly, such as one whose store hangs. Nothing that was answered is lost."""
    log.error("The server has not stopped in time and ends now: its store may not answer")
    os._exit(LATE)


def _tell_ready(running: Running) -> None:
    try:
        click.echo(f"turnstile serves {running.url} (operations: {running.operations_url})")
        sys.stdout.flush()
    except BrokenPipeError:
        discard_unwritten()
