"""What the SQLite store asks of SQLite: each function is one operation, inside a transaction that others may share."""
# ruff: noqa: S608  (statements are put together from the constants below, never from what anybody sent)

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import apsw
import msgspec

from turnstile.store.log import Command, Damaged, Entry, Instant, Position, Snapshot, TableId
from turnstile.store.protocol import OUTAGE_AFTER, Commit, Outage, Row, Saved

_FURTHEST = 2**63 - 1
_ROW = "game, phase, players, is_open, is_listed, opened, changed, due, note"
_ENTRY = "position, at, event, state, link, command, answer"

_KEY = "(SELECT key FROM tables WHERE id = ?)"
_LOG = f"SELECT {_ENTRY} FROM log WHERE table_key = {_KEY}"

_Value = str | bytes | int | None
_players = msgspec.json.Decoder(tuple[str, ...])

# writing


def create(db: apsw.Connection, table: TableId, header: Entry, row: Row) -> bool:
    key = db.execute(
        f"INSERT INTO tables (id, position, {_ROW}) VALUES (?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT DO NOTHING RETURNING key",
        (table, *_columns(row)),
    ).get
    if key is None:
        return False
    db.execute(f"INSERT INTO log (table_key, {_ENTRY}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (key, *_fields(header)))
    return True


def commit(db: apsw.Connection, commit: Commit) -> bool:
    """The entry goes in only behind the one that it follows; then the caches follow."""
    key = db.execute(
        f"INSERT INTO log (table_key, {_ENTRY}) SELECT key, ?, ?, ?, ?, ?, ?, ? FROM tables "
        "WHERE id = ? AND position = ? AND note = '' "
        "AND (SELECT link FROM log WHERE table_key = key AND log.position = tables.position) = ? "
        "ON CONFLICT DO NOTHING RETURNING table_key",
        (*_fields(commit.entry), commit.table, commit.entry.position - 1, commit.before),
    ).get
    if key is None:
        return False
    db.execute(
        f"UPDATE tables SET (position, {_ROW}, claimed_until) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL) WHERE key = ?",
        (commit.entry.position, *_columns(commit.row), key),
    )
    if commit.snapshot is not None:
        db.execute("INSERT INTO snapshots VALUES (?, ?, ?)", (key, commit.entry.position, commit.snapshot))
    if not commit.row.is_open:  # nobody has far to catch up any more: the newest snapshot is enough
        db.execute(
            "DELETE FROM snapshots WHERE table_key = ?1 AND position < "
            "(SELECT max(position) FROM snapshots WHERE table_key = ?1)",
            (key,),
        )
    return True


def acknowledge(db: apsw.Connection, table: TableId, cursors: Mapping[str, int]) -> dict[str, int]:
    for seat, cursor in cursors.items():
        db.execute(
            "INSERT INTO cursors SELECT key, ?, ? FROM tables WHERE id = ? ON CONFLICT DO UPDATE "
            "SET cursor = excluded.cursor WHERE excluded.cursor > cursors.cursor",
            (seat, cursor, table),
        )
    return cursors_of(db, table)


def put_aside(db: apsw.Connection, table: TableId, why: str) -> None:
    db.execute("UPDATE tables SET is_open = 0, due = NULL, claimed_until = NULL, note = ? WHERE id = ?", (why, table))


def prune(db: apsw.Connection, table: TableId) -> bool:
    key = db.execute("SELECT key FROM tables WHERE id = ? AND NOT is_open", (table,)).get
    if key is None:
        return False
    db.execute("DELETE FROM snapshots WHERE table_key = ?", (key,))
    db.execute("DELETE FROM cursors WHERE table_key = ?", (key,))
    db.execute("DELETE FROM log WHERE table_key = ?", (key,))
    db.execute("DELETE FROM tables WHERE key = ?", (key,))
    return True


def rebuild(db: apsw.Connection, rows: Sequence[tuple[TableId, Row]]) -> None:
    for table, row in rows:
        db.execute(
            f"UPDATE tables SET ({_ROW}, claimed_until) = (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL) WHERE id = ?",
            (*_columns(row), table),
        )
        db.execute("DELETE FROM snapshots WHERE table_key = (SELECT key FROM tables WHERE id = ?)", (table,))


# time


def claim(db: apsw.Connection, now: Instant, until: Instant, hold: int, limit: int) -> list[TableId]:
    claimed = db.execute(
        "UPDATE tables SET claimed_until = ? WHERE key IN (SELECT key FROM tables "
        "WHERE due <= ? AND (claimed_until IS NULL OR claimed_until <= ?) ORDER BY due, id LIMIT ?) "
        "RETURNING due, id",
        (now + hold, until, now, limit),
    ).fetchall()
    return [TableId(str(table)) for _, table in sorted(claimed)]


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
    """The last instant that anything here speaks of; 0 for a store in which nothing is yet."""
    instants = db.execute(
        "SELECT at FROM heartbeat UNION ALL "
        "SELECT at FROM (SELECT at FROM log ORDER BY rowid DESC LIMIT 1000) UNION ALL SELECT 0"
    )
    return Instant(max(_whole(at) for (at,) in instants))


# reading


def load(db: apsw.Connection, table: TableId) -> Saved | None:
    if db.execute("SELECT 1 FROM tables WHERE id = ?", (table,)).get is None:
        return None
    header = find_at(db, table, 0)
    if header is None:
        raise Damaged(table, "entry 0 is missing")
    latest = snapshot(db, table, _FURTHEST)
    return Saved(header, latest, entries(db, table, 0 if latest is None else latest.position, None))


def entries(db: apsw.Connection, table: TableId, after: Position, limit: int | None) -> tuple[Entry, ...]:
    most = _FURTHEST if limit is None else limit
    return _entries(table, db.execute(f"{_LOG} AND position > ? ORDER BY position LIMIT ?", (table, after, most)))


def positions(db: apsw.Connection, tables: Sequence[TableId]) -> dict[TableId, Position]:
    found = (db.execute("SELECT position FROM tables WHERE id = ?", (table,)).get for table in tables)
    return {table: _whole(position) for table, position in zip(tables, found, strict=True) if position is not None}


def find(db: apsw.Connection, table: TableId, command: Command) -> Entry | None:
    return next(iter(_entries(table, db.execute(f"{_LOG} AND command = ?", (table, command)))), None)


def find_at(db: apsw.Connection, table: TableId, position: Position) -> Entry | None:
    return next(iter(_entries(table, db.execute(f"{_LOG} AND position = ?", (table, position)))), None)


def cursors_of(db: apsw.Connection, table: TableId) -> dict[str, int]:
    found = db.execute(f"SELECT seat, cursor FROM cursors WHERE table_key = {_KEY}", (table,))
    return {str(seat): _whole(cursor) for seat, cursor in found}


def row_of(db: apsw.Connection, table: TableId) -> Row | None:
    found = db.execute(f"SELECT {_ROW} FROM tables WHERE id = ?", (table,)).fetchone()
    return None if found is None else _row(found)


def tables(db: apsw.Connection, is_open: bool | None, after: TableId | None, limit: int) -> list[tuple[TableId, Row]]:
    begin = f"SELECT id, {_ROW} FROM tables WHERE"
    end = "id > ? ORDER BY id LIMIT ?"
    if is_open is None:
        found = db.execute(f"{begin} {end}", (after or "", limit))
    else:
        found = db.execute(f"{begin} is_open = ? AND {end}", (is_open, after or "", limit))
    return [(TableId(str(table)), _row(columns)) for table, *columns in found]


# values to columns, and back


def _columns(row: Row) -> tuple[_Value, ...]:
    players = msgspec.json.encode(row.players).decode()
    shown = (row.game, row.phase, players, row.is_open, row.is_listed)
    return (*shown, row.opened, row.changed, row.due, row.note)


def _row(columns: Sequence[Any]) -> Row:
    game, phase, players, is_open, is_listed, *rest = columns
    try:
        seated = _players.decode(players)
    except msgspec.DecodeError:  # a cache that was damaged: the log has the truth, and `rebuild` makes it anew
        seated = ()
    return Row(game, phase, seated, bool(is_open), bool(is_listed), *rest)


def _fields(entry: Entry) -> tuple[_Value, ...]:
    return (entry.position, entry.at, entry.event, entry.state, entry.link, entry.command, entry.answer)


def _entries(table: TableId, found: Iterable[tuple[Any, ...]]) -> tuple[Entry, ...]:
    try:
        return tuple(Entry(*fields) for fields in found)
    except UnicodeDecodeError as error:
        raise Damaged(table, "the command of an entry is no text") from error


def snapshot(db: apsw.Connection, table: TableId, at_most: Position) -> Snapshot | None:
    found: Any = db.execute(
        "SELECT position, link, snapshots.state, log.state FROM snapshots JOIN log USING (table_key, position) "
        f"WHERE table_key = {_KEY} AND position <= ? ORDER BY position DESC LIMIT 1",
        (table, at_most),
    ).fetchone()
    return None if found is None else Snapshot(*found)


def _whole(value: object) -> int:
    assert isinstance(value, int)
    return value
