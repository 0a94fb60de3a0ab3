"""Two threads, each with a connection of its own, on which work waits in a line: one writes, one reads.

The writer takes all that waits, up to a bound, into one transaction with one sync. If it is idle, work starts at once:
nobody waits for a group to fill. Work that its asker has given up on (a player who hung up) is done all the same.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TypeVar

import apsw

from turnstile.kernel.values import LogId
from turnstile.store.log import Damaged
from turnstile.store.protocol import Broken, Busy, StoreFault
from turnstile.store.sqlite.connection import fault, meaning

WAITING_AT_MOST = 10_000
CHECKPOINT_AFTER = 1_000
"""Pages in the write-ahead log."""

WARN_AFTER = 16_384
"""Pages in the write-ahead log, 64 MB: somebody reads and never ends, so that it cannot be carried over."""

_log = logging.getLogger(__name__)
Kind = TypeVar("Kind")
Work = Callable[[apsw.Connection], Kind]


class ReadGate:
    """Lets the writer wait until no read of this store is open, and keeps new ones waiting meanwhile.

    Two locks make that certain however busy the reader is: it needs `_turn` only to begin a read, so the writer can
    take that one while a read is open, and the next read stands behind the writer.
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
    def nobody_reads(self) -> Iterator[None]:
        """No read is open, and none begins."""
        with self._turn, self._open:
            yield


class Health:
    """Why nothing goes on any more, once that is so; both threads look here first."""

    fault: StoreFault | None = None


@dataclass(slots=True)
class _Job:
    work: Work[object]
    future: asyncio.Future[object]
    about: LogId | None
    """The one table that it is about."""
    result: object = None
    failure: BaseException | None = None


class Lane:
    """A thread that does, in order, what it is asked."""

    at_once = 1
    """How many it takes from the line before it answers the first of them."""

    def __init__(self, name: str, connection: apsw.Connection, health: Health) -> None:
        self._connection = connection
        self._health = health
        self._waiting: SimpleQueue[_Job | None] = SimpleQueue()
        self._in_hand: list[_Job] = []
        self._loop = asyncio.get_running_loop()
        self._is_closing = False
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    async def ask(self, work: Work[Kind], about: LogId | None = None) -> Kind:
        """What `work` gives back, once it is done. Giving up waiting does not undo it."""
        if self._health.fault is not None:
            raise self._health.fault.with_traceback(None)  # else it would grow with everybody who asks
        if self._is_closing:
            raise StoreFault("The store is closed.")
        if self._waiting.qsize() >= WAITING_AT_MOST:
            raise Busy(f"{WAITING_AT_MOST} others wait for the store already.")
        future = self._loop.create_future()
        self._waiting.put(_Job(work, future, about))
        return await future  # type: ignore[no-any-return]  # what came in as Kind

    async def end(self) -> None:
        """All that waits is done, then the connection is closed."""
        if not self._is_closing:
            self._is_closing = True
            self._waiting.put(None)
        await asyncio.shield(self._ended)

    def _note_end(self, failure: BaseException | None) -> None:
        """The thread has ended. Nobody may wait for it any longer: whoever does is told."""
        self._thread.join()
        left = self._in_hand
        while not self._waiting.empty():
            if (job := self._waiting.get()) is not None:
                left.append(job)
        for job in left:
            job.failure = job.failure or self._health.fault
        _resolve_all(left)
        if failure is None:
            self._ended.set_result(None)
        else:
            self._ended.set_exception(failure)
            self._ended.exception()  # who closes the store hears of it; if nobody does, all who ask did

    # in the thread

    def _run(self) -> None:
        failure = _failure_of(self._work)
        closing = _failure_of(self._connection.close)
        self._health.fault = self._health.fault or failure or closing
        self._call(self._note_end, failure or closing)

    def _work(self) -> None:
        is_last = False
        while not is_last:
            self._in_hand, is_last = self._next()
            self._do(self._in_hand)
            self._call(_resolve_all, self._in_hand)
            self._in_hand = []
            self._afterwards()
        self._finish()

    def _next(self) -> tuple[list[_Job], bool]:
        """All that waits, up to a bound; `True` with it when nothing will come after."""
        jobs = []
        job = self._waiting.get()
        while job is not None:
            jobs.append(job)
            if self._waiting.empty() or len(jobs) == self.at_once:
                return jobs, False
            job = self._waiting.get()
        return jobs, True

    def _do(self, jobs: list[_Job]) -> None:
        raise NotImplementedError

    def _afterwards(self) -> None:
        """When all have their answers, and before the next are looked at."""

    def _finish(self) -> None:
        """When nothing will come any more."""

    def _fail(self, jobs: list[_Job], failure: BaseException) -> None:
        if isinstance(failure, Broken):
            self._health.fault = failure
        for job in jobs:
            job.failure = failure

    def _call(self, act: Callable[..., None], *arguments: object) -> None:
        if not self._loop.is_closed():  # else nobody is left who could be told
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
            about = job.about  # damage that comes to light where one table is read is that table's own
            self._fail([job], Damaged(about, f"its file is damaged ({error})") if about else fault(error) or error)
        except apsw.Error as error:
            self._fail([job], fault(error) or meaning(error))
        except Exception as error:
            self._fail([job], meaning(error))
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")  # there is nothing to keep


