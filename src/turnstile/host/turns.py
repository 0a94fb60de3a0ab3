"""Who may think next. The bots of many tables share few threads: no player's bots keep those of others waiting."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """Lets `most` work at once. Who waits is let in by turns: each player's first, then each player's second."""

    def __init__(self, most: int) -> None:
        self._free = most
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        """By player; the one that is let in next comes first."""

    @asynccontextmanager
    async def of(self, player: str) -> AsyncIterator[None]:
        """Do something within this context when it is this player's turn."""
        await self._enter(player)
        try:
            yield
        finally:
            self._leave()

    async def _enter(self, player: str) -> None:
        if self._free:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(player, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was let in at this very moment
                self._leave()
            raise

    def _leave(self) -> None:
        while self._waiting:
            player, turns = self._waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                self._waiting[player] = turns
            if not turn.done():
                return turn.set_result(None)
        self._free += 1
        return None
