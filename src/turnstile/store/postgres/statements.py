"""The SQL of the PostgreSQL store. Each of these is one statement, and so one transaction.

The SQL table `tables` has one row for each log. Every statement that locks several rows locks them first, in the order
of their ids. So two servers never deadlock.
"""

from collections.abc import Mapping, Sequence

from turnstile.kernel.values import LogId
from turnstile.store.columns import ENTRY, ROW, entry_values, row_as_bytes, row_values
from turnstile.store.postgres import seats
from turnstile.store.postgres.seats import AS_BYTES
from turnstile.store.protocol import Commit, Row

NOW = "clock() / 1000"
"""The one clock for all servers, in milliseconds; the schema defines it."""

_ROW_AS_BYTES = row_as_bytes(AS_BYTES)
_ID = AS_BYTES.format("id")

_COMMIT = f"""
WITH given AS MATERIALIZED (
    SELECT * FROM unnest(
        $1::text[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[], $6::bytea[], $7::text[], $8::bytea[],
        $9::text[], $10::text[], $11::text[], $12::boolean[], $13::boolean[], $14::bigint[], $15::bigint[],
        $16::bigint[], $17::text[], $18::bytea[], $19::bytea[]
    ) AS given (table_id, {ENTRY}, {ROW}, snapshot, before)
), held AS MATERIALIZED (
    SELECT id FROM tables WHERE id = ANY ($1) AND note = '' ORDER BY id FOR NO KEY UPDATE
), opened AS (
    INSERT INTO tables (id, position, {ROW})
    SELECT table_id, 0, {ROW} FROM given WHERE position = 0 ORDER BY table_id
    ON CONFLICT DO NOTHING RETURNING id
), added AS (
    INSERT INTO log (table_id, {ENTRY})
    SELECT table_id, {ENTRY} FROM given WHERE CASE position
        WHEN 0 THEN table_id IN (SELECT id FROM opened)
        ELSE table_id IN (SELECT id FROM held) AND (
            SELECT link = before FROM log WHERE log.table_id = given.table_id AND log.position = given.position - 1)
        END
    ORDER BY table_id
    ON CONFLICT DO NOTHING RETURNING table_id
), told AS (
    UPDATE tables SET (position, {ROW}, claimed_until) = (
        given.position, given.game, given.phase, given.players, given.is_open, given.is_listed, given.opened,
        given.changed, given.due, given.note, NULL)
    FROM given JOIN added USING (table_id) WHERE id = given.table_id
), kept AS (
    INSERT INTO snapshots (table_id, position, state)
    SELECT table_id, position, snapshot FROM given JOIN added USING (table_id) WHERE snapshot IS NOT NULL
    ON CONFLICT (table_id, position) DO UPDATE SET state = excluded.state
), dropped AS (
    DELETE FROM snapshots AS old USING given JOIN added USING (table_id)
    WHERE NOT given.is_open AND old.table_id = given.table_id AND (given.snapshot IS NOT NULL OR old.position < (
        SELECT max(position) FROM snapshots WHERE snapshots.table_id = given.table_id))
)"""
_ADDED = """, chunks AS (
    SELECT table_id, chr(10) || position || ' ' || table_id AS line,
        sum(octet_length(table_id) + 21) OVER (ORDER BY table_id) / 7000 AS chunk
    FROM given JOIN added USING (table_id)
)
SELECT array_agg(table_id) AS logs, CASE WHEN $20::text <> '' THEN pg_notify($20, $21::text || string_agg(line, '')) END
FROM chunks GROUP BY chunk
"""

COMMIT = f"{_COMMIT}{_ADDED}"
"""Commit a group of entries, at most one to each log. It returns the logs whose entries were added, in chunks.

An entry is added when its log exists and is not put aside, the entry that it follows is there, and neither its position
nor its command is taken. Entry 0 creates its log. A closed log keeps its last snapshot only. (The previous entry is a
subquery for each entry, not EXISTS: PostgreSQL may answer EXISTS with a hash of the whole log.)

One notification tells of each chunk: the origin, then a line for each log with the new position and the id. PostgreSQL
takes less than 8000 bytes. The chunks end where the lines reach a multiple of 7000, and a line has 521 at most.
"""

COMMIT_WITH_SEATS = f"{_COMMIT}{seats.WITH_COMMIT}{_ADDED}"
"""The same for a group in which players come or go, or logs are closed."""

ADDED = """
SELECT table_id FROM unnest($1::text[], $2::bigint[], $3::bytea[]) AS given (table_id, position, link)
JOIN log USING (table_id, position, link)
"""
"""Which entries of a group are in the log, with equal links."""

