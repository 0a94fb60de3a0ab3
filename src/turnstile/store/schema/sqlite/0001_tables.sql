-- The log is the source of truth. Everything else here can be rebuilt from it, except cursors and outages.
-- `tables` has one row for each log.

PRAGMA application_id = 1416983150;  -- "Turn": tells our files from those of other programs

CREATE TABLE tables (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    position INTEGER NOT NULL CHECK (position >= 0),  -- of the last entry
    game TEXT NOT NULL,
    phase TEXT NOT NULL,
    players TEXT NOT NULL,  -- a JSON array
    is_open INTEGER NOT NULL,
    is_listed INTEGER NOT NULL,
    opened INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    due INTEGER,
    note TEXT NOT NULL,
    claimed_until INTEGER
) STRICT;
CREATE INDEX tables_by_due ON tables (due, id) WHERE due IS NOT NULL;
CREATE INDEX tables_by_open ON tables (is_open, id);

-- In the order of writing, so that a group of entries of many tables fills pages one after the other.
CREATE TABLE log (
    table_key INTEGER NOT NULL REFERENCES tables (key),
    position INTEGER NOT NULL,
    at INTEGER NOT NULL,
    event BLOB NOT NULL,
    state BLOB NOT NULL,
    link BLOB NOT NULL,
    command TEXT,
    answer BLOB
) STRICT;
CREATE UNIQUE INDEX log_by_position ON log (table_key, position);
CREATE UNIQUE INDEX log_by_command ON log (table_key, command) WHERE command IS NOT NULL;

CREATE TABLE snapshots (
    table_key INTEGER NOT NULL,
    position INTEGER NOT NULL,
    state BLOB NOT NULL,
    PRIMARY KEY (table_key, position),
    FOREIGN KEY (table_key, position) REFERENCES log (table_key, position)
) STRICT;

CREATE TABLE cursors (
    table_key INTEGER NOT NULL REFERENCES tables (key),
    seat TEXT NOT NULL,
    cursor INTEGER NOT NULL,
    PRIMARY KEY (table_key, seat)
) STRICT, WITHOUT ROWID;

CREATE TABLE heartbeat (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    at INTEGER NOT NULL
) STRICT;

CREATE TABLE outages (
    start INTEGER NOT NULL,
    "end" INTEGER PRIMARY KEY
) STRICT;
