"""A place for hosts in benches: one loop that stands still between runs, a folder, a store and a host that serve."""

import asyncio
import shutil
from collections.abc import Callable, Coroutine
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any, TypeVar

from turnstile.host import Host
from turnstile.kernel import Move
from turnstile.store.protocol import Store

T = TypeVar("T")


async def at_once(choose: Callable[[], Move]) -> Move:
    return choose()


class Stage:
    """Where stores and hosts are set up before a run, used in it, and put away after it."""

    def __init__(self, folder: Path | None = None) -> None:
        """In a folder that somebody else looks after, or in one of its own."""
        self.folder = folder or Path(mkdtemp(prefix="turnstile-bench-"))
        self._is_guest = folder is not None
        self._runner = asyncio.Runner()
        self._stores: list[Store] = []
        self._hosts: list[tuple[asyncio.Event, asyncio.Task[None]]] = []

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Let this happen, and whatever goes on beside it."""
        return self._runner.run(work)

    async def kept(self, opening: Coroutine[Any, Any, T]) -> T:
        """A store, to be closed when the stage is cleared."""
        store = await opening
        self._stores.append(store)  # type: ignore[arg-type]  # stores have no common base but the protocol
        return store

    async def serve(self, store: Store) -> Host:
        """A host that is ready. Its bots think at once, and always alike."""
        host, ready, stop = Host(store, think=at_once, chance=Random(7)), asyncio.Event(), asyncio.Event()
        self._hosts.append((stop, asyncio.create_task(host.run(ready, stop))))
        await ready.wait()
        return host

    def clear(self) -> None:
        """End the hosts and close the stores; the folder stays."""
        self.do(self._clear())

    async def _clear(self) -> None:
        while self._hosts:
            stop, running = self._hosts.pop()
            stop.set()
            await running
        while self._stores:
            await self._stores.pop().close()

    def close(self) -> None:
        self.clear()
        self._runner.close()
        if not self._is_guest:
            shutil.rmtree(self.folder)