BEHIND_ALL = "SELECT pg_logical_emit_message(true, 'turnstile', 'all before this is safe')"
"""A commit that changes nothing. When it returns, it and all commits before it are durable, on standbys too."""

END_SESSION = """
SELECT pg_terminate_backend(pid) FROM pg_locks
WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint = $1 AND objid::bigint = $2
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
"""End the session that holds an advisory lock."""

ACKNOWLEDGE = """
WITH given AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[]) AS given (table_id, seat, cursor)
), here AS MATERIALIZED (
    SELECT id FROM tables WHERE id = ANY ($1) ORDER BY id FOR KEY SHARE
)
INSERT INTO cursors (table_id, seat, cursor)
SELECT table_id, seat, cursor FROM given WHERE table_id IN (SELECT id FROM here) ORDER BY table_id, seat
ON CONFLICT (table_id, seat) DO UPDATE SET cursor = excluded.cursor WHERE cursors.cursor < excluded.cursor
"""
"""Move cursors of many logs, each cursor once. It waits for the disk, as a commit does: a process acknowledges each
update only once.
"""

CURSORS = f"SELECT table_id, {AS_BYTES.format('seat')}, cursor FROM cursors WHERE table_id = ANY ($1::text[])"

PUT_ASIDE = "UPDATE tables SET is_open = false, due = NULL, claimed_until = NULL, note = $2 WHERE id = $1"
PRUNE = "DELETE FROM tables WHERE id = $1 AND NOT is_open RETURNING id"
PRUNE_REST = tuple(f"DELETE FROM {part} WHERE table_id = $1" for part in (
    "log", "snapshots", "cursors", "lines", "seats", "listings", "invitations"))  # fmt: skip
"""Delete the rest of a log, once its row is deleted: these also see an entry that was added just before."""

NOTIFY = "SELECT pg_notify($1, $2::text || chr(10) || ' ' || $3::text)"
"""Tell of a change that is not an entry: the line of the log has no position."""

NUMBER_LINES = """
WITH given AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::text[]) AS given (table_id, seat)
), here AS MATERIALIZED (
    SELECT id FROM tables WHERE id = ANY ($1) ORDER BY id FOR KEY SHARE
), numbered AS (
    INSERT INTO lines (table_id, seat, number)
    SELECT table_id, seat, 1 FROM given WHERE table_id IN (SELECT id FROM here) ORDER BY table_id, seat
    ON CONFLICT (table_id, seat) DO UPDATE SET number = lines.number + 1 RETURNING table_id, seat, number
)
SELECT table_id, seat, number,
    CASE WHEN $3::text <> '' THEN pg_notify($3, $4::text || chr(10) || ' ' || table_id) END
FROM numbered
"""
"""Number new lines, each of another seat, and tell of them as of any change that is not an entry."""

REPLACED_LINES = """
SELECT given.place FROM unnest($1::text[], $2::text[], $3::bigint[])
    WITH ORDINALITY AS given (table_id, seat, number, place)
JOIN lines USING (table_id, seat) WHERE lines.number > given.number
"""
"""Which of these lines are not the newest of their seat, by their places from 1 on."""

LOAD = f"""
WITH start AS MATERIALIZED (
    SELECT position, state FROM snapshots WHERE table_id = $1 ORDER BY position DESC LIMIT 1
)
SELECT log.position, at, event, state, link, command, answer, NULL AS snapshot, tables.position AS newest
FROM tables LEFT JOIN log ON log.table_id = $1 AND log.position = 0 WHERE id = $1
UNION ALL
SELECT log.position, at, event, log.state, link, command, answer, start.state, NULL FROM start
JOIN log ON log.table_id = $1 AND log.position = start.position
UNION ALL
SELECT {ENTRY}, NULL, NULL FROM log
WHERE table_id = $1 AND position > greatest(0, (SELECT position FROM start))
ORDER BY position NULLS FIRST
"""
"""The header with the position in the row, the snapshot with its entry, and the entries after that, as of one moment.
When there is a row but no header, the first line has that position alone.
"""

SNAPSHOT = """
SELECT position, link, snapshots.state, log.state AS fingerprint FROM snapshots JOIN log USING (table_id, position)
WHERE table_id = $1 AND position <= $2 ORDER BY position DESC LIMIT 1
"""

ENTRIES = f"""
SELECT number, found.* FROM unnest($1::text[], $2::bigint[], $3::bigint[])
    WITH ORDINALITY AS given (table_id, after, most, number)
