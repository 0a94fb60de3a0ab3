"""Streams made again from the log, for readers that come back after their updates have left the memory."""

from turnstile.durable.log import BadSnapshot, Gone, replay
from turnstile.host.logs import TABLES, KeptTable, linked_news_since
from turnstile.host.streams.news import News
from turnstile.kernel.values import PlayerId
from turnstile.store.log import Entry, Snapshot
from turnstile.store.protocol import Saved, Store
from turnstile.table.machine import Table

AT_ONCE = 256  # entries of a log that are read in one go


async def made_anew(store: Store, newest: KeptTable, stream: PlayerId | None, after: int) -> list[News]:
    """The next updates of a stream after `after`, as they were told the first time."""
    kept, news = await _before(store, newest, stream, after), list[News]()
    name, before = kept.state.header.table, None
    while not news and (entries := await store.entries(name, kept.position, AT_ONCE)):
        kept, found = linked_news_since(name, kept, entries, stream)
        for told, link in found:
            before = News(told, before, link)
            news += [before] if told.seq > after else []
    return news


async def _before(store: Store, newest: KeptTable, stream: PlayerId | None, after: int) -> KeptTable:
    """The table at the newest snapshot that had told this stream no more than `after`, or at its beginning."""
    name = newest.state.header.table
    header = next(iter(await store.entries(name, -1, 1)), None)
    if header is None:
        raise Gone(name)
    best = replay(TABLES, name, Saved(header, None, ()))
    low, middle, high = 1, newest.position, newest.position  # most who come back have missed little
    while low <= high:
        snapshot = await store.snapshot(name, middle)
        kept = best if snapshot is None else _kept(header, snapshot, newest)
        if kept is not None and _told(kept.state, stream) <= after:
            best, low = kept, middle + 1
        else:
            high = (middle if snapshot is None else snapshot.position) - 1
        middle = (low + high) // 2
    return best


def _kept(header: Entry, snapshot: Snapshot, newest: KeptTable) -> KeptTable | None:
    """The table at a snapshot; `None` where that is bad. It is a cache: an older one, or the log, has the same."""
    try:
        return replay(TABLES, newest.state.header.table, Saved(header, snapshot, ()))
    except BadSnapshot:
        return None


def _told(state: Table, stream: PlayerId | None) -> int:
    """How many updates a stream has had."""
    return state.watched if stream is None else state.told.get(stream, 0)
