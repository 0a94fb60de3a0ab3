"""A keeper has one machine in memory and its log in a store. `Keeper.take` is the one way in which it changes."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Generic, TypeVar

from turnstile.durable.log import Gone, Kept, Kind, draft, follow_steps
from turnstile.durable.storing import Ask, ask_once, has_entry, load
from turnstile.kernel.machine import Rejection, S, Step
from turnstile.kernel.values import Instant, LogId
from turnstile.store.log import Damaged, Link
from turnstile.store.protocol import Busy, Commit, Store, Unknown

E = TypeVar("E")

NO_LIMIT = nullcontext()
MOST_TRIES = 100  # attempts to commit one event while other processes commit first

EventAt = Callable[[Instant], E | Rejection | None]
"""Makes the event that happens at an instant, refuses it, or returns nothing when there is no more reason for it."""


class MachineFailed(Exception):
    """The machine raised an exception instead of answering: a bug in the machine."""

    def __init__(self, name: LogId, machine: str, bug: Exception) -> None:
        super().__init__(f"{machine} failed: {type(bug).__name__}: {bug}")
        self.name = name


class CommandTaken(Exception):
    """The id of this command is in the log already."""


class Keeper(Generic[S, E]):
    """One machine while it is in memory. Its caller holds the lock while it changes.

    `kept` is what is durable. A subclass overrides `tell` to pass steps on. It may override `now` and `give_back`.
    """

    def __init__(self, kind: Kind[S, E], name: LogId, kept: Kept[S], store: Store, ask: Ask = ask_once) -> None:
        self.kind = kind
        self.name = name
        self.kept = kept
        self.due = kind.row(kept.state).due
        """When the machine needs the server again."""
        self.lock = asyncio.Lock()
        self.is_in_doubt = False
        """Whether the outcome of a write is unknown: its entry may be in the log."""
        self._writing: asyncio.Future[bool] | None = None
        """The write of an entry whose caller was cancelled."""
        self.step_limit: AbstractContextManager[None] = NO_LIMIT
        """The machine decides within it. It may raise, as the machine may."""
        self._store = store
        self._ask = ask

    # what a subclass may override

    async def now(self) -> Instant:
        """The time of an event that comes now."""
        return self._store.now()

    def may_have_lost_time(self) -> bool:
        """Whether time may have been lost since the last event, so that `give_back` must find out."""
        return False

    async def give_back(self, now: Instant) -> E | None:
        """The event that gives back the time that was lost since the last event; `None` if none was lost."""
        return None

    def tell(self, steps: Sequence[tuple[E, Step[S], Link]]) -> None:
        """Pass on steps that are durable now, in this order, each with the link of its entry."""

    # how it changes

    async def take(self, event_at: EventAt[E]) -> Step[S] | Rejection | None:
        """Decide, commit, tell. Returns the step, which is durable and told, or why the event is refused.

        The time of the event is now, however many attempts it takes. Time that was lost before is given back first.
        If another process has committed first, its entries are read, and the event is decided again. Nothing is read
        before a decision: the commit says whether another process was first. A refusal commits nothing, so on a shared
        store the log is read before it counts, unless an earlier attempt has read it or committed to it.
        """
        now = await self.now()
        for attempt in range(MOST_TRIES):
            lost = await self.give_back(now) if self.may_have_lost_time() else None
            event = lost or event_at(now)
            if event is None or isinstance(event, Rejection):
                return event
            decision = self._decide(event, now)
            if isinstance(decision, Rejection):
                is_newest = attempt > 0 or not self._store.is_shared
                if is_newest or not await self.read_on():
                    return decision
                continue  # the decision was made on an old state
            if await self._commit(event, *decision):
                if event is lost:
                    continue
                return decision[0]
            if not await self.read_on():
                await self._explain(event)
        raise Busy(f"{self.name} changes too often.")

    def _decide(self, event: E, now: Instant) -> tuple[Step[S], Commit | None, Kept[S]] | Rejection:
        """Let the machine decide. Returns the step, what to store of it, and what is kept then."""
        try:
            with self.step_limit:
                step = self.kind.step(self.kept.state, event, now)
                if isinstance(step, Rejection):
                    return step
                if step.state is self.kept.state and self.kind.command(event) is None:
                    return step, None, self.kept
                return step, *draft(self.kind, self.name, self.kept, event, now, step.state)
        except Exception as bug:
            raise MachineFailed(self.name, self.kind.row(self.kept.state).game, bug) from bug

    async def _commit(self, event: E, step: Step[S], commit: Commit | None, after: Kept[S]) -> bool:
        """Write an entry, then tell its step. Returns `False` when the position is taken."""
        if commit is not None:
            if not await self._write(commit):
                return False
            self.kept, self.due = after, commit.row.due
        self.tell([(event, step, after.link)])
        return True

    async def _write(self, commit: Commit) -> bool:
        """Write an entry. If the caller is cancelled, the entry is written all the same, and the keeper is in doubt.

        The store may still be busy with it then, so it is sent a second time. A store writes the commits to one log in
        order: when the second is answered, the first is decided. (A task for each write would make every move dearer.)
        """
        try:
            is_written = await self._ask(self._store.commit, commit)
        except asyncio.CancelledError:
            self.is_in_doubt = True
            self._writing = asyncio.ensure_future(self._ask(self._store.commit, commit))
            self._writing.add_done_callback(_ignore_fault)
            raise
        except Unknown:
            self.is_in_doubt = True
            raise
        return is_written or await has_entry(self._store, self.name, commit.entry, self._ask)

    async def settle_doubt(self) -> None:
        """Read on if a write may have succeeded whose outcome is unknown."""
        if self.is_in_doubt:
            if self._writing is not None:
                await asyncio.wait([self._writing])
                self._writing = None
            await self.read_on()
            self.is_in_doubt = False

    async def read_on(self) -> bool:
        """Read what other processes have committed. Returns whether there was anything."""
        entries = await self._ask(self._store.entries, self.name, self.kept.position)
        if not entries:
            return False
        try:
            steps = list(follow_steps(self.kind, self.name, self.kept, entries))
        except Damaged:
            await self.load_anew()
            return True
        self._move_to(steps[-1][0])
        self.tell([(event, step, kept.link) for kept, event, step in steps])
        return True

    async def _explain(self, event: E) -> None:
        """Raise the reason why the store refused an entry although no other came first. Return if another just did."""
        row = await self._ask(self._store.row, self.name)
        if row is None or row.note:
            raise Gone(self.name)
        command = self.kind.command(event)
        if command is not None and await self._ask(self._store.find, self.name, command) is not None:
            raise CommandTaken(self.name)
        newest = (await self._ask(self._store.positions, [self.name])).get(self.name)
        if newest is not None and newest < self.kept.position:
            await self.load_anew()
            return
        if newest != self.kept.position and not await self.read_on():
            raise Damaged(self.name, f"the entries after {self.kept.position} are missing")
        ours = await self._ask(self._store.entries, self.name, self.kept.position - 1, 1)
        if ours and ours[0].link != self.kept.link:
            await self.load_anew()

    async def load_anew(self) -> None:
        """Load the log again: after an older store was restored, the store is right. Raises `Damaged`."""
        kept = await load(self.kind, self._store, self.name, self._ask)
        if kept is None:
            raise Gone(self.name)
        self._move_to(kept)

    def _move_to(self, kept: Kept[S]) -> None:
        self.kept, self.due = kept, self.kind.row(kept.state).due


def _ignore_fault(writing: asyncio.Future[bool]) -> None:
    """No caller waits for this write any more, and the log says whether it succeeded."""
    if not writing.cancelled():
        writing.exception()
