"""Says when something has changed, to however many wait for it."""

import asyncio


class ChangeSignal:
    """A number that grows with every change. Nobody is told what has changed: whoever wants to know looks."""

    def __init__(self) -> None:
        self.version = 0
        self.is_closed = False
        self._changed = asyncio.Event()

    def changed(self) -> None:
        self.version += 1
        self._changed.set()
        self._changed = asyncio.Event()

    def close(self) -> None:
        """Whatever changes from now on, nobody waits for it any more."""
        self.is_closed = True
        self._changed.set()

    async def wait_after(self, version: int) -> int:
        """The version, once it is another than this one; or the same, where nobody waits any more."""
        while self.version == version and not self.is_closed:
            await self._changed.wait()
        return self.version
