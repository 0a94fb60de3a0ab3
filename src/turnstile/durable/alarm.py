"""The clock of a process: which of its machines is due next."""

import asyncio
from collections.abc import Callable, Hashable
from contextlib import suppress
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Generic, TypeVar

from turnstile.kernel.values import Instant

K = TypeVar("K", bound=Hashable)

FEW = 1_000  # plans that have changed since, and are kept until there are more


class Alarm(Generic[K]):
    """When each key is due. A key has one plan: the latest counts."""

    def __init__(self, now: Callable[[], Instant]) -> None:
        self._now = now
        self._heap: list[tuple[Instant, int, K]] = []
        self._planned: dict[K, Instant] = {}
        self._number = count()
        self._sooner = asyncio.Event()

    def plan(self, key: K, due: Instant | None) -> None:
        """The key is due then, and at no time that was planned before."""
        if due == self._planned.get(key):
            return
        if due is None:
            del self._planned[key]
            return
        self._planned[key] = due
        heappush(self._heap, (due, next(self._number), key))
        if self._heap[0][2] is key:
            self._sooner.set()
        if len(self._heap) > 2 * len(self._planned) + FEW:
            self._heap = [(due, next(self._number), key) for key, due in self._planned.items()]
            heapify(self._heap)

    def take_due(self, most: int | None = None) -> list[K]:
        """The keys that are due now, the earliest first; they have no plan any more."""
        now, keys = self._now(), list[K]()
        while self._heap and self._heap[0][0] <= now and (most is None or len(keys) < most):
            due, _, key = heappop(self._heap)
            if self._planned.get(key) == due:
                del self._planned[key]
                keys.append(key)
        return keys

    async def wait(self, longest: float | None = None) -> None:
        """Wait until a key is due, or is planned to be due sooner, or until so many seconds have passed."""
        self._sooner.clear()
        seconds = longest
        if self._heap:
            until_due = max(0, self._heap[0][0] - self._now()) / 1000
            seconds = until_due if longest is None else min(longest, until_due)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._sooner.wait()
