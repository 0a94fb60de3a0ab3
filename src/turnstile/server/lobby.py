"""The list of open tables, live. One reader of the list serves all who watch it, in every process of a server."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable

from turnstile.kernel.values import LogId, Value, encode
from turnstile.server.tables import ListedTable, Tables
from turnstile.store.protocol import StoreFault

log = logging.getLogger("turnstile.server")

LOOK_EVERY = 1.0  # seconds
AT_ONCE = 500  # tables that are asked for in one go
MOST_LISTED = 5_000  # tables in the live list: the newest ones


class ListChange(Value, frozen=True):
    """What has changed in the list of open tables since the event before. The first event has all of them as `changed`.

    `gone`: tables that are over, closed, or no longer what was asked for.
    """

    changed: tuple[ListedTable, ...]
    gone: tuple[LogId, ...] = ()


Listed = dict[LogId, ListedTable]


class Lobby:
    """The list as it was at the last look. It looks only while someone watches.

    What has changed is found out once at each look, and not again by each of those who watch.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._listed: Listed = {}
        self._before: Listed = {}
        """The list before its last change."""
        self._last_change = ListChange(())
        self._looking: asyncio.Task[None] | None = None
        self._watchers: set[asyncio.Event] = set()
        self._is_fresh = False

    async def watch(self, game: str | None, phase: str | None) -> AsyncGenerator[bytes, None]:
        """Every change of the list of tables with this game and in this phase, as JSON; `None`: any.

        Changes that come faster than they are read are joined.
        """

        def is_wanted(each: ListedTable) -> bool:
            return game in (None, each.game) and phase in (None, each.phase)

        woken = asyncio.Event()
        self._watchers.add(woken)
        try:
            if not self._is_fresh:
                await self._look()
            if self._looking is None:
                self._looking = asyncio.create_task(self._keep_looking())
            seen = self._listed
            yield encode(ListChange(tuple(filter(is_wanted, seen.values()))))
            while True:
                change = _narrow(self._change_since(seen), seen, is_wanted)
                seen = self._listed
                if change.changed or change.gone:
                    yield encode(change)
                await woken.wait()
                woken.clear()
        finally:
            self._watchers.discard(woken)
            if not self._watchers:
                self.stop()

    def stop(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            self._looking, self._is_fresh = None, False

    async def _keep_looking(self) -> None:
        """Look again and again. What the store cannot tell now is seen at a later look."""
        while True:
            await asyncio.sleep(LOOK_EVERY)
            try:
                await self._look()
            except StoreFault as fault:
                log.warning("The store: %s", fault)

    async def _look(self) -> None:
        """Read the whole list, page by page, and wake who watches if it has changed.

        A table that is missing in it counts as gone.
        """
        listed, after = Listed(), None
        while True:
            page = await self._tables.listed(game=None, phase=None, after=after, limit=AT_ONCE)
            listed |= {each.table: each for each in page.items}
            after = page.after
            if after is None or len(listed) >= MOST_LISTED:
                break
        self._is_fresh = True
        change = _compare(self._listed, listed)
        if change.changed or change.gone:
            self._before, self._listed, self._last_change = self._listed, listed, change
            for woken in self._watchers:
                woken.set()

    def _change_since(self, seen: Listed) -> ListChange:
        """What has changed since a list. Most have seen the one before the last change."""
        return self._last_change if seen is self._before else _compare(seen, self._listed)


def _compare(before: Listed, after: Listed) -> ListChange:
    if before is after:
        return ListChange(())
    changed = tuple(each for name, each in after.items() if before.get(name) != each)
    return ListChange(changed, tuple(name for name in before if name not in after))


def _narrow(change: ListChange, before: Listed, is_wanted: Callable[[ListedTable], bool]) -> ListChange:
    """A change as it is for those tables alone that are wanted. One that is not wanted any more is gone."""
    changed = tuple(filter(is_wanted, change.changed))
    left = (each.table for each in change.changed if not is_wanted(each))
    gone = (name for name in (*left, *change.gone) if name in before and is_wanted(before[name]))
    return ListChange(changed, tuple(gone))
