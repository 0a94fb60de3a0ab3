"""The database's clock, read here: between two looks at it the local monotonic clock counts on."""

from collections.abc import Callable

from turnstile.store.log import Instant


class DatabaseClock:
    """Milliseconds since 1970 by the database. `monotonic` gives seconds; it may begin anywhere."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._ahead: float | None = None
        self._latest = Instant(0)

    def reading(self) -> float:
        """The local clock, in milliseconds, for `learn`."""
        return self._monotonic() * 1000

    def learn(self, asked: float, database: float, answered: float) -> None:
        """The database said `database` between two readings: we are set right as far as that proves us wrong."""
        least, most = database - answered, database - asked
        ahead = (least + most) / 2 if self._ahead is None else self._ahead
        self._ahead = min(max(ahead, least), most)

    def now(self) -> Instant:
        """The time. Where it was ahead of the database it waits, it does not go back."""
        assert self._ahead is not None, "nobody has asked the database yet"
        self._latest = Instant(max(self._latest, int(self.reading() + self._ahead)))
        return self._latest
