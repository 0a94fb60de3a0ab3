-- Which players are connected to which process, until when that counts. It is lost in a crash, and does not matter then.
CREATE UNLOGGED TABLE presence (
    table_id text COLLATE "C" NOT NULL,
    player text COLLATE "C" NOT NULL,
    process text COLLATE "C" NOT NULL,
    until bigint NOT NULL,
    PRIMARY KEY (table_id, player, process)
);
