"""The record and the end of a match, made from the log of its table.

The log also says who sat down, who acknowledged what and whose clock ran. A record has the game's own events only, so
that anyone can replay and verify it without knowing tables.
"""

from collections.abc import Iterator
from typing import Any

from turnstile.durable.log import CannotGoOn, Outdated, follow, replay
from turnstile.durable.upkeep import Code, read_entries
from turnstile.host.logs import TABLES, KeptTable, TableEvent
from turnstile.kernel.chance import mix
from turnstile.kernel.game import AnyGame
from turnstile.kernel.machine import Rejection
from turnstile.kernel.record import Record, write
from turnstile.kernel.values import Event, LogId
from turnstile.store.log import Damaged
from turnstile.store.protocol import Saved, Store
from turnstile.table.clocks import timer_of
from turnstile.table.machine import Table
from turnstile.table.play import game_of
from turnstile.table.sight import is_open
from turnstile.table.values import Act, Ring

PART = 64  # entries of a log that are read and replayed in one go


async def read_record(store: Store, name: LogId) -> Record | Rejection:
    """The record of a match that is over, from the log of its table in a store."""
    log = await read_entries(store, name)
    return log if isinstance(log, Rejection) else record_of(name, log)


async def read_end(store: Store, name: LogId) -> Table | None:
    """A table as it was when its match ended, from its log; `None` if no match has ended there.

    The log is read from its beginning, a part at a time: a snapshot may be from a later moment, such as a rematch.
    Raises `Damaged` or `CannotGoOn`.
    """
    kept: KeptTable | None = None
    while entries := await store.entries(name, -1 if kept is None else kept.position, PART):
        if kept is None:
            kept, entries = replay(TABLES, name, Saved(entries[0], None, ())), entries[1:]
        for found in entries:
            kept = follow(TABLES, name, kept, (found,))
            if kept.state.result is not None:
                return kept.state
    return None


def record_of(name: LogId, log: Saved) -> Record | Rejection:
    """The record of a match that is over, from the whole log of its table.

    A match that is still played is refused, because its log holds the seed. A match that was resigned, lost on time or
    halted has a record without an outcome.
    """
    assert log.snapshot is None, "a record is made from the whole log"
    table, events = None, list[Event]()
    try:
        for before, after, cause in read_through(name, log):
            table = after.state
            events += events_fed(name, before.state, after, cause)
    except Damaged as fault:
        return Rejection(Code.DAMAGED, str(fault))
    except CannotGoOn as reason:
        return Rejection(Code.OTHER_VERSION, str(reason))
    if table is None or (table.result is None and is_open(table)):
        return Rejection(Code.NOT_OVER, f"The match at table {name} is not over; its record would give its seed away.")
    if table.seed is None:
        return Rejection(Code.NO_MATCH, f"Table {name} was closed before a match began.")
    game = game_of(table)
    record = write(game, table.players, _options(game, table), table.seed, events, table.words)
    assert not isinstance(record, Rejection), f"the game took these events before: {record}"
    return record


Reading = tuple[KeptTable, KeptTable, TableEvent]
"""What was kept before an entry, what is kept after it, and what happened in between."""


def read_through(name: LogId, log: Saved) -> Iterator[Reading]:
    """The whole log, entry by entry: every link and every fingerprint on the way is checked.

    Raises `Damaged`, and `Outdated` where another version of the game wrote it.
    """
    kept = replay(TABLES, name, Saved(log.header, None, ()))
    if log.entries and (ended := TABLES.end_without_replay(name, log.header.event, log.entries[-1])):
        assert ended.result is not None, "such an end has a reason"
        raise Outdated(Rejection(Code.OTHER_VERSION, ended.result.reason))
    for found in log.entries:
        after = follow(TABLES, name, kept, (found,))
        yield kept, after, TABLES.read_event(name, found)
        kept = after


def events_fed(name: LogId, before: Table, after: KeptTable, cause: TableEvent) -> Iterator[Event]:
    """What the game was fed in one step of the table: a move or a timer's event, and then whatever the dealer did."""
    table = after.state
    if table.match is None:
        return
    game, count = game_of(table), table.events - before.events
    match = new_match(table) if before.match is None else before.match
    brought = _brought(game, before, cause)
    for number in range(count):
        event = brought if brought is not None and number == 0 else game.dealer(match)
        assert event is not None, "it came from a player, a timer or the dealer"
        match = game.machine.apply(match, event)
        yield event
    if match != table.match:
        raise Damaged(name, f"the events of its game lead to another state at entry {after.position}")


def _brought(game: AnyGame, before: Table, cause: TableEvent) -> Event | None:
    """The event of the game that came from outside, if one did."""
    if isinstance(cause, Act):
        written = bytes(cause.move)
    elif isinstance(cause, Ring) and (timer := timer_of(before, cause.timer)):
        written = bytes(timer.event)
    else:
        return None
    event = None if written == b"null" else game.machine.read_event(written)
    assert not isinstance(event, Rejection), "the table has read it before"
    return event


def new_match(table: Table) -> Any:
    """The match of a table before its first event."""
    game = game_of(table)
    assert table.seed is not None, "a match has a seed"
    return game.new(table.players, _options(game, table), mix(table.seed, table.words))


def _options(game: AnyGame, table: Table) -> Any:
    return game.read_options(bytes(table.header.options))
