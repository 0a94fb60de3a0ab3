"""The heartbeat of a host: it tells the store that a server is here, and learns of the times in which none was.

Events are dated by `Heartbeat.now`, never by the store's clock itself. That clock may have jumped, or this process may
have stood still, since the last beat: only a beat finds out, and what it finds is given back before anything else.
"""

from turnstile.kernel.values import Instant
from turnstile.store.protocol import Outage, Store

COVERED = 2_500
"""Milliseconds after a beat in which no outage can have ended.

They are fewer than `OUTAGE_AFTER`, because the clocks of two processes on one store may differ a little.
"""


class Heartbeat:
    """The beats of one host, and the outages it knows of. All time is the store's."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._beaten = Instant(0)
        """What the clock said before the newest beat that is known to be durable."""
        self._last_outage = Instant(0)
        """The end of the last outage that this host knows of. It knows all that began before `_beaten`."""

    async def beat(self) -> None:
        """Tell the store that a server is here; learn of the outages that any server has found since the last beat."""
        began = self._store.now()
        found = await self._store.beat()
        if found or not self._is_covered(self._store.now()):
            ends = [outage.end for outage in await self._store.outages(self._last_outage)]
            self._last_outage = max([self._last_outage, *ends])
        self._beaten = max(self._beaten, began)

    async def now(self) -> Instant:
        """The time at which something happens: the newest reading of the clock that a durable beat covers.

        If the clock jumps once more during the beat, or if the beat takes too long, that is the reading before the
        beat. No outage that ended by then is unknown.
        """
        reading = self._store.now()
        if self._is_covered(reading):
            return reading
        await self.beat()
        reading = self._store.now()
        return reading if self._is_covered(reading) else self._beaten

    def _is_covered(self, reading: Instant) -> bool:
        return reading - self._beaten <= COVERED

    def is_current(self, since: Instant) -> bool:
        """Whether no time can have been lost since then: the clock is covered, and no later outage is known."""
        return since >= self._last_outage and self._is_covered(self._store.now())

    async def lost(self, since: Instant, until: Instant) -> int:
        """Milliseconds between two instants in which no server was there."""
        if since >= self._last_outage:
            return 0
        return sum(_overlap(outage, since, until) for outage in await self._store.outages(since))


def _overlap(outage: Outage, since: Instant, until: Instant) -> int:
    return max(0, min(outage.end, until) - max(outage.start, since))
