"""Ctrl-C while workers are being ended: a user who presses it again wants the end sooner, not half of it."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, current_thread, main_thread


@contextmanager
def noted_interrupts() -> Iterator[Event]:
    """Within this context Ctrl-C sets the event, and interrupts nothing. Only the main thread gets Ctrl-C."""
    noted = Event()
    if current_thread() is not main_thread():
        yield noted
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: noted.set())
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)
