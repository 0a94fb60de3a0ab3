"""Says when something has changed, to however many wait for it."""

import asyncio


class Bulletin:
    """A number that grows with every change. Nobody is told what has changed: whoever wants to know looks."""

    def __init__(self) -> None:
        self.version = 0
        self._changed = asyncio.Event()

    def changed(self) -> None:
        self.version += 1
        self._changed.set()
        self._changed = asyncio.Event()

    async def wait_after(self, version: int) -> int:
        """The version, once it is another than this one."""
        while self.version == version:
            await self._changed.wait()
        return self.version
