"""The store in memory, for simulations and tests."""

from turnstile.store.memory.disk import Disk
from turnstile.store.memory.store import MemoryStore

__all__ = ["Disk", "MemoryStore"]
