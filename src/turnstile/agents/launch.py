"""A whole league of processes: started in order, watched over, started again when they die, and ended together.

Each agent is a process of its own that says where it listens, on one line of JSON. What else it says goes to a file.
"""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

log = logging.getLogger("turnstile.agents")

READY_SECONDS = 30.0
STOP_SECONDS = 10.0
MOST_RESTARTS = 5  # of one agent; who dies more often than that does not want to live


class CannotStart(Exception):
    """An agent did not come up; the sentence says which, and where its log is."""


class Ready(msgspec.Struct, frozen=True):
    """What an agent says as soon as it listens."""

    endpoint: str


class Child:
    """One agent's process. It keeps its address for life: the others know it by that."""

    def __init__(self, name: str, arguments: Sequence[str], logs: Path) -> None:
        self.name = name
        self.arguments = list(arguments)
        self.log_file = logs / f"{name}.log"
        self.process: asyncio.subprocess.Process | None = None
        self.endpoint = ""
        self.restarts = 0

    async def start(self) -> str:
        """Start it and wait until it listens; where it does. Raises `CannotStart`."""
        with self.log_file.open("ab") as errors:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "turnstile",
                "league",
                *self.arguments,
                "--json",
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                process_group=0,  # Ctrl-C is for us: we end the agents in order
            )
        self.endpoint = await self._ready(self.process)
        self._keep_port()
        return self.endpoint

    async def _ready(self, process: asyncio.subprocess.Process) -> str:
        assert process.stdout is not None
        try:
            async with asyncio.timeout(READY_SECONDS):
                line = await process.stdout.readline()
            return msgspec.json.decode(line, type=Ready).endpoint
        except (TimeoutError, msgspec.DecodeError) as fault:
            await self.stop()
            raise CannotStart(f"{self.name} did not start; its log is {self.log_file}.") from fault

    def _keep_port(self) -> None:
        """When it is started again it shall listen where it did."""
        port = self.endpoint.rsplit(":", 1)[1].split("/")[0]
        self.arguments[self.arguments.index("--port") + 1] = port

    async def wait(self) -> int:
        assert self.process is not None
        return await self.process.wait()

    async def stop(self) -> None:
        """Ask it to end, and insist when it does not."""
        if self.process is None or self.process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            self.process.terminate()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await self.process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                self.process.kill()
            await self.process.wait()


class Fleet:
    """The agents of one league."""

    def __init__(self, logs: Path) -> None:
        logs.mkdir(parents=True, exist_ok=True)
        self.logs = logs
        self.children: list[Child] = []
        self._watches: list[asyncio.Task[None]] = []
        self._is_stopping = False

    async def add(self, name: str, *arguments: str) -> Child:
        """Start one agent more."""
        child = Child(name, arguments, self.logs)
        self.children.append(child)
        await child.start()
        self._watches.append(asyncio.create_task(self._watch(child)))
        return child

    async def _watch(self, child: Child) -> None:
        """An agent that dies is started again: it goes on where its log ends. One that is done is left alone."""
        while await child.wait() != 0 and not self._is_stopping and child.restarts < MOST_RESTARTS:
            child.restarts += 1
            log.warning("%s has died and is started again; its log is %s", child.name, child.log_file)
            await child.start()

    async def stop(self) -> None:
        """End them all, in the reverse order of their start."""
        self._is_stopping = True
        for task in self._watches:
            task.cancel()
        await asyncio.gather(*self._watches, return_exceptions=True)
        for child in reversed(self.children):
            await child.stop()


def is_alive(child: Child) -> bool:
    return child.process is not None and child.process.returncode is None


def kill(child: Child) -> None:
    """End it as a power cut would. For tests of what survives that."""
    assert child.process is not None
    os.kill(child.process.pid, signal.SIGKILL)
