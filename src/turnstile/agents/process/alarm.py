"""The one clock of an agent: it wakes whichever machine has a timer that runs out next."""

import asyncio
import heapq
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Generic, TypeVar

K = TypeVar("K")


class Alarm(Generic[K]):
    """Wakes keys at their instants. `due_of` says when a key is due now, if at all: what was set is only a hint."""

    def __init__(
        self,
        now: Callable[[], int],
        due_of: Callable[[K], int | None],
        wake: Callable[[K], Awaitable[None]],
    ) -> None:
        """`now` gives milliseconds."""
        self._now = now
        self._due_of = due_of
        self._wake = wake
        self._heap: list[tuple[int, int, K]] = []
        self._set: dict[K, int] = {}
        """For when a key was set last: what is set again for the same instant rings once."""
        self._number = count()
        self._changed = asyncio.Event()

    def set(self, key: K) -> None:
        """Something about this key may have changed."""
        due = self._due_of(key)
        if due is not None and self._set.get(key) != due:
            self._set[key] = due
            heapq.heappush(self._heap, (due, next(self._number), key))
            self._changed.set()

    async def run(self) -> None:
        """Wake everyone in time, until cancelled."""
        while True:
            self._changed.clear()
            while self._heap and self._heap[0][0] <= self._now():
                due, _, key = heapq.heappop(self._heap)
                if self._set.get(key) == due:
                    del self._set[key]
                await self._ring(key)
            wait = (self._heap[0][0] - self._now()) / 1000 if self._heap else None
            try:
                async with asyncio.timeout(None if wait is None else max(0.0, wait)):
                    await self._changed.wait()
            except TimeoutError:
                continue

    async def _ring(self, key: K) -> None:
        due = self._due_of(key)
        if due is not None and due <= self._now():
            await self._wake(key)
