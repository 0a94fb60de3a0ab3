"""A real PostgreSQL for tests: one of our own, or the one that TURNSTILE_TEST_POSTGRES names."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from uuid import uuid4

import asyncpg

QUICK = ("deadlock_timeout=50ms",)
"""Deadlocks are provoked in tests, so they are looked for sooner than a server does otherwise."""


class Server:
    """A server that a test may kill and start again on the same data."""

    def __init__(self, *options: str) -> None:
        self._keeper = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("postgres_keeper.py")), *QUICK, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for the tests; the keeper ends when they have
        )
        self.dsn = f"postgresql://postgres@/postgres?host={self._heard()}"

    def start(self) -> None:
        self._tell("start")

    def kill(self) -> None:
        """SIGKILL to the server; its sessions end by themselves when they notice."""
        self._tell("kill")

    def stop(self) -> None:
        """At once: every session is broken off, nothing is put in order."""
        self._tell("stop")

    def close(self) -> None:
        """The end of the server and its files."""
        assert self._keeper.stdin is not None
        self._keeper.stdin.close()
        self._keeper.wait()
        assert self._keeper.stdout is not None
        self._keeper.stdout.close()

    def _tell(self, what: str) -> None:
        assert self._keeper.stdin is not None
        self._keeper.stdin.write(f"{what}\n")
        self._keeper.stdin.flush()
        assert self._heard() == "done"

    def _heard(self) -> str:
        assert self._keeper.stdout is not None
        line = self._keeper.stdout.readline().strip()
        assert line, "the keeper of PostgreSQL ended; its reasons are on stderr"
        return line


@contextmanager
def running(*options: str) -> Iterator[Server]:
    """A server of its own, for a test that kills it or needs other options."""
    server = Server(*options)
    try:
        server.start()
        yield server
    finally:
        server.close()


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
            self._server = Server()
            self._server.start()
        return self._server.dsn

    def new_schema(self) -> str:
        self._schemas.append(f"test_{uuid4().hex[:16]}")
        return self._schemas[-1]

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
