"""Agents in processes of their own, as `turnstile league` runs them; none of them outlives its test."""

import asyncio
import json
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path
from types import TracebackType
from typing import Any


class AgentProcess:
    """One agent, to be killed and started again. Its port is any that is free, and the same after a restart."""

    def __init__(self, data: Path, role: str, *options: str) -> None:
        self.log = data / f"{'-'.join((role, *options[:2])).replace('--', '')}.log"
        self._errors = self.log.with_suffix(".errors")
        common = ("--port", "0", "--data", str(data), "--json", "--log-file", str(self.log))
        self.command = [sys.executable, "-W", "error", "-m", "turnstile", "league", role, *common, *options]
        self.ready: dict[str, Any] = {}
        self._process: Process | None = None

    async def __aenter__(self) -> "AgentProcess":
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.kill()

    async def start(self) -> None:
        """Start it, or start it again, and wait until it can be reached."""
        with self._errors.open("ab") as errors:
            self._process = await asyncio.create_subprocess_exec(*self.command, stdout=PIPE, stderr=errors)
        assert self._process.stdout is not None
        said = await self._process.stdout.readline()
        if not said:
            raise AssertionError(f"It did not start: {self._errors.read_text()}")
        ready = json.loads(said)
        assert self.ready.get("endpoint") in (None, ready["endpoint"]), "it is where it was before"
        self.ready = ready

    async def kill(self) -> None:
        """At once: nothing is finished, nobody is told."""
        if self._process is not None:
            if self._process.returncode is None:
                self._process.kill()
            await self._process.wait()

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    async def ended(self) -> int:
        """The status with which it ends."""
        assert self._process is not None
        status = await self._process.wait()
        assert "Traceback" not in self._errors.read_text(), self._errors.read_text()
        return status
