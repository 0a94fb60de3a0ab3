"""The SQL of the index of seats and listings: written with the logs, read by the directory.

Each function runs inside the transaction of its caller. A move changes nothing here.
"""
# ruff: noqa: S608  (statements are built from the constants below, never from input)

from collections.abc import Iterable
from heapq import merge

import apsw

from turnstile.kernel.values import LogId, PlayerId
from turnstile.store.columns import row_as_bytes
from turnstile.store.directory import MOST_ON_A_PAGE, Page, PageMark
from turnstile.store.directory_columns import page_of_logs
from turnstile.store.pages import rows_for, start_by_time
from turnstile.store.protocol import Row
from turnstile.store.storable import seated_players

AS_BYTES = "CAST({} AS BLOB)"
"""The SQL that gives the bytes of a text."""

_FOUND = f"index_of.opened, {AS_BYTES.format('index_of.table_id')}, {row_as_bytes(AS_BYTES)}"
_FROM = "AS index_of CROSS JOIN tables ON tables.id = index_of.table_id"
_PAGE = "(index_of.opened, index_of.table_id) < (?, ?) ORDER BY index_of.opened DESC, index_of.table_id DESC LIMIT ?"

# writing


def enter(db: apsw.Connection, log: LogId, row: Row) -> None:
    """A log is new, or its row was derived again."""
    replace_seats(db, log, row.players, row)
    if row.is_open and row.is_listed:
        db.execute("INSERT OR REPLACE INTO listings VALUES (?, ?, ?)", (log, row.game, row.opened))
    else:
        db.execute("DELETE FROM listings WHERE table_id = ?", (log,))
    db.execute("UPDATE invitations SET is_open = ? WHERE table_id = ?", (row.is_open, log))


def replace_seats(db: apsw.Connection, log: LogId, players: Iterable[str], row: Row) -> None:
    db.execute("DELETE FROM seats WHERE table_id = ?", (log,))
    for player in seated_players(players):
        db.execute("INSERT INTO seats VALUES (?, ?, ?, ?)", (log, player, row.is_open, row.opened))


def close(db: apsw.Connection, log: LogId) -> None:
    """A log is not open any more."""
    db.execute("UPDATE seats SET is_open = 0 WHERE table_id = ?", (log,))
    db.execute("DELETE FROM listings WHERE table_id = ?", (log,))
    db.execute("UPDATE invitations SET is_open = 0 WHERE table_id = ?", (log,))


def remove(db: apsw.Connection, log: LogId) -> None:
    """A log was pruned."""
    for part in ("seats", "listings", "invitations"):
        db.execute(f"DELETE FROM {part} WHERE table_id = ?", (log,))


# reading


def tables_of(
    db: apsw.Connection, player: PlayerId, is_open: bool | None, after: PageMark | None, limit: int
) -> Page[tuple[LogId, Row]]:
    rows = rows_for(limit)
    query = f"SELECT {_FOUND} FROM seats {_FROM} WHERE index_of.player = ? AND index_of.is_open = ? AND {_PAGE}"
    each = (
        db.execute(query, (player, wanted, *start_by_time(after), rows + 1)).fetchall()
        for wanted in ((True, False) if is_open is None else (is_open,))
    )
    found = merge(*each, key=lambda line: (line[0], line[1]), reverse=True)
    return page_of_logs(found, None, limit, rows)


def listed(
    db: apsw.Connection, game: str | None, phase: str | None, after: PageMark | None, limit: int
) -> Page[tuple[LogId, Row]]:
    rows = rows_for(limit) if phase is None else MOST_ON_A_PAGE
    start = (*start_by_time(after), rows + 1)
    if game is None:
        found = db.execute(f"SELECT {_FOUND} FROM listings {_FROM} WHERE {_PAGE}", start)
    else:
        found = db.execute(f"SELECT {_FOUND} FROM listings {_FROM} WHERE index_of.game = ? AND {_PAGE}", (game, *start))
    return page_of_logs(found, phase, limit, rows)
