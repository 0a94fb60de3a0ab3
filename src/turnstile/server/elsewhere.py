"""Players who are connected to other processes on the same store: they are present, too.

Every process records in the directory who is connected to it, and asks for those of the others. A process that dies is
believed for a few seconds more.
"""

import asyncio
import logging
import secrets
from typing import TYPE_CHECKING

from turnstile.host.answers import PASSING
from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.store.directory import Directory
from turnstile.store.protocol import Store

if TYPE_CHECKING:
    from turnstile.server.readers import Readers

log = logging.getLogger("turnstile.server")

SHARE_EVERY = 1.5  # seconds; well below the time after which a player counts as absent
SHARE_PAUSE = 0.2  # seconds between two rounds, although players come all the time
COUNTS_FOR = 15_000  # milliseconds for which a process is believed that says nothing more


class Elsewhere:
    """What one process knows of the others. On a store that it does not share it knows nothing, and asks nothing."""

    def __init__(self, store: Store, directory: Directory, readers: "Readers") -> None:
        self._store = store
        self._directory = directory
        self._readers = readers
        self._process = secrets.token_hex(8)
        self._present: dict[LogId, set[PlayerId]] = {}
        """By table. A table that is not here was not asked for."""
        self._learned: set[LogId] = set()
        """The tables that were asked for since the last round, although they may have no reader yet."""
        self._has_news = asyncio.Event()

    def players(self, table: LogId) -> set[PlayerId]:
        """The players of a table who are connected to other processes."""
        return self._present.get(table, set())

    async def learn(self, table: LogId) -> None:
        """Ask for a table that has no reader here yet."""
        if self._store.is_shared and table not in self._present:
            found = await self._find({table})
            self._present |= found  # not before the answer is here: meanwhile there may be another dictionary
            self._learned.add(table)

    def share_soon(self) -> None:
        """A player has come or gone: the other processes are told within moments."""
        self._has_news.set()

    async def keep_sharing(self) -> None:
        """Tell the others who is connected here, and ask who is connected there."""
        while True:
            self._has_news.clear()
            try:
                await self._share()
                await self._ask()
            except PASSING as fault:
                log.warning("The store: %s", fault)
            await asyncio.sleep(SHARE_PAUSE)
            try:
                async with asyncio.timeout(SHARE_EVERY - SHARE_PAUSE):
                    await self._has_news.wait()
            except TimeoutError:
                pass

    async def _share(self) -> None:
        until = Instant(self._store.now() + COUNTS_FOR)
        await self._directory.share_presence(self._process, self._readers.all_present(), until)

    async def _ask(self) -> None:
        tables, self._learned = self._readers.tables() | self._learned, set()
        found, before = await self._find(tables), self._present
        self._present = {table: before[table] for table in self._learned} | found
        for table, players in found.items():
            for player in players ^ before.get(table, set()):
                self._readers.tell_elsewhere(table, player, is_here=player in players)

    async def _find(self, tables: set[LogId]) -> dict[LogId, set[PlayerId]]:
        found: dict[LogId, set[PlayerId]] = {table: set() for table in tables}
        for each in await self._directory.present_elsewhere(self._process, tables, self._store.now()):
            found[each.table].add(each.player)
        return found

    async def leave(self) -> None:
        """This process stops: its players are not connected to it any more."""
        if self._store.is_shared:
            try:
                await self._directory.share_presence(self._process, (), self._store.now())
            except PASSING as fault:
                log.warning("The store: %s", fault)
