"""Readers of tables: everything that the server does with a host's lines is here, and who is present because of it.

A WebSocket, a stream and a long poll are all readers. The newest reader of a seat is the one that counts: the host
ends the line of the one before. A player is present while it has a reader, in this process or in another.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from turnstile.host import Ending, Host, Line, Refused, Status, Update
from turnstile.host.answers import Code as HostCode
from turnstile.host.live import Live
from turnstile.host.streams.lines import refuse_line
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import LogId, PlayerId
from turnstile.server.elsewhere import Elsewhere
from turnstile.server.errors import problem_of
from turnstile.store.directory import Directory, PlayerAtTable
from turnstile.table.values import Code as TableCode

T = TypeVar("T")

ABSENT_AFTER = 3.0  # seconds without a reader; a player who reconnects sooner was not away

Notice = Callable[[PlayerId, bool], None]
"""Called when a player of the table arrives (`True`) or leaves (`False`)."""


class Reader:
    """One reader of one stream. `after`: the update that its reader has; the next one follows."""

    def __init__(self, line: Line, table: LogId, notice: Notice | None) -> None:
        self.line = line
        self.table = table
        self.player = line.player
        self.after = line.sent
        self.is_resumed = False
        """Whether it goes on after the update that its reader has."""
        self.notice = notice

    @property
    def top(self) -> int:
        """The number of the newest update."""
        return self.line.newest()

    @property
    def ending(self) -> Ending:
        """Why the line has ended."""
        return self.line.closed or Ending.CLOSED

    def __aiter__(self) -> AsyncIterator[Update | Status]:
        return self.line.__aiter__()


class Readers:
    """All readers of a server, by table."""

    def __init__(self, host: Host, directory: Directory) -> None:
        self.host = host
        self.elsewhere = Elsewhere(host.store, directory, self)
        self._at: dict[LogId, set[Reader]] = {}
        self._leaving: dict[tuple[LogId, PlayerId], asyncio.TimerHandle] = {}

    def __len__(self) -> int:
        return sum(map(len, self._at.values()))

    # one reader

    async def open(
        self,
        name: LogId,
        player: PlayerId | None,
        last: int | None,
        notice: Notice | None = None,
        history: str | None = None,
    ) -> Reader:
        """A reader of the player's seat; of what spectators see, if the player has no seat. Raises `Problem`.

        `last`: the newest update that the reader has, and `history` that of the update; `None` if it has none, and
        wants what it has not acknowledged. If there is no such update, because an older store was restored, it starts
        from what was acknowledged, and never after `last`. In every case the first update has the whole view.
        """
        await self.elsewhere.learn(name)
        line = await self._attach(name, player, last or 0, history)
        is_resumed = last is not None
        if isinstance(line, Refused) and line.error.code in (HostCode.FUTURE_UPDATE, HostCode.OTHER_HISTORY):
            line, is_resumed = await self._attach(name, player, 0, None), False
        if isinstance(line, Refused):
            raise problem_of(line.error)
        if not is_resumed:
            line.sent = _start(line, last)
        reader = Reader(line, name, notice)
        reader.is_resumed = is_resumed
        self._arrive(reader)
        return reader

    async def _attach(self, name: LogId, player: PlayerId | None, after: int, history: str | None) -> Line | Refused:
        """A line of the player's seat; for a spectator, if the player has no seat."""
        line = await self.host.attach(name, player, after, history)
        if not isinstance(line, Refused) or line.error.code != TableCode.NOT_SEATED:
            return line
        line = await self.host.attach(name, None, after, history)
        if isinstance(line, Line):
            line.watcher = player
            if line.has_other_stream():  # it has joined meanwhile
                line.end(Ending.SEAT_CHANGED)
        return line

    async def open_beside(self, name: LogId, player: PlayerId | None, last: int | None = None) -> Reader:
        """A reader beside the others of its seat: it ends none of them, and none of them ends it. Raises `Problem`.

        `last`: the newest update that the reader has, which is acknowledged; without it, or if there is no such update,
        it starts with the newest update that was acknowledged.
        """

        def add(live: Live) -> Line | Refused:
            line = _unattached(live, player)
            if isinstance(line, Line):
                line.is_beside = True
                line.sent = _start(line, last) if last is None or last > line.newest() else last
                live.hand(line.player, line.sent)
                live.lines[line] = None
            return line

        line = await self.look(name, add)
        if isinstance(line, Refused):
            raise problem_of(line.error)
        if line.player is not None and last is not None and last == line.sent:
            await self.host.acknowledge(name, line.player, last)
        reader = Reader(line, name, None)
        self._arrive(reader)
        return reader

    def close(self, reader: Reader, absent_after: float = ABSENT_AFTER) -> None:
        """End a reader. The stream is kept. `absent_after`: how many seconds its player may take to come back."""
        self.host.detach(reader.line)
        readers = self._at.get(reader.table, set())
        readers.discard(reader)
        if not readers:
            self._at.pop(reader.table, None)
        if reader.player is not None and not self.is_here(reader.table, reader.player):
            self._leave(reader.table, reader.player, absent_after)

    # looking without reading

    async def look(self, name: LogId, look: Callable[[Live], T]) -> T:
        """Something about a table, after all that was answered in any process. Raises `Problem`."""

        async def work(live: Live) -> T:
            if self.host.store.is_shared:
                await live.read_on()
            return look(live)

        found = await self.host.do(name, work)
        if isinstance(found, Rejection):
            raise problem_of(found)
        return found

    async def check_sight(self, name: LogId, player: PlayerId | None) -> None:
        """Refuse a caller who may not see what happens at a table. Raises `Problem`."""
        line = await self.look(name, lambda live: _unattached(live, player))
        if isinstance(line, Refused):
            raise problem_of(line.error)

    async def newest(self, name: LogId, player: PlayerId | None) -> bytes | None:
        """The newest update of a seat, or of the spectators, whole; `None` before the first one.

        It disturbs no reader. It says nothing about what was acknowledged.
        """
        return await self.whole(name, player, None)

    async def whole(self, name: LogId, player: PlayerId | None, seq: int | None) -> bytes | None:
        """An update of a seat, or of the spectators, with the whole view; `None` if there is no such update.

        `seq` is `None` for the newest one. Like `newest`, it disturbs no reader.
        """
        line = await self.look(name, lambda live: _unattached(live, player))
        if isinstance(line, Refused):
            raise problem_of(line.error)
        wanted = line.newest() if seq is None else seq
        if not 1 <= wanted <= line.newest():
            return None
        line.sent = wanted - 1
        async for item in line:
            if isinstance(item, Update):
                return item.body
        return None

    async def hand_awaited(self, name: LogId, player: PlayerId) -> int | None:
        """The update that the table wants a player to acknowledge, who may do so from now on. Raises `Problem`.

        It is for a player who plays without reading updates; `None` if the player has no seat.
        """

        def hand(live: Live) -> int | None:
            awaited = live.state.awaited.get(player)
            if awaited is not None:
                live.hand(player, awaited)
            return awaited

        return await self.look(name, hand)

    # who is here

    def is_here(self, table: LogId, player: PlayerId) -> bool:
        """Whether a player has a reader at this table, in this process."""
        return any(reader.player == player for reader in self._at.get(table, ()))

    async def is_present(self, table: LogId, player: PlayerId) -> bool:
        """Whether a player has a reader at this table, in this process or in another."""
        await self.elsewhere.learn(table)
        return self.is_here(table, player) or player in self.elsewhere.players(table)

    def tables(self) -> set[LogId]:
        """The tables that have readers."""
        return set(self._at)

    def all_present(self) -> set[PlayerAtTable]:
        """The seated players who have a reader in this process, or had one a moment ago."""
        everyone = ((table, each.player) for table, readers in self._at.items() for each in readers)
        here = {PlayerAtTable(table, player) for table, player in everyone if player is not None}
        return here | {PlayerAtTable(*each) for each in self._leaving}

    def present(self, reader: Reader) -> tuple[PlayerId, ...]:
        """The seated players who are here, as this reader may know.

        A player who may still reconnect is one of them: nothing is told if it does.
        """
        if is_delayed(reader.line):
            return ()
        here = {other.player for other in self._at.get(reader.table, ()) if other.player is not None}
        leaving = {player for table, player in self._leaving if table == reader.table}
        return tuple(sorted(here | leaving | self.elsewhere.players(reader.table)))

    def _arrive(self, reader: Reader) -> None:
        table, player = reader.table, reader.player
        was_here = player is None or self.is_here(table, player)
        self._at.setdefault(table, set()).add(reader)
        if player is not None and not was_here:
            self.elsewhere.share_soon()
            leaving = self._leaving.pop((table, player), None)
            if leaving is not None:
                leaving.cancel()
            elif player not in self.elsewhere.players(table):
                self._tell(table, player, is_here=True)

    def _leave(self, table: LogId, player: PlayerId, absent_after: float) -> None:
        if (table, player) not in self._leaving:
            later = asyncio.get_running_loop().call_later(absent_after, self._has_left, table, player)
            self._leaving[table, player] = later

    def _has_left(self, table: LogId, player: PlayerId) -> None:
        del self._leaving[table, player]
        self.elsewhere.share_soon()
        if player not in self.elsewhere.players(table):
            self._tell(table, player, is_here=False)

    def tell_elsewhere(self, table: LogId, player: PlayerId, *, is_here: bool) -> None:
        """A player has come to another process, or left it. It changes nothing while the player is here as well."""
        if not self.is_here(table, player) and (table, player) not in self._leaving:
            self._tell(table, player, is_here=is_here)

    def _tell(self, table: LogId, player: PlayerId, *, is_here: bool) -> None:
        for reader in self._at.get(table, ()):
            if reader.notice is not None and reader.player != player and not is_delayed(reader.line):
                reader.notice(player, is_here)


def _unattached(live: Live, player: PlayerId | None) -> Line | Refused:
    """A line that no one is told of, for a look."""
    seat = player if player is not None and live.state.seat_of(player) else None
    return refuse_line(live, seat, 0) or Line(live, seat, 0)


def _start(line: Line, last: int | None) -> int:
    """Where a reader starts anew: so that its first update is the newest that was acknowledged.

    It never starts after the `last` update of another history: what follows would look like a continuation.
    """
    known = line.newest() if line.player is None else min(line.newest(), line.live.cursors.get(line.player, 0))
    start = max(0, known - 1)
    return max(0, start - 1) if start == last else start


def is_delayed(line: Line) -> bool:
    """Whether a spectator sees the table with a delay, and so nothing of who is here now."""
    return line.player is None and line.live.state.header.settings.delay > 0
