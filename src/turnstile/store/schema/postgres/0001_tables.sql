-- The log is the source of truth. Everything else here can be rebuilt from it, except cursors and outages.
-- `tables` has one row for each log. Run inside the schema of the store. Ids and seats compare by bytes, as in Python.

-- The one clock for all servers: microseconds since 1970.
CREATE FUNCTION clock() RETURNS bigint LANGUAGE sql VOLATILE AS
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint';

CREATE TABLE tables (
    id text COLLATE "C" PRIMARY KEY CHECK (octet_length(id) BETWEEN 1 AND 500),  -- a notification must hold it
    position bigint NOT NULL CHECK (position >= 0),  -- of the last entry
    game text NOT NULL,
    phase text NOT NULL,
    players text NOT NULL,  -- a JSON array
    is_open boolean NOT NULL,
    is_listed boolean NOT NULL,
    opened bigint NOT NULL,
    changed bigint NOT NULL,
    due bigint,
    note text NOT NULL,
    claimed_until bigint
);
CREATE INDEX tables_by_due ON tables (due, id) WHERE due IS NOT NULL;
CREATE INDEX tables_by_open ON tables (is_open, id);

-- No foreign key: a commit holds its table's row while it writes here, and prune takes that row first.
CREATE TABLE log (
    table_id text COLLATE "C" NOT NULL,
    position bigint NOT NULL CHECK (position >= 0),
    at bigint NOT NULL,
    event bytea NOT NULL,
    state bytea NOT NULL,
    link bytea NOT NULL,
    command text COLLATE "C",
    answer bytea,
    PRIMARY KEY (table_id, position)
);
CREATE UNIQUE INDEX log_by_command ON log (table_id, command) WHERE command IS NOT NULL;

CREATE TABLE snapshots (
    table_id text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    state bytea NOT NULL,
    PRIMARY KEY (table_id, position)
);

CREATE TABLE cursors (
    table_id text COLLATE "C" NOT NULL,
    seat text COLLATE "C" NOT NULL,
    cursor bigint NOT NULL,
    PRIMARY KEY (table_id, seat)
);

CREATE TABLE heartbeat (
    only_one boolean PRIMARY KEY CHECK (only_one),
    at bigint
);
INSERT INTO heartbeat VALUES (true, NULL);

CREATE TABLE outages (
    began bigint NOT NULL,
    ended bigint PRIMARY KEY
);
