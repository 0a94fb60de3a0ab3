"""How long to wait before connecting again. The hundred of a close code says what to do, so that unknown ones work."""

from random import Random

FIRST = 0.25  # seconds
LONGEST = 10.0
TOO_LARGE = 1009


def is_final(code: int) -> bool:
    """Whether connecting again would not help: 40xx, and a frame that was too large."""
    return code // 100 == 40 or code == TOO_LARGE


def is_at_once(code: int) -> bool:
    """Whether to connect again at once: 42xx."""
    return code // 100 == 42


class Backoff:
    """Waits with full jitter: a random part of a limit that doubles with each failure."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self.failures = 0

    def reset(self) -> None:
        """A connection has worked."""
        self.failures = 0

    def seconds(self, code: int, at_least: float = 0.0) -> float:
        """How long to wait after a connection that ended with this code; a second 42xx in a row waits, too."""
        if is_at_once(code) and self.failures == 0:
            self.failures = 1
            return 0.0
        limit = min(LONGEST, FIRST * 2**self.failures)
        self.failures = min(self.failures + 1, 10)
        return at_least + self._chance.uniform(0.0, limit)
