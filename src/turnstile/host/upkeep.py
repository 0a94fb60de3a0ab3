"""What an operator does with stored tables, beside the playing: look through them, check, export, mend, prune.

Every function does one table, or goes through them one by one, and says what is wrong as a value. Tables that are being
played may be checked; nothing here changes the log of any.
"""

from collections.abc import AsyncIterator
from enum import StrEnum

from turnstile.host.ledger import Kept, Outdated, Unplayable, ended_as_outdated, read_header, replayed, row_of
from turnstile.host.records import Code as RecordCode
from turnstile.host.records import read_through, record_of
from turnstile.kernel.machine import Rejection
from turnstile.kernel.record import Record
from turnstile.kernel.values import LogId
from turnstile.store.log import BEFORE_FIRST, Damaged, verify, verify_snapshot
from turnstile.store.protocol import Row, Saved, Store

ATTEMPTS = 10  # to make a row anew while the table is played on
PAGE = 500  # tables that are listed in one go


class Code(StrEnum):
    """What is wrong with a stored table, besides the reasons why there is no record of it."""

    NO_TABLE = "NoSuchTable"
    STALE_CACHE = "StaleCache"
    PUT_ASIDE = "TablePutAside"


async def every(store: Store, is_open: bool | None = None) -> AsyncIterator[tuple[LogId, Row]]:
    """All tables, in the order of their ids; or those alone that are open, or that are not."""
    after: LogId | None = None
    while page := await store.logs(is_open=is_open, after=after, limit=PAGE):
        for table in page:
            yield table
        after = page[-1][0]


async def read(store: Store, name: LogId) -> Kept | Rejection:
    """The table that its whole log leads to, with everything on the way checked."""
    newest = (await store.positions([name])).get(name, 0)
    log = await _log(store, name)
    if isinstance(log, Rejection):
        return log
    try:
        verify(name, BEFORE_FIRST, -1, (log.header, *log.entries))
        if len(log.entries) < newest:
            raise Damaged(name, f"the entries after {len(log.entries)} are missing")
        if log.entries and (ended := ended_as_outdated(name, read_header(name, log.header), log.entries[-1])):
            return ended
        kept = replayed(name, Saved(log.header, None, ()))
        for _, after, _ in read_through(name, log):
            kept = after
    except Damaged as fault:
        return Rejection(RecordCode.DAMAGED, str(fault))
    except (Outdated, Unplayable) as reason:
        return Rejection(RecordCode.OTHER_VERSION, str(reason))
    return kept


async def recorded(store: Store, name: LogId) -> Record | Rejection:
    """The record of a match that is over."""
    log = await _log(store, name)
    return log if isinstance(log, Rejection) else record_of(name, log)


async def checked(store: Store, name: LogId) -> Rejection | None:
    """What is wrong with a table: a broken chain, a replay that leads elsewhere, a cache that says something else."""
    kept = await read(store, name)
    if isinstance(kept, Rejection):
        return kept
    row, snapshot = await store.row(name), await store.snapshot(name, kept.position)
    if row is not None and row.note:
        return Rejection(
            Code.PUT_ASIDE, f"Table {name} was put aside, and its log is whole now; rebuild brings it back."
        )
    newest = (await store.positions([name])).get(name, kept.position)
    if newest < kept.position or (newest == kept.position and row not in (None, row_of(kept.state))):
        return Rejection(Code.STALE_CACHE, f"The row of table {name} is not what its log says; rebuild mends it.")
    try:
        if snapshot is not None:
            verify_snapshot(name, snapshot)
    except Damaged as fault:
        return Rejection(Code.STALE_CACHE, f"{fault} The log is whole; rebuild mends it.")
    return None


async def rebuilt(store: Store, name: LogId) -> Rejection | None:
    """Make the caches of a table anew from its log; why that cannot be done. One that was put aside is back then."""
    for _ in range(ATTEMPTS):
        kept = await read(store, name)
        if isinstance(kept, Rejection):
            return kept
        await store.rebuild([(name, row_of(kept.state))])
        if await _is_newest(store, name, kept):
            return None  # else somebody has played on, and the row may be older than the log
    return Rejection(Code.STALE_CACHE, f"Table {name} is played on faster than its row is made anew; try again later.")


async def _is_newest(store: Store, name: LogId, kept: Kept) -> bool:
    return (await store.positions([name])).get(name, kept.position) == kept.position


async def _log(store: Store, name: LogId) -> Saved | Rejection:
    """The whole log of a table, unread."""
    try:
        header, *entries = await store.entries(name, -1) or (None,)
    except Damaged as fault:
        return Rejection(RecordCode.DAMAGED, str(fault))
    if header is None:
        return Rejection(Code.NO_TABLE, f"There is no table {name}.")
    return Saved(header, None, tuple(entries))
