"""Two threads, each with its own connection and a queue of jobs: one writes, one reads.

The writer takes all waiting jobs, up to a bound, into one transaction with one sync. When it is idle, the jobs of one
turn of the loop start at its end: they never wait for a group to fill. A job is done even if its caller was cancelled
(a player who hung up).
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TypeVar

import apsw

from turnstile.kernel.values import LogId
from turnstile.store.log import Damaged
from turnstile.store.protocol import Broken, Busy, StoreFault
from turnstile.store.sqlite.connection import fault_of, translate

WAITING_AT_MOST = 10_000
CHECKPOINT_AFTER = 1_000
"""Pages in the write-ahead log."""

WARN_AFTER = 16_384
"""Pages in the write-ahead log, 64 MB: a reader that never ends prevents checkpoints."""

_log = logging.getLogger(__name__)
Kind = TypeVar("Kind")
Work = Callable[[apsw.Connection], Kind]
DoTogether = Callable[[apsw.Connection, Sequence[Work[object]]], list[object] | None]
"""Does works in order, faster than one by one; `None` if that is not possible, and what it did is to be undone."""


class ReadGate:
    """Lets the writer wait until no read of this store is open, and holds back new reads meanwhile.

    Two locks guarantee that, however busy the reader is: it needs `_turn` only to begin a read, so the writer can take
    `_turn` while a read is open, and the next read waits for the writer.
    """

    def __init__(self) -> None:
        self._turn, self._open = Lock(), Lock()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A read is open."""
        with self._turn:
            self._open.acquire()
        try:
            yield
        finally:
            self._open.release()

    @contextmanager
    def no_reads(self) -> Iterator[None]:
        """No read is open, and none begins."""
        with self._turn, self._open:
            yield


class Health:
    """The fault that stopped the store, if there is one. Both threads check it first."""

    fault: StoreFault | None = None


@dataclass(slots=True)
class _Job:
    work: Work[object]
    future: asyncio.Future[object]
    about: LogId | None
    """The one log that it reads."""
    result: object = None
    failure: BaseException | None = None


class Lane:
    """A thread that runs jobs in order."""

    at_once = 1
    """How many jobs it takes from the queue before it answers the first of them."""

    def __init__(self, name: str, connection: apsw.Connection, health: Health) -> None:
        self._connection = connection
        self._health = health
        self._loop = asyncio.get_running_loop()
        self._asked: list[_Job] = []
        """The jobs of this turn of the loop, which the thread does not have yet."""
        self._handed: SimpleQueue[list[_Job] | None] = SimpleQueue()
        self._jobs_asked = self._jobs_taken = 0  # how many there were; each is counted by one thread only
        self._left: deque[_Job] = deque()
        """The jobs that the thread has taken, and not begun."""
        self._in_hand: list[_Job] = []
        self._is_closing = self._is_last = False
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def ask(self, work: Work[Kind], about: LogId | None = None) -> Awaitable[Kind]:
        """Run `work` in the thread; its result can be awaited. To cancel that does not undo the work."""
        future: asyncio.Future[Kind] = self._loop.create_future()
        if fault := self._refusal():
            future.set_exception(fault)
            return future
        if not self._asked:
            self._loop.call_soon(self._hand_over)
        self._asked.append(_Job(work, future, about))  # type: ignore[arg-type]  # what its work returns
        self._jobs_asked += 1
        return future

    def _hand_over(self) -> None:
        """Give the thread all jobs of this turn of the loop at once: to wake it may cost more than a job."""
        if self._asked:
            self._handed.put(self._asked)
            self._asked = []

    def _refusal(self) -> StoreFault | None:
        """Why nothing can be asked of the thread now."""
        if self._health.fault is not None:
            return self._health.fault.with_traceback(None)  # else it would grow with every caller
        if self._is_closing:
            return StoreFault("The store is closed.")
        if self._jobs_asked - self._jobs_taken >= WAITING_AT_MOST:
            return Busy(f"{WAITING_AT_MOST} requests are waiting for the store already.")
        return None

    async def end(self) -> None:
        """Finish all waiting jobs, then close the connection."""
        if not self._is_closing:
            self._is_closing = True
            self._hand_over()
            self._handed.put(None)
        await asyncio.shield(self._ended)

    def _note_end(self, failure: BaseException | None) -> None:
        """The thread has ended: answer the callers that still wait."""
        self._thread.join()
        self._hand_over()
        left = [*self._in_hand, *self._left]
        while not self._handed.empty():
            left += self._handed.get() or ()
        for job in left:
            job.failure = job.failure or self._health.fault
        _resolve_all(left)
        if failure is None:
            self._ended.set_result(None)
        else:
            self._ended.set_exception(failure)
            self._ended.exception()  # marks it as retrieved: the callers got it, and so does `end`

    # in the thread

    def _run(self) -> None:
        failure = _failure_of(self._work)
        closing = _failure_of(self._connection.close)
        self._health.fault = self._health.fault or failure or closing
        self._call(self._note_end, failure or closing)

    def _work(self) -> None:
        while self._take():
            self._do(self._in_hand)
            self._call(_resolve_all, self._in_hand)
            self._in_hand = []
            self._afterwards()
        self._finish()

    def _take(self) -> bool:
        """Take the waiting jobs in hand, up to a bound. Returns `False` when there are none, and no more will come."""
        left = self._left
        while not self._is_last and len(left) < self.at_once and not (left and self._handed.empty()):
            handed = self._handed.get()
            if handed is None:
                self._is_last = True
            else:
                left += handed
        self._in_hand = [left.popleft() for _ in range(min(len(left), self.at_once))]
        self._jobs_taken += len(self._in_hand)
        return bool(self._in_hand)

    def _do(self, jobs: list[_Job]) -> None:
        raise NotImplementedError

    def _afterwards(self) -> None:
        """Runs after these jobs are answered, before the next ones start."""

    def _finish(self) -> None:
        """Runs after the last job."""

    def _fail(self, jobs: list[_Job], failure: BaseException) -> None:
        if isinstance(failure, Broken):
            self._health.fault = failure
        for job in jobs:
            job.failure = failure

    def _call(self, act: Callable[..., None], *arguments: object) -> None:
        if not self._loop.is_closed():  # else there is no caller left
            self._loop.call_soon_threadsafe(act, *arguments)


