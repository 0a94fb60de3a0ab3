"""Processes of a league on this machine: started, watched over, started again when they die, and ended together.

Each agent is a process of its own that says where it listens, on one line of JSON. What else it says goes to a file.
It ends when its standard input does: so none of them outlives its launcher, even one that is killed.
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
from turnstile.agents.process.files import open_private

log = logging.getLogger("turnstile.agents")

READY_SECONDS = 60.0
STOP_SECONDS = 10.0
MOST_RESTARTS = 5  # of one agent; who dies more often than that has no use for another life
CANNOT_RUN = 2  # the status of who was told to do what cannot be done: it could not do it the next time either
LONGEST_LINE = 4096  # bytes, of what an agent says at its end


class DidNotStart(Exception):
    """An agent did not come up, or died too often; the sentence says which, why, and where its log is."""


class Listening(msgspec.Struct, frozen=True):
    """What an agent says as soon as it listens."""

    endpoint: str


class Child:
    """One agent's process. Started again, it goes on where its log ends, at the same address."""

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
        """Start it and wait until it listens. One that dies on the way there has died like any other.

        Raises `DidNotStart`.
        """
        while not (line := await self._first_line()):
            status = await self.ended()
            if not self._is_wanted or status == 0:
                return
            if status == CANNOT_RUN and not self.endpoint:
                raise DidNotStart(f"{self.name} cannot be run: {self._last_words()}")
            self._count_death()
        try:
            self.endpoint = msgspec.json.decode(line, type=Listening).endpoint
        except msgspec.DecodeError:
            await self.stop()
            raise DidNotStart(f"{self.name} says {line[:80]!r} instead of where it listens.") from None

    async def _first_line(self) -> bytes:
        """What it says when it has been started; nothing, if it dies before that."""
        with open_private(self.log_file) as errors:  # a player's log has its decisions in it
            self._process = await asyncio.create_subprocess_exec(
                *self.command,
                stdin=asyncio.subprocess.PIPE,  # nothing is said; it ends when we do, and then the agent does
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                process_group=0,  # Ctrl-C is for whoever started the league: the agents are then ended in order
            )
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(READY_SECONDS):
                return await self._process.stdout.readline()
        except TimeoutError:
            await self.stop()
            raise DidNotStart(f"{self.name} does not listen after {READY_SECONDS:.0f} seconds.") from None

    async def outlast(self) -> None:
        """Keep it alive until it ends in peace. Raises `DidNotStart` when it dies again and again."""
        while await self.ended() != 0 and self._is_wanted:
            self._count_death()
            await self.start()

    def _count_death(self) -> None:
        self._deaths += 1
        if self._deaths > MOST_RESTARTS:
            raise DidNotStart(f"{self.name} has died {self._deaths} times, at last with: {self._last_words()}")
        log.warning("%s has died and is started again; its log is %s", self.name, self.log_file)

    def _last_words(self) -> str:
        """The last line of its log, where it says why it ends."""
        with self.log_file.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - LONGEST_LINE))
            lines = file.read().decode(errors="replace").split("\n")
        said = next((line.strip() for line in reversed(lines) if line.strip()), "")
        words = said.removeprefix("turnstile: ") or "not a word"
        return f"{words.removesuffix('.')}. Its log is {self.log_file}."

    def failures(self) -> list[str]:
        """What its log says of its strategy, since it was first started here."""
        return failures_in(self.log_file, self._log_began)

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
