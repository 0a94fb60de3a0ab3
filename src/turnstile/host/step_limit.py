"""A limit for the time that one step may take: a game that never answers loses its match, not the server.

Steps run in the main thread, because to hand each one to another thread would cost more than the step. A watcher thread
notices a step that lasts too long, and sends a signal. The handler of the signal runs in the main thread, within that
step, and raises there. So the exception can reach nothing but the step. A step that loops in C code without end, where
Python handles no signals, cannot be stopped.
"""

import signal
import sys
import threading
import time
from types import FrameType, TracebackType


class StepTooLong(Exception):
    """A step took longer than it may."""


class StepLimit:
    """A context for steps, one at a time. `start` and `stop` are called from the thread in which the steps run."""

    def __init__(self, seconds: float | None) -> None:
        """`seconds` of CPU: neither a busy machine nor a process that is paused makes a step late. `None`: no limit."""
        self._seconds = seconds
        self._step = 0
        """The number of the step that runs; 0 while none does."""
        self._count = 0
        self._late = 0
        """The step that has lasted too long."""
        self._stopped = threading.Event()
        self._watcher: threading.Thread | None = None
        self._thread = 0

    def start(self) -> None:
        """Begin to watch. Only the main thread handles signals: the steps of other threads have no limit."""
        is_main = threading.current_thread() is threading.main_thread()
        if self._seconds is None or sys.platform != "linux" or not is_main:
            return
        self._thread = threading.get_ident()
        _started.add(self)
        signal.signal(signal.SIGVTALRM, _interrupt)
        self._watcher = threading.Thread(
            target=self._watch, args=(self._seconds,), name="turnstile-step-limit", daemon=True
        )
        self._watcher.start()

    def stop(self) -> None:
        """The handler of the signal stays: without limits it does nothing."""
        if self._watcher is not None:
            self._stopped.set()
            self._watcher.join()
            self._watcher = None
            _started.discard(self)

    def __enter__(self) -> None:
        self._count += 1
        self._step = self._count

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._step = 0

    def _watch(self, seconds: float) -> None:
        """In a thread of its own: look from time to time how long the same step has been running."""
        clock = time.pthread_getcpuclockid(self._thread)
        seen, since = 0, 0.0
        while not self._stopped.wait(seconds / 2):
            running, now = self._step, time.clock_gettime(clock)
            if running != seen:
                seen, since = running, now
            elif running and now - since >= seconds:
                self._late = running
                signal.pthread_kill(self._thread, signal.SIGVTALRM)

    def check(self) -> None:
        """Raise if the step that runs has lasted too long."""
        if self._step and self._step == self._late:
            raise StepTooLong(f"A step took longer than {self._seconds} seconds.")


_started: set[StepLimit] = set()


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    for limit in tuple(_started):
        limit.check()
