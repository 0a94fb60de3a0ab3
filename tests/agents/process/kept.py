"""Machines in stores that fail, on a clock that stands until it is told to go on."""

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

from turnstile.agents.process.logs import LEAGUES, MATCHES, PLAYERS
from turnstile.durable.timed_keeper import TimedKeeper
from turnstile.durable.timed_log import TimedLogs
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import Event, Instant, LogId
from turnstile.league.proofs import manager as manager_world
from turnstile.league.proofs import player as player_world
from turnstile.league.proofs import referee as referee_world
from turnstile.store.log import Entry
from turnstile.store.memory import Disk, MemoryStore
from turnstile.store.protocol import Busy, Commit, Row, StorageFull, Unknown

TABLE = LogId("machine")
START = Instant(1_800_000_000_000)

MACHINES: dict[str, tuple[TimedLogs[Any], Callable[[], Any], tuple[Event, ...]]] = {
    "player": (PLAYERS, lambda: next(player_world.worlds()).starts[0], player_world.HAPPENINGS),
    "manager": (LEAGUES, lambda: manager_world.open_league(3), manager_world.HAPPENINGS),
    "referee": (MATCHES, lambda: next(referee_world.worlds()).starts[0], referee_world.HAPPENINGS),
}


class Clock:
    def __init__(self) -> None:
        self.time: int = START

    def __call__(self) -> Instant:
        return Instant(self.time)


class MoodyStore(MemoryStore):
    """A store that cannot, now and then: before it has written, or after."""

    def __init__(self, clock: Clock, disk: Disk, chance: Random, share: float) -> None:
        super().__init__(clock, disk, is_shared=False)
        self.chance = chance
        self.share = share
        self.faults = 0

    def _mood(self, *kinds: type[Exception]) -> None:
        if self.chance.random() < self.share:
            self.faults += 1
            raise self.chance.choice(kinds)("not now")

    async def create(self, table: LogId, header: Entry, row: Row) -> bool:
        self._mood(Busy, StorageFull, Unknown)
        done = await super().create(table, header, row)
        self._mood(Unknown)
        return done

    async def commit(self, commit: Commit) -> bool:
        self._mood(Busy, StorageFull, Unknown)
        done = await super().commit(commit)
        self._mood(Unknown)
        return done


def nothing(event: Event, result: object) -> None:
    """For who does not care what came of it."""


async def begun(store: MemoryStore, name: str, time_scale: float = 1.0) -> TimedKeeper[Any]:
    logs, start, _ = MACHINES[name]
    return await TimedKeeper.begin(store, TABLE, logs, start(), time_scale=time_scale)


async def restored(store: MemoryStore, name: str) -> TimedKeeper[Any]:
    keeper = await TimedKeeper.restore(store, TABLE, MACHINES[name][0])
    assert keeper is not None
    return keeper


def happening(name: str, keeper: TimedKeeper[Any], chance: Random) -> Event:
    """Anything at all, and more often than not something that the machine takes."""
    logs, _, events = MACHINES[name]
    taken = [event for event in events if not isinstance(logs.apply(keeper.kept.state, event, START), Rejection)]
    return chance.choice(taken if taken and chance.random() < 0.8 else events)


def standing(keeper: TimedKeeper[Any], at: int = START) -> tuple[Any, dict[str, tuple[int, Event]]]:
    """Its state, and what its timers have left at an instant."""
    return keeper.state, {timer.name: (timer.due - at, timer.event) for timer in keeper.timers}


def copied(disk: Disk) -> Disk:
    return Disk(logs=deepcopy(disk.logs), newest=disk.newest)


def last(disk: Disk) -> int:
    """When something was written last."""
    return disk.logs[TABLE].entries[-1].at
