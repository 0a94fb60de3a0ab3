"""Files for readers outside the process: written atomically, in the background, and only where they belong.

A file shows what the log says, and can be written again from it. A reader sees the old content or the new content,
never a part of it, even if the process is killed.
"""

import asyncio
import errno
import logging
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

log = logging.getLogger("turnstile.durable")

PRIVATE = 0o600  # only the owner reads and writes
PUBLIC = 0o644
LONGEST_PART = 100  # characters of a name that another agent chose

Render = Callable[[], bytes]
"""Gives the content of a file. It runs in another thread, so it must read immutable values only."""

Place = Callable[[Path], Path]
"""Gives the path to use for a wanted path. It runs in another thread."""

Stale = Callable[[Path], Iterable[Path]]
"""Gives the files to delete after a path has been written. It runs in another thread."""


def part_of_path(text: str) -> str | None:
    """An id as the name of a folder or file; `None` if it could lead to another folder, or is too long."""
    is_plain = len(text) <= LONGEST_PART and re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]*", text)
    return text if is_plain else None


def open_private(path: Path) -> BinaryIO:
    """Opens a file for appending that only its owner can read. An existing file of ours gets that mode, too."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE)
    found = os.fstat(handle)
    if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid():
        os.fchmod(handle, PRIVATE)
    return os.fdopen(handle, "ab")


def write_whole(path: Path, content: bytes, *, is_passing: bool = False, mode: int = PUBLIC) -> None:
    """Writes a file atomically and durably, with its folder.

    A file that `is_passing` is soon written again, or restored after a crash: it does not wait for the disk.
    """
    with open_draft(path, is_passing=is_passing, mode=mode) as file:
        file.write(content)


@contextmanager
def open_draft(path: Path, *, is_passing: bool = False, mode: int = PUBLIC) -> Iterator[BinaryIO]:
    """A file to write to under another name. It gets its own name when the context ends, and is removed on an error."""
    path = replaceable(path)
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    _make_folder(path.parent)
    handle = _create(draft, path, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            if not is_passing:
                file.flush()
                os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    if not is_passing:
        _sync_folder(path.parent)


def _create(draft: Path, path: Path, mode: int) -> int:
    """The handle of a new draft. If it cannot be made, the fault names the file that it is for."""
    try:
        return os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    except OSError as fault:
        raise OSError(fault.errno, fault.strerror, str(path)) from None


def replaceable(path: Path) -> Path:
    """The path that a written file takes: what a link leads to, so that the link stays.

    Raises `OSError` if a folder, a device or a pipe is there: a new file would take the place of the device.
    """
    if path.is_symlink():
        path = path.resolve()
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "Not a regular file", str(path))
    return path


def _make_folder(folder: Path) -> None:
    """Creates a folder and its parents, each on the disk before the next is created."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    """Waits until the names in a folder are on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class _Pending(NamedTuple):
    render: Render
    written: asyncio.Future[None]
    is_passing: bool
    place: Place
    stale: Stale


class FileWriter:
    """Writes files one after the other in the background, each with its latest content."""

    def __init__(self, failed: Callable[[], None] = lambda: None) -> None:
        """`failed` is called for every file that cannot be written. The next change of the file is the next attempt."""
        self._pending: dict[Path, _Pending] = {}
        self._woken = asyncio.Event()
        self._is_ending = False
        self._failed = failed

    def put(
        self,
        path: Path,
        render: Render,
        *,
        is_passing: bool = False,
        place: Place = lambda path: path,
        stale: Stale = lambda path: (),
    ) -> asyncio.Future[None]:
        """Writes a file soon. The future is done when the file is written, or could not be written."""
        before = self._pending.get(path)
        written = asyncio.get_running_loop().create_future() if before is None else before.written
        self._pending[path] = _Pending(render, written, is_passing, place, stale)
        self._woken.set()
        return written

    async def run(self) -> None:
        """Writes files until `end` is called. If this is cancelled instead, a file may not be written."""
        while not self._is_ending:
            await self._woken.wait()
            self._woken.clear()
            await self.drain()

    def end(self) -> None:
        self._is_ending = True
        self._woken.set()

    async def drain(self) -> None:
        """Writes all pending files. It must not run beside `run`."""
        while self._pending:
            path = next(iter(self._pending))
            pending = self._pending.pop(path)
            await asyncio.to_thread(self._write, path, pending)
            if not pending.written.done():
                pending.written.set_result(None)

    def _write(self, path: Path, pending: _Pending) -> None:
        try:
            write_whole(pending.place(path), pending.render(), is_passing=pending.is_passing)
            for each in pending.stale(path):
                each.unlink(missing_ok=True)
        except OSError as fault:
            log.error("%s could not be written: %s", path, fault)
            self._failed()
