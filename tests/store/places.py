"""The stores that must pass the tests here. A new one is a class with two methods and a line in `PLACES`."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Protocol

import asyncpg

from tests import postgres
from turnstile.store.directory import DirectoryStore
from turnstile.store.memory import Disk, MemoryStore
from turnstile.store.migrations import all_migrations
from turnstile.store.postgres import PostgresStore
from turnstile.store.postgres.schema import migrate
from turnstile.store.sqlite import SqliteStore

START = 1_800_000_000_000
"""Milliseconds since 1970: when every place begins."""


class Place(Protocol):
    """Where tables rest while no store is open. Time passes there when we say so."""

    async def open(self) -> DirectoryStore: ...

    async def let_pass(self, milliseconds: int) -> None:
        """Be so much later, for stores that are open too."""


class MemoryPlace:
    def __init__(self, _folder: Path) -> None:
        self.disk = Disk()
        self.time = START

    async def open(self) -> DirectoryStore:
        return MemoryStore(lambda: self.time, self.disk)

    async def let_pass(self, milliseconds: int) -> None:
        self.time += milliseconds


class SqlitePlace:
    def __init__(self, folder: Path) -> None:
        self.path = folder / "tables.db"
        self.time = START * 1_000_000

    async def open(self) -> SqliteStore:
        return await SqliteStore.open(self.path, wall=lambda: self.time, monotonic=lambda: self.time)

    async def let_pass(self, milliseconds: int) -> None:
        self.time += milliseconds * 1_000_000


class PostgresPlace:
    """A schema of its own, whose clock stands still; the server is the same for all tests."""

    def __init__(self, _folder: Path | None = None) -> None:
        self.schema = postgres.shared.new_schema()
        self.time = START * 1_000_000

    async def open(self) -> PostgresStore:
        async with postgres.shell(postgres.shared.dsn(), self.schema) as shell:
            await migrate(shell, self.schema, all_migrations("postgres"))
            await self._set_clock(shell)
        return await PostgresStore.open(postgres.shared.dsn(), schema=self.schema, monotonic=lambda: self.time)

    async def let_pass(self, milliseconds: int) -> None:
        self.time += milliseconds * 1_000_000
        async with postgres.shell(postgres.shared.dsn(), self.schema) as shell:
            await self._set_clock(shell)

    async def _set_clock(self, shell: asyncpg.Connection) -> None:
        clock = "CREATE OR REPLACE FUNCTION clock() RETURNS bigint LANGUAGE sql VOLATILE AS"
        await shell.execute(f"{clock} 'SELECT {self.time // 1000}'")


PLACES: dict[str, Callable[[Path], Place]] = {"memory": MemoryPlace, "sqlite": SqlitePlace, "postgres": PostgresPlace}
SHARED = ["memory", "postgres"]
"""Those of them that several processes may have open at once."""

At = Callable[[Place], None]


def at_a_place(test: Callable[[Place], Coroutine[Any, Any, None]]) -> At:
    """A test that opens its stores itself."""

    def run(place: Place) -> None:
        asyncio.run(test(place))

    run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
    return run


def on_a_store(test: Callable[[DirectoryStore], Coroutine[Any, Any, None]]) -> At:
    """A test that is given an empty store, which is closed behind it."""

    async def with_store(place: Place) -> None:
        store = await place.open()
        try:
            await test(store)
        finally:
            await store.close()

    with_store.__name__, with_store.__doc__, with_store.__module__ = test.__name__, test.__doc__, test.__module__
    return at_a_place(with_store)
