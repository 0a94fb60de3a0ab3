"""The SQL of presence: which players are connected to which process, so that other processes can tell.

The table is not logged, because what it says is true for seconds only: it costs no sync, and a crash of the database
empties it.
"""

SHARE = """
WITH given AS (
    SELECT table_id, player FROM unnest($2::text[], $3::text[]) AS given (table_id, player)
), gone AS (
    DELETE FROM presence WHERE process = $1 AND (table_id, player) NOT IN (SELECT table_id, player FROM given)
)
INSERT INTO presence (table_id, player, process, until) SELECT table_id, player, $1, $4 FROM given
ON CONFLICT (table_id, player, process) DO UPDATE SET until = excluded.until
WHERE presence.until < excluded.until - 5000
"""
"""A row that counts long enough stays as it is: most calls write nothing."""

SWEEP = """
DELETE FROM presence WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM presence WHERE until < $1::bigint - 60000 LIMIT 1000 FOR UPDATE SKIP LOCKED
))
"""
"""Deletes what a process has left that died a while ago."""

ELSEWHERE = """
SELECT DISTINCT table_id, player FROM presence WHERE table_id = ANY ($2::text[]) AND process <> $1 AND until > $3
"""
