"""The live machines of a process: loaded from their logs when they are wanted, forgotten when nothing needs them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, Protocol, TypeVar
from weakref import WeakValueDictionary

from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import LogId

MOST_LIVE = 10_000  # machines in memory, where some of them are idle


class MayBeIdle(Protocol):
    @property
    def is_idle(self) -> bool:
        """Whether the machine can be forgotten: it is loaded again when it is wanted."""


L = TypeVar("L", bound=MayBeIdle)


class Room(Generic[L]):
    """At most one live machine for each log."""

    def __init__(self, load: Callable[[LogId], Awaitable[L | Rejection]]) -> None:
        self.live: dict[LogId, L] = {}
        self._load = load
        self._loading: WeakValueDictionary[LogId, asyncio.Lock] = WeakValueDictionary()

    async def find(self, name: LogId) -> L | Rejection:
        """The machine, or why it cannot be had. However many requests want it, it is loaded once."""
        if live := self.live.get(name):
            return live
        lock = self._loading.setdefault(name, asyncio.Lock())
        async with lock:
            return self.live.get(name) or await self._enter(name)

    async def _enter(self, name: LogId) -> L | Rejection:
        live = await self._load(name)
        if not isinstance(live, Rejection):
            if len(self.live) >= MOST_LIVE:
                self.forget_idle()
            self.live[name] = live
        return live

    def forget_idle(self) -> None:
        """Make room for others."""
        for name in [name for name, live in self.live.items() if live.is_idle]:
            del self.live[name]
