"""Stores keep the logs of machines durable. `protocol` says what every store does, `log` what an entry holds.

There are three: `memory`, `sqlite` and `postgres`. `opening.open_store` opens the one that a location names.
"""

from turnstile.store.log import Command, Damaged, Entry, Position, Snapshot
from turnstile.store.protocol import CannotOpen, Change, Commit, Outage, Row, Saved, Store, StoreFault

__all__ = [
    "CannotOpen",
    "Change",
    "Command",
    "Commit",
    "Damaged",
    "Entry",
    "Outage",
    "Position",
    "Row",
    "Saved",
    "Snapshot",
    "Store",
    "StoreFault",
]
