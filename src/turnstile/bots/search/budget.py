"""How long `search` thinks about one decision: a number of imagined matches, or a time."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from time import monotonic

Budget = Callable[[], Iterable[object]]
"""Starts a budget for one decision. It has one item for each imagined match."""

COUNT = re.compile(r"[1-9][0-9]{0,8}")
TIME = re.compile(r"([0-9]{1,4}(?:\.[0-9]{1,6})?)s")


def iterations(count: int) -> Budget:
    """A fixed number of imagined matches. The same view and generator then give the same choice on any machine."""
    if count < 1:
        raise ValueError(f"The number of imagined matches must be at least 1, not {count}.")
    return partial(range, count)


def seconds(limit: float, clock: Callable[[], float] = monotonic) -> Budget:
    """As many imagined matches as fit into the time, at least one. The choice depends on the machine's speed."""

    def until_late() -> Iterator[None]:
        late = clock() + limit
        yield
        while clock() < late:
            yield

    return until_late


def read_budget(text: str) -> Budget | None:
    """The budget that follows the name of the bot: `500` imagined matches, `0.2s`; `None` if it is neither."""
    if COUNT.fullmatch(text):
        return iterations(int(text))
    found = TIME.fullmatch(text)
    return seconds(float(found[1])) if found and float(found[1]) > 0 else None


def spend(left: Iterator[object], count: int) -> bool:
    """Take so many imagined matches from a budget. Returns whether it had them."""
    return sum(1 for _ in islice(left, count)) == count
