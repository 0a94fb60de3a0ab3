"""Tests of the SQLite store alone: on a file, opened and closed around them."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from turnstile.store.sqlite import SqliteStore


def with_store(path: Path, test: Callable[[SqliteStore], Coroutine[Any, Any, None]], **clocks: Any) -> None:
    async def run() -> None:
        store = await SqliteStore.open(path, **clocks)
        try:
            await test(store)
        finally:
            await store.close()

    asyncio.run(run())


async def nothing(_store: SqliteStore) -> None: ...
