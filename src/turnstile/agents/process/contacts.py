"""Who answers and who does not: what came of the latest call to each agent."""

from collections.abc import Callable

import msgspec

Now = Callable[[], int]


class Contact(msgspec.Struct, frozen=True, gc=False):
    """One agent, as its calls went."""

    last_heard: int | None = None
    """When it last answered, in milliseconds."""
    failures: int = 0
    """Calls in a row that it has not answered."""
    refusal: str | None = None
    """What a referee has answered when it was last told its matches, if it refused them."""


class Contacts:
    """All agents that were called. There are as many as have registered, so it stays small."""

    def __init__(self, now: Now) -> None:
        self._now = now
        self._known: dict[str, Contact] = {}

    def __getitem__(self, address: str) -> Contact:
        return self._known.get(address, Contact())

    def answered(self, address: str) -> None:
        self._known[address] = Contact(last_heard=self._now(), refusal=self[address].refusal)

    def failed(self, address: str) -> None:
        before = self[address]
        self._known[address] = Contact(before.last_heard, before.failures + 1, before.refusal)

    def refused(self, address: str, refusal: str | None) -> None:
        """A referee was told its matches, and has refused them with this; or it has not."""
        before = self[address]
        self._known[address] = Contact(before.last_heard, before.failures, refusal)
