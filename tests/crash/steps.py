"""A store that dies while it does the steps of a scenario."""

import asyncio
from collections.abc import Sequence

from tests.crash.dying import DONE, STOPPED, Disk, Say, run
from tests.crash.judging import Right, Time, Wrong, contents, judge, right
from tests.crash.scenarios import Step
from turnstile.store.protocol import Broken, CannotOpen, StorageFull
from turnstile.store.sqlite import SqliteStore


class Steps:
    """The steps of one scenario, and what is right about them."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps
        self._right: Right = asyncio.run(right(steps))

    def crash(self, disk: Disk, times: int) -> bool:
        """Crash so often, and look at what is left; whether the moment came too late. Raises `Wrong`."""
        answers, is_through = self._crash(disk, times)
        asyncio.run(judge(self._steps, self._right, answers, disk.path))
        return is_through

    def _crash(self, disk: Disk, times: int) -> tuple[list[str], bool]:
        """Let processes go on with the steps, each where the one before died, and die at the same moment of it."""
        answers: list[str] = []
        for time in range(times):
            start = len(answers)
            more, ended, is_through = run(lambda say, start=start: self._act(start, disk, say), disk)  # type: ignore[misc]
            if time > 0 and more:  # what the one before was at may have been done: the answer then is another
                more[0] = self._right.answers[start]
            answers += more
            if ended == DONE:
                return answers, time == 0 and is_through
        return answers, False

    async def _act(self, start: int, disk: Disk, say: Say) -> int:
        time = Time()
        time.step(start)
        try:
            store = await disk.store(time)
            for number in range(start, len(self._steps)):
                time.step(number)
                say(repr(await _insist(self._steps[number], store)))
            await store.close()
        except CannotOpen:
            return STOPPED
        except Broken:
            await _require_broken(store, self._steps[0])
            return STOPPED
        return DONE


async def _insist(step: Step, store: SqliteStore) -> object:
    """The answer, once there is room for it. While there is none, reading goes on."""
    while True:
        try:
            return await step(store)
        except StorageFull:
            await contents(store)


async def _require_broken(store: SqliteStore, step: Step) -> None:
    """A store that is broken stays so: it neither writes nor reads."""
    for attempt in (step(store), contents(store)):
        try:
            await attempt
        except Broken:
            continue
        raise Wrong("a broken store went on")
