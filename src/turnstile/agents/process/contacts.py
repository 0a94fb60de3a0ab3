"""Which agents answer: the result of the latest calls to each agent."""

from collections.abc import Callable

import msgspec
from msgspec.structs import replace


class Contact(msgspec.Struct, frozen=True, gc=False):
    """The latest calls to one agent."""

    last_heard: int | None = None
    """When it last answered, in milliseconds."""
    failures: int = 0
    """The number of calls in a row that it has not answered."""
    refusal: str | None = None
    """What a referee answered when it was last told its matches, if it refused them."""


class Contacts:
    """All agents that were called. They have registered, so there are not many."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._known: dict[str, Contact] = {}

    def __getitem__(self, address: str) -> Contact:
        return self._known.get(address, Contact())

    def answered(self, address: str) -> None:
        self._known[address] = replace(self[address], last_heard=self._now(), failures=0)

    def failed(self, address: str) -> None:
        self._known[address] = replace(self[address], failures=self[address].failures + 1)

    def refused(self, address: str, refusal: str | None) -> None:
        """A referee was told its matches. `refusal` is its answer if it refused them."""
        self._known[address] = replace(self[address], refusal=refusal)