class ReadLane(Lane):
    """Reads, each as of one moment."""

    at_once = 16

    def __init__(self, name: str, connection: apsw.Connection, health: Health, gate: ReadGate) -> None:
        self._gate = gate
        super().__init__(name, connection, health)

    def _do(self, jobs: list[_Job]) -> None:
        for job in jobs:
            with self._gate.reading():
                self._read(job)

    def _read(self, job: _Job) -> None:
        try:
            if self._health.fault is not None:
                raise self._health.fault
            self._connection.execute("BEGIN")
            job.result = job.work(self._connection)
        except apsw.CorruptError as error:
            about = job.about  # damage found while reading one log is damage of that log
            self._fail([job], Damaged(about, f"its file is damaged ({error})") if about else fault_of(error) or error)
        except apsw.Error as error:
            self._fail([job], fault_of(error) or translate(error))
        except Exception as error:
            self._fail([job], translate(error))
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")  # a read changes nothing


class WriteLane(Lane):
    """Writes in groups. A caller is answered only after its write is durable."""

    at_once = 500

    def __init__(
        self, name: str, connection: apsw.Connection, health: Health, gate: ReadGate, do_together: DoTogether
    ) -> None:
        self._gate = gate
        self._do_together = do_together
        self._pages = 0
        self._has_warned = False
        connection.set_wal_hook(self._count_pages)
        super().__init__(name, connection, health)

    def _do(self, jobs: list[_Job]) -> None:
        """One transaction. A fault of the disk fails all jobs; an error in one job fails that job alone."""
        try:
            self._write(jobs)
        except StoreFault as failure:
            self._fail(jobs, failure)
        except Exception as mistake:
            if len(jobs) == 1:
                self._fail(jobs, translate(mistake))
            else:
                for job in jobs:
                    self._do([job])

    def _write(self, jobs: list[_Job]) -> None:
        if self._health.fault is not None:
            raise self._health.fault
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._do_all(jobs)
            self._connection.execute("COMMIT")
        except apsw.Error as error:
            errno = self._connection.system_errno
            self._roll_back()
            raise (fault_of(error, errno) or error) from error
        except Exception:
            self._roll_back()
            raise

    def _do_all(self, jobs: list[_Job]) -> None:
        """Do all jobs within the transaction: together, or one after the other if that fails."""
        results = self._do_together(self._connection, [job.work for job in jobs])
        if results is None:
            self._connection.execute("ROLLBACK")
            self._connection.execute("BEGIN IMMEDIATE")
            results = [job.work(self._connection) for job in jobs]
        for job, result in zip(jobs, results, strict=True):
            job.result = result

    def _roll_back(self) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except apsw.Error as error:
            raise Broken(f"A transaction could not be rolled back ({error}).") from error

    def _count_pages(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        self._pages = pages
        if pages >= WARN_AFTER and not self._has_warned:
            _log.warning(
                "The write-ahead log of the store has grown to %d pages: is a backup or a shell reading it?", pages
            )
        self._has_warned = pages >= WARN_AFTER
        return apsw.SQLITE_OK

    def _afterwards(self) -> None:
        """Keep the write-ahead log small.

        SQLite reuses it only if a checkpoint has copied all of it and no read has it open. If reads overlap with every
        checkpoint until the log is twice as long, they must wait for one.
        """
        if self._pages < CHECKPOINT_AFTER or self._health.fault is not None:
            return
        with self._gate.no_reads() if self._pages >= 2 * CHECKPOINT_AFTER else nullcontext():
            self._checkpoint(apsw.SQLITE_CHECKPOINT_PASSIVE)

    def _finish(self) -> None:
        if self._health.fault is None:
            self._checkpoint(apsw.SQLITE_CHECKPOINT_TRUNCATE)
            # If that worked, SQLite may remove its files; else it must not try again when it closes.
            self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, int(self._pages > 0))

    def _checkpoint(self, mode: int) -> None:
        """Copy the write-ahead log into the file. If the disk is full or the file is locked, a later checkpoint does
        it; the write-ahead log stays until then."""
        try:
            self._connection.wal_checkpoint(mode=mode)
            self._pages = 0
        except apsw.Error as error:
            failure = fault_of(error, self._connection.system_errno)
            if failure is None or isinstance(failure, Broken):
                raise (failure or error) from error


def _failure_of(act: Callable[[], None]) -> StoreFault | None:
    """The fault that `act` raised, for the callers: an exception in a thread would reach no caller."""
    try:
        act()
    except StoreFault as error:
        return error
    except BaseException as error:
        known = fault_of(error) if isinstance(error, apsw.Error) else None
        failure = known or Broken(f"The store failed ({error!r}).")
        failure.__cause__ = error
        return failure
    return None


def _resolve_all(jobs: list[_Job]) -> None:
    for job in jobs:
        if job.future.done():  # its caller was cancelled
            continue
        if job.failure is None:
            job.future.set_result(job.result)
        else:
            job.future.set_exception(job.failure)
