"""The tables of a host: loaded from their logs, ended where this release cannot go on with them, let go of."""

from contextlib import AbstractContextManager

from turnstile.durable.log import OtherKind, Outdated, Unplayable, fingerprint
from turnstile.durable.room import Room
from turnstile.durable.storing import load, load_whole
from turnstile.host.answers import Code
from turnstile.host.heartbeat import Heartbeat
from turnstile.host.live import Live, MatchEnd, ignore_end
from turnstile.host.logs import TABLES, KeptTable, outdated
from turnstile.host.streams.ending import Ending
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import LogId, encode, is_log_id
from turnstile.store.log import Damaged
from turnstile.store.protocol import Row, Store
from turnstile.table.values import Code as TableCode

NO_TABLE = Rejection(Code.NO_TABLE, "There is no such table.")
RULES_CHANGED = "The rules of the game have changed, and they do not lead to this match any more."
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
        self.games_in_development: frozenset[str] = frozenset()
        """Games whose rules may change while the host runs, or have changed since it ran last."""
        self._expected: dict[LogId, tuple[int, bytes]] = {}
        """Where a table was, and the fingerprint of its state, when the rules of its game changed."""

    async def _read(self, name: LogId) -> Live | Rejection:
        """A table from its log, or why it cannot be had."""
        row = await self._store.row(name) if is_log_id(name) else None
        if row is None:
            return NO_TABLE
        if row.note:
            return PUT_ASIDE
        try:
            is_in_development = row.game in self.games_in_development
            kept = await (self._load_again if is_in_development else self._load_kept)(name)
        except OtherKind:
            return NO_TABLE
        except Unplayable as fault:
            return fault.refused
        except Outdated as fault:
            return await self._end_outdated(name, row, str(fault))
        except Damaged:
            if not is_in_development:
                raise
            return await self._end_outdated(name, row, RULES_CHANGED)
        if kept is None:
            return NO_TABLE
        live = Live(name, kept, await self._store.cursors(name), self._store, self._heartbeat)
        live.step_limit = self._step_limit
        live.on_end = self.on_end
        return live

    async def _load_kept(self, name: LogId) -> KeptTable | None:
        return await load(TABLES, self._store, name)

    async def _load_again(self, name: LogId) -> KeptTable | None:
        """A table under rules that may have changed. Raises `Damaged` if they lead to another state than before."""
        kept = await load_whole(TABLES, self._store, name)
        position, seal = self._expected.pop(name, (-1, b""))
        if kept is not None and kept.position == position and fingerprint(encode(kept.state)) != seal:
            raise Damaged(name, "it no longer leads to the state it led to")
        return kept

    async def _end_outdated(self, name: LogId, row: Row, reason: str) -> Live | Rejection:
        """End a table that this release cannot go on with, by an entry that says so; one that is over stays."""
        if not row.is_open:
            return Rejection(TableCode.OTHER_VERSION, reason)
        saved = await self._store.load(name)
        if saved is not None:
            last = saved.entries[-1] if saved.entries else saved.snapshot or saved.header
            await self._store.commit(outdated(name, saved.header, last, reason, self._store.now()))
        return await self._read(name)

    def let_go(self, name: LogId, why: Ending) -> None:
        """Forget a table that is not played any more, and tell those who listen."""
        live = self.live.pop(name, None)
        for line in tuple(live.lines) if live else ():
            line.end(why)

    def let_go_of_game(self, game: str) -> None:
        """Forget the tables of a game whose rules have changed. They are read again when they are wanted."""
        for name, live in [*self.live.items()]:
            if live.state.header.game == game:
                self._expected[name] = (live.kept.position, fingerprint(encode(live.state)))
                self.let_go(name, Ending.RESTORED)

    async def missing(self, name: LogId) -> Rejection:
        """Why a table cannot be had."""
        row = await self._store.row(name) if is_log_id(name) else None
        return PUT_ASIDE if row is not None and row.note else NO_TABLE
