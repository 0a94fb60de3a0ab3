"""Requests to PostgreSQL in groups: requests that arrive while one group is under way form the next.

A group of any size costs a round trip or two. A request that arrives alone is sent at once.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Generic, NamedTuple, TypeVar

import asyncpg

from turnstile.store.postgres.connections import Connections
from turnstile.store.postgres.faults import ERRORS, fault_of, is_lost
from turnstile.store.protocol import Busy, StoreFault

GROUP = 100
"""The most requests in one group."""

QUEUE = 10_000
"""The most requests that may wait. Further ones fail with `Busy`."""

Asked = TypeVar("Asked")
Found = TypeVar("Found")

AskAll = Callable[[asyncpg.Connection, Sequence[Asked]], Awaitable[Sequence[Found]]]
"""Asks the database for several things at once. The answers are in the order of the requests."""


class _Waiting(NamedTuple, Generic[Asked, Found]):
    asked: Asked
    answer: asyncio.Future[Found]


class Groups(Generic[Asked, Found]):
    """Requests of one kind. They may be sent twice: when a connection breaks, the group is sent on another."""

    def __init__(self, connections: Connections, ask_all: AskAll[Asked, Found]) -> None:
        self._connections = connections
        self._ask_all = ask_all
        self._queue: deque[_Waiting[Asked, Found]] = deque()
        self._running: asyncio.Task[None] | None = None

    async def ask(self, asked: Asked) -> Found:
        """The answer to one request. If its caller is cancelled before it is sent, it is left off."""
        if len(self._queue) >= QUEUE:
            raise Busy("Too many requests are waiting for PostgreSQL.")
        waiting = _Waiting[Asked, Found](asked, asyncio.get_running_loop().create_future())
        self._queue.append(waiting)
        if self._running is None:
            self._running = asyncio.create_task(self._send_all())
        return await waiting.answer

    async def close(self) -> None:
        """Send all waiting requests."""
        while self._running is not None:
            await asyncio.wait((self._running,))

    async def _send_all(self) -> None:
        group: list[_Waiting[Asked, Found]] = []
        try:
            while self._queue:
                group = [self._queue.popleft() for _ in range(min(GROUP, len(self._queue)))]
                await self._connections.run(partial(self._answer, group=group))
        except Exception as error:  # passed to the waiting callers: the database is away for all of them
            for waiting in (*group, *self._queue):
                _settle(
                    waiting, error if isinstance(error, StoreFault) else StoreFault(f"A request failed: {error!r}.")
                )
            self._queue.clear()
            if not isinstance(error, StoreFault):
                raise
        finally:
            self._running = None

    async def _answer(self, connection: asyncpg.Connection, group: Sequence[_Waiting[Asked, Found]]) -> None:
        """Answer a group. While it waited for the connection, callers may have left."""
        wanted = [waiting for waiting in group if not waiting.answer.done()]
        answers = await self._send(connection, [waiting.asked for waiting in wanted]) if wanted else ()
        for waiting, answer in zip(wanted, answers, strict=True):
            _settle(waiting, answer)

    async def _send(self, connection: asyncpg.Connection, asked: Sequence[Asked]) -> Sequence[Found | Exception]:
        """The answers to a group. If the database refuses it, send each request alone, so that only one fails."""
        try:
            return await self._ask_all(connection, asked)
        except UnicodeDecodeError as error:
            if len(asked) == 1:
                return [error]
        except ERRORS as error:
            if is_lost(connection, error):
                raise
            if len(asked) == 1:
                return [fault_of(error)]
        return [answer for one in asked for answer in await self._send(connection, [one])]


def _settle(waiting: _Waiting[Asked, Found], answer: Found | Exception) -> None:
    if waiting.answer.done():  # its caller was cancelled
        return
    if isinstance(answer, Exception):
        waiting.answer.set_exception(answer)
    else:
        waiting.answer.set_result(answer)
