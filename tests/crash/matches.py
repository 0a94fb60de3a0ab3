"""A host that dies in the middle of an evening, and another one that takes the evening up where it was left.

Whoever judges knows only what the players were answered and told: all of it must be there, in streams without a gap.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.crash.dying import DONE, STOPPED, Disk, Say, run
from tests.crash.evenings import Evening
from tests.crash.judging import Time, Wrong
from tests.crash.players import EveningPlayers, Memory, Said, told
from tests.host.matches import at_once
from tests.host.processes.history import check
from turnstile.cli.matches.stores import KINDS
from turnstile.durable import upkeep
from turnstile.host import Host, chores, watch
from turnstile.kernel.values import encode
from turnstile.store.protocol import Broken, CannotOpen, Store
from turnstile.store.sqlite import SqliteStore

HOUR = 3_600.0


class Matches:
    """One evening at a host that dies."""

    def __init__(self, evening: Evening) -> None:
        self._evening = evening
        watch.BEAT_EVERY = watch.LOOK_EVERY = chores.TIDY_EVERY = HOUR  # the players turn the clockwork by hand

    def crash(self, disk: Disk, times: int) -> bool:
        """Crash so often, and play on to the end; whether the moment came too late. Raises `Wrong`."""
        memory, is_through = Memory(), False
        for time in range(times):
            said, ended, is_through = run(lambda say: self._play(disk, memory, say), disk)
            for item in told(said):
                memory.take(item)
            is_through = is_through and time == 0
            if ended == DONE:
                break
        asyncio.run(self._play_on(disk, memory))
        return is_through

    async def _play(self, disk: Disk, memory: Memory, say: Say) -> int:
        """The life of the process: a store that is broken ends it, whoever notices."""
        time, ended = Time(), DONE
        try:
            store = await disk.store(time)
            async with _running(store) as running:
                await self._evening(EveningPlayers(running, time, memory, lambda said: say(_written(said))))
            await store.close()
        except* (CannotOpen, Broken):
            ended = STOPPED
        return ended

    async def _play_on(self, disk: Disk, memory: Memory) -> None:
        """Everything is there as it was told; and another host, on a disk that works, gets to its end."""
        time = Time()
        store = await SqliteStore.open(disk.path, wall=time.nanoseconds, monotonic=time.nanoseconds)
        try:
            await _judge(store, memory)
            async with _running(store) as running:
                await self._evening(EveningPlayers(running, time, memory, lambda said: None))
            await _judge(store, memory)
        finally:
            await store.close()


async def _judge(store: Store, memory: Memory) -> None:
    """Everything that anybody was answered or told is there, and what is there is whole."""
    tables = [name async for name, _ in upkeep.every(store)]
    if lost := memory.opened.difference(tables):
        raise Wrong(f"the tables {lost} are lost")
    for name in tables:
        if fault := await upkeep.check(KINDS, store, name):
            raise Wrong(f"table {name}: {fault}")
    try:
        await check(store, memory.histories.values())
    except AssertionError as fault:
        raise Wrong(f"something is lost: {fault}") from fault


@asynccontextmanager
async def _running(store: Store) -> AsyncIterator[Host]:
    """A host, for as long as it is wanted; what escapes from it ends everything."""
    made, ready, stop = Host(store, think=at_once), asyncio.Event(), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(made.run(ready, stop))
        await ready.wait()
        yield made
        stop.set()


def _written(said: Said) -> str:
    return encode(said).decode()
