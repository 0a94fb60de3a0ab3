"""Processes of a league on this machine: started, watched over, started again when they die, and ended together.

Each agent is a process of its own that says where it listens, on one line of JSON. What else it says goes to a file.
"""

import asyncio
import logging
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

log = logging.getLogger("turnstile.agents")

READY_SECONDS = 60.0
STOP_SECONDS = 10.0
MOST_RESTARTS = 5  # of one agent; who dies more often than that has no use for another life


class DidNotStart(Exception):
    """An agent did not come up, or died too often; the sentence says which, and where its log is."""


class Listening(msgspec.Struct, frozen=True):
    """What an agent says as soon as it listens."""

    endpoint: str


class Child:
    """One agent's process. Started again, it goes on where its log ends, at the same address."""

    def __init__(self, name: str, arguments: Sequence[str], logs: Path) -> None:
        self.name = name
        self.endpoint = ""
        self._arguments = arguments
        self._log_file = logs / f"{name}.log"
        self._process: asyncio.subprocess.Process | None = None
        self._is_wanted = True

    @property
    def pid(self) -> int:
        assert self._process is not None, f"{self.name} has been started"
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        """Start it and wait until it listens. Raises `DidNotStart`."""
        with self._log_file.open("ab") as errors:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "turnstile", "league", *self._arguments, "--json"),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                process_group=0,  # Ctrl-C is for whoever started the league: the agents are then ended in order
            )
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(READY_SECONDS):
                line = await self._process.stdout.readline()
            self.endpoint = msgspec.json.decode(line, type=Listening).endpoint
        except (TimeoutError, msgspec.DecodeError):
            await self.stop()
            raise DidNotStart(f"{self.name} did not start; {self._log_file} says why.") from None

    async def outlast(self) -> None:
        """Keep it alive until it ends in peace. Raises `DidNotStart` when it dies again and again."""
        restarts = 0
        while await self.ended() != 0 and self._is_wanted:
            if restarts == MOST_RESTARTS:
                raise DidNotStart(f"{self.name} has died {restarts + 1} times; {self._log_file} says why.")
            restarts += 1
            log.warning("%s has died and is started again; its log is %s", self.name, self._log_file)
            await self.start()

    async def ended(self) -> int:
        """The status with which it ends."""
        assert self._process is not None
        return await self._process.wait()

    async def stop(self) -> None:
        """Ask it to end, and insist when it does not."""
        self._is_wanted = False
        if self._process is None or not self.is_running:
            return
        with suppress(ProcessLookupError):
            self._process.terminate()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await self._process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
