"""Rate limits: a token bucket for each client."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

Seconds = Callable[[], float]
"""A clock that only goes forward."""


class Quota:
    """`burst` requests at once, then `rate` a second, for each key. It forgets the least recently used keys."""

    __slots__ = ("_buckets", "burst", "clock", "most_keys", "rate")

    def __init__(self, rate: float, burst: float, clock: Seconds = time.monotonic, most_keys: int = 10_000) -> None:
        self.rate = rate
        self.burst = burst
        self.clock = clock
        self.most_keys = most_keys
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def wait_of(self, key: Hashable) -> float:
        """Take a token for `key`. Returns 0 if there was one, else the seconds until there will be one."""
        now = self.clock()
        held, since = self._buckets.pop(key, (self.burst, now))
        held = min(self.burst, held + (now - since) * self.rate)
        wait = 0.0 if held >= 1 else (1 - held) / self.rate
        self._buckets[key] = (held if wait else held - 1, now)
        if len(self._buckets) > self.most_keys:
            self._buckets.popitem(last=False)
        return wait
