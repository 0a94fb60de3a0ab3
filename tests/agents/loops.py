"""A loop whose clock a test can set forth, so that whatever waits for a time need not be waited for."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

LONGEST = 60.0  # seconds, for a machine that has much else to do


class Loop(asyncio.SelectorEventLoop):
    """Its clock can be set forth; then all that waits for a time goes on at once."""

    ahead = 0.0
    limit: asyncio.Timeout

    def time(self) -> float:
        return super().time() + self.ahead


def current() -> Loop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, Loop)
    return loop


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run it to its end; what hangs fails."""

    async def bounded() -> T:
        async with asyncio.timeout(LONGEST) as limit:
            loop.limit = limit
            return await work

    loop = Loop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(bounded())


def pass_time(seconds: float) -> None:
    """Let time pass at once, for everybody but the test itself."""
    current().ahead += seconds
    be_patient(seconds)


def be_patient(seconds: float) -> None:
    """Let the test take so much longer before it fails."""
    limit = current().limit
    limit.reschedule((limit.when() or 0.0) + seconds)


async def hurry(work: Coroutine[Any, Any, T], seconds: float) -> T:
    """Do it, and let so many seconds pass at once, again and again, until it is done."""
    task = asyncio.ensure_future(work)
    while not task.done():
        await asyncio.sleep(0.01)
        pass_time(seconds)
    return await task


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that nobody announces; others go on meanwhile."""
    while not condition():
        await asyncio.sleep(0.001)
