"""The SQL of players, tokens, codes, invitations, results and ratings in PostgreSQL.

Whatever depends on a player locks that player first. Ratings are locked in the order of their keys, after the players.
So two servers never deadlock.
"""
# ruff: noqa: S608  (statements are built from the constants below, never from input)

from turnstile.store.directory_columns import INVITATION, MATCH_PLAYER, PLAYER, RATING, RESULT, as_bytes
from turnstile.store.postgres.seats import AS_BYTES

# players

_PLAYER = f"SELECT {as_bytes(PLAYER, AS_BYTES)} FROM players WHERE id ="

ADD_PLAYER = "INSERT INTO players (id, name, added) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1"
HOLD_PLAYER = "SELECT 1 FROM players WHERE id = $1 AND name IS NOT NULL FOR NO KEY UPDATE"
PLAYERS = f"{_PLAYER} ANY ($1::text[])"
PLAYER_BY_TOKEN = f"{_PLAYER} (SELECT player FROM tokens WHERE hash = $1)"
VALID_TOKENS = "SELECT hash FROM tokens WHERE hash = ANY ($1::bytea[])"
RENAME = "UPDATE players SET name = $2 WHERE id = $1 AND name IS NOT NULL RETURNING 1"
DELETE_PLAYER = "UPDATE players SET name = NULL WHERE id = $1"
DELETE_RATINGS = "DELETE FROM ratings WHERE player = $1"
FORGET = ("DELETE FROM tokens WHERE player = $1", "DELETE FROM codes WHERE player = $1")
"""Make all tokens and codes of a player void."""


def add_secret(secrets: str) -> str:
    """Add a token or a code."""
    return f"INSERT INTO {secrets} (hash, player, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1"


def keep_last(secrets: str) -> str:
    """Keep a player's tokens or codes with the latest times, up to a number."""
    surplus = f"SELECT hash FROM {secrets} WHERE player = $1 ORDER BY at DESC, hash DESC OFFSET $2"
    return f"DELETE FROM {secrets} WHERE hash IN ({surplus})"


# one-time codes

HOLD_PLAYER_OF_CODE = f"""
{_PLAYER} (SELECT player FROM codes WHERE hash = $1 AND at > $2) AND name IS NOT NULL FOR NO KEY UPDATE
"""
"""The player of a code that has not expired. The code may be void by the time the player is locked: see `USE_CODE`."""

USE_CODE = "DELETE FROM codes WHERE hash = $1 RETURNING 1"
SWEEP_CODES = """
DELETE FROM codes WHERE hash IN (
    SELECT hash FROM codes WHERE at <= $1 ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED
) RETURNING 1
"""

# invitations

ADD_INVITATION = f"INSERT INTO invitations ({INVITATION}) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING 1"
ONE_INVITATION = f"SELECT {as_bytes(INVITATION, AS_BYTES)} FROM invitations WHERE table_id = $1"
REMOVE_INVITATION = """
DELETE FROM invitations WHERE table_id = $1 AND NOT EXISTS (SELECT FROM tables WHERE id = $1) RETURNING 1
"""
_OPENED = """
FROM invitations JOIN tables ON tables.id = table_id
WHERE admin = $1 AND invitations.is_open AND tables.is_open
"""
COUNT_OPEN = f"SELECT count(*) {_OPENED}"
OPENED_BY = f"SELECT {AS_BYTES.format('tables.id')} {_OPENED}"

# booking

UNBOOKED = f"""
SELECT {AS_BYTES.format("id")} FROM tables
WHERE NOT is_open AND NOT is_booked AND note = '' AND id > $1 ORDER BY id LIMIT $2
"""
SKIP_BOOKING = "UPDATE tables SET is_booked = true WHERE id = $1 AND NOT is_booked"
ADD_RESULT = f"INSERT INTO results ({RESULT}) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING 1"
"""If another process is booking the same match, this waits for it."""

ADD_MATCH_PLAYER = f"""
INSERT INTO result_players (table_id, seat, {MATCH_PLAYER}, game, finished, is_public)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
"""
HOLD_PLAYERS = f"""
SELECT {AS_BYTES.format("id")}, name IS NULL FROM players WHERE id = ANY ($1::text[]) ORDER BY id FOR SHARE
"""
"""These players, and whether each was deleted. None is deleted before this transaction ends."""

HOLD_RATINGS = """
SELECT number, matches FROM unnest($1::text[], $2::text[], $3::text[])
    WITH ORDINALITY AS given (player, game, pool, number)
JOIN ratings USING (player, game, pool) ORDER BY ratings.player, ratings.game, ratings.pool FOR UPDATE OF ratings
"""
"""Which of these ratings are stored, counted from 1, and from how many matches. No other transaction changes them."""

ADD_RATING = f"""
INSERT INTO ratings ({RATING}, ordinal) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING 1
"""
CHANGE_RATING = """
UPDATE ratings SET (mu, sigma, matches, ordinal) = ($4, $5, $6, $7)
WHERE player = $1 AND game = $2 AND pool = $3 RETURNING 1
"""

# results and ratings

_MATCHES = f"SELECT finished, {AS_BYTES.format('table_id')} FROM result_players WHERE player = $1 AND kind <> 'bot'"
_NEWEST = """
($5::boolean IS NULL OR is_public = $5) AND (finished, table_id) < ($2, $3)
ORDER BY finished DESC, table_id DESC LIMIT $4
"""
RESULTS_OF = f"{_MATCHES} AND {_NEWEST}"
RESULTS_OF_GAME = f"{_MATCHES} AND game = $6 AND {_NEWEST}"
RESULTS = f"SELECT {as_bytes(RESULT, AS_BYTES)} FROM results WHERE table_id = ANY ($1::text[])"
MATCH_PLAYERS = f"""
SELECT {AS_BYTES.format("table_id")}, {as_bytes(MATCH_PLAYER, AS_BYTES)} FROM result_players
WHERE table_id = ANY ($1::text[]) ORDER BY table_id, seat
"""

_RATING = f"SELECT {as_bytes(RATING, AS_BYTES)} FROM ratings WHERE"
RATINGS_OF = f"{_RATING} player = $1 ORDER BY game, pool LIMIT $2"
RATINGS = f"{_RATING} player = ANY ($1::text[]) AND game = $2 AND pool = $3"
LEADERS = f"""
{_RATING} game = $1 AND pool = $2 AND (ordinal, player) < ($3::double precision, $4)
ORDER BY ordinal DESC, player DESC LIMIT $5
"""
