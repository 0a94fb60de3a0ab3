"""The SQL of the SQLite store: each function is one operation, inside a transaction that others may share.

The SQL table `tables` has one row for each log.
"""
# ruff: noqa: S608  (statements are built from the constants below, never from input)

import logging
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import apsw

from turnstile.kernel.values import Instant, LogId
from turnstile.store.columns import (
    ENTRY,
    ROW,
    check_newest,
    cursors_of,
    damaged_row,
    entry_values,
    id_of,
    reading_log_of,
    row_as_bytes,
    row_of,
    row_values,
)
from turnstile.store.log import Command, Damaged, Entry, Position, Snapshot
from turnstile.store.protocol import OUTAGE_AFTER, CannotOpen, Commit, Outage, Row, Saved
from turnstile.store.sqlite import seats
from turnstile.store.sqlite.seats import AS_BYTES

_FURTHEST = 2**63 - 1
_KEY = "(SELECT key FROM tables WHERE id = ?)"
_LOG = f"SELECT {ENTRY} FROM log WHERE table_key = {_KEY}"

_ROW_AS_BYTES = row_as_bytes(AS_BYTES)

_log = logging.getLogger(__name__)

# writing


def create(db: apsw.Connection, log: LogId, header: Entry, row: Row) -> bool:
    key = db.execute(
        f"INSERT INTO tables (id, position, {ROW}) VALUES (?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT DO NOTHING RETURNING key",
        (log, *row_values(row)),
    ).get
    if key is None:
        return False
    db.execute(f"INSERT INTO log (table_key, {ENTRY}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (key, *entry_values(header)))
    seats.enter(db, log, row)
    return True


def commit(db: apsw.Connection, commit: Commit) -> bool:
    """Add the entry if the entry before it is the newest one; then update the caches."""
    key = db.execute(
        f"INSERT INTO log (table_key, {ENTRY}) SELECT key, ?, ?, ?, ?, ?, ?, ? FROM tables "
        "WHERE id = ? AND position = ? AND note = '' "
        "AND (SELECT link FROM log WHERE table_key = key AND log.position = tables.position) = ? "
        "ON CONFLICT DO NOTHING RETURNING table_key",
        (*entry_values(commit.entry), commit.log, commit.entry.position - 1, commit.before),
    ).get
    if key is None:
        return False
    db.execute(
        f"UPDATE tables SET (position, {ROW}, claimed_until) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL) WHERE key = ?",
        (commit.entry.position, *row_values(commit.row), key),
    )
    if commit.seats is not None:
        seats.replace_seats(db, commit.log, commit.seats, commit.row)
    if commit.snapshot is not None:
        db.execute("INSERT INTO snapshots VALUES (?, ?, ?)", (key, commit.entry.position, commit.snapshot))
    if not commit.row.is_open:  # readers of a closed log need the newest snapshot only
        seats.close(db, commit.log)
        db.execute(
            "DELETE FROM snapshots WHERE table_key = ?1 AND position < "
            "(SELECT max(position) FROM snapshots WHERE table_key = ?1)",
            (key,),
        )
    return True


def acknowledge(db: apsw.Connection, log: LogId, given: Mapping[str, int]) -> dict[str, int]:
    for seat, cursor in given.items():
        db.execute(
            "INSERT INTO cursors SELECT key, ?, ? FROM tables WHERE id = ? ON CONFLICT DO UPDATE "
            "SET cursor = excluded.cursor WHERE excluded.cursor > cursors.cursor",
            (seat, cursor, log),
        )
    return cursors(db, log)


def put_aside(db: apsw.Connection, log: LogId, why: str) -> None:
    db.execute("UPDATE tables SET is_open = 0, due = NULL, claimed_until = NULL, note = ? WHERE id = ?", (why, log))
    seats.close(db, log)


def prune(db: apsw.Connection, log: LogId) -> bool:
    key = db.execute("SELECT key FROM tables WHERE id = ? AND NOT is_open", (log,)).get
    if key is None:
        return False
    db.execute("DELETE FROM snapshots WHERE table_key = ?", (key,))
    db.execute("DELETE FROM cursors WHERE table_key = ?", (key,))
    db.execute("DELETE FROM log WHERE table_key = ?", (key,))
    db.execute("DELETE FROM tables WHERE key = ?", (key,))
    seats.remove(db, log)
    return True


def rebuild(db: apsw.Connection, rows: Sequence[tuple[LogId, Row]]) -> None:
    for log, row in rows:
        db.execute(
            f"UPDATE tables SET ({ROW}, claimed_until) = (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL), position = "
            "coalesce((SELECT max(position) FROM log WHERE table_key = key), position) WHERE id = ?",
            (*row_values(row), log),
        )
        db.execute("DELETE FROM snapshots WHERE table_key = (SELECT key FROM tables WHERE id = ?)", (log,))
        if exists(db, log):
            seats.enter(db, log, row)


# time


def claim(db: apsw.Connection, now: Instant, until: Instant, hold: int, limit: int) -> list[LogId]:
    claimed = db.execute(
        "UPDATE tables SET claimed_until = ? WHERE key IN (SELECT key FROM tables "
        "WHERE due <= ? AND (claimed_until IS NULL OR claimed_until <= ?) ORDER BY due, id LIMIT ?) "
        f"RETURNING due, {AS_BYTES.format('id')}",
        (now + hold, until, now, limit),
    ).fetchall()
    return [log for _, found in sorted(claimed) if (log := id_of(found)) is not None]


def beat(db: apsw.Connection, now: Instant) -> Outage | None:
    found = db.execute("SELECT at FROM heartbeat").get
    db.execute("INSERT OR REPLACE INTO heartbeat VALUES (1, ?)", (now,))
    if found is None or now - (before := _whole(found)) <= OUTAGE_AFTER:
        return None
    db.execute("INSERT INTO outages VALUES (?, ?)", (before, now))
    return Outage(Instant(before), now)


def outages(db: apsw.Connection, since: Instant) -> list[Outage]:
    found = db.execute('SELECT start, "end" FROM outages WHERE "end" > ? ORDER BY "end"', (since,))
    return [Outage(Instant(_whole(start)), Instant(_whole(end))) for start, end in found]


def newest(db: apsw.Connection) -> Instant:
    """The newest time in the store; 0 for an empty store."""
    instants = [0]
    for source in ("SELECT at FROM heartbeat", "SELECT at FROM log ORDER BY rowid DESC LIMIT 1000"):
        try:
            instants.extend(_whole(at) for (at,) in db.execute(source))
        except apsw.CorruptError as error:  # readers of the logs on this page will report it
            _log.error("A page of the store is damaged (%s): the newest time is taken from the other pages.", error)
    return Instant(max(instants))


# reading


def load(db: apsw.Connection, log: LogId) -> Saved | None:
    newest = db.execute("SELECT position FROM tables WHERE id = ?", (log,)).get
    if newest is None:
        return None
    header = next(iter(entries(db, log, -1, 1)), None)
    if header is None or header.position != 0:
        raise Damaged(log, "entry 0 is missing")
    latest = snapshot(db, log, _FURTHEST)
    saved = Saved(header, latest, entries(db, log, 0 if latest is None else latest.position, None))
    check_newest(log, newest, saved)
    return saved


def exists(db: apsw.Connection, log: LogId) -> bool:
    return db.execute("SELECT 1 FROM tables WHERE id = ?", (log,)).get is not None


def entries(db: apsw.Connection, log: LogId, after: Position, limit: int | None) -> tuple[Entry, ...]:
    most = _FURTHEST if limit is None else limit
    with reading_log_of(log):
        found = db.execute(f"{_LOG} AND position > ? ORDER BY position LIMIT ?", (log, after, most))
        return tuple(_entry(fields) for fields in found)


def positions(db: apsw.Connection, logs: Sequence[LogId]) -> dict[LogId, Position]:
    found = (db.execute("SELECT position FROM tables WHERE id = ?", (log,)).get for log in logs)
    return {log: _whole(position) for log, position in zip(logs, found, strict=True) if position is not None}


def find(db: apsw.Connection, log: LogId, command: Command) -> Entry | None:
    with reading_log_of(log):
        found = db.execute(f"{_LOG} AND command = ?", (log, command)).fetchone()
        return None if found is None else _entry(found)


def cursors(db: apsw.Connection, log: LogId) -> dict[str, int]:
    return cursors_of(
        db.execute(f"SELECT {AS_BYTES.format('seat')}, cursor FROM cursors WHERE table_key = {_KEY}", (log,))
    )


def row(db: apsw.Connection, log: LogId) -> Row | None:
    try:
        found = db.execute(f"SELECT {_ROW_AS_BYTES} FROM tables WHERE id = ?", (log,)).fetchone()
    except apsw.CorruptError:
        return damaged_row()
    return None if found is None else row_of(found)


def logs(db: apsw.Connection, is_open: bool | None, after: LogId | None, limit: int) -> list[tuple[LogId, Row]]:
    """A page of logs. Logs with unreadable ids are left out, and the page is filled with others."""
    begin = f"SELECT {AS_BYTES.format('id')}, {_ROW_AS_BYTES} FROM tables WHERE"
    end = "id > ? ORDER BY id"
    if is_open is None:
        found = db.execute(f"{begin} {end}", (after or "",))
    else:
        found = db.execute(f"{begin} is_open = ? AND {end}", (is_open, after or ""))
    readable = ((log, row_of(columns)) for name, *columns in found if (log := id_of(name)) is not None)
    return list(islice(readable, limit))


def snapshot(db: apsw.Connection, log: LogId, at_most: Position) -> Snapshot | None:
    found: Any = db.execute(
        "SELECT position, link, snapshots.state, log.state FROM snapshots JOIN log USING (table_key, position) "
        f"WHERE table_key = {_KEY} AND position <= ? ORDER BY position DESC LIMIT 1",
        (log, at_most),
    ).fetchone()
    return None if found is None else Snapshot(*found)


def _entry(fields: Any) -> Entry:
    return Entry(*fields)


def _whole(value: object) -> int:
    if not isinstance(value, int):
        raise CannotOpen("The file is damaged: it has another value where a number belongs.")
    return value
