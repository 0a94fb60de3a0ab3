"""Ctrl-C: the exit status of a command that it stopped, and a quiet exit while modules are being imported."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType

INTERRUPTED = 130  # 128 + SIGINT, as shells report it


@contextmanager
def exit_on_interrupt() -> Iterator[None]:
    """Within this context Ctrl-C exits at once and prints nothing. Use it only before a command has done anything.

    A process that ignores Ctrl-C, such as one started in the background, continues to ignore it.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler or current_thread() is not main_thread():
        yield
        return
    signal.signal(signal.SIGINT, _exit)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def interrupted_later() -> Iterator[None]:
    """Within this context Ctrl-C waits, and takes effect at the end. Use it for what must not be done by half."""
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or current_thread() is not main_thread():
        yield
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        before(came[0], None)


def _exit(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)
