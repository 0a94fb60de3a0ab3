"""The order of calls: one after the other to each recipient, concurrently to different recipients.

`Outbox` waits for the answer before the next call; `Turns` waits only until the call has been written.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

MakeCall = Callable[[], Coroutine[Any, Any, None]]
MOST_WAITING = 64  # calls for one recipient; beyond that it counts as unreachable
LONGEST_TURN = 1.0  # seconds that a call which cannot be written delays the next


class Outbox:
    """A queue of calls for each recipient. A slow recipient does not delay the others."""

    def __init__(self, start: Callable[[Coroutine[Any, Any, None]], object]) -> None:
        self._start = start
        self._queues: dict[str, deque[MakeCall]] = {}
        self._emptied = asyncio.Event()

    def put(self, to: str, call: MakeCall) -> bool:
        """Makes a call when those before it are done. `False` if too many wait: the call is not made."""
        queue = self._queues.get(to)
        if queue is None:
            self._queues[to] = deque([call])
            self._start(self._make_calls(to))
        elif len(queue) < MOST_WAITING:
            queue.append(call)
        else:
            return False
        return True

    async def _make_calls(self, to: str) -> None:
        queue = self._queues[to]
        try:
            while queue:
                await queue.popleft()()
        finally:
            del self._queues[to]
            self._emptied.set()

    async def empty(self) -> None:
        """Waits until all calls are done."""
        while self._queues:
            self._emptied.clear()
            await self._emptied.wait()


class Turn:
    """Lets a call go out when the one before it to the same recipient has been written, or has failed."""

    def __init__(self, before: "Turn | None", longest: float) -> None:
        self._before = before
        self._longest = longest
        self._passed = asyncio.Event()

    async def come(self) -> None:
        """Waits for the turn, but only for a limited time: a call that cannot be written does not block the next."""
        before, self._before = self._before, None
        if before is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._longest):
                    await before._passed.wait()

    def pass_on(self) -> None:
        self._passed.set()


class Turns:
    """Lets calls go out in the order in which they were decided, without waiting for answers."""

    def __init__(self, longest: float = LONGEST_TURN) -> None:
        self._longest = longest
        self._latest: dict[str, Turn] = {}

    def take(self, to: str) -> Turn:
        turn = self._latest[to] = Turn(self._latest.get(to), self._longest)
        return turn
