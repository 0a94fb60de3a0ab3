"""The file of a store, before anybody reads it: whose it is, and what it lies on."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from turnstile.store.protocol import Broken, CannotOpen, InUse

NETWORKED = frozenset(
    {"9p", "afs", "ceph", "cifs", "fuse.glusterfs", "fuse.s3fs", "fuse.sshfs", "gpfs", "lustre", "nfs", "nfs4", "smb3"}
)
"""File systems on other machines, as Linux names them. Their locks and syncs may not keep what they promise."""


class FileLock:
    """A file that is ours alone, and is made if it is not there. The operating system lets go of it when we die."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock: int | None = _locked(path)
        try:
            self._files = {str(path): _made(path), f"{path}.lock": _identity(os.fstat(self._lock))}
        except BaseException:
            self.let_go()
            raise

    def check(self) -> None:
        """Raises `Broken` when somebody has moved the file or its lock away: what is written now, nobody will find."""
        for name, ours in self._files.items():
            try:
                found = _identity(os.stat(name))
            except OSError:
                found = None
            if found != ours:
                raise Broken(f"{name} was moved, deleted or replaced while the store was open.")

    def let_go(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _locked(path: Path) -> int:
    try:
        held = _open(f"{path}.lock")
    except OSError as error:
        raise CannotOpen(f"{path} cannot be locked: {error.strerror}.") from error
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.read(held, 20).decode("ascii", "replace") or "unknown"
        os.close(held)
        raise InUse(f"{path} is in use by another server (process {holder}).") from error
    except OSError as error:
        os.close(held)
        raise CannotOpen(f"{path} cannot be locked: {error.strerror}.") from error
    with suppress(OSError):  # only for who is refused later: a full disk may still be read
        os.ftruncate(held, 0)
        os.write(held, str(os.getpid()).encode())
    return held


def _made(path: Path) -> tuple[int, int]:
    """An empty file that only its owner may read (states hold the seeds), unless there is one; which one it is."""
    try:
        handle = _open(str(path))
    except OSError as error:
        raise CannotOpen(f"{path} cannot be opened for writing: {error.strerror}.") from error
    found = os.fstat(handle)
    os.close(handle)
    if found.st_nlink > 1:
        raise CannotOpen(f"{path} has another name, too (a hard link), by which a second server could open it.")
    return _identity(found)


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def network_file_system(path: Path, mounts: str) -> str | None:
    """What kind of network file system a path lies on, by the lines of /proc/mounts; `None` for a disk of our own."""
    folders = {str(folder) for folder in path.parents}
    kind, best = None, ""
    for line in mounts.splitlines():
        _, point, found, *_ = line.split()
        point = point.replace("\\040", " ")
        if point in folders and len(point) >= len(best):
            kind, best = found, point
    return kind if kind in NETWORKED else None


def _open(path: str) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
