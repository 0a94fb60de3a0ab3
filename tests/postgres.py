"""A real PostgreSQL for tests: one of our own, or the one that TURNSTILE_TEST_POSTGRES names."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from uuid import uuid4

import asyncpg

from tools import postgres
from tools.postgres import Server as Server  # tests speak of postgres.Server

QUICK = ("deadlock_timeout=50ms",)
"""Deadlocks are provoked in tests, so they are looked for sooner than a server does otherwise."""


@contextmanager
def running(*options: str) -> Iterator[Server]:
    """A server of its own, for a test that kills it or needs other options."""
    with postgres.running(*QUICK, *options) as server:
        yield server


class _Shared:
    """The server that all tests of this process share: started when first asked for, with a schema for each test."""

    def __init__(self) -> None:
        self._server: Server | None = None
        self._schemas: list[str] = []

    def dsn(self) -> str:
        named = os.environ.get("TURNSTILE_TEST_POSTGRES")
        if named:
            return named
        if self._server is None:
            self._server = Server(*QUICK)
            self._server.start()
        return self._server.dsn

    def new_schema(self) -> str:
        self._schemas.append(f"test_{uuid4().hex[:16]}")
        return self._schemas[-1]

    def new_store(self) -> str:
        """The address of an empty store, for processes of their own."""
        dsn = self.dsn()
        return f"{dsn}{'&' if '?' in dsn else '?'}schema={self.new_schema()}"

    def close(self) -> None:
        """A server of ours goes with all that is in it; one of somebody else's is left as it was found."""
        if self._server is not None:
            self._server.close()
            self._server = None
        elif self._schemas:
            asyncio.run(self._drop_schemas())
        self._schemas.clear()

    async def _drop_schemas(self) -> None:
        async with shell(self.dsn()) as connection:
            for schema in self._schemas:
                await connection.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE')


shared = _Shared()


@asynccontextmanager
async def shell(dsn: str, schema: str | None = None) -> AsyncIterator[asyncpg.Connection]:
    """A connection such as an operator might have, beside the store's."""
    connection = await asyncpg.connect(dsn, server_settings={"search_path": schema} if schema else None)
    try:
        yield connection
    finally:
        connection.terminate()
