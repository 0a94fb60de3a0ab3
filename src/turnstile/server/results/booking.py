"""Books matches that are over: the result and the ratings of each, once, whatever number of processes there are.

A match that ends in this process is booked at once. What a crash has left is found by an index, soon after the start
and every minute. The directory makes sure that a match is booked once, however many servers try.
"""

import asyncio
import logging
from functools import partial

from msgspec.structs import replace

from turnstile.durable.log import OtherKind, Outdated
from turnstile.host import Host
from turnstile.host.answers import STOPPING
from turnstile.host.answers import Code as HostCode
from turnstile.host.live import Live
from turnstile.host.records import read_end
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import LogId
from turnstile.server.operations.counts import Counts
from turnstile.server.results.ratings import POOL, new_ratings, result_of
from turnstile.store.directory import Booked, Directory, DirectoryStore, MatchResult, book_rated
from turnstile.store.protocol import StoreFault, Unstorable
from turnstile.table.machine import Table

log = logging.getLogger("turnstile.server")

LOOK_EVERY = 60.0  # seconds
AT_ONCE = 100  # tables that are asked for in one go
PAUSE = 0.01  # seconds between two matches that were left, so that players are served first
MOST_WAITING = 1_000  # matches that have just ended; what is beyond is found by looking
MOST_UNREADABLE = 10_000  # tables that are remembered, so that they are not read again
_TRY_LATER = {STOPPING.code, HostCode.BUSY, HostCode.READ_ONLY, HostCode.STORAGE_FULL, HostCode.OUTCOME_UNKNOWN}


class Booking:
    """The booking of one server."""

    def __init__(self, host: Host, directory: Directory, counts: Counts) -> None:
        self._host = host
        self._directory = directory
        self._counts = counts
        self._ended: asyncio.Queue[MatchResult] = asyncio.Queue(MOST_WAITING)
        self._unreadable: set[LogId] = set()
        host.tables.on_end = self._add

    def _add(self, state: Table) -> None:
        """Book the match that has just ended, soon."""
        if not self._ended.full():
            self._ended.put_nowait(result_of(state))

    # chores

    async def keep_booking(self) -> None:
        """Book every match that ends in this process."""
        while True:
            match = await self._ended.get()
            try:
                await self._book(match)
            except StoreFault as fault:
                log.warning("A match is booked later. The store: %s", fault, extra={"table": match.table})

    async def keep_looking(self) -> None:
        """Book what was left: by a process that died, or while the store could not do it.

        If a page of the directory is damaged, matches may wait for its repair; the tables go on.
        """
        while True:
            try:
                await self._look()
            except StoreFault as fault:
                log.warning("Matches are booked later. The store: %s", fault)
            await asyncio.sleep(LOOK_EVERY)

    async def _look(self) -> None:
        after: LogId | None = None
        while found := await self._directory.unbooked(after, AT_ONCE):
            for name in found:
                if name not in self._unreadable:
                    await self._book_left(name)
                    await asyncio.sleep(PAUSE)
            after = found[-1]

    # one match

    async def _book_left(self, name: LogId) -> None:
        """Book the match of a closed table, from its log."""
        ended = await self._host.do(name, self._end_of)
        if isinstance(ended, Rejection):
            await self._pass_over(name, ended)
        elif ended is None:
            await self._directory.skip_booking(name)
        else:
            await self._book(result_of(ended))

    async def _end_of(self, live: Live) -> Table | None:
        """The table when its match ended; `None` if there was none, or if nothing is known of it but its end.

        A damaged log is put aside by the host.
        """
        state = live.state
        return None if state.result is None or not state.seats else await read_end(self._host.store, live.name)

    async def _pass_over(self, name: LogId, why: Rejection) -> None:
        """Go on without a table that cannot be read now.

        Another release, with other games, may book it. A table that was put aside is found again once it is back.
        """
        if why.code in _TRY_LATER:
            return
        if why.code == HostCode.NO_TABLE:
            await self._directory.skip_booking(name)  # a log of another kind
            return
        log.warning("A match cannot be booked: %s", why.sentence, extra={"table": name, "code": why.code})
        if why.code != HostCode.PUT_ASIDE and len(self._unreadable) < MOST_UNREADABLE:
            self._unreadable.add(name)

    async def _book(self, match: MatchResult) -> None:
        booked = await book_match(self._directory, match)
        self._counts.booked += booked is Booked.NOW


async def book_match(directory: Directory, match: MatchResult) -> Booked:
    """Store the result of a match, and the ratings that follow from it, unless that was done before."""
    try:
        if match.is_rated and await _are_registered(directory, match):
            return await book_rated(directory, match, POOL, partial(new_ratings, match))
        return await directory.book(replace(match, is_rated=False))
    except Unstorable as fault:
        log.warning("A match cannot be booked: %s", fault, extra={"table": match.table})
        await directory.skip_booking(match.table)
        return Booked.ALREADY


async def _are_registered(directory: Directory, match: MatchResult) -> bool:
    """Whether all players are registered, or were: a player who is deleted does not spoil the others' match."""
    players = [each.player for each in match.players]
    return len(await directory.players(players)) == len(players)


async def book_closed_table(store: DirectoryStore, name: LogId) -> None:
    """Book the match of a closed table from its log, without a host. It does nothing if no match has ended there.

    Raises `Damaged`; and `CannotGoOn` for a log that another release can read, with other games.
    """
    try:
        ended = await read_end(store, name)
    except (OtherKind, Outdated):
        return  # no release has a result for it
    if ended is not None:
        await book_match(store.directory, result_of(ended))
