"""The store in an SQLite file, for one server process."""

from turnstile.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
