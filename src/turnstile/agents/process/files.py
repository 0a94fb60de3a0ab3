"""Files that others read: written whole or not at all, in the background, and only where they belong.

A file is a picture of what the log says; it can be made anew from it. Whoever reads one sees an old picture or a new
one, never half of one, whenever the process dies.
"""

import asyncio
import contextlib
import logging
import os
import re
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO, NamedTuple

log = logging.getLogger("turnstile.agents")

PRIVATE = 0o600  # the mode of a file that its owner alone reads and writes
LONGEST_PART = 100  # characters of a folder's or a file's name that somebody else chose

Render = Callable[[], bytes]
"""What is to stand in a file now. It is asked in another thread, so it must look at values alone."""


Place = Callable[[Path], Path]
"""Where a file really goes that is to stand in a place. It is asked in another thread, too."""

Stale = Callable[[Path], Iterable[Path]]
"""The files that are to go when the one for a place has been written. It is asked in another thread, too."""


def part_of_path(text: str) -> str | None:
    """An id as the name of a folder or file; `None` for one that might lead elsewhere, or is too long."""
    is_plain = len(text) <= LONGEST_PART and re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]*", text)
    return text if is_plain else None


def open_private(path: Path) -> BinaryIO:
    """Open a file to add to it, readable by its owner alone: an existing one is made so, if it is ours."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE)
    found = os.fstat(handle)
    if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid():
        os.fchmod(handle, PRIVATE)
    return os.fdopen(handle, "ab")


def write_whole(path: Path, content: bytes, *, is_passing: bool = False) -> None:
    """Put a file in its place in one piece: it is there, and stays there, when this returns.

    One that `is_passing` will soon be written again, or made anew after a crash, and does not wait for the disk.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    try:
        with draft.open("wb") as file:
            file.write(content)
            if not is_passing:
                file.flush()
                os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            draft.unlink()
        raise
    if not is_passing:
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """The name of a new file is on the disk only when its folder is."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class _Wish(NamedTuple):
    render: Render
    written: asyncio.Future[None]
    is_passing: bool
    place: Place | None
    stale: Stale | None


class Scribe:
    """Writes files one after the other, each with the newest that is known of it, while the agent goes on."""

    def __init__(self, failed: Callable[[], None] = lambda: None) -> None:
        """`failed` is told of every file that could not be written; the next change of it is the next attempt."""
        self._wanted: dict[Path, _Wish] = {}
        self._woken = asyncio.Event()
        self._is_ending = False
        self._failed = failed

    def put(
        self,
        path: Path,
        render: Render,
        *,
        is_passing: bool = False,
        place: Place | None = None,
        stale: Stale | None = None,
    ) -> asyncio.Future[None]:
        """Let this stand in that file, soon. What is given back is done when it does, or could not be written."""
        before = self._wanted.get(path)
        written = asyncio.get_running_loop().create_future() if before is None else before.written
        self._wanted[path] = _Wish(render, written, is_passing, place, stale)
        self._woken.set()
        return written

    async def run(self) -> None:
        """Write what is wanted, until told to end. Who cancels this may leave a file half-way; who ends it does not."""
        while not self._is_ending:
            await self._woken.wait()
            self._woken.clear()
            await self.drain()

    def end(self) -> None:
        self._is_ending = True
        self._woken.set()

    async def drain(self) -> None:
        """Write all that is wanted now. Nobody else may be at it."""
        while self._wanted:
            path = next(iter(self._wanted))
            wish = self._wanted.pop(path)
            await asyncio.to_thread(self._write, path, wish)
            if not wish.written.done():
                wish.written.set_result(None)

    def _write(self, path: Path, wish: "_Wish") -> None:
        try:
            place = path if wish.place is None else wish.place(path)
            write_whole(place, wish.render(), is_passing=wish.is_passing)
            for each in () if wish.stale is None else wish.stale(path):
                each.unlink(missing_ok=True)
        except OSError as fault:
            log.error("%s could not be written: %s", path, fault)
            self._failed()
