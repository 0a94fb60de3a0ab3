"""How an agent of the league is run from the command line: its log, its signals, and what it exits with."""

import asyncio
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

import click
import msgspec

from turnstile.agents.manager.process import ManagerProcess
from turnstile.agents.player.process import PlayerProcess
from turnstile.agents.process.files import open_private
from turnstile.agents.process.process import AgentProcess, CannotStart, Ready, Settings
from turnstile.agents.referee.process import RefereeProcess
from turnstile.agents.strategies.strategies import UnknownStrategy
from turnstile.cli.arguments import INTERRUPTED
from turnstile.cli.streams import forget_unwritten, outlive_pipes
from turnstile.net import serving
from turnstile.net.addresses import reach_of, refusal
from turnstile.store.log import Damaged
from turnstile.store.protocol import StoreFault

__all__ = ["ManagerProcess", "PlayerProcess", "RefereeProcess", "Settings", "run"]

FAILED = 1
PATIENCE = 20.0  # seconds, for an agent whose launcher has been killed to let go of its store
STDIN = 0
EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104
"""Where one can listen, but be called by nobody."""


def run(
    make: Callable[[Settings], AgentProcess],
    *,
    as_json: bool,
    with_launcher: bool,
    allow: tuple[str, ...],
    public: bool,
    log_format: str,
    log_file: Path | None,
    **given: Any,
) -> None:
    """Run an agent until it ends or is stopped. What it cannot do is one sentence, and the status says whose fault."""
    outlive_pipes()
    reach = reach_of(allow, is_public=public)
    if "manager" in given and (why := refusal(given["manager"], reach)):
        raise click.UsageError(f"The manager cannot be called at {given['manager']}: {why}; --allow or --public it.")
    if "manager" in given and given["endpoint"] is None and given["host"] in EVERYWHERE:
        raise click.UsageError(
            f"Nobody can be called at {given['host']}: say with --endpoint how this agent is reached."
        )
    with _log(log_file) as log:
        patience = PATIENCE if with_launcher else 0.0
        settings = Settings(reach=reach, log=log, log_as_json=log_format == "json", patience=patience, **given)
        status = _outcome(lambda: make(settings), lambda ready: _tell(ready, as_json), with_launcher)
    if status:
        sys.exit(status)


@contextmanager
def _log(path: Path | None) -> Iterator[TextIO]:
    """Where the log goes. Standard error is not ours to close, so a copy of it is. A file is for its owner alone."""
    if path is None:
        log: TextIO = os.fdopen(os.dup(sys.stderr.fileno()), "w", errors="replace")
    else:
        log = io.TextIOWrapper(open_private(path), errors="replace")
    try:
        yield log
    finally:
        with suppress(OSError):  # what could not be written has been counted
            log.close()


def _outcome(make: Callable[[], AgentProcess], ready: Callable[[Ready], None], with_launcher: bool) -> int:
    try:
        host, status = serving.run(_until_stopped(make, ready, with_launcher))
    except (CannotStart, UnknownStrategy, StoreFault, Damaged) as fault:
        raise click.ClickException(str(fault)) from None
    if host.failure is not None:
        click.echo(f"turnstile: {host.failure}", err=True)
        return FAILED
    return status


async def _until_stopped(
    make: Callable[[], AgentProcess], ready: Callable[[Ready], None], with_launcher: bool
) -> tuple[AgentProcess, int]:
    """Ctrl-C, SIGTERM and the end of its launcher stop it in good order; what is durable stays so in any case."""
    stop, loop, status = asyncio.Event(), asyncio.get_running_loop(), 0

    def interrupt() -> None:
        nonlocal status
        status = INTERRUPTED
        stop.set()

    loop.add_signal_handler(signal.SIGTERM, stop.set)
    loop.add_signal_handler(signal.SIGINT, interrupt)
    if with_launcher:
        _stop_with_launcher(loop, stop)
    host = make()
    await host.run(stop, ready)
    return host, status


def _stop_with_launcher(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    """Our standard input ends when the launcher does, however it ends: the operating system sees to that."""

    def read() -> None:
        if not os.read(STDIN, 4096):
            loop.remove_reader(STDIN)
            stop.set()

    loop.add_reader(STDIN, read)


def _tell(ready: Ready, as_json: bool) -> None:
    """Say that it is ready. Whoever wanted to know may be gone by now, which is no reason to die either."""
    try:
        _say(ready, as_json)
    except BrokenPipeError:
        forget_unwritten()


def _say(ready: Ready, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.encode(ready).decode())
    else:
        click.echo(f"{ready.name} listens at {ready.endpoint}")
        if ready.hint is not None:
            click.echo(ready.hint)
    sys.stdout.flush()
