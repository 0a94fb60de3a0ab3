"""A store that fails: slow before and after its effect, busy, full, in doubt, cut off by the death of its process.

What it keeps stands on the disk of a `MemoryStore`, which does all the deciding. Its requests travel: one that was sent
may take effect after its sender has died, or never.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from turnstile.kernel.values import Instant, LogId
from turnstile.store.log import Command, Entry, Position, Snapshot
from turnstile.store.memory import MemoryStore
from turnstile.store.protocol import (
    Busy,
    Change,
    Commit,
    Outage,
    Row,
    Saved,
    SeatLine,
    StorageFull,
    StoreFault,
    Unknown,
)

if TYPE_CHECKING:
    from tests.world.simulated.server import Process
    from tests.world.world import World

T = TypeVar("T")


def result_of(work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine gives that never waits."""
    try:
        work.send(None)
    except StopIteration as done:
        value: T = done.value
        return value
    raise AssertionError("a store in memory never waits")


class FaultyStore:
    """The store of one process."""

    def __init__(self, world: "World", process: "Process", *, is_shared: bool) -> None:
        self.is_shared = is_shared
        self.under_way = 0
        self._world = world
        self._process = process
        self._inner = MemoryStore(world.clock, world.disk, is_shared=is_shared)
        self._commits: dict[LogId, asyncio.Future[bool]] = {}
        """The latest commit to each log. It ends though its caller was cancelled."""

    def now(self) -> Instant:
        return self._inner.now()

    async def close(self) -> None:
        await self._inner.close()

    def cut(self) -> None:
        """Its process is dead."""
        result_of(self._inner.close())
        self._inner = MemoryStore(self._world.clock, self._world.disk, is_shared=self.is_shared)
        self._world.disk.stores.remove(self._inner)  # nobody listens, yet what is under way may arrive

    # how requests travel

    async def _write(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        weather, chance = self._world.weather, self._world.faults.random()
        fault: StoreFault | None = None
        if self._world.is_full or chance < weather.full:
            fault = StorageFull("There is no room.")
        elif (chance := chance - weather.full) < weather.busy:
            fault = Busy("Too much is waiting.")
        elif chance - weather.busy < weather.unknown:
            fault = Unknown("The connection broke.")
        return await self._sent(work, fault)

    async def _read(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        is_busy = self._world.faults.random() < self._world.weather.busy
        return await self._sent(work, Busy("The store could not be reached in time.") if is_busy else None)

    async def _sent(self, work: Callable[[], Coroutine[Any, Any, T]], fault: StoreFault | None) -> T:
        answer: asyncio.Future[T] = self._world.loop.create_future()
        self.under_way += 1
        self._world.elsewhere(self._world.delay(self._world.weather.store_delay), self._arrive, work, fault, answer)
        return await answer

    def _arrive(
        self, work: Callable[[], Coroutine[Any, Any, T]], fault: StoreFault | None, answer: asyncio.Future[T]
    ) -> None:
        """The request takes effect, or is refused, or gets lost with whoever sent it."""
        faults = self._world.faults
        if not self._process.is_alive and faults.random() < 0.5:
            return
        is_done = fault is None or (isinstance(fault, Unknown) and faults.random() < 0.5)
        result: Any = result_of(work()) if is_done else None
        self._world.elsewhere(self._world.delay(self._world.weather.store_delay), self._return, fault, result, answer)

    def _return(self, fault: StoreFault | None, result: T, answer: asyncio.Future[T]) -> None:
        self.under_way -= 1
        self._world.between_steps(self._process)
        if answer.done():
            return
        if fault is None:
            answer.set_result(result)
        else:
            self._world.trace("store", self._process.name, type(fault).__name__)
            answer.set_exception(fault)

    # writing

    async def create(self, log: LogId, header: Entry, row: Row) -> bool:
        return await self._write(lambda: self._create(log, header, row))

    async def _create(self, log: LogId, header: Entry, row: Row) -> bool:
        is_new = await self._inner.create(log, header, row)
        self._world.created(self._process, log)
        return is_new

    async def commit(self, commit: Commit) -> bool:
        """Commits to one log arrive in order, those of callers that are gone as well."""
        if earlier := self._commits.get(commit.log):
            await asyncio.wait([earlier])
        writing = asyncio.ensure_future(self._write(lambda: self._commit(commit)))
        self._commits[commit.log] = writing
        return await asyncio.shield(writing)

    async def _commit(self, commit: Commit) -> bool:
        is_taken = await self._inner.commit(commit)
        self._world.committed(self._process, commit, is_taken)
        return is_taken

    async def acknowledge(self, log: LogId, cursors: Mapping[str, int]) -> dict[str, int]:
        return await self._write(lambda: self._inner.acknowledge(log, cursors))

    async def put_aside(self, log: LogId, why: str) -> None:
        self._world.fail("put aside", f"table {log} was put aside: {why}")
        await self._write(lambda: self._inner.put_aside(log, why))

    async def prune(self, log: LogId) -> bool:
        return await self._write(lambda: self._inner.prune(log))

    # reading

    async def load(self, log: LogId) -> Saved | None:
        return await self._read(lambda: self._inner.load(log))

    async def snapshot(self, log: LogId, at_most: Position) -> Snapshot | None:
        found = await self._read(lambda: self._inner.snapshot(log, at_most))
        self._world.reach("resend from the beginning" if found is None else "resend from a snapshot")
        if found is not None and found.position < at_most:
            self._world.reach("resend from an old snapshot")
        return found

    async def entries(self, log: LogId, after: Position, limit: int | None = None) -> tuple[Entry, ...]:
        return await self._read(lambda: self._inner.entries(log, after, limit))

    async def positions(self, logs: Sequence[LogId]) -> dict[LogId, Position]:
        return await self._read(lambda: self._inner.positions(logs))

    async def find(self, log: LogId, command: Command) -> Entry | None:
        return await self._read(lambda: self._inner.find(log, command))

    async def cursors(self, log: LogId) -> dict[str, int]:
        return await self._read(lambda: self._inner.cursors(log))

    async def row(self, log: LogId) -> Row | None:
        return await self._read(lambda: self._inner.row(log))

    async def logs(
        self, *, is_open: bool | None = None, after: LogId | None = None, limit: int = 100
    ) -> list[tuple[LogId, Row]]:
        return await self._read(lambda: self._inner.logs(is_open=is_open, after=after, limit=limit))

    # time

    async def claim(self, until: Instant, hold: int, limit: int) -> list[LogId]:
        return await self._write(lambda: self._inner.claim(until, hold, limit))

    async def beat(self) -> Outage | None:
        return await self._write(lambda: self._inner.beat())

    async def outages(self, since: Instant) -> list[Outage]:
        return await self._read(lambda: self._inner.outages(since))

    # elsewhere

    async def number_line(self, log: LogId, seat: str) -> SeatLine | None:
        return await self._write(lambda: self._inner.number_line(log, seat))

    async def replaced_lines(self, lines: Sequence[SeatLine]) -> list[SeatLine]:
        return await self._read(lambda: self._inner.replaced_lines(lines))

    async def changes(self) -> AsyncIterator[Change]:
        """Late, lost and doubled."""
        async for change in self._inner.changes():
            weather, faults = self._world.weather, self._world.faults
            if faults.random() < weather.notice_lost:
                continue
            await self._world.pause(self._world.delay(weather.notice_delay))
            yield change
            if faults.random() < weather.notice_doubled:
                yield change

    async def rebuild(self, rows: Sequence[tuple[LogId, Row]]) -> None:
        await self._write(lambda: self._inner.rebuild(rows))