class WriteLane(Lane):
    """Writes, in groups: durable before anybody hears of it."""

    at_once = 500

    def __init__(self, name: str, connection: apsw.Connection, health: Health, gate: ReadGate) -> None:
        self._gate = gate
        self._pages = 0
        self._has_warned = False
        connection.set_wal_hook(self._count_pages)
        super().__init__(name, connection, health)

    def _do(self, jobs: list[_Job]) -> None:
        """One transaction. What the disk refuses is refused to all; a mistake in one of them hits that one alone."""
        try:
            self._write(jobs)
        except StoreFault as failure:
            self._fail(jobs, failure)
        except Exception as mistake:
            if len(jobs) == 1:
                self._fail(jobs, meaning(mistake))
            else:
                for job in jobs:
                    self._do([job])

    def _write(self, jobs: list[_Job]) -> None:
        if self._health.fault is not None:
            raise self._health.fault
        if not jobs:
            return
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for job in jobs:
                job.result = job.work(self._connection)
            self._connection.execute("COMMIT")
        except apsw.Error as error:
            errno = self._connection.system_errno
            self._roll_back()
            raise (fault(error, errno) or error) from error
        except Exception:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except apsw.Error as error:
            raise Broken(f"What was begun could not be undone ({error}).") from error

    def _count_pages(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        self._pages = pages
        if pages >= WARN_AFTER and not self._has_warned:
            _log.warning(
                "The write-ahead log of the store has grown to %d pages: does a backup or a shell hold it?", pages
            )
        self._has_warned = pages >= WARN_AFTER
        return apsw.SQLITE_OK

    def _afterwards(self) -> None:
        """Keep the write-ahead log small.

        SQLite begins it anew only if all of it was carried over and no read has it open. If reads have overlapped with
        every checkpoint until the log is twice as long, they wait for one.
        """
        if self._pages < CHECKPOINT_AFTER or self._health.fault is not None:
            return
        with self._gate.nobody_reads() if self._pages >= 2 * CHECKPOINT_AFTER else nullcontext():
            self._checkpoint(apsw.SQLITE_CHECKPOINT_PASSIVE)

    def _finish(self) -> None:
        if self._health.fault is None:
            self._checkpoint(apsw.SQLITE_CHECKPOINT_TRUNCATE)
            # If that worked, SQLite may tidy up its files; else it shall not try again behind our back.
            self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, int(self._pages > 0))

    def _checkpoint(self, mode: int) -> None:
        """Carry the write-ahead log over into the file. It is kept until that has worked; if the disk is full or
        somebody else is in the way, a later one does it."""
        try:
            self._connection.wal_checkpoint(mode=mode)
            self._pages = 0
        except apsw.Error as error:
            failure = fault(error, self._connection.system_errno)
            if failure is None or isinstance(failure, Broken):
                raise (failure or error) from error


def _failure_of(act: Callable[[], None]) -> StoreFault | None:
    """What went wrong, for those who will ask: in a thread nobody else would hear of it."""
    try:
        act()
    except StoreFault as error:
        return error
    except BaseException as error:
        meaning = fault(error) if isinstance(error, apsw.Error) else None
        failure = meaning or Broken(f"The store failed ({error!r}).")
        failure.__cause__ = error
        return failure
    return None


def _resolve_all(jobs: list[_Job]) -> None:
    for job in jobs:
        if job.future.done():  # its asker has given up
            continue
        if job.failure is None:
            job.future.set_result(job.result)
        else:
            job.future.set_exception(job.failure)
