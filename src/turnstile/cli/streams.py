"""Standard streams that are not as usual: closed, full, or read by somebody who has heard enough."""

import os
import signal
import sys
from typing import NoReturn

STDERR = 2


def open_closed() -> None:
    """A stream that was closed leads nowhere, and no file or socket of ours gets its number."""
    while (handle := os.open(os.devnull, os.O_RDWR)) <= STDERR:
        os.set_inheritable(handle, True)
    os.close(handle)
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(STDERR, "w", closefd=False)  # noqa: SIM115


def forget_unwritten() -> None:
    """What could not be written to standard output is not tried again at the exit."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def outlive_pipes() -> None:
    """A peer that hangs up, or a reader of our log that has heard enough, is no reason to die."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)


def die_of_pipe(fault: BrokenPipeError) -> NoReturn:
    """End as any program does whose reader has heard enough, after all is in order."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.raise_signal(signal.SIGPIPE)
    raise fault
