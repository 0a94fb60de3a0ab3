"""The clockwork of a host: it keeps the heart beating, and looks at every table that is due."""

import asyncio
from functools import partial
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from turnstile.host.live import Live
from turnstile.kernel.values import ByPlayer, Instant, LogId
from turnstile.table.clocks import ACKS, next_timer
from turnstile.table.values import Ring, Timer

if TYPE_CHECKING:
    from turnstile.host.host import Host

BEAT_EVERY = 1.0  # seconds
LOOK_EVERY = 1.0  # seconds
CLAIM_AT_ONCE = 100  # tables
CLAIM_FOR = 5_000  # milliseconds
FEW = 1_000  # plans that were changed since, and are kept until there are more


class Watch:
    """The clockwork of one host. All time is the store's."""

    def __init__(self, host: "Host") -> None:
        self._host, self._store = host, host.store
        self._dues: list[tuple[Instant, LogId]] = []
        self._planned: dict[LogId, Instant] = {}
        self._sooner = asyncio.Event()

    async def keep_beating(self) -> None:
        while True:
            await asyncio.sleep(BEAT_EVERY)
            await self._host.unless_passing(self._host.heartbeat.beat())

    def plan(self, name: LogId, due: Instant | None) -> None:
        """The table is due then, and no more at any time that was planned before."""
        if due == self._planned.get(name):
            return
        if due is None:
            del self._planned[name]
            return
        self._planned[name] = due
        heappush(self._dues, (due, name))
        if self._dues[0] == (due, name):
            self._sooner.set()
        if len(self._dues) > 2 * len(self._planned) + FEW:
            self._dues = sorted((due, name) for name, due in self._planned.items())

    async def keep_looking(self) -> None:
        """Whatever is due is looked at, the earliest first. After a start that is also what some server left undone."""
        ahead = 0 if self._store.is_shared else CLAIM_FOR
        while True:
            looked = await self._host.unless_passing(self._look(ahead))
            if looked != CLAIM_AT_ONCE:
                ahead = 0
                await self._until_due()

    async def _look(self, ahead: int) -> int:
        """Our own tables by our own plan; those of servers that may have died, as the store has them."""
        now = self._store.now()
        ours = self._due_now(now)
        found = await self._store.claim(Instant(now + ahead), CLAIM_FOR, CLAIM_AT_ONCE)
        await asyncio.gather(*(self._host.do(name, self.ring) for name in dict.fromkeys([*ours, *found])))
        return len(found)

    def _due_now(self, now: Instant) -> list[LogId]:
        """Tables of ours that are due, the earliest first, and so many at once that others have their turn."""
        names: list[LogId] = []
        while self._dues and self._dues[0][0] <= now and len(names) < CLAIM_AT_ONCE:
            due, name = heappop(self._dues)
            if self._planned.get(name) == due:
                del self._planned[name]
                names.append(name)
        return names

    async def ring(self, live: Live) -> None:
        """Every timer of the table that has run out, in order; who has acknowledged by then is not away."""
        while (timer := next_timer(live.state)) and timer.due <= await self._host.heartbeat.now():
            if timer.name == ACKS and self._store.is_shared:
                await live.save_cursors()  # and learn of those that others have
            if await live.take(partial(_ring, live, timer)):
                return
            self._host.counts["rung"] += 1

    async def _until_due(self) -> None:
        self._sooner.clear()
        now = self._store.now()
        seconds = min(LOOK_EVERY, max(0, self._dues[0][0] - now) / 1000) if self._dues else LOOK_EVERY
        try:
            await asyncio.wait_for(self._sooner.wait(), seconds)
        except TimeoutError:
            return


def _ring(live: Live, timer: Timer, now: Instant) -> Ring:
    """A timer has run out; where acknowledgements were waited for, who has given them."""
    return Ring(now, timer.name, timer.due, live.heard() if timer.name == ACKS else ByPlayer())
