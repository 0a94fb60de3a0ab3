"""The embedded store: one file of SQLite, for one process. `SqliteStore` is in `store`."""
