"""A host's sense of time: it says that it is here, notices when nobody was, and sees to whatever is due."""

import asyncio
from functools import partial
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from turnstile.host.live import Live
from turnstile.store.log import Instant
from turnstile.table.clocks import next_timer
from turnstile.table.values import Resume, Ring

if TYPE_CHECKING:
    from turnstile.host.host import Host

BEAT_EVERY = 1.0  # seconds
LOOK_EVERY = 1.0  # seconds
SILENT_TOO_LONG = 2_500  # milliseconds without a beat, after which a host asks whether there was an outage
CLAIM_AT_ONCE = 100  # tables
CLAIM_FOR = 5_000  # milliseconds


class Watch:
    """The clockwork of one host. All time is the store's."""

    def __init__(self, host: "Host") -> None:
        self._host, self._store = host, host.store
        self._beaten = Instant(0)
        self._last_outage = Instant(0)
        self._dues: list[Instant] = []
        self._sooner = asyncio.Event()

    # outages

    async def keep_beating(self) -> None:
        while True:
            await asyncio.sleep(BEAT_EVERY)
            await self._host.unless_passing(self.beat())

    async def beat(self) -> None:
        """Say that a server is here; where nobody said so for a while, learn of the outage."""
        began = self._store.now()
        outage = await self._store.beat()
        if outage or began - self._beaten > SILENT_TOO_LONG:
            ends = [outage.end for outage in await self._store.outages(self._last_outage)]
            self._last_outage = max([self._last_outage, *ends])
        self._beaten = began

    async def resume(self, live: Live) -> None:
        """No deadline counts the time in which no server was there."""
        if self._store.now() - self._beaten > SILENT_TOO_LONG:
            await self.beat()
        if live.state.now >= self._last_outage or not live.state.timers:
            return
        outages = await self._store.outages(live.state.now)

        def resumed(now: Instant) -> Resume | None:
            """What was lost since the table's last event; nothing, once another process has said so."""
            lost = sum(max(0, outage.end - max(outage.start, live.state.now)) for outage in outages)
            return Resume(now, lost) if lost else None

        self._host.counts["resumed"] += 1
        await live.take(resumed)

    # deadlines

    def plan(self, due: Instant) -> None:
        """Something is due then."""
        heappush(self._dues, due)
        if self._dues[0] == due:
            self._sooner.set()

    async def keep_looking(self) -> None:
        """Whatever is due is looked at, the earliest first. After a start that is also what some server left undone."""
        ahead = 0 if self._store.is_shared else CLAIM_FOR
        while True:
            looked = await self._host.unless_passing(self._look(ahead))
            if looked != CLAIM_AT_ONCE:
                ahead = 0
                await self._until_due()

    async def _look(self, ahead: int) -> int:
        until = Instant(self._store.now() + ahead)
        names = await self._store.claim(until, CLAIM_FOR, CLAIM_AT_ONCE)
        await asyncio.gather(*(self._host.at(name, self.ring) for name in names))
        return len(names)

    async def ring(self, live: Live) -> None:
        """Every timer of the table that has run out, in order."""
        while (timer := next_timer(live.state)) and timer.due <= self._store.now():
            if await live.take(partial(Ring, timer=timer.name, due=timer.due)):
                return
            self._host.counts["rung"] += 1

    async def _until_due(self) -> None:
        now = self._store.now()
        while self._dues and self._dues[0] <= now:
            heappop(self._dues)
        seconds = min(LOOK_EVERY, (self._dues[0] - now) / 1000) if self._dues else LOOK_EVERY
        self._sooner.clear()
        try:
            await asyncio.wait_for(self._sooner.wait(), seconds)
        except TimeoutError:
            return
