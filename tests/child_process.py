"""Programs in processes of their own, to be killed, paused and started again; none of them outlives its test."""

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE, Process
from types import TracebackType
from typing import Self


class ChildProcess:
    """A Python program: `async with ChildProcess(...) as child`. It is gone at the end."""

    def __init__(self, *words: str) -> None:
        """`words`: what follows `python`."""
        self.words = words
        self._process: Process | None = None

    async def __aenter__(self) -> Self:
        try:
            await self.start()
        except BaseException:
            await self.kill()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.kill()

    async def start(self) -> None:
        """Start it, and wait until it is ready, which it says in its first line."""
        command = [sys.executable, "-W", "error", *self.words]
        self._process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE)
        assert self._process.stdout is not None
        line = (await self._process.stdout.readline()).decode()
        if not line:
            _, errors = await self._process.communicate()
            raise AssertionError(f"It did not start: {errors.decode()}")
        self.take_ready(line)

    def take_ready(self, line: str) -> None:
        """Take what it says when it is ready."""

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    async def kill(self) -> None:
        """SIGKILL: at once, even if it is paused."""
        if self._process is None:
            return
        if self._process.returncode is None:
            self._process.kill()
        await self._process.communicate()

    async def ended(self) -> int:
        """Wait for its end; its exit status."""
        assert self._process is not None
        await self._process.communicate()
        assert self._process.returncode is not None
        return self._process.returncode

    async def stop(self) -> None:
        """SIGTERM: it finishes what was begun, and reports no error."""
        assert self._process is not None
        self._process.terminate()
        _, errors = await self._process.communicate()
        assert self._process.returncode == 0, f"It ended with {self._process.returncode}: {errors.decode()}"
