"""The SQL of the index of seats and listings: written with the logs, read by the directory.

All of it is written while the row of its log is locked, so it changes with the log and never deadlocks.
"""
# ruff: noqa: S608  (statements are built from the constants below, never from input)

from collections.abc import Sequence

from turnstile.kernel.values import LogId
from turnstile.store.columns import row_as_bytes
from turnstile.store.protocol import Commit, Row
from turnstile.store.storable import seated_players

AS_BYTES = "textsend({})"
"""The SQL that gives the bytes of a text."""

# writing

WITH_COMMIT = """, emptied AS (
    DELETE FROM seats WHERE table_id = ANY ($22::text[]) AND table_id IN (SELECT table_id FROM added)
        AND (table_id, player) NOT IN (SELECT * FROM unnest($23::text[], $24::text[]))
), taken AS (
    INSERT INTO seats (table_id, player, is_open, opened)
    SELECT table_id, player, is_open, opened FROM unnest($23::text[], $24::text[]) AS taken (table_id, player)
    JOIN given USING (table_id) JOIN added USING (table_id)
    ON CONFLICT (table_id, player) DO UPDATE SET is_open = excluded.is_open
), closed_seats AS (
    UPDATE seats SET is_open = false
    WHERE table_id = ANY ($25::text[]) AND NOT table_id = ANY ($22::text[]) AND is_open
        AND table_id IN (SELECT table_id FROM added)
), listed AS (
    INSERT INTO listings (table_id, game, opened)
    SELECT table_id, game, opened FROM given JOIN added USING (table_id) WHERE position = 0 AND is_open AND is_listed
    ON CONFLICT DO NOTHING
), unlisted AS (
    DELETE FROM listings WHERE table_id = ANY ($25::text[]) AND table_id IN (SELECT table_id FROM added)
), closed_invitations AS (
    UPDATE invitations SET is_open = false
    WHERE table_id = ANY ($25::text[]) AND is_open AND table_id IN (SELECT table_id FROM added)
)"""
"""The part of a commit that is left out when no players have changed and no log is closed, as with most moves.

$22 are the logs whose players have changed, $23 and $24 the players with their logs, $25 the logs that are closed.
"""

CLOSE = (
    "UPDATE seats SET is_open = false WHERE table_id = $1 AND is_open",
    "DELETE FROM listings WHERE table_id = $1",
    "UPDATE invitations SET is_open = false WHERE table_id = $1 AND is_open",
)
"""A log is not open any more, in the transaction that says so in its row."""

REBUILD = (
    "DELETE FROM seats WHERE table_id = ANY ($1::text[])",
    "DELETE FROM listings WHERE table_id = ANY ($1::text[])",
    """
    INSERT INTO listings (table_id, game, opened)
    SELECT id, game, opened FROM tables WHERE id = ANY ($1::text[]) AND is_open AND is_listed
    """,
    """
    UPDATE invitations SET is_open = tables.is_open FROM tables
    WHERE table_id = ANY ($1::text[]) AND tables.id = table_id
    """,
)
REBUILD_SEATS = """
INSERT INTO seats (table_id, player, is_open, opened)
SELECT table_id, player, is_open, opened FROM unnest($1::text[], $2::text[]) AS taken (table_id, player)
JOIN tables ON tables.id = table_id
"""
"""The index of logs whose rows were derived again, in the same transaction."""


def seat_arguments(group: Sequence[Commit]) -> tuple[list[str], list[str], list[str], list[str]] | None:
    """The columns of `WITH_COMMIT`; `None` when the group changes nothing in the index."""
    changed = [(given.log, given.seats) for given in group if given.seats is not None]
    closed: list[str] = [given.log for given in group if not given.row.is_open]
    if not changed and not closed:
        return None
    return [log for log, _ in changed], *taken_seats(changed), closed


def rebuild_arguments(rows: Sequence[tuple[LogId, Row]]) -> tuple[list[str], list[str]]:
    """The columns of `REBUILD_SEATS`."""
    return taken_seats([(log, row.players) for log, row in dict(rows).items()])


def taken_seats(seats: Sequence[tuple[LogId, Sequence[str]]]) -> tuple[list[str], list[str]]:
    """Logs and players, one of each for every seat, in order."""
    taken = sorted((log, player) for log, players in seats for player in seated_players(players))
    return [log for log, _ in taken], [player for _, player in taken]


# reading

_FOUND = f"index_of.opened, {AS_BYTES.format('index_of.table_id')}, {row_as_bytes(AS_BYTES)}"
_ORDER = "ORDER BY index_of.opened DESC, index_of.table_id DESC"

TABLES_OF = f"""
SELECT {_FOUND} FROM unnest($2::boolean[]) AS wanted (is_open), LATERAL (
    SELECT opened, table_id FROM seats
    WHERE player = $1 AND seats.is_open = wanted.is_open AND (opened, table_id) < ($3, $4)
    ORDER BY opened DESC, table_id DESC LIMIT $5
) AS index_of JOIN tables ON tables.id = index_of.table_id {_ORDER} LIMIT $5
"""

LISTED = f"""
SELECT {_FOUND} FROM (
    SELECT opened, table_id FROM listings WHERE (opened, table_id) < ($1, $2)
    ORDER BY opened DESC, table_id DESC LIMIT $3
) AS index_of JOIN tables ON tables.id = index_of.table_id {_ORDER}
"""

LISTED_OF = f"""
SELECT {_FOUND} FROM (
    SELECT opened, table_id FROM listings WHERE game = $4 AND (opened, table_id) < ($1, $2)
    ORDER BY opened DESC, table_id DESC LIMIT $3
) AS index_of JOIN tables ON tables.id = index_of.table_id {_ORDER}
"""
