-- What a server keeps about people beside the logs. `seats` and `listings` can be rebuilt from the logs, the rest
-- cannot. Tokens, codes and invitations are stored as hashes only.

ALTER TABLE tables ADD COLUMN is_booked boolean NOT NULL DEFAULT false;
CREATE INDEX tables_unbooked ON tables (id) WHERE NOT is_open AND NOT is_booked AND note = '';

-- Who sits at which table. It changes when players come or go, and when the table is closed, but not with a move.
CREATE TABLE seats (
    table_id text COLLATE "C" NOT NULL,
    player text COLLATE "C" NOT NULL,
    is_open boolean NOT NULL,
    opened bigint NOT NULL,
    PRIMARY KEY (table_id, player)
);
CREATE INDEX seats_by_player ON seats (player, is_open, opened, table_id);

-- The open tables that are listed.
CREATE TABLE listings (
    table_id text COLLATE "C" PRIMARY KEY,
    game text COLLATE "C" NOT NULL,
    opened bigint NOT NULL
);
CREATE INDEX listings_by_time ON listings (opened, table_id);
CREATE INDEX listings_by_game ON listings (game, opened, table_id);

CREATE TABLE invitations (
    table_id text COLLATE "C" PRIMARY KEY,
    admin text COLLATE "C" NOT NULL,
    secret bytea NOT NULL,
    is_required boolean NOT NULL,
    is_open boolean NOT NULL DEFAULT true
);
CREATE INDEX invitations_by_admin ON invitations (admin, table_id) WHERE is_open;

CREATE TABLE players (
    id text COLLATE "C" PRIMARY KEY,
    name text,  -- NULL: deleted
    added bigint NOT NULL
);

CREATE TABLE tokens (
    hash bytea PRIMARY KEY,
    player text COLLATE "C" NOT NULL,
    at bigint NOT NULL
);
CREATE INDEX tokens_by_player ON tokens (player, at, hash);

CREATE TABLE codes (
    hash bytea PRIMARY KEY,
    player text COLLATE "C" NOT NULL,
    at bigint NOT NULL  -- when it expires
);
CREATE INDEX codes_by_player ON codes (player, at, hash);
CREATE INDEX codes_by_time ON codes (at);

CREATE TABLE results (
    table_id text COLLATE "C" PRIMARY KEY,
    game text COLLATE "C" NOT NULL,
    finished bigint NOT NULL,
    how text NOT NULL,
    is_rated boolean NOT NULL,
    is_public boolean NOT NULL  -- whether anyone may see it
);

CREATE TABLE result_players (
    table_id text COLLATE "C" NOT NULL,
    seat integer NOT NULL,
    player text COLLATE "C" NOT NULL,
    has_won boolean NOT NULL,
    place bigint,
    score bigint,
    kind text NOT NULL,
    bot text,
    game text COLLATE "C" NOT NULL,  -- and the next two: as in `results`, for the indexes
    finished bigint NOT NULL,
    is_public boolean NOT NULL,
    PRIMARY KEY (table_id, seat)
);
CREATE INDEX results_by_player ON result_players (player, finished, table_id, is_public) WHERE kind <> 'bot';
CREATE INDEX results_by_game ON result_players (player, game, finished, table_id, is_public) WHERE kind <> 'bot';

CREATE TABLE ratings (
    player text COLLATE "C" NOT NULL,
    game text COLLATE "C" NOT NULL,
    pool text COLLATE "C" NOT NULL,
    mu double precision NOT NULL,
    sigma double precision NOT NULL,
    matches bigint NOT NULL,
    ordinal double precision NOT NULL,  -- mu - 3 sigma
    PRIMARY KEY (player, game, pool)
);
CREATE INDEX ratings_by_ordinal ON ratings (game, pool, ordinal, player);
