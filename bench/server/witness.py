"""Witnesses: when an update has just arrived at a client, they look whether the store has the entry that caused it.

A witness has a connection of its own to the store, and looks for one of so many updates.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import apsw

from tools.history import History, Sample
from tools.random_players import Witness

SAMPLE_EVERY = 50  # updates
ON_SQLITE = "SELECT max(position) FROM log WHERE table_key = (SELECT key FROM tables WHERE id = ?)"
ON_POSTGRES = "SELECT max(position) FROM log WHERE table_id = $1"


class SqliteWitness:
    """Looks at once, so it sees what was stored when the update arrived."""

    def __init__(self, path: str) -> None:
        self._connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
        self._connection.set_busy_timeout(1000)
        self._left = SAMPLE_EVERY

    def __call__(self, history: History, seq: int) -> None:
        self._left -= 1
        if not self._left:
            self._left = SAMPLE_EVERY
            newest = self._connection.execute(ON_SQLITE, (history.table,)).get
            assert isinstance(newest, int)
            history.samples.append(Sample(seq, newest))

    def close(self) -> None:
        self._connection.close()


class PostgresWitness:
    """Looks as soon as the database answers: what is stored within that moment is not noticed."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._left = SAMPLE_EVERY
        self._looking: asyncio.Task[None] | None = None

    def __call__(self, history: History, seq: int) -> None:
        self._left -= 1
        if self._left <= 0 and (self._looking is None or self._looking.done()):
            self._left = SAMPLE_EVERY
            self._looking = asyncio.create_task(self._look(history, seq))

    async def _look(self, history: History, seq: int) -> None:
        newest = await self._connection.fetchval(ON_POSTGRES, history.table)
        history.samples.append(Sample(seq, newest))

    async def close(self) -> None:
        if self._looking is not None:
            await self._looking
        await self._connection.close()


@asynccontextmanager
async def witness_of(kind: str, store: str) -> AsyncIterator[Witness]:
    """A witness of a store, until the end of this context."""
    if kind == "sqlite":
        looking = SqliteWitness(store)
        yield looking
        looking.close()
        return
    import asyncpg

    schema = {"search_path": "turnstile"}
    watching = PostgresWitness(await asyncpg.connect(store, server_settings=schema))
    yield watching
    await watching.close()
