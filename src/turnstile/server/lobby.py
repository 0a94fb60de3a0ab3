"""The list of open tables, live. One reader of the list serves all who watch it, in every process of a server."""

import asyncio
import logging
from collections.abc import AsyncGenerator

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


class Lobby:
    """The list as it was at the last look. It looks only while someone watches."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._listed: dict[LogId, ListedTable] = {}
        self._looking: asyncio.Task[None] | None = None
        self._watchers: set[asyncio.Event] = set()
        self._is_fresh = False

    async def watch(self, game: str | None, phase: str | None) -> AsyncGenerator[bytes, None]:
        """Every change of the list of tables with this game and in this phase, as JSON; `None`: any.

        Changes that come faster than they are read are joined.
        """
        woken = asyncio.Event()
        self._watchers.add(woken)
        try:
            if not self._is_fresh:
                await self._look()
            if self._looking is None:
                self._looking = asyncio.create_task(self._keep_looking())
            seen: dict[LogId, ListedTable] | None = None
            while True:
                listed = {
                    name: each
                    for name, each in self._listed.items()
                    if game in (None, each.game) and phase in (None, each.phase)
                }
                change = _change(seen or {}, listed)
                if seen is None or change.changed or change.gone:
                    yield encode(change)
                seen = listed
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
            before = self._listed
            try:
                await self._look()
            except StoreFault as fault:
                log.warning("The store: %s", fault)
                continue
            if self._listed != before:
                for woken in self._watchers:
                    woken.set()

    async def _look(self) -> None:
        """Read the whole list, page by page: a table that is missing in it counts as gone."""
        listed, after = dict[LogId, ListedTable](), None
        while True:
            page = await self._tables.listed(game=None, phase=None, after=after, limit=AT_ONCE)
            listed |= {each.table: each for each in page.items}
            after = page.after
            if after is None or len(listed) >= MOST_LISTED:
                break
        self._listed, self._is_fresh = listed, True


def _change(before: dict[LogId, ListedTable], after: dict[LogId, ListedTable]) -> ListChange:
    changed = tuple(each for name, each in after.items() if before.get(name) != each)
    return ListChange(changed, tuple(name for name in before if name not in after))
