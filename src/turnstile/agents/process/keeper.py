"""Keepers: a machine of the league and its log in a store. What has happened is durable before anyone hears of it.

One keeper takes one event after the other; many keepers commit side by side, and the store syncs them together.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Generic, ParamSpec, TypeVar

from turnstile.agents.process.ledger import (
    Away,
    Kept,
    Watcher,
    drafted,
    opened,
    read_about,
    replayed,
    row_of,
)
from turnstile.kernel.machine import Machine, Rejection, S, Step
from turnstile.kernel.timers import Timer
from turnstile.kernel.values import Event, Instant, LogId
from turnstile.store.log import Damaged, Entry
from turnstile.store.protocol import Busy, Commit, ReadOnly, Saved, StorageFull, Store, Unknown

log = logging.getLogger("turnstile.agents")

P = ParamSpec("P")
T = TypeVar("T")

PASSING = (Busy, StorageFull, ReadOnly, Unknown)
"""Faults of a store that may pass: what was to be written is tried again. Any other one ends the process."""

Refuse = Callable[[S], Rejection | None]
"""Why something is not to happen to a machine in a state, for reasons that the machine does not know."""

FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0  # seconds before a store that could not is asked again


class Keeper(Generic[S]):
    """One machine, kept. `state` is what is durable; whoever is to hear of a step hears of it after `take`."""

    def __init__(self, store: Store, table: LogId, kept: Kept[S], is_open: Callable[[S], bool]) -> None:
        self.table = table
        self.state: S = kept.timed.state
        self._store = store
        self._kept = kept
        self._is_open = is_open
        self._lock = asyncio.Lock()
        self.changed: Instant = kept.opened
        """When the latest event happened."""
        self.has_changed = False
        """Whether it has changed anything. A question that was answered has not."""

    @classmethod
    async def begin(
        cls,
        store: Store,
        table: LogId,
        machine: Machine[S],
        start: S,
        *,
        time_scale: float,
        is_open: Callable[[S], bool],
        about: object = None,
    ) -> "Keeper[S]":
        """A machine that begins; `about` is what its host wants to know again after a restart."""
        at = store.now()
        kept, first = opened(machine, start, time_scale, about, at)
        row = row_of(kept, at, is_open=True)
        if not await stored(store.create, table, first, row) and not await _is_there(store, table, first):
            raise Damaged(table, "another machine has begun under this id")
        return cls(store, table, kept, is_open)

    @classmethod
    async def restore(
        cls,
        store: Store,
        table: LogId,
        machine: Machine[S],
        *,
        is_open: Callable[[S], bool],
        watch: Watcher | None = None,
    ) -> "Keeper[S] | None":
        """The machine as its log has it; `None` where it never began. Who watches is shown all of it again.

        Its timers have what they had left at the last event: nobody was there, and nobody loses by that.
        """
        saved = await stored(store.load, table)
        if saved is None:
            return None
        kept = await _read(store, table, machine, saved, watch)
        keeper = cls(store, table, kept, is_open)
        newest = (await stored(store.entries, table, kept.position - 1, 1))[0]
        await keeper._was_away(store.now() - newest.at)
        return keeper

    async def _was_away(self, milliseconds: int) -> None:
        if self.timers and milliseconds > 0:
            self._kept.timed.put_off(milliseconds)
            await self._keep(Away(milliseconds=milliseconds), self._store.now())

    @property
    def machine(self) -> str:
        """The name of the machine."""
        return self._kept.header.machine

    @property
    def time_scale(self) -> float:
        return self._kept.header.time_scale

    @property
    def opened(self) -> Instant:
        return self._kept.opened

    @property
    def position(self) -> int:
        return self._kept.position

    @property
    def timers(self) -> dict[str, Timer]:
        """The timers that run, by name."""
        return self._kept.timed.timers

    @property
    def next_timer(self) -> Timer | None:
        return self._kept.timed.next_timer

    def about(self, as_type: type[T]) -> T:
        """What the host had written down when the machine began."""
        return read_about(self._kept.header, as_type)

    async def take(
        self, event: Event, then: Callable[[Step[S] | Rejection], None], refuse: Refuse[S] | None = None
    ) -> Step[S] | Rejection:
        """Let an event happen. `then` is told what came of it, once that is durable and before anything else happens.

        `refuse` is asked first, in the state in which it would happen. Whoever calls this must not be cancelled
        half-way.
        """
        async with self._lock:
            refused = None if refuse is None else refuse(self.state)
            if refused is not None:
                return refused
            return await self._take(event, then)

    async def expire(self, then: Callable[[Event, Step[S] | Rejection], None]) -> None:
        """Let happen what the timers that have run out bring about, the earliest first."""
        async with self._lock:
            while (timer := self.next_timer) is not None and timer.due <= self._store.now():
                event = timer.event
                await self._take(event, lambda result, event=event: then(event, result))  # type: ignore[misc]

    async def _take(self, event: Event, then: Callable[[Step[S] | Rejection], None]) -> Step[S] | Rejection:
        self.changed = now = self._store.now()
        timed = self._kept.timed
        before, timers = timed.state, dict(timed.timers)
        result = timed.take(event, now)
        self.has_changed = timed.state is not before or timed.timers != timers
        if self.has_changed:
            await self._keep(event, now)
            self.state = timed.state
        then(result)
        return result

    async def _keep(self, event: Event, now: Instant) -> None:
        commit = drafted(self._kept, self.table, event, now, self._is_open(self._kept.timed.state))
        if commit is not None:
            await self._commit(commit)

    async def _commit(self, commit: Commit) -> None:
        """Write an entry, however often it takes. Nobody else writes this log, so one that is taken is our own."""
        is_written = await stored(self._store.commit, commit)
        if not is_written and not await _is_there(self._store, self.table, commit.entry):
            raise Damaged(self.table, f"entry {commit.entry.position} has no place in its log")
        self._kept.moved(commit.entry, commit.entry.state)


async def stored(ask: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
    """What a store answers. Where it cannot now it is asked again, after a pause: nothing is lost meanwhile."""
    pause = FIRST_PAUSE
    while True:
        try:
            return await ask(*args, **kwargs)
        except PASSING as fault:
            log.warning("The store cannot now, and is asked again: %s", fault)
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)


async def _read(store: Store, table: LogId, machine: Machine[S], saved: Saved, watch: Watcher | None) -> Kept[S]:
    """Where a log leads, from its snapshot on, or from its beginning for who watches."""
    if watch is None:
        try:
            return replayed(table, machine, saved)
        except Damaged as fault:
            if saved.snapshot is None:
                raise
            log.warning("%s It is read from the beginning.", fault)
    whole = Saved(saved.header, None, await stored(store.entries, table, 0))
    return replayed(table, machine, whole, watch)


async def _is_there(store: Store, table: LogId, entry: Entry) -> bool:
    """Whether the log has this very entry: written the first time, when the store could not say so."""
    found = await stored(store.entries, table, entry.position - 1, 1)
    return [each.link for each in found] == [entry.link]
