"""A disk that fails at a chosen moment, between SQLite and the real one.

Every write, sync, truncation and deletion is a moment, counted from 1. What happens at the chosen one is the mode.
"""

import os
from enum import StrEnum
from random import Random
from signal import SIGKILL

import apsw

SECTOR = 512
ROOM_COMES_BACK_AFTER = 4


class Mode(StrEnum):
    """What happens at the chosen moment."""

    KILL = "kill"
    """The process is killed before it writes."""
    TORN = "torn"
    """It is killed when half of a write is done."""
    EIO = "eio"
    """The disk fails this once."""
    FULL = "full"
    """The disk is full, for a few writes."""
    POWER = "power"
    """What was not synced is lost, and the process with it."""
    SCATTER = "scatter"
    """The same, but some of what was not synced is there, in any order, and some of that by halves."""


class _Image:
    """A file as the process sees it, and what the disk has not got yet: writes, and (with no bytes) truncations."""

    def __init__(self, data: bytes) -> None:
        self.data = bytearray(data)
        self.pending: list[tuple[int, bytes | None]] = []

    def write(self, data: bytes, offset: int) -> None:
        if len(self.data) < offset:
            self.data.extend(bytes(offset - len(self.data)))
        self.data[offset : offset + len(data)] = data
        self.pending.append((offset, data))

    def truncate(self, size: int) -> None:
        del self.data[size:]
        self.pending.append((size, None))


class Shim(apsw.VFS):
    """Registers itself under the name "shim". `at` 0 is never."""

    def __init__(self, mode: Mode, at: int, seed: int = 0) -> None:
        super().__init__("shim", base="")
        self.mode = mode
        self.at = at
        self.count = 0
        self.chance = Random(seed)
        self.images: dict[str, _Image] = {}
        self.loses_power = mode in (Mode.POWER, Mode.SCATTER)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if self.loses_power and path is not None:
            return _Buffered(self, path, name, flags)
        return _Direct(self, name, flags)

    def xDelete(self, path: str, syncdir: bool) -> None:
        self.moment()
        self.images.pop(path, None)
        super().xDelete(path, syncdir)

    def moment(self, is_write: bool = False) -> bool:
        """Whether this is the chosen moment, and half a write shall be done; in other modes what happens, happens."""
        self.count += 1
        if self.at == 0 or self.count < self.at:
            return False
        if self.mode is Mode.FULL:
            if is_write and self.count < self.at + ROOM_COMES_BACK_AFTER:
                raise apsw.FullError("the shim is full")
            return False
        if self.count > self.at:
            return False
        if self.mode is Mode.EIO:
            raise apsw.IOError("the shim failed")
        if self.mode is Mode.TORN and is_write:
            return True
        if self.mode is Mode.SCATTER:
            self._scatter()
        return _die()

    def _scatter(self) -> None:
        for path, image in self.images.items():
            disk = os.open(path, os.O_RDWR)
            for offset, data in image.pending:
                whim = self.chance.random()
                if data is None and whim < 0.5:
                    os.ftruncate(disk, offset)
                elif data is not None and whim < 0.4:
                    os.pwrite(disk, data, offset)
                elif data is not None and whim < 0.6:
                    os.pwrite(disk, data[: SECTOR * self.chance.randrange(1 + len(data) // SECTOR)], offset)


class _Direct(apsw.VFSFile):
    """A file whose writes reach the disk at once, as they do when only the process dies."""

    def __init__(self, shim: Shim, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._shim = shim

    def xWrite(self, data: bytes, offset: int) -> None:
        if self._shim.moment(is_write=True):
            super().xWrite(data[: len(data) // 2], offset)
            _die()
        super().xWrite(data, offset)

    def xTruncate(self, size: int) -> None:
        self._shim.moment()
        super().xTruncate(size)

    def xSync(self, flags: int) -> None:
        self._shim.moment()
        super().xSync(flags)


class _Buffered(apsw.VFSFile):
    """A file whose writes reach the disk when it is synced, and not before."""

    def __init__(self, shim: Shim, path: str, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._shim = shim
        if path not in shim.images:
            shim.images[path] = _Image(super().xRead(super().xFileSize(), 0))
        self._image = shim.images[path]

    def xRead(self, amount: int, offset: int) -> bytes:
        return bytes(self._image.data[offset : offset + amount])

    def xFileSize(self) -> int:
        return len(self._image.data)

    def xWrite(self, data: bytes, offset: int) -> None:
        self._shim.moment(is_write=True)
        self._image.write(bytes(data), offset)

    def xTruncate(self, size: int) -> None:
        self._shim.moment()
        self._image.truncate(size)

    def xSync(self, flags: int) -> None:
        self._shim.moment()
        for offset, data in self._image.pending:
            if data is None:
                super().xTruncate(offset)
            else:
                super().xWrite(data, offset)
        self._image.pending.clear()


def _die() -> bool:
    os.kill(os.getpid(), SIGKILL)
    raise AssertionError("killed processes do not go on")
