"""The chores of a host: keep cursors, read what other processes have committed, forget tables that are over."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from turnstile.durable.log import Gone
from turnstile.host.live import Live
from turnstile.host.streams.seats import end_replaced_lines
from turnstile.store.protocol import Change
from turnstile.table.sight import is_open

if TYPE_CHECKING:
    from turnstile.host.host import Host

TIDY_EVERY = 1.0  # seconds
SAVED_TOGETHER = 20
"""Tables whose cursors are stored together: few enough that a move hardly waits for them."""


class Chores:
    """The chores of one host."""

    def __init__(self, host: "Host") -> None:
        self._host, self._store, self._tables = host, host.store, host.tables

    async def keep_hearing(self) -> None:
        """Read other processes' commits as soon as the store notifies us. `keep_tidy` finds what it missed."""
        while True:
            await self._host.unless_passing(self._hear())
            await asyncio.sleep(TIDY_EVERY)

    async def _hear(self) -> None:
        async for change in self._store.changes():
            live = self._tables.live.get(change.log)
            if live is not None and _is_news(live, change):
                self._host.spawn(self._host.at(change.log, partial(self._read_change, change=change)))

    async def _read_change(self, live: Live, change: Change) -> None:
        """Read on, unless another request has read that far meanwhile."""
        if change.position is None:
            await self._read_on_or_let_go(live)
            await end_replaced_lines(self._store, (live,))
        elif _is_news(live, change):
            await live.read_on()

    async def _read_on_or_let_go(self, live: Live) -> None:
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
            self._show_waits()
            for name in [name for name, live in self._tables.live.items() if live.is_in_doubt]:
                await self._host.at(name, Live.settle_doubt)
            if self._store.is_shared:
                await self._host.unless_passing(self._ask_for_changes())
            for name in [name for name, live in self._tables.live.items() if live.is_idle and not is_open(live.state)]:
                del self._tables.live[name]

    def _show_waits(self) -> None:
        """Tell readers of every wait that has lasted a while."""
        for live in self._tables.live.values():
            live.show_wait(self._store.now())

    async def save_cursors(self) -> None:
        unsaved = [name for name, live in self._tables.live.items() if live.unsaved]
        for first in range(0, len(unsaved), SAVED_TOGETHER):
            some = unsaved[first : first + SAVED_TOGETHER]
            await asyncio.gather(*(self._host.at(name, self._save) for name in some))

    async def _save(self, live: Live) -> None:
        await live.save_cursors()
        await self._host.pass_gate_at(live)

    async def _ask_for_changes(self) -> None:
        """Ask once for all tables. A table that moves meanwhile is up to date by that."""
        await end_replaced_lines(self._store, tuple(self._tables.live.values()))
        known = {name: live.kept.position for name, live in self._tables.live.items()}
        newest = await self._store.positions(tuple(known))
        for name in [name for name, position in known.items() if newest.get(name) != position]:
            live = self._tables.live.get(name)
            if live is not None and live.kept.position == known[name]:
                await self._host.at(name, self._read_on_or_let_go)


def _is_news(live: Live, change: Change) -> bool:
    """Whether a change is not known here yet."""
    return change.position is None or change.position > live.kept.position
