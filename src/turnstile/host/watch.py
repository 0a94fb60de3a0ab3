"""The clockwork of a host: it keeps the heart beating, and looks at every table that is due."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Raw

from turnstile.durable.alarm import Alarm
from turnstile.host.answers import TRY_AGAIN
from turnstile.host.live import Live
from turnstile.kernel.machine import Rejection
from turnstile.kernel.timers import Timer, next_timer
from turnstile.kernel.values import ByPlayer, Instant, LogId
from turnstile.table.clocks import ACKS
from turnstile.table.values import Ring

if TYPE_CHECKING:
    from turnstile.host.host import Host

BEAT_EVERY = 1.0  # seconds
LOOK_EVERY = 1.0  # seconds
CLAIM_AT_ONCE = 100  # tables
CLAIM_FOR = 5_000  # milliseconds
RETRY_AFTER = 1_000  # milliseconds until a timer rings again whose event the store could not take


class Watch:
    """The clockwork of one host. All time is the store's."""

    def __init__(self, host: "Host") -> None:
        self._host, self._store = host, host.store
        self.alarm: Alarm[LogId] = Alarm(host.store.now)

    async def keep_beating(self) -> None:
        while True:
            await asyncio.sleep(BEAT_EVERY)
            await self._host.unless_passing(self._host.heartbeat.beat())

    async def keep_looking(self) -> None:
        """Look at every table that is due, the earliest first. After a start that is also what a server left undone."""
        ahead = 0 if self._store.is_shared else CLAIM_FOR
        while True:
            looked = await self._host.unless_passing(self._look(ahead))
            if looked != CLAIM_AT_ONCE:
                ahead = 0
                await self.alarm.wait(LOOK_EVERY)

    async def _look(self, ahead: int) -> int:
        """Our own tables by our own plan; those of servers that may have died, as the store has them."""
        ours = self.alarm.take_due(CLAIM_AT_ONCE)
        found = await self._store.claim(Instant(self._store.now() + ahead), CLAIM_FOR, CLAIM_AT_ONCE)
        names = tuple(dict.fromkeys([*ours, *found]))
        answers = await asyncio.gather(*(self._host.do(name, self.ring) for name in names))
        for name, answer in zip(names, answers, strict=True):
            if isinstance(answer, Rejection) and answer.code in TRY_AGAIN:
                self.alarm.plan(name, Instant(self._store.now() + RETRY_AFTER))
        return len(found)

    async def ring(self, live: Live) -> None:
        """Let every timer of the table that has run out ring, in order. Who has acknowledged by then is not away."""
        while (timer := next_timer(live.state.timers)) and timer.due <= await self._host.heartbeat.now():
            if timer.name == ACKS and self._store.is_shared:
                await live.save_cursors()  # and learn of those that others have
            if await live.take(partial(_ring, live, timer)):
                return
            self._host.counts["rung"] += 1


def _ring(live: Live, timer: Timer[Raw], now: Instant) -> Ring:
    """A timer has run out; where acknowledgements were waited for, who has given them."""
    return Ring(now, timer.name, timer.due, live.heard() if timer.name == ACKS else ByPlayer())
