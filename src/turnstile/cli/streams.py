"""Standard streams that are closed or full, or whose reader has closed its end of the pipe."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from functools import partial
from typing import NoReturn

STDERR = 2


def replace_closed_streams() -> None:
    """Point closed standard streams at the null device, so that no file or socket of ours gets their descriptors."""
    while (handle := os.open(os.devnull, os.O_RDWR)) <= STDERR:
        os.set_inheritable(handle, True)
    os.close(handle)
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(STDERR, "w", closefd=False)  # noqa: SIM115


def discard_unwritten() -> None:
    """Drop what could not be written to standard output, so that Python does not try again at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def ignore_closed_pipes() -> Callable[[], object]:
    """Keep running when a peer hangs up or the reader of our log goes away. Returns what ends that again."""
    if not hasattr(signal, "SIGPIPE"):
        return lambda: None
    return partial(signal.signal, signal.SIGPIPE, signal.signal(signal.SIGPIPE, signal.SIG_IGN))


def exit_on_closed_pipe(fault: BrokenPipeError) -> NoReturn:
    """End with SIGPIPE, as programs usually do whose reader has gone, after everything has been cleaned up."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.raise_signal(signal.SIGPIPE)
    raise fault


@contextmanager
def stdout_on_stderr() -> Iterator[None]:
    """Within this context, what this process and the processes that it starts print goes to standard error.

    For code of users: what it prints must not get into the output of a command.
    """
    sys.stdout.flush()
    try:
        stdout, stderr = sys.stdout.fileno(), sys.stderr.fileno()
    except (OSError, ValueError):  # they are no files, as in tests
        with redirect_stdout(sys.stderr):
            yield
        return
    before = os.dup(stdout)
    os.dup2(stderr, stdout)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(before, stdout)
        os.close(before)
