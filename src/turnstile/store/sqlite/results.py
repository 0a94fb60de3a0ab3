"""The SQL of results and ratings: each function is one operation, inside a transaction."""
# ruff: noqa: S608  (statements are built from the constants below, never from input)

from collections.abc import Iterator, Sequence
from itertools import islice

import apsw

from turnstile.kernel.values import LogId, PlayerId
from turnstile.store.columns import id_of
from turnstile.store.directory import MOST_ON_A_PAGE, Booked, MatchResult, Page, PageMark, Rating
from turnstile.store.directory_columns import (
    MATCH_PLAYER,
    RATING,
    RESULT,
    as_bytes,
    match_of,
    match_player_values,
    rating_of,
    rating_values,
)
from turnstile.store.pages import page_of, rows_for, start_by_rating, start_by_time
from turnstile.store.sqlite.people import is_deleted
from turnstile.store.sqlite.seats import AS_BYTES

_RATING = f"SELECT {as_bytes(RATING, AS_BYTES)} FROM ratings WHERE"

# booking


def unbooked(db: apsw.Connection, after: LogId | None, limit: int) -> list[LogId]:
    found = db.execute(
        f"SELECT {AS_BYTES.format('id')} FROM tables "
        "WHERE NOT is_open AND NOT is_booked AND note = '' AND id > ? ORDER BY id",
        (after or "",),
    )
    return list(islice((log for (name,) in found if (log := id_of(name)) is not None), limit))


def skip_booking(db: apsw.Connection, table: LogId) -> None:
    db.execute("UPDATE tables SET is_booked = 1 WHERE id = ?", (table,))


def book(db: apsw.Connection, match: MatchResult, ratings: Sequence[Rating]) -> Booked:
    """Everything is checked before anything is written: one thread writes, so nothing changes in between."""
    if db.execute("SELECT 1 FROM results WHERE table_id = ?", (match.table,)).get is not None:
        skip_booking(db, match.table)
        return Booked.ALREADY
    those = [rating for rating in ratings if not is_deleted(db, rating.player)]
    if any(_matches(db, rating) != rating.matches - 1 for rating in those):
        return Booked.STALE
    for rating in those:
        db.execute("INSERT OR REPLACE INTO ratings VALUES (?, ?, ?, ?, ?, ?, ?)", rating_values(rating))
    values = (match.table, match.game, match.finished, match.how, match.is_rated, match.is_public)
    db.execute("INSERT INTO results VALUES (?, ?, ?, ?, ?, ?)", values)
    for columns in match_player_values(match):
        db.execute("INSERT INTO result_players VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", columns)
    skip_booking(db, match.table)
    return Booked.NOW


def _matches(db: apsw.Connection, rating: Rating) -> object:
    """How many matches the stored rating comes from."""
    key = (rating.player, rating.game, rating.pool)
    return db.execute("SELECT matches FROM ratings WHERE player = ? AND game = ? AND pool = ?", key).get or 0


# reading


def results_of(
    db: apsw.Connection,
    player: PlayerId,
    game: str | None,
    is_public: bool | None,
    after: PageMark | None,
    limit: int,
) -> Page[MatchResult]:
    rows = rows_for(limit)
    begin = f"SELECT finished, {AS_BYTES.format('table_id')} FROM result_players WHERE player = ? AND kind <> 'bot'"
    page = "(finished, table_id) < (?, ?) ORDER BY finished DESC, table_id DESC LIMIT ?"
    filters = {"game": game, "is_public": is_public}
    wanted = {f"{column} = ?": value for column, value in filters.items() if value is not None}
    query = " AND ".join((begin, *wanted, page))
    found = db.execute(query, (player, *wanted.values(), *start_by_time(after), rows + 1)).fetchall()
    return page_of(_matches_of(db, found), limit, rows)


def _matches_of(
    db: apsw.Connection, found: Sequence[Sequence[object]]
) -> Iterator[tuple[int | float, LogId | None, MatchResult | None]]:
    for finished, name in found:
        assert isinstance(finished, int)
        table = id_of(name)
        yield finished, table, None if table is None else _match(db, table)


def _match(db: apsw.Connection, table: LogId) -> MatchResult | None:
    result = f"SELECT {as_bytes(RESULT, AS_BYTES)} FROM results WHERE table_id = ?"
    players = f"SELECT {as_bytes(MATCH_PLAYER, AS_BYTES)} FROM result_players WHERE table_id = ? ORDER BY seat"
    found = db.execute(result, (table,)).fetchone()
    return None if found is None else match_of(found, db.execute(players, (table,)).fetchall())


def ratings_of(db: apsw.Connection, player: PlayerId) -> tuple[Rating, ...]:
    found = db.execute(f"{_RATING} player = ? ORDER BY game, pool LIMIT ?", (player, MOST_ON_A_PAGE))
    return tuple(rating for columns in found if (rating := rating_of(columns)) is not None)


def ratings(db: apsw.Connection, players: Sequence[str], game: str, pool: str) -> dict[PlayerId, Rating]:
    query = f"{_RATING} player = ? AND game = ? AND pool = ?"
    found = (db.execute(query, (player, game, pool)).fetchone() for player in players)
    those = (rating_of(columns) for columns in found if columns is not None)
    return {rating.player: rating for rating in those if rating is not None}


def leaders(db: apsw.Connection, game: str, pool: str, after: PageMark | None, limit: int) -> Page[Rating]:
    rows = rows_for(limit)
    found = db.execute(
        f"{_RATING} game = ? AND pool = ? AND (ordinal, player) < (?, ?) ORDER BY ordinal DESC, player DESC LIMIT ?",
        (game, pool, *start_by_rating(after), rows + 1),
    )
    those = (rating_of(columns) for columns in found)
    return page_of(
        ((0, None, None) if each is None else (each.ordinal, each.player, each) for each in those), limit, rows
    )
