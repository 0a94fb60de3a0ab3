"""The store in PostgreSQL, for any number of server processes. Needs asyncpg: `pip install turnstile[postgres]`."""

from turnstile.store.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
