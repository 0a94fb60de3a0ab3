"""The tables in memory: read from their logs when somebody wants them, forgotten when nobody does."""

import asyncio
import logging
from weakref import WeakValueDictionary

from turnstile.host.answers import Code
from turnstile.host.heartbeat import Heartbeat
from turnstile.host.ledger import BadSnapshot, Outdated, Unplayable, outdated, replayed
from turnstile.host.live import Live
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import LogId, is_log_id
from turnstile.store.protocol import Saved, Store
from turnstile.table.values import Code as TableCode

log = logging.getLogger("turnstile.host")

NO_TABLE = Rejection(Code.NO_TABLE, "There is no such table.")
MOST_LIVE = 10_000  # tables in memory, where some of them are idle


class Tables:
    """At most one `Live` for each table."""

    def __init__(self, store: Store, heartbeat: Heartbeat) -> None:
        self.live: dict[LogId, Live] = {}
        self._store = store
        self._heartbeat = heartbeat
        self._loading: WeakValueDictionary[LogId, asyncio.Lock] = WeakValueDictionary()

    async def find(self, name: LogId) -> Live | Rejection:
        """The table, or why it cannot be had. However many want it, it is read once."""
        if not is_log_id(name):
            return NO_TABLE
        if live := self.live.get(name):
            return live
        lock = self._loading.setdefault(name, asyncio.Lock())
        async with lock:
            return self.live.get(name) or await self._load(name)

    async def _load(self, name: LogId) -> Live | Rejection:
        """The table from its log; one that this release cannot play on is ended by an entry that says so."""
        row, saved = await self._store.row(name), await self._store.load(name)
        if row is None or saved is None or row.note:
            return await self.missing(name)
        try:
            kept = replayed(name, saved)
        except BadSnapshot as fault:
            log.warning("%s Its log is read from the beginning.", fault)
            kept = replayed(name, Saved(saved.header, None, await self._store.entries(name, 0)))
        except Unplayable as fault:
            return fault.refused
        except Outdated as reason:
            if not row.is_open:
                return Rejection(TableCode.OTHER_VERSION, str(reason))
            last = saved.entries[-1] if saved.entries else saved.snapshot or saved.header
            await self._store.commit(outdated(name, saved.header, last, str(reason), self._store.now()))
            return await self._load(name)
        cursors = await self._store.cursors(name)
        if len(self.live) >= MOST_LIVE:
            self.forget_idle()
        live = self.live[name] = Live(name, kept, cursors, self._store, self._heartbeat)
        return live

    def forget_idle(self) -> None:
        """Room for others: what nobody would miss is read again when somebody wants it."""
        for name in [name for name, live in self.live.items() if live.is_idle]:
            del self.live[name]

    def let_go(self, name: LogId, why: str) -> None:
        """Forget a table that is not played any more, and tell those who listen."""
        live = self.live.pop(name, None)
        for line in tuple(live.lines) if live else ():
            line.end(why)

    async def missing(self, name: LogId) -> Rejection:
        """Why a table cannot be had."""
        row = await self._store.row(name)
        if row is None:
            return NO_TABLE
        return Rejection(Code.PUT_ASIDE, "This table was put aside; its operator knows why.")
