"""Calls in order: to each recipient one after the other, to all of them side by side."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

Call = Callable[[], Coroutine[Any, Any, None]]
MOST_WAITING = 64  # calls for one recipient; one that is so slow counts as one that cannot be reached


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
