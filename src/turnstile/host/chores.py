"""The chores of a host: keep cursors, read what other processes have committed, forget tables that are over."""

import asyncio
from typing import TYPE_CHECKING

from turnstile.durable.log import Gone
from turnstile.host.live import Live
from turnstile.table.sight import is_open

if TYPE_CHECKING:
    from turnstile.host.host import Host

TIDY_EVERY = 1.0  # seconds


class Chores:
    """The chores of one host."""

    def __init__(self, host: "Host") -> None:
        self._host, self._store, self._tables = host, host.store, host.tables

    async def keep_hearing(self) -> None:
        """Read other processes' commits as soon as they are known. If none can be heard of, `keep_tidy` asks."""
        while True:
            await self._host.unless_passing(self._hear())
            await asyncio.sleep(TIDY_EVERY)

    async def _hear(self) -> None:
        async for name in self._store.changes():
            if name in self._tables.live:
                self._host.spawn(self._host.at(name, self._changed_elsewhere))

    async def _changed_elsewhere(self, live: Live) -> None:
        """Read on; if there is nothing to read, the table may be gone."""
        if not await live.read_on():
            row = await self._store.row(live.name)
            if row is None or row.note:
                raise Gone(live.name)

    async def keep_tidy(self) -> None:
        """Keep cursors, read on where a wake-up was missed, forget finished tables that have no readers."""
        while True:
            await asyncio.sleep(TIDY_EVERY)
            await self.save_cursors()
            for live in self._tables.live.values():
                live.show_wait(self._store.now())
            for name in [name for name, live in self._tables.live.items() if live.is_in_doubt]:
                await self._host.at(name, Live.settle_doubt)
            if self._store.is_shared:
                await self._host.unless_passing(self._ask_for_changes())
            for name in [name for name, live in self._tables.live.items() if live.is_idle and not is_open(live.state)]:
                del self._tables.live[name]

    async def save_cursors(self) -> None:
        unsaved = [name for name, live in self._tables.live.items() if live.unsaved]
        await asyncio.gather(*(self._host.at(name, self._save) for name in unsaved))

    async def _save(self, live: Live) -> None:
        await live.save_cursors()
        await self._host.pass_gate_at(live)

    async def _ask_for_changes(self) -> None:
        known = {name: live.kept.position for name, live in self._tables.live.items()}
        newest = await self._store.positions(tuple(known))
        for name in [name for name, position in known.items() if newest.get(name) != position]:
            await self._host.at(name, self._changed_elsewhere)
