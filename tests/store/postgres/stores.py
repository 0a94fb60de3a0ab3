"""Stores on a real PostgreSQL, and what a test does beside them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from tests import postgres
from tests.store.making import ROW, commit_of, following, header
from turnstile.kernel.values import LogId
from turnstile.store.log import Entry, verify
from turnstile.store.postgres import PostgresStore
from turnstile.store.protocol import Busy, Unknown

STUCK = 60.0
"""Seconds, many times what any test takes."""


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """A test that is a coroutine. One that hangs has failed."""

    def plain() -> None:
        asyncio.run(asyncio.wait_for(test(), STUCK))

    plain.__name__, plain.__doc__, plain.__module__ = test.__name__, test.__doc__, test.__module__
    return plain


@asynccontextmanager
async def opened(schema: str, dsn: str | None = None, *, patience: float = 10.0) -> AsyncIterator[PostgresStore]:
    """A store, closed behind the test."""
    store = await PostgresStore.open(dsn or postgres.shared.dsn(), schema=schema, patience=patience)
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def shell(schema: str, dsn: str | None = None) -> AsyncIterator[asyncpg.Connection]:
    async with postgres.shell(dsn or postgres.shared.dsn(), schema) as connection:
        yield connection


@asynccontextmanager
async def held(schema: str, *tables: str, dsn: str | None = None) -> AsyncIterator[asyncpg.Connection]:
    """Somebody in a shell holds the rows of these tables."""
    async with shell(schema, dsn) as connection, connection.transaction():
        await connection.execute("SELECT FROM tables WHERE id = ANY ($1) ORDER BY id FOR UPDATE", list(tables))
        yield connection


async def until_waiting(connection: asyncpg.Connection, schema: str, besides: int = 0) -> int:
    """Until a session of the schema's stores, but for that one, waits for somebody's row; which one it is."""
    waiting = """
        SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND pid <> $2
        AND wait_event_type = 'Lock' AND wait_event <> 'advisory'
    """
    while True:
        await connection.execute("SELECT pg_stat_clear_snapshot()")
        found = await connection.fetchval(waiting, f"turnstile {schema}", besides)
        if found is not None:
            assert isinstance(found, int)
            return found


async def end_sessions(connection: asyncpg.Connection, schema: str, like: str = "%") -> int:
    """End the stores' sessions whose last statement looks like this; how many there were."""
    ended = """
        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE application_name = $1 AND query LIKE $2
    """
    count = await connection.fetchval(ended, f"turnstile {schema}", like)
    assert isinstance(count, int)
    return count


class Player:
    """Plays on at one table and remembers what it was told. It may be told nothing certain: then it looks."""

    def __init__(self, table: str) -> None:
        self.table = LogId(table)
        self.told: list[Entry] = [header()]
        self.last = header()
        self.refused: list[Entry] = []
        self.in_doubt = 0

    async def move(self, store: PostgresStore) -> None:
        made = following(self.last, f"{self.table} {self.last.position}")
        try:
            added = await store.commit(commit_of(self.table, made, ROW, with_snapshot=made.position % 7 == 0))
        except Unknown:
            self.in_doubt += 1
            await self.look(store)
        except Busy:
            return
        else:
            (self.told if added else self.refused).append(made)
            self.last = made if added else self.last

    async def look(self, store: PostgresStore) -> None:
        """Read, for as long as it takes, how far the table is."""
        while True:
            try:
                self.last = (await store.entries(self.table, -1))[-1]
                return
            except Busy:
                continue


async def check(store: PostgresStore, players: Sequence[Player]) -> None:
    """All that anybody was told is there, once, in an unbroken chain; nobody was refused what nobody else had taken."""
    for player in players:
        entries = await store.entries(player.table, -1)
        verify(player.table, b"", -1, entries)
        assert set(player.told) <= set(entries)
        assert len(entries) <= len(player.told) + player.in_doubt
        assert player.refused == []
