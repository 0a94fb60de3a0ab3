"""The schema of a PostgreSQL store, and its migration from one version to the next.

Each step and its version number are one transaction, under a lock that all processes share. If a process is killed
during a step, the step is rolled back and the next process runs it.
"""

import asyncpg

from turnstile.store.migrations import Migration, pending_migrations

_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('turnstile ' || $1, 0))"


async def migrate(connection: asyncpg.Connection, schema: str, migrations: tuple[Migration, ...]) -> None:
    """Bring a store to the newest version. Raises `CannotOpen` when the store's schema is newer than that."""
    while await _take_a_step(connection, schema, migrations):
        pass


async def _take_a_step(connection: asyncpg.Connection, schema: str, migrations: tuple[Migration, ...]) -> bool:
    async with connection.transaction():
        await connection.execute("SET LOCAL lock_timeout = 0")  # a step of another process may take long
        await connection.execute(_LOCK, schema)
        steps = pending_migrations(await _version(connection, schema), migrations)
        if not steps:
            return False
        await connection.execute(steps[0].sql)
        await connection.execute("INSERT INTO schema_versions (version) VALUES ($1)", steps[0].version)
        return True


async def _version(connection: asyncpg.Connection, schema: str) -> int:
    """The version of the schema; 0 when there is none yet."""
    if not await connection.fetchval("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)", schema):
        await connection.execute(f'CREATE SCHEMA "{schema}"')
    if not await connection.fetchval("SELECT to_regclass($1) IS NOT NULL", f'"{schema}".schema_versions'):
        await connection.execute("CREATE TABLE schema_versions (version integer PRIMARY KEY)")
    version = await connection.fetchval("SELECT coalesce(max(version), 0) FROM schema_versions")
    assert isinstance(version, int)
    return version
