"""Work on the cores of this machine, in a pool of processes.

Ctrl-C reaches all processes of a terminal. The workers block it: the main process gets it, and ends them. If a worker
dies, the pool cannot be used any more: a new one does the work that was lost. If the main process is killed, the
workers end.
"""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context, parent_process, resource_tracker
from multiprocessing.process import BaseProcess
from threading import Event, Thread
from time import monotonic, sleep
from typing import TypeVar

from turnstile.lab.jobs.failures import ADVICE, MOST_LOSSES, WorkersLost
from turnstile.lab.jobs.interrupts import noted_interrupts
from turnstile.lab.jobs.jobs import Numbered, Work

ENDING_SECONDS = 2.0  # for the chunks at work when the caller stops; then their workers are terminated
ENDING_STEP = 0.02  # seconds between two looks at them

T = TypeVar("T")


class Todo:
    """The chunks that are to be done: those that were lost first, then new ones."""

    def __init__(self, chunks: Iterator[range]) -> None:
        self._new = enumerate(chunks)
        self._lost: list[tuple[int, range]] = []
        self.taken: dict[int, range] = {}

    def take(self) -> tuple[int, range] | None:
        found = self._lost.pop(0) if self._lost else next(self._new, None)
        if found is not None:
            self.taken[found[0]] = found[1]
        return found

    def put_back(self) -> None:
        """What was taken is lost."""
        self._lost = sorted([*self.taken.items(), *self._lost])
        self.taken.clear()


def run_in_processes(work: Work[T], chunks: Iterator[range], processes: int) -> Numbered[T]:
    """Do the work in this many processes. Yields each result with its number when it is there.

    Raises `WorkersLost`.
    """
    todo, losses = Todo(chunks), 0
    while True:
        try:
            for number, result in _run_in_pool(work, todo, processes):
                losses = 0
                yield number, result
            return
        except BrokenProcessPool:
            todo.put_back()
            losses += 1
            if losses == MOST_LOSSES:
                raise WorkersLost(f"Worker processes ended {losses} times without a result. {ADVICE}") from None


def _run_in_pool(work: Work[T], todo: Todo, processes: int) -> Numbered[T]:
    """Raises `BrokenProcessPool` if a worker dies, after all results that are there."""
    others = set(active_children())
    with ProcessPoolExecutor(processes, get_context("spawn"), _watch_parent) as pool:
        numbers: dict[Future[T], int] = {}
        try:
            while True:
                while len(numbers) < 2 * processes and (taken := todo.take()):
                    numbers[_submit(pool, work, taken[1])] = taken[0]
                if not numbers:
                    return
                done = wait(numbers, return_when=FIRST_COMPLETED).done
                for number, result in _results(done, numbers):
                    del todo.taken[number]
                    yield number, result
        finally:  # a caller that stops listening stops the work, too
            workers = [child for child in active_children() if child not in others]
            with noted_interrupts() as impatience:
                for future in numbers:
                    future.cancel()
                _end(workers, set(numbers), impatience)
                pool.shutdown()  # waits for the thread of the pool, which the end of Python would disturb


def _watch_parent() -> None:
    """End this worker when the main process has ended without ending it: it would wait for work for ever."""
    main = parent_process()
    assert main is not None, "a worker has a parent"

    def end_after_it() -> None:
        main.join()
        os._exit(1)

    Thread(target=end_after_it, daemon=True).start()


def _end(workers: list[BaseProcess], at_work: set[Future[T]], impatience: Event) -> None:
    """Let the workers finish what they are at, but not for long: a match between slow bots may take minutes."""
    late = monotonic() + ENDING_SECONDS
    while not all(future.done() for future in at_work):
        sleep(ENDING_STEP)
        if impatience.is_set() or monotonic() > late:
            for worker in workers:
                worker.terminate()
            return


def _results(done: set[Future[T]], numbers: dict[Future[T], int]) -> Iterator[tuple[int, T]]:
    """The results that are there. The error of a lost one comes last."""
    for future in sorted(done, key=lambda future: isinstance(future.exception(), BrokenProcessPool)):
        yield numbers.pop(future), future.result()


def _submit(pool: ProcessPoolExecutor, work: Work[T], chunk: range) -> Future[T]:
    """Submit a chunk. A process that this starts inherits that Ctrl-C is blocked: this process gets it afterwards."""
    resource_tracker.ensure_running()  # when it starts, it unblocks signals
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return pool.submit(work, chunk)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
