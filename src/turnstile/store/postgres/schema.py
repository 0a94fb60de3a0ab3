"""The schema of a PostgreSQL store, and its way from one version to the next.

Each step and its number are one transaction, under a lock that all processes share: killed at any statement, a step has
not been, and whoever comes next takes it.
"""

import asyncpg

from turnstile.store.migrations import Migration, pending

_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('turnstile ' || $1, 0))"


async def migrate(connection: asyncpg.Connection, schema: str, migrations: tuple[Migration, ...]) -> None:
    """Bring a store to the newest version; `CannotOpen` when it is of a newer one still."""
    while await _take_a_step(connection, schema, migrations):
        pass


async def _take_a_step(connection: asyncpg.Connection, schema: str, migrations: tuple[Migration, ...]) -> bool:
    async with connection.transaction():
        await connection.execute("SET LOCAL lock_timeout = 0")  # another's step may take its time
        await connection.execute(_LOCK, schema)
        steps = pending(await _version(connection, schema), migrations)
        if not steps:
            return False
        await connection.execute(steps[0].sql)
        await connection.execute("INSERT INTO schema_versions (version) VALUES ($1)", steps[0].version)
        return True


async def _version(connection: asyncpg.Connection, schema: str) -> int:
    """The version of what is there, from nothing at all (0) on."""
    if not await connection.fetchval("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)", schema):
        await connection.execute(f'CREATE SCHEMA "{schema}"')
    if not await connection.fetchval("SELECT to_regclass($1) IS NOT NULL", f'"{schema}".schema_versions'):
        await connection.execute("CREATE TABLE schema_versions (version integer PRIMARY KEY)")
    version = await connection.fetchval("SELECT coalesce(max(version), 0) FROM schema_versions")
    assert isinstance(version, int)
    return version
