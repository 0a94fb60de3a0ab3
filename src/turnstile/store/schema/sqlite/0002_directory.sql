-- What a server keeps about people beside the logs. `seats` and `listings` can be rebuilt from the logs, the rest
-- cannot. Tokens, codes and invitations are stored as hashes only.

ALTER TABLE tables ADD COLUMN is_booked INTEGER NOT NULL DEFAULT 0;
CREATE INDEX tables_unbooked ON tables (id) WHERE NOT is_open AND NOT is_booked AND note = '';

-- Who sits at which table. It changes when players come or go, and when the table is closed, but not with a move.
CREATE TABLE seats (
    table_id TEXT NOT NULL,
    player TEXT NOT NULL,
    is_open INTEGER NOT NULL,
    opened INTEGER NOT NULL,
    PRIMARY KEY (table_id, player)
) STRICT, WITHOUT ROWID;
CREATE INDEX seats_by_player ON seats (player, is_open, opened, table_id);

-- The open tables that are listed.
CREATE TABLE listings (
    table_id TEXT PRIMARY KEY,
    game TEXT NOT NULL,
    opened INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX listings_by_time ON listings (opened, table_id);
CREATE INDEX listings_by_game ON listings (game, opened, table_id);

CREATE TABLE invitations (
    table_id TEXT PRIMARY KEY,
    admin TEXT NOT NULL,
    secret BLOB NOT NULL,
    is_required INTEGER NOT NULL,
    is_open INTEGER NOT NULL DEFAULT 1
) STRICT, WITHOUT ROWID;
CREATE INDEX invitations_by_admin ON invitations (admin, table_id) WHERE is_open;

CREATE TABLE players (
    id TEXT PRIMARY KEY,
    name TEXT,  -- NULL: deleted
    added INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
    hash BLOB PRIMARY KEY,
    player TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_by_player ON tokens (player, at, hash);

CREATE TABLE codes (
    hash BLOB PRIMARY KEY,
    player TEXT NOT NULL,
    at INTEGER NOT NULL  -- when it expires
) STRICT, WITHOUT ROWID;
CREATE INDEX codes_by_player ON codes (player, at, hash);
CREATE INDEX codes_by_time ON codes (at);

CREATE TABLE results (
    table_id TEXT PRIMARY KEY,
    game TEXT NOT NULL,
    finished INTEGER NOT NULL,
    how TEXT NOT NULL,
    is_rated INTEGER NOT NULL,
    is_public INTEGER NOT NULL  -- whether anyone may see it
) STRICT, WITHOUT ROWID;

CREATE TABLE result_players (
    table_id TEXT NOT NULL,
    seat INTEGER NOT NULL,
    player TEXT NOT NULL,
    has_won INTEGER NOT NULL,
    place INTEGER,
    score INTEGER,
    kind TEXT NOT NULL,
    bot TEXT,
    game TEXT NOT NULL,  -- and the next two: as in `results`, for the indexes
    finished INTEGER NOT NULL,
    is_public INTEGER NOT NULL,
    PRIMARY KEY (table_id, seat)
) STRICT, WITHOUT ROWID;
CREATE INDEX results_by_player ON result_players (player, finished, table_id, is_public) WHERE kind <> 'bot';
CREATE INDEX results_by_game ON result_players (player, game, finished, table_id, is_public) WHERE kind <> 'bot';

CREATE TABLE ratings (
    player TEXT NOT NULL,
    game TEXT NOT NULL,
    pool TEXT NOT NULL,
    mu REAL NOT NULL,
    sigma REAL NOT NULL,
    matches INTEGER NOT NULL,
    ordinal REAL NOT NULL,  -- mu - 3 sigma
    PRIMARY KEY (player, game, pool)
) STRICT, WITHOUT ROWID;
CREATE INDEX ratings_by_ordinal ON ratings (game, pool, ordinal, player);
