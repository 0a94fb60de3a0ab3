"""How many HTTP connections one address may have at once: one that holds them open must not keep all others out."""

from collections import Counter
from collections.abc import Callable

from turnstile.net.subscribers import subscriber_of


class Crowd:
    """The connections of each address, of IPv6 of each network. One that becomes a WebSocket has left it."""

    def __init__(self, most: int, turn_away: Callable[[], bytes], is_exempt: Callable[[str], bool]) -> None:
        """`turn_away`: what one connection too many is told.

        `is_exempt`: whether an address, such as that of a proxy, may have any number.
        """
        self.turn_away = turn_away
        self._most = most
        self._is_exempt = is_exempt
        self._count: Counter[str] = Counter()

    def enter(self, address: str) -> bool:
        """Count one connection more, unless there are too many."""
        subscriber = subscriber_of(address)
        if self._count[subscriber] >= self._most and not self._is_exempt(address):
            return False
        self._count[subscriber] += 1
        return True

    def leave(self, address: str) -> None:
        subscriber = subscriber_of(address)
        self._count[subscriber] -= 1
        if not self._count[subscriber]:
            del self._count[subscriber]
