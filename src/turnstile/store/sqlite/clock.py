"""The clock of a store that one process has for itself: it starts where the wall clock stands, then only counts on.

While the process runs, changes of the wall clock have no effect. Between two runs, a clock set forward looks like an
outage; a clock set back is an error, unless it is so little that starting from the old time does no harm.
"""

from collections.abc import Callable
from datetime import UTC, datetime

from turnstile.kernel.values import Instant
from turnstile.store.protocol import CannotOpen

LAG_ALLOWED = 5 * 60_000
"""Milliseconds by which the wall clock may be behind the newest time in the store."""


class Clock:
    """Milliseconds since 1970. `wall` and `monotonic` give nanoseconds; `wall` is read once."""

    def __init__(self, newest: Instant, wall: Callable[[], int], monotonic: Callable[[], int]) -> None:
        start = wall() // 1_000_000
        if start < newest - LAG_ALLOWED:
            raise CannotOpen(
                f"The clock says {_readable(start)}, but something was written at {_readable(newest)}: "
                "set the clock right and start again."
            )
        self._start = max(start, newest)
        self._monotonic = monotonic
        self._started = monotonic()

    def now(self) -> Instant:
        return Instant(self._start + (self._monotonic() - self._started) // 1_000_000)


def _readable(instant: int) -> str:
    return datetime.fromtimestamp(instant // 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
