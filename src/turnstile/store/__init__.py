"""Stores keep the logs of machines durable. `protocol` says what every store does, `log` what an entry holds.

Each store has a directory of people, results and ratings beside the logs: `directory` says what it does.
There are three stores: `memory`, `sqlite` and `postgres`. `opening.open_store` opens the one that a location names.
"""

from turnstile.store.directory import Directory, DirectoryStore
from turnstile.store.log import Command, Damaged, Entry, Position, Snapshot
from turnstile.store.protocol import CannotOpen, Change, Commit, Outage, Row, Saved, Store, StoreFault

__all__ = [
    "CannotOpen",
    "Change",
    "Command",
    "Commit",
    "Damaged",
    "Directory",
    "DirectoryStore",
    "Entry",
    "Outage",
    "Position",
    "Row",
    "Saved",
    "Snapshot",
    "Store",
    "StoreFault",
]
