"""The database's clock, read here: between two looks at it the local monotonic clock counts on. No other is asked."""

from collections.abc import Callable

from turnstile.kernel.values import Instant


class DatabaseClock:
    """Milliseconds since 1970 by the database. `monotonic` gives nanoseconds; it may begin anywhere."""

    def __init__(self, monotonic: Callable[[], int]) -> None:
        self._monotonic = monotonic
        self._ahead: int | None = None
        self._latest = Instant(0)

    def reading(self) -> int:
        """The local clock, in microseconds, for `learn`."""
        return self._monotonic() // 1000

    def learn(self, asked: int, database: int, answered: int) -> None:
        """The database said `database` between two readings: we are set right as far as that proves us wrong."""
        least, most = database - answered, database - asked
        ahead = (least + most) // 2 if self._ahead is None else self._ahead
        self._ahead = min(max(ahead, least), most)

    def now(self) -> Instant:
        """The time. Where it was ahead of the database it waits, it does not go back."""
        assert self._ahead is not None, "nobody has asked the database yet"
        self._latest = Instant(max(self._latest, (self.reading() + self._ahead) // 1000))
        return self._latest
