"""The database's clock, as this process knows it: between two readings, the local monotonic clock counts on."""

from collections.abc import Callable

from turnstile.kernel.values import Instant


class DatabaseClock:
    """Milliseconds since 1970 by the database. `monotonic` gives nanoseconds from any starting point."""

    def __init__(self, monotonic: Callable[[], int]) -> None:
        self._monotonic = monotonic
        self._ahead: int | None = None
        self._latest = Instant(0)

    def reading(self) -> int:
        """The local clock, in microseconds, for `learn`."""
        return self._monotonic() // 1000

    def learn(self, asked: int, database: int, answered: int) -> None:
        """The database's clock showed `database` between two local readings: correct ours as far as that proves."""
        least, most = database - answered, database - asked
        ahead = (least + most) // 2 if self._ahead is None else self._ahead
        self._ahead = min(max(ahead, least), most)

    def now(self) -> Instant:
        """The time. If it was ahead of the database, it stands still instead of going back."""
        assert self._ahead is not None, "`learn` comes first"
        self._latest = Instant(max(self._latest, (self.reading() + self._ahead) // 1000))
        return self._latest
