"""The tables of a host: loaded from their logs, ended where this release cannot go on with them, let go of."""

from contextlib import AbstractContextManager

from turnstile.durable.log import OtherKind, Outdated, Unplayable
from turnstile.durable.room import Room
from turnstile.durable.storing import load
from turnstile.host.answers import Code
from turnstile.host.ending import Ending
from turnstile.host.heartbeat import Heartbeat
from turnstile.host.live import Live, MatchEnd, ignore_end
from turnstile.host.logs import TABLES, outdated
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import LogId, is_log_id
from turnstile.store.protocol import Store
from turnstile.table.values import Code as TableCode

NO_TABLE = Rejection(Code.NO_TABLE, "There is no such table.")
PUT_ASIDE = Rejection(Code.PUT_ASIDE, "This table was put aside; its operator knows why.")


class Tables(Room[Live]):
    """At most one `Live` for each table."""

    def __init__(self, store: Store, heartbeat: Heartbeat, step_limit: AbstractContextManager[None]) -> None:
        super().__init__(self._read)
        self._store = store
        self._heartbeat = heartbeat
        self._step_limit = step_limit
        self.on_end: MatchEnd = ignore_end
        """For the tables that are read from now on."""

    async def _read(self, name: LogId) -> Live | Rejection:
        """A table from its log, or why it cannot be had."""
        row = await self._store.row(name) if is_log_id(name) else None
        if row is None:
            return NO_TABLE
        if row.note:
            return PUT_ASIDE
        try:
            kept = await load(TABLES, self._store, name)
        except OtherKind:
            return NO_TABLE
        except Unplayable as fault:
            return fault.refused
        except Outdated as fault:
            if not row.is_open:
                return Rejection(TableCode.OTHER_VERSION, str(fault))
            await self._end_outdated(name, str(fault))
            return await self._read(name)
        if kept is None:
            return NO_TABLE
        live = Live(name, kept, await self._store.cursors(name), self._store, self._heartbeat)
        live.step_limit = self._step_limit
        live.on_end = self.on_end
        return live

    async def _end_outdated(self, name: LogId, reason: str) -> None:
        """End a table that this release cannot go on with, by an entry that says so."""
        saved = await self._store.load(name)
        if saved is not None:
            last = saved.entries[-1] if saved.entries else saved.snapshot or saved.header
            await self._store.commit(outdated(name, saved.header, last, reason, self._store.now()))

    def let_go(self, name: LogId, why: Ending) -> None:
        """Forget a table that is not played any more, and tell those who listen."""
        live = self.live.pop(name, None)
        for line in tuple(live.lines) if live else ():
            line.end(why)

    async def missing(self, name: LogId) -> Rejection:
        """Why a table cannot be had."""
        row = await self._store.row(name) if is_log_id(name) else None
        return PUT_ASIDE if row is not None and row.note else NO_TABLE
