"""Keepers of machines with timers. They wait for a store that cannot write now; no timer runs while they are away.

A keeper takes one event after the other. Many keepers commit side by side, and the store syncs them together. One
process alone writes each log.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from turnstile.durable.keeper import Keeper
from turnstile.durable.log import Kept, begin, follow_steps, replay
from turnstile.durable.storing import ask_until_done, create, load
from turnstile.durable.timed_log import Away, KeptMachine, TimedLogs, read_about
from turnstile.kernel.machine import Rejection, S, Step
from turnstile.kernel.timers import Timer, Timers, next_timer
from turnstile.kernel.values import Event, Instant, LogId, Timeout
from turnstile.store.log import Damaged
from turnstile.store.protocol import Saved, Store

T = TypeVar("T")

Refuse = Callable[[S], Rejection | None]
"""Why something is not to happen to a machine in a state, for reasons that the machine does not know."""

Watcher = Callable[[Instant, Event, Step[Any]], None]
"""Is told what has happened, while a log is replayed."""

Then = Callable[[Event, Step[S] | Rejection], None]
"""Is told what an event has led to."""


class TakenOver(Damaged):
    """Another process writes this log: its agent was started twice."""


class TimedKeeper(Keeper[KeptMachine[S], Event], Generic[S]):
    """One machine with its timers, kept."""

    def __init__(self, logs: TimedLogs[S], name: LogId, kept: Kept[KeptMachine[S]], store: Store) -> None:
        super().__init__(logs, name, kept, store, ask_until_done)
        self.has_changed = False
        """Whether the latest event has changed anything. A question that was answered has not."""

    @classmethod
    async def begin(
        cls,
        store: Store,
        name: LogId,
        logs: TimedLogs[S],
        start: S,
        *,
        time_scale: float,
        about: object = None,
    ) -> "TimedKeeper[S]":
        """A machine that begins; `about` is what its process wants to know again after a restart."""
        first, kept = begin(logs, name, logs.write_header(start, time_scale, about), store.now())
        if not await create(store, name, first, logs.row(kept.state), ask_until_done):
            raise Damaged(name, "another machine has begun under this id")
        return cls(logs, name, kept, store)

    @classmethod
    async def restore(
        cls, store: Store, name: LogId, logs: TimedLogs[S], watch: Watcher | None = None
    ) -> "TimedKeeper[S] | None":
        """The machine as its log has it; `None` where it never began. `watch` is told everything again.

        Its timers have what they had left at the last event: time in which the process was away does not count.
        """
        if watch is None:
            kept = await load(logs, store, name, ask_until_done)
        else:
            kept = await _read_all(store, name, logs, watch)
        if kept is None:
            return None
        keeper = cls(logs, name, kept, store)
        away = store.now() - keeper.changed
        if keeper.timers and away > 0:
            await Keeper.take(keeper, lambda _: Away(milliseconds=away))
        return keeper

    # what is known of it

    @property
    def machine(self) -> str:
        """The name of the machine."""
        return self.kind.tag

    @property
    def state(self) -> S:
        return self.kept.state.timed.state

    @property
    def timers(self) -> Timers[Timeout]:
        return self.kept.state.timed.timers

    @property
    def next_timer(self) -> Timer[Timeout] | None:
        return next_timer(self.timers)

    @property
    def time_scale(self) -> float:
        return self.kept.state.header.time_scale

    @property
    def opened(self) -> Instant:
        return self.kept.state.opened

    @property
    def changed(self) -> Instant:
        """When the latest event happened that has changed something."""
        return self.kept.state.changed

    @property
    def position(self) -> int:
        return self.kept.position

    def about(self, as_type: type[T]) -> T:
        """What the process had written down when the machine began."""
        return read_about(self.kept.state.header, as_type)

    # how it changes

    async def bring(self, event: Event, then: Then[S], refuse: Refuse[S] | None = None) -> Step[S] | Rejection:
        """Let an event happen. `then` is told what it led to, once that is durable and before anything else happens.

        `refuse` is asked first, in the state in which the event would happen. A caller must not be cancelled half-way.
        """
        async with self.lock:
            refused = None if refuse is None else refuse(self.state)
            return refused or await self._bring(event, then)

    async def expire(self, then: Then[S]) -> None:
        """Let happen what the timers that have run out bring about, the earliest first."""
        async with self.lock:
            while (timer := self.next_timer) is not None and timer.due <= self._store.now():
                await self._bring(timer.event, then)

    async def _bring(self, event: Event, then: Then[S]) -> Step[S] | Rejection:
        before = self.kept
        step = await self.take(lambda _: event)
        assert step is not None, "the event has a reason"
        self.has_changed = self.kept is not before
        result = step if isinstance(step, Rejection) else machine_step(step)
        then(event, result)
        return result

    async def read_on(self) -> bool:
        """No other process writes this log."""
        if await self._ask(self._store.entries, self.name, self.kept.position, 1):
            raise TakenOver(self.name, "another process writes it: this agent was started twice")
        return False


async def _read_all(store: Store, name: LogId, logs: TimedLogs[S], watch: Watcher) -> Kept[KeptMachine[S]] | None:
    """The machine from its whole log, with every event told to `watch`."""
    saved = await ask_until_done(store.load, name)
    if saved is None:
        return None
    start = kept = replay(logs, name, Saved(saved.header, None, ()))
    for kept, event, step in follow_steps(logs, name, start, await ask_until_done(store.entries, name, 0)):
        if not isinstance(event, Away):
            watch(kept.state.changed, event, machine_step(step))
    return kept


def machine_step(step: Step[KeptMachine[S]]) -> Step[S]:
    """The step of the machine itself, without its timers."""
    return Step(step.state.timed.state, step.trace, step.effects)
