"""Calls in order: to each recipient one after the other, to all of them side by side.

`Outbox` waits for the answer before the next call; `Turns` only until the call has been written.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

Call = Callable[[], Coroutine[Any, Any, None]]
MOST_WAITING = 64  # calls for one recipient; one that is so slow counts as one that cannot be reached
LONGEST_TURN = 1.0  # seconds for which a call that cannot be written holds up the next


class Outbox:
    """A line of calls for each recipient. A slow one slows nobody else."""

    def __init__(self, start: Callable[[Coroutine[Any, Any, None]], object]) -> None:
        self._start = start
        self._lines: dict[str, deque[Call]] = {}
        self._emptied = asyncio.Event()

    def put(self, to: str, call: Call) -> bool:
        """Make a call when those before it are done; `False` where too many wait, and the call is not made."""
        line = self._lines.get(to)
        if line is None:
            self._lines[to] = deque([call])
            self._start(self._work_off(to))
        elif len(line) < MOST_WAITING:
            line.append(call)
        else:
            return False
        return True

    async def _work_off(self, to: str) -> None:
        line = self._lines[to]
        try:
            while line:
                await line.popleft()()
        finally:
            del self._lines[to]
            self._emptied.set()

    async def empty(self) -> None:
        """Wait until nothing is under way."""
        while self._lines:
            self._emptied.clear()
            await self._emptied.wait()


class Turn:
    """When a call may go out: as soon as the one before it to the same recipient has been written, or has failed."""

    def __init__(self, before: "Turn | None", longest: float) -> None:
        self._before = before
        self._longest = longest
        self._passed = asyncio.Event()

    async def come(self) -> None:
        """Wait for it, and not for long: what cannot be written soon does not keep the next from being tried."""
        before, self._before = self._before, None
        if before is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._longest):
                    await before._passed.wait()

    def pass_on(self) -> None:
        self._passed.set()


class Turns:
    """Calls that go out in the order in which they were decided on, though nobody waits for an answer."""

    def __init__(self, longest: float = LONGEST_TURN) -> None:
        self._longest = longest
        self._latest: dict[str, Turn] = {}

    def take(self, to: str) -> Turn:
        turn = self._latest[to] = Turn(self._latest.get(to), self._longest)
        return turn
