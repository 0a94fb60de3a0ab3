"""An event loop without a clock, a socket or a thread: time is a number that jumps to whatever comes next.

One seed decides the order of whatever is ready at the same moment. Callbacks belong to the process in whose context
they were planned; those of a process that is paused or dead are held back, so that a process can be stopped between any
two steps of its tasks.
"""

import asyncio
from asyncio import events
from collections.abc import Callable, Coroutine
from contextvars import Context, ContextVar
from heapq import heappop, heappush
from random import Random
from typing import Any, TypeVar

T = TypeVar("T")

MOST_STEPS = 300_000  # callbacks in one world; more is a loop that never waits


class Stuck(Exception):
    """A world in which nothing will ever happen again, or which runs in circles."""


class Home:
    """Where callbacks run: a process that can be stopped. `held` is what waits for it to go on."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_running = True
        self.held: list[asyncio.Handle] = []


HOME: ContextVar[Home | None] = ContextVar("HOME", default=None)


class SimulatedLoop(asyncio.AbstractEventLoop):
    """Runs callbacks one by one, in an order that its seed decides; `is_shuffled`: in any order."""

    def __init__(self, rng: Random, *, is_shuffled: bool) -> None:
        self._rng = rng
        self._is_shuffled = is_shuffled
        self._now = 0.0
        self._ready: list[asyncio.Handle] = []
        self._later: list[tuple[float, float, int, asyncio.TimerHandle]] = []
        self._planned = 0
        self._is_closed = False
        self.tasks: list[tuple[asyncio.Task[Any], Home | None]] = []
        """Every task there ever was, and whose it is, so that none ends unseen."""
        self.faults: list[str] = []
        """What no task has taken care of."""
        self.homes: list[Home] = []
        self.steps = 0

    # time and order

    def time(self) -> float:
        return self._now

    def run_until(self, is_done: Callable[[], bool]) -> None:
        """One callback after the other; when nothing is ready, the time of the next one comes."""
        events._set_running_loop(self)
        try:
            while not is_done():
                if not self._ready and not self._advance():
                    raise Stuck("Everything waits, and nothing will ever happen.")
                self._step()
        finally:
            events._set_running_loop(None)

    def _step(self) -> None:
        handle = self._next_ready()
        if handle.cancelled():
            return
        home = handle._context.get(HOME)  # type: ignore[attr-defined]
        if home is not None and not home.is_running:
            home.held.append(handle)
            return
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise Stuck(f"More than {MOST_STEPS:,} steps: something runs in circles.")
        handle._run()

    def _next_ready(self) -> asyncio.Handle:
        ready = self._ready
        if self._is_shuffled and len(ready) > 1:
            chosen = int(self._rng.random() * len(ready))
            ready[0], ready[chosen] = ready[chosen], ready[0]
        return ready.pop(0)

    def _advance(self) -> bool:
        """Go to the next moment for which something is planned; whether there is one."""
        later = self._later
        while later and later[0][3].cancelled():
            heappop(later)
        if not later:
            return False
        self._now = max(self._now, later[0][0])
        while later and later[0][0] <= self._now:
            self._ready.append(heappop(later)[3])
        return True

    def home(self, name: str) -> tuple[Home, Context]:
        """A new process, and the context in which everything of it is planned."""
        home, context = Home(name), Context()
        context.run(HOME.set, home)
        self.homes.append(home)
        return home, context

    def release(self, home: Home) -> None:
        """A process goes on: whatever was held back is ready now."""
        home.is_running = True
        self._ready += home.held
        home.held = []

    def bury(self) -> None:
        """End whatever is left, the tasks of the dead as well, the youngest first. Nothing of it runs on."""
        self._is_closed = True
        for task, _ in reversed(self.tasks):
            task._log_destroy_pending = False
            if task.done():
                if not task.cancelled():
                    task.exception()
            else:
                _close(task.get_coro())
        self._ready, self._later = [], []

    # what asyncio asks of a loop

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self._now + delay, callback, *args, context=context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self._planned += 1
        first = self._rng.random() if self._is_shuffled else 0.0
        heappush(self._later, (when, first, self._planned, handle))
        return handle

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(  # type: ignore[override]
        self, work: Coroutine[Any, Any, T], *, name: object = None, context: Context | None = None
    ) -> asyncio.Task[T]:
        if self._is_closed:  # somebody who is being buried wants something done
            work.close()
            return self.create_future()  # type: ignore[return-value]
        task = asyncio.Task(work, loop=self, name="" if name is None else str(name), context=context)
        self.tasks.append((task, HOME.get() if context is None else context.get(HOME)))
        return task

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        self.faults.append(f"{context.get('message')}: {context.get('exception')!r}")

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return not self._is_closed

    def is_closed(self) -> bool:
        return self._is_closed

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Nothing: a timer that was cancelled is passed over when its time comes."""


def _close(work: Any) -> None:
    """Let a coroutine end where it stands; some want to wait for others even then."""
    for _ in range(10):
        try:
            work.close()
        except BaseException:  # whatever it says, it is dead
            if work.cr_frame is None:
                return
            continue
        return
    raise AssertionError(f"{work} cannot be buried")
