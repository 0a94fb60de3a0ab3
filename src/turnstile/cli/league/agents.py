"""Runs an agent of the league as a program: its log, its signals and its exit status."""

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

from turnstile.agents.process.process import AgentProcess, CannotStart, Ready, Settings
from turnstile.agents.strategies.strategies import UnknownStrategy
from turnstile.cli.errors import Failed
from turnstile.cli.interrupts import INTERRUPTED
from turnstile.cli.streams import discard_unwritten, ignore_closed_pipes
from turnstile.durable.files import open_private
from turnstile.net import serving
from turnstile.net.addresses import reach_of, refusal
from turnstile.store.log import Damaged
from turnstile.store.protocol import StoreFault

PATIENCE = 20.0  # seconds to wait for the store, which an agent of a killed launcher may still hold
TERMINATED = 128 + signal.SIGTERM  # as shells report it
STDIN = 0
EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104
"""Addresses that an agent can listen on, but that others cannot call."""


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
    """Run an agent until it ends or is stopped."""
    ignore_closed_pipes()
    reach = reach_of(allow, is_public=public)
    if "manager" in given and (why := refusal(given["manager"], reach)):
        raise click.UsageError(
            f"The manager cannot be called at {given['manager']}: {why}; add --allow HOST or --public."
        )
    if "manager" in given and given["endpoint"] is None and given["host"] in EVERYWHERE:
        raise click.UsageError(
            f"Others cannot call {given['host']}: add --endpoint with the URL at which they reach this agent."
        )
    with _open_log(log_file) as log:
        patience = PATIENCE if with_launcher else 0.0
        settings = Settings(reach=reach, log=log, log_as_json=log_format == "json", patience=patience, **given)
        status = _run_agent(lambda: make(settings), lambda ready: _tell_ready(ready, as_json), with_launcher)
    if status:
        raise click.exceptions.Exit(status)


@contextmanager
def _open_log(path: Path | None) -> Iterator[TextIO]:
    """The stream of the log: a file that only its owner can read, or a copy of standard error that we may close."""
    if path is None:
        log: TextIO = os.fdopen(os.dup(sys.stderr.fileno()), "w", errors="replace")
    else:
        log = io.TextIOWrapper(open_private(path), errors="replace")
    try:
        yield log
    finally:
        with suppress(OSError):  # the agent has counted the lines that it could not write
            log.close()


def _run_agent(make: Callable[[], AgentProcess], ready: Callable[[Ready], None], with_launcher: bool) -> int:
    try:
        agent, status = serving.run(_until_stopped(make, ready, with_launcher))
    except (CannotStart, UnknownStrategy, StoreFault, Damaged) as fault:
        raise click.ClickException(str(fault)) from None
    if agent.failure is not None:
        raise Failed(str(agent.failure))
    return status


async def _until_stopped(
    make: Callable[[], AgentProcess], ready: Callable[[Ready], None], with_launcher: bool
) -> tuple[AgentProcess, int]:
    """Run the agent. Ctrl-C, SIGTERM and the end of its launcher stop it cleanly.

    To a launcher, status 0 says that the agent is not needed any more. It restarts an agent that others terminate.
    """
    stop, loop, status = asyncio.Event(), asyncio.get_running_loop(), 0

    def stop_with(wanted: int) -> None:
        nonlocal status
        status = wanted
        stop.set()

    loop.add_signal_handler(signal.SIGTERM, stop_with, TERMINATED if with_launcher else 0)
    loop.add_signal_handler(signal.SIGINT, stop_with, INTERRUPTED)
    if with_launcher:
        _stop_with_launcher(loop, stop)
    agent = make()
    await agent.run(stop, ready)
    return agent, status


def _stop_with_launcher(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    """Stop when standard input is closed. The operating system closes it when the launcher ends, even by a kill."""

    def read() -> None:
        if not os.read(STDIN, 4096):
            loop.remove_reader(STDIN)
            stop.set()

    loop.add_reader(STDIN, read)


def _tell_ready(ready: Ready, as_json: bool) -> None:
    """Print that the agent is ready. It keeps running if the reader has closed the pipe meanwhile."""
    text = f"{ready.name} listens at {ready.endpoint}" + (f"\n{ready.hint}" if ready.hint is not None else "")
    try:
        click.echo(msgspec.json.encode(ready) if as_json else text)
        sys.stdout.flush()
    except BrokenPipeError:
        discard_unwritten()