CROSS JOIN LATERAL (
    SELECT {ENTRY} FROM log WHERE log.table_id = given.table_id AND log.position > given.after
    ORDER BY log.position LIMIT given.most
) AS found ORDER BY number, position
"""
"""The answers to many requests for entries. Each line begins with the number of its request, from 1 on."""

POSITIONS = "SELECT id, position FROM tables WHERE id = ANY($1::text[])"
FIND = f"SELECT {ENTRY} FROM log WHERE table_id = $1 AND command = $2"
ONE_ROW = f"SELECT {_ROW_AS_BYTES} FROM tables WHERE id = $1"
PAGE = f"SELECT {_ID}, {_ROW_AS_BYTES} FROM tables WHERE id > $1 ORDER BY id LIMIT $2"
PAGE_OF = f"SELECT {_ID}, {_ROW_AS_BYTES} FROM tables WHERE id > $1 AND is_open = $3 ORDER BY id LIMIT $2"

CLAIM = f"""
WITH due AS MATERIALIZED (
    SELECT id, due FROM tables WHERE due <= $1 AND (claimed_until IS NULL OR claimed_until <= {NOW})
    ORDER BY due, id LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE tables SET claimed_until = {NOW} + $2 FROM due WHERE tables.id = due.id
RETURNING due.due, {AS_BYTES.format("due.id")}
"""

BEAT = f"""
WITH last AS MATERIALIZED (
    SELECT at, {NOW} AS now FROM heartbeat FOR UPDATE
), beat AS (
    UPDATE heartbeat SET at = greatest(last.at, last.now) FROM last
), outage AS (
    INSERT INTO outages (began, ended) SELECT at, now FROM last WHERE now - at > $1 RETURNING began, ended
)
SELECT greatest(clock(), at * 1000) AS clock, began, ended FROM last LEFT JOIN outage ON true
"""
"""Beats run one after the other: a second one finds the beat of the first, and no outage."""

TIME = "SELECT greatest(clock(), (SELECT at * 1000 FROM heartbeat))"
"""The time, in microseconds, never before the last beat. If the database's clock was set back, time stands still."""

OUTAGES = "SELECT began, ended FROM outages WHERE ended > $1 ORDER BY ended"

HOLD = "SELECT FROM tables WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE"

REBUILD = f"""
WITH given AS MATERIALIZED (
    SELECT * FROM unnest(
        $1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::boolean[], $7::bigint[], $8::bigint[],
        $9::bigint[], $10::text[]
    ) AS given (table_id, {ROW})
), shown AS (
    INSERT INTO tables (id, position, {ROW}) SELECT table_id, newest, {ROW} FROM given, LATERAL (
        SELECT max(position) AS newest FROM log WHERE log.table_id = given.table_id)
    WHERE newest IS NOT NULL ORDER BY table_id
    ON CONFLICT (id) DO UPDATE SET (position, {ROW}, claimed_until) = (
        excluded.position, excluded.game, excluded.phase, excluded.players, excluded.is_open, excluded.is_listed,
        excluded.opened, excluded.changed, excluded.due, excluded.note, NULL)
    RETURNING id
)
DELETE FROM snapshots USING shown WHERE table_id = id
"""
"""Replace rows, in a transaction that ran `HOLD` on them first: no log can grow between reading and writing."""


def commit_arguments(group: Sequence[Commit]) -> tuple[tuple[object, ...], ...]:
    """The columns of `COMMIT`, in its order."""
    lines = (
        (given.log, *entry_values(given.entry), *row_values(given.row), given.snapshot, given.before)
        for given in sorted(group, key=lambda given: given.log)
    )
    return tuple(zip(*lines, strict=True))


def acknowledge_arguments(group: Sequence[tuple[LogId, Mapping[str, int]]]) -> tuple[tuple[object, ...], ...]:
    """The columns of `ACKNOWLEDGE`, in its order; nothing when no cursor is given."""
    cursors: dict[tuple[LogId, str], int] = {}
    for log, given in group:
        for seat, cursor in given.items():
            cursors[log, seat] = max(cursor, cursors.get((log, seat), cursor))
    return tuple(zip(*((*key, cursor) for key, cursor in cursors.items()), strict=True))


def rebuild_arguments(rows: Sequence[tuple[LogId, Row]]) -> tuple[tuple[object, ...], ...]:
    """The columns of `REBUILD`, in its order. When a log is given twice, its last row counts."""
    lines = ((log, *row_values(row)) for log, row in sorted(dict(rows).items()))
    return tuple(zip(*lines, strict=True))
