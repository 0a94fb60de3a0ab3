"""Opening a store in PostgreSQL: its schema from any point on, and what it refuses to work with."""

import asyncio
import logging
import re

import asyncpg
import pytest

from tests import postgres
from tests.store.making import stored
from tests.store.postgres.stores import opened, run, shell
from turnstile.kernel.values import LogId
from turnstile.store.migrations import Migration, all_migrations
from turnstile.store.postgres import PostgresStore
from turnstile.store.postgres.schema import migrate
from turnstile.store.protocol import CannotOpen

KNOWN = all_migrations("postgres")
HARAKIRI = "SELECT pg_terminate_backend(pg_backend_pid())"


async def shape(schema: str) -> list[tuple[object, ...]]:
    """All there is in a schema, its version included."""
    columns = """
        SELECT table_name::text, column_name::text, data_type::text, is_nullable::text
        FROM information_schema.columns WHERE table_schema = $1
    """
    indexes = "SELECT tablename, indexname, replace(indexdef, $1, ''), '' FROM pg_indexes WHERE schemaname = $1"
    functions = "SELECT proname, '', prosrc, '' FROM pg_proc WHERE pronamespace = $1::text::regnamespace"
    async with shell(schema) as connection:
        found = [row for query in (columns, indexes, functions) for row in await connection.fetch(query, schema)]
        versions = await connection.fetch("SELECT version FROM schema_versions ORDER BY version")
    return [*sorted(tuple(row) for row in found), *(tuple(row) for row in versions)]


async def killed_in(schema: str, migrations: tuple[Migration, ...]) -> None:
    async with shell(schema) as connection:
        with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError, OSError)):
            await migrate(connection, schema, migrations)


@run
async def test_C12_a_migration_killed_at_any_statement_has_not_been_and_is_taken_up_again() -> None:
    fresh = postgres.shared.new_schema()
    async with opened(fresh):
        whole = await shape(fresh)
    for earlier, migration in enumerate(KNOWN):
        statements = migration.sql.split(";\n")
        assert len(statements) == len(re.findall("^(?:CREATE|ALTER|INSERT)", migration.sql, re.MULTILINE)) + 1
        for done in range(1, len(statements)):
            schema = postgres.shared.new_schema()
            cut = ";\n".join((*statements[:done], HARAKIRI, *statements[done:]))
            await killed_in(schema, (*KNOWN[:earlier], Migration(earlier + 1, cut)))
            async with shell(schema) as connection:
                if earlier == 0:
                    assert await connection.fetchval("SELECT to_regnamespace($1)", schema) is None
                else:
                    assert await connection.fetchval("SELECT max(version) FROM schema_versions") == earlier
            async with opened(schema) as store:
                await stored(store, LogId("t"), 1)
                assert await shape(schema) == whole


@run
async def test_C12_what_was_finished_before_stays_and_the_rest_follows() -> None:
    schema = postgres.shared.new_schema()
    number = len(KNOWN) + 1
    second = Migration(number, "CREATE TABLE second (n integer)")
    third = Migration(number + 1, "CREATE TABLE third (n integer)")
    dying = Migration(number + 1, f"{third.sql}; {HARAKIRI}")
    await killed_in(schema, (*KNOWN, second, dying))
    async with shell(schema) as connection:
        assert await connection.fetchval("SELECT max(version) FROM schema_versions") == number
        assert await connection.fetchval("SELECT to_regclass('third')") is None
        await migrate(connection, schema, (*KNOWN, second, third))
        assert await connection.fetchval("SELECT count(*) FROM second, third") == 0


@run
async def test_U5_many_servers_that_start_at_once_migrate_once() -> None:
    schema = postgres.shared.new_schema()
    stores = await asyncio.gather(*(PostgresStore.open(postgres.shared.dsn(), schema=schema) for _ in range(6)))
    async with shell(schema) as connection:
        versions = await connection.fetch("SELECT version FROM schema_versions ORDER BY version")
    assert [tuple(version) for version in versions] == [(migration.version,) for migration in KNOWN]
    for store in stores:
        await store.close()


@run
async def test_U4_a_newer_schema_is_refused_and_left_alone() -> None:
    schema = postgres.shared.new_schema()
    async with opened(schema):
        pass
    async with shell(schema) as connection:
        await connection.execute("INSERT INTO schema_versions VALUES (99)")
    before = await shape(schema)
    with pytest.raises(CannotOpen, match="version 99"):
        await PostgresStore.open(postgres.shared.dsn(), schema=schema)
    assert await shape(schema) == before


@run
async def test_U10_synchronous_commit_off_is_refused() -> None:
    dsn = postgres.shared.dsn()
    off = f"{dsn}{'&' if '?' in dsn else '?'}synchronous_commit=off"
    with pytest.raises(CannotOpen, match="synchronous_commit"):
        await PostgresStore.open(off, schema=postgres.shared.new_schema())


def test_U10_fsync_off_is_refused() -> None:
    with postgres.running("fsync=off") as server, pytest.raises(CannotOpen, match="fsync"):
        asyncio.run(PostgresStore.open(server.dsn))


def test_U10_full_page_writes_off_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    async def test(dsn: str) -> None:
        async with opened("turnstile", dsn):
            pass

    with postgres.running("full_page_writes=off") as server, caplog.at_level(logging.WARNING):
        asyncio.run(test(server.dsn))
    assert "full_page_writes" in caplog.text


@run
async def test_a_database_that_is_not_there_is_said_so() -> None:
    for dsn in ("postgresql://postgres@/postgres?host=/nowhere", "postgresql://nobody@/nothing?host=/nowhere"):
        with pytest.raises(CannotOpen, match="cannot be reached"):
            await PostgresStore.open(dsn, patience=0.1)


@run
async def test_a_database_that_does_not_exist_is_said_so_at_once() -> None:
    dsn = postgres.shared.dsn().replace("/postgres", "/no_such_database", 1)
    with pytest.raises(CannotOpen, match="refuses the connection"):
        await PostgresStore.open(dsn, patience=60.0)


@pytest.mark.parametrize("name", ["", "Capital", "a b", 'a"b', "1st", "x" * 60])
def test_a_name_that_is_none_for_a_schema_is_refused(name: str) -> None:
    with pytest.raises(CannotOpen, match="Invalid schema name"):
        asyncio.run(PostgresStore.open("postgresql:///", schema=name))
