"""The process that dies: it does the steps of a scenario over a failing disk, and says of each that it was answered."""

import asyncio
import os
import signal
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.crash.judging import Time, Wrong, contents
from tests.crash.scenarios import Step
from tests.crash.shim import Mode, Shim
from turnstile.store import sqlite_lanes
from turnstile.store.protocol import Broken, CannotOpen, StorageFull
from turnstile.store.sqlite import SqliteStore

PATIENCE = 120
"""Seconds after which a process that should have died or ended is taken for hanging."""

DONE = 0
STOPPED = 3
"""The store said that it cannot go on, and kept to it."""


class Disk(NamedTuple):
    """A disk that will fail."""

    path: Path
    mode: Mode
    at: int
    seed: int
    synchronous: int


def run(steps: Sequence[Step], start: int, disk: Disk) -> tuple[list[str], int, int]:
    """Do the steps from one on, in a process of their own: the answers, how it ended, how many moments it saw."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _be_the_child(steps, start, disk, writing)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as told:
        lines = told.read().splitlines()
    _, status = os.waitpid(child, 0)
    moments = int(lines.pop().removeprefix("moments ")) if lines and lines[-1].startswith("moments ") else 0
    return lines, os.waitstatus_to_exitcode(status), moments


def _be_the_child(steps: Sequence[Step], start: int, disk: Disk, told: int) -> None:
    signal.alarm(PATIENCE)
    sqlite_lanes.CHECKPOINT_AFTER = 15  # so that checkpoints are among the moments
    shim = Shim(disk.mode, disk.at, disk.seed)
    ended = 1
    try:
        ended = asyncio.run(_act(steps, start, disk, told))
        os.write(told, b"moments %d\n" % shim.count)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(ended)


async def _act(steps: Sequence[Step], start: int, disk: Disk, told: int) -> int:
    time = Time()
    time.step(start)
    try:
        store = await _open(disk, time)
        for number in range(start, len(steps)):
            time.step(number)
            answer = await _insist(steps[number], store)
            os.write(told, f"{answer!r}\n".encode())
        await store.close()
    except CannotOpen:
        return STOPPED
    except Broken:
        await _require_broken(store, steps[0])
        return STOPPED
    return DONE


async def _open(disk: Disk, time: Time) -> SqliteStore:
    """A full disk may have room again later; any other failure is final."""
    while True:
        try:
            return await SqliteStore.open(
                disk.path,
                wall=time.nanoseconds,
                monotonic=time.nanoseconds,
                vfs="shim",
                synchronous=disk.synchronous,
            )
        except CannotOpen:
            if disk.mode is not Mode.FULL:
                raise


async def _insist(step: Step, store: SqliteStore) -> object:
    """The answer, once there is room for it. While there is none, reading goes on."""
    while True:
        try:
            return await step(store)
        except StorageFull:
            await contents(store)


async def _require_broken(store: SqliteStore, step: Step) -> None:
    """A store that is broken stays so: it neither writes nor reads."""
    for attempt in (step(store), contents(store)):
        try:
            await attempt
        except Broken:
            continue
        raise Wrong("a broken store went on")
