"""Protocol deviations worth logging but not rejecting.

A peer usually repeats a deviation in every message, so each one is logged once. The functions that read messages do not
know the agent: the context says in whose log a remark goes (`with hearing(remarks)`). Outside of one it is dropped.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MOST_REMARKS = 10_000
"""After so many different remarks, further ones are dropped."""
LONGEST = 200


class Remarks:
    """The remarks of one agent."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._made: set[str] = set()

    def make(self, what: str, example: str = "") -> None:
        """Logs `what` the first time, with an example."""
        what = what[:LONGEST]
        if what in self._made or len(self._made) >= MOST_REMARKS:
            return
        self._made.add(what)
        self._write(f"{what}: {example}" if example else what)


_current: ContextVar[Remarks | None] = ContextVar("remarks", default=None)


@contextmanager
def remark_context(remarks: Remarks) -> Iterator[None]:
    """Sends the remarks of this context, and of the tasks that are started in it, to this agent."""
    before = _current.set(remarks)
    try:
        yield
    finally:
        _current.reset(before)


def remark(what: str, example: str = "") -> None:
    """Logs a deviation. It must not hold secrets, and `what` must be the same for each message that deviates so."""
    current = _current.get()
    if current is not None:
        current.make(what, example)
