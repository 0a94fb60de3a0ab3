"""The child processes of a league on this machine: started, watched, restarted and stopped together.

Each agent is a process that prints its endpoint as one line of JSON and writes its log to a file. It ends when its
standard input ends, so no agent outlives its launcher, even if the launcher is killed.
"""

import asyncio
import logging
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from turnstile.agents.player.failures import failures_in, size_of
from turnstile.durable.files import open_private

log = logging.getLogger("turnstile.agents")

READY_SECONDS = 60.0
STOP_SECONDS = 10.0
MOST_RESTARTS = 5  # of one agent, before the league stops
CANNOT_RUN = 2  # the exit status of invalid options: a restart would not help
LONGEST_LINE = 4096  # bytes of the last line in a log


class DidNotStart(Exception):
    """An agent did not start, or died too often; the sentence says which, why, and where its log is."""


class Listening(msgspec.Struct, frozen=True):
    """The line that an agent prints as soon as it listens."""

    endpoint: str


class Child:
    """The process of one agent. After a restart it continues from its log, at the same address."""

    def __init__(self, name: str, arguments: Sequence[str], logs: Path) -> None:
        self.name = name
        self.endpoint = ""
        self._arguments = arguments
        self.log_file = logs / f"{name}.log"
        self._log_began = size_of(self.log_file)
        self._process: asyncio.subprocess.Process | None = None
        self._is_wanted = True
        self._deaths = 0

    @property
    def role(self) -> str:
        return self._arguments[0]

    @property
    def command(self) -> Sequence[str]:
        return (sys.executable, "-m", "turnstile", "league", *self._arguments, "--json", "--with-launcher")

    @property
    def pid(self) -> int:
        assert self._process is not None, f"{self.name} has been started"
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        """Start it and wait until it listens; restart it if it dies before that. Raises `DidNotStart`."""
        while not (line := await self._first_line()):
            status = await self.ended()
            if not self._is_wanted or status == 0:
                return
            if status == CANNOT_RUN and not self.endpoint:
                raise DidNotStart(f"{self.name} cannot run: {self._last_words()}")
            self._count_death()
        try:
            self.endpoint = msgspec.json.decode(line, type=Listening).endpoint
        except msgspec.DecodeError:
            await self.stop()
            raise DidNotStart(f"{self.name} printed {line[:80]!r} instead of its endpoint.") from None

    async def _first_line(self) -> bytes:
        """The first line that it prints; empty if it dies before that."""
        with open_private(self.log_file) as errors:  # a player's log contains its decisions
            self._process = await asyncio.create_subprocess_exec(
                *self.command,
                stdin=asyncio.subprocess.PIPE,  # nothing is written; it ends with this process, and then the agent ends
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                process_group=0,  # Ctrl-C reaches only the launcher, which stops the agents in order
            )
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(READY_SECONDS):
                return await self._process.stdout.readline()
        except TimeoutError:
            await self.stop()
            raise DidNotStart(f"{self.name} does not listen after {READY_SECONDS:.0f} seconds.") from None

    async def outlast(self) -> None:
        """Restart it until it ends by itself. Raises `DidNotStart` if it dies too often."""
        while await self.ended() != 0 and self._is_wanted:
            self._count_death()
            await self.start()

    def _count_death(self) -> None:
        self._deaths += 1
        if self._deaths > MOST_RESTARTS:
            raise DidNotStart(f"{self.name} has died {self._deaths} times, the last time with: {self._last_words()}")
        log.warning("%s has died and is restarted; its log is %s", self.name, self.log_file)

    def _last_words(self) -> str:
        """The last line of its log, which says why it ended."""
        with self.log_file.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - LONGEST_LINE))
            lines = file.read().decode(errors="replace").split("\n")
        said = next((line.strip() for line in reversed(lines) if line.strip()), "")
        words = said.removeprefix("turnstile: ") or "no message"
        return f"{words.removesuffix('.')}. Its log is {self.log_file}."

    def failures(self) -> list[str]:
        """The failures of its strategy in its log, since it was first started here."""
        return failures_in(self.log_file, self._log_began)

    async def ended(self) -> int:
        """Wait until it ends, and give its exit status."""
        assert self._process is not None
        return await self._process.wait()

    def dismiss(self) -> None:
        """Do not restart it any more."""
        self._is_wanted = False

    async def stop(self) -> None:
        """Terminate it, and kill it if it does not end in time."""
        self.dismiss()
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
