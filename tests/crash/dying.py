"""The process that dies: it works over a failing disk, and says aloud of each thing that it was answered."""

import asyncio
import os
import signal
import traceback
from collections.abc import Callable, Coroutine
from pathlib import Path
from signal import SIGKILL
from typing import Any, NamedTuple

from tests.crash.judging import Time, Wrong
from tests.crash.shim import Mode, Shim
from turnstile.store.protocol import CannotOpen
from turnstile.store.sqlite import SqliteStore
from turnstile.store.sqlite import lanes as sqlite_lanes

PATIENCE = 120
"""Seconds after which a process that should have died or ended is taken for hanging."""

DONE = 0
STOPPED = 3
"""The store said that it cannot go on, and kept to it."""

ENDS = dict.fromkeys(Mode, -SIGKILL) | {Mode.EIO: STOPPED, Mode.FULL: DONE}
"""How a process ends whose moment has come."""

Say = Callable[[str], None]
Work = Callable[[Say], Coroutine[Any, Any, int]]
"""What the process does; it says what it was answered, and returns how it ends."""


class Disk(NamedTuple):
    """A disk that will fail."""

    path: Path
    mode: Mode
    at: int
    seed: int
    synchronous: int

    async def store(self, time: Time) -> SqliteStore:
        """The store on this disk. A full disk may have room again later; any other failure is final."""
        while True:
            try:
                return await SqliteStore.open(
                    self.path,
                    wall=time.nanoseconds,
                    monotonic=time.nanoseconds,
                    vfs="shim",
                    synchronous=self.synchronous,
                )
            except CannotOpen:
                if self.mode is not Mode.FULL:
                    raise


class Life(NamedTuple):
    """What a process said, how it ended, and whether that was before its moment came."""

    said: list[str]
    ended: int
    is_through: bool


def run(work: Work, disk: Disk) -> Life:
    """Work in a process of its own. Raises `Wrong` unless that ends as it must on such a disk."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _be_the_child(work, disk, writing)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as told:
        lines = told.read().splitlines()
    _, status = os.waitpid(child, 0)
    ended = os.waitstatus_to_exitcode(status)
    moments = int(lines.pop().removeprefix("moments ")) if lines and lines[-1].startswith("moments ") else 0
    is_through = ended == DONE and moments < disk.at
    expected = DONE if is_through else ENDS[disk.mode]
    if ended != expected:
        raise Wrong(f"the process ended with {ended}, not {expected}")
    return Life(lines, ended, is_through)


def _be_the_child(work: Work, disk: Disk, told: int) -> None:
    signal.alarm(PATIENCE)
    sqlite_lanes.CHECKPOINT_AFTER = 15  # so that checkpoints are among the moments
    shim = Shim(disk.mode, disk.at, disk.seed)
    ended = 1
    try:
        ended = asyncio.run(work(lambda line: _say(told, line)))
        _say(told, f"moments {shim.count}")
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(ended)


def _say(told: int, line: str) -> None:
    """Whole lines: the pipe is read by nobody until the process has ended or said a lot."""
    written = f"{line}\n".encode()
    while written:
        written = written[os.write(told, written) :]
