"""What is odd about the messages of others, and no reason to stop: it stands in the log of the agent that reads them.

A peer that leaves something out does so in every message, so everything is said once. Messages are read by functions
that know of no agent; whose log it is, is known by the context: `with hearing(remarks)`. Elsewhere nobody listens.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MOST_REMARKS = 10_000
"""After so many different ones, nothing is gained by more."""
LONGEST = 200


class Remarks:
    """Those of one agent."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._made: set[str] = set()

    def make(self, what: str, example: str = "") -> None:
        """Say `what`, if it has not been said before; `example` shows it as it was the first time."""
        what = what[:LONGEST]
        if what in self._made or len(self._made) >= MOST_REMARKS:
            return
        self._made.add(what)
        self._write(f"{what}: {example}" if example else what)


_present: ContextVar[Remarks | None] = ContextVar("remarks", default=None)


@contextmanager
def hearing(remarks: Remarks) -> Iterator[None]:
    """What is remarked in this context, and in the tasks that are begun in it, goes there."""
    before = _present.set(remarks)
    try:
        yield
    finally:
        _present.reset(before)


def remark(what: str, example: str = "") -> None:
    """Something is odd. Nothing secret may be in it, and in `what` nothing that changes from message to message."""
    present = _present.get()
    if present is not None:
        present.make(what, example)
