"""Wakes all tasks that wait for a change."""

import asyncio


class ChangeSignal:
    """A version number that grows with every change. It does not say what has changed."""

    def __init__(self) -> None:
        self.version = 0
        self.is_closed = False
        self._changed = asyncio.Event()

    def notify(self) -> None:
        """Something has changed: wake all that wait."""
        self.version += 1
        self._changed.set()
        self._changed = asyncio.Event()

    def close(self) -> None:
        """End all waiting, now and from now on."""
        self.is_closed = True
        self._changed.set()

    async def wait_after(self, version: int) -> int:
        """Wait until the version differs from this one or the signal is closed, and return the version."""
        while self.version == version and not self.is_closed:
            await self._changed.wait()
        return self.version
