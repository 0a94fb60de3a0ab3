-- The newest line of each seat, so that a process notices when a player connects to another one. It changes when a
-- player connects, but not with a move.
CREATE TABLE lines (
    table_id text COLLATE "C" NOT NULL,
    seat text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    PRIMARY KEY (table_id, seat)
);
