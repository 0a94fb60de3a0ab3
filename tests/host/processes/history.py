"""What clients of a host saw, for the checker of histories."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from tools import history
from turnstile.client import Turn
from turnstile.kernel.values import LogId, PlayerId
from turnstile.store.protocol import Store


@dataclass
class History:
    """All that one client has seen of one table."""

    table: LogId
    player: PlayerId
    accepted: list[tuple[str, int]] = field(default_factory=list)
    """Ids of commands that were answered with success, and the answer."""
    refused: list[str] = field(default_factory=list)
    """Ids of commands that were refused at last."""
    updates: list[tuple[int, bytes]] = field(default_factory=list)
    """The updates that were taken in, in the order in which they came, each with its whole view."""


async def check(store: Store, histories: Iterable[History]) -> None:
    """Raises `AssertionError` where a history contradicts the log, or does not begin with the first update."""
    seen = tuple(histories)
    for each in seen:
        assert not each.updates or each.updates[0][0] == 1, f"{each.player}'s stream has no beginning"
    await history.check(store, map(_history_of, seen))


def _history_of(seen: History) -> history.History:
    """Nothing is known about when anything came."""
    sent = [history.Sent(name, 0.0, seq=seq) for name, seq in seen.accepted]
    sent += [history.Sent(name, 0.0, code="refused") for name in seen.refused]
    turns = [msgspec.json.decode(body, type=Turn) for _, body in seen.updates]
    return history.History(seen.table, seen.player, sent, turns, [0.0] * len(turns))
