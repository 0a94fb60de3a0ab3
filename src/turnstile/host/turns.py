"""Who may think next. The bots of many tables share few threads: no player's bots keep those of others waiting."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """Lets `most` work at once, and `most_each` of one player. Who waits is let in by turns, player after player.

    So a short thought of one player need not wait for the long ones of another.
    """

    def __init__(self, most: int, most_each: int) -> None:
        self._free = most
        self._most_each = most_each
        self._at_work: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        """By player; the one that is let in next comes first."""

    @asynccontextmanager
    async def of(self, player: str) -> AsyncIterator[None]:
        """Do something within this context when it is this player's turn."""
        await self._enter(player)
        try:
            yield
        finally:
            self._leave(player)

    async def _enter(self, player: str) -> None:
        if self._free and self._may_work(player):
            return self._begin(player)
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(player, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was let in at this very moment
                self._leave(player)
            raise
        return None

    def _may_work(self, player: str) -> bool:
        return self._at_work[player] < self._most_each

    def _begin(self, player: str) -> None:
        self._free -= 1
        self._at_work[player] += 1

    def _leave(self, player: str) -> None:
        self._free += 1
        self._at_work[player] -= 1
        while (waiting := next(filter(self._may_work, self._waiting), None)) is not None:
            turn = self._take_first(waiting)
            if not turn.done():
                self._begin(waiting)
                return turn.set_result(None)
        self._at_work += Counter()  # forgets those who have nothing at work
        return None

    def _take_first(self, player: str) -> asyncio.Future[None]:
        """The turn that this player waits for first. All others are let in before its next one."""
        turns = self._waiting.pop(player)
        turn = turns.popleft()
        if turns:
            self._waiting[player] = turns
        return turn
