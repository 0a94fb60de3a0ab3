"""Work on the cores of this machine, in a pool of processes.

Ctrl-C reaches all processes of a terminal. The workers ignore it: the main process gets it, and ends them. If a worker
dies, the pool cannot be used any more: a new one does the work that was lost.
"""

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context
from threading import current_thread, main_thread
from typing import TypeVar

from turnstile.lab.jobs.failures import ADVICE, MOST_LOSSES, WorkersLost
from turnstile.lab.jobs.jobs import Numbered, Work

T = TypeVar("T")


def run_in_processes(work: Work[T], chunks: Sequence[range], processes: int) -> Numbered[T]:
    """Do the work in this many processes. Yields each result with its number when it is there."""
    left, losses = dict(enumerate(chunks)), 0
    while left:
        before = len(left)
        try:
            for number, result in _run_in_pool(work, dict(left), processes):
                del left[number]
                yield number, result
        except BrokenProcessPool:
            losses = 1 if len(left) < before else losses + 1
            if losses == MOST_LOSSES:
                raise WorkersLost(f"Worker processes ended {losses} times without a result. {ADVICE}") from None


def _run_in_pool(work: Work[T], chunks: dict[int, range], processes: int) -> Numbered[T]:
    """Raises `BrokenProcessPool` if a worker dies, after all results that are there."""
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        numbers: dict[Future[T], int] = {}
        waiting = iter(chunks.items())
        try:
            while True:
                for number, chunk in islice(waiting, 2 * processes - len(numbers)):
                    numbers[_submit(pool, work, chunk)] = number
                if not numbers:
                    return
                done = wait(numbers, return_when=FIRST_COMPLETED).done
                yield from _results(done, numbers)
        finally:  # a caller that stops listening stops the work, too
            pool.shutdown(cancel_futures=True)


def _results(done: set[Future[T]], numbers: dict[Future[T], int]) -> Iterator[tuple[int, T]]:
    """The results that are there. The error of a lost one comes last."""
    for future in sorted(done, key=lambda future: isinstance(future.exception(), BrokenProcessPool)):
        yield numbers.pop(future), future.result()


def _submit(pool: ProcessPoolExecutor, work: Callable[[range], T], chunk: range) -> Future[T]:
    """Submit a chunk. A process that this starts inherits that Ctrl-C is ignored: this process stops it."""
    if current_thread() is not main_thread():  # only the main thread may set signal handlers
        return pool.submit(work, chunk)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return pool.submit(work, chunk)
    finally:
        signal.signal(signal.SIGINT, before)
