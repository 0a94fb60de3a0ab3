"""The file of a store before it is opened: its lock, its identity, and the file system it is on."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from turnstile.store.protocol import Broken, CannotOpen, InUse

NETWORKED = frozenset(
    {"9p", "afs", "ceph", "cifs", "fuse.glusterfs", "fuse.s3fs", "fuse.sshfs", "gpfs", "lustre", "nfs", "nfs4", "smb3"}
)
"""Network file systems, as Linux names them. Their locks and syncs may be unreliable."""


class FileLock:
    """An exclusive lock on a file, which is created if it does not exist. It ends when the process ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock: int | None = _lock_file(path)
        try:
            self._files = {str(path): _make_file(path), f"{path}.lock": _identity(os.fstat(self._lock))}
        except BaseException:
            self.let_go()
            raise

    def check(self) -> None:
        """Raises `Broken` when the file or its lock was moved away: writes from now on would be lost."""
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


def _lock_file(path: Path) -> int:
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
    with suppress(OSError):  # only for error messages: a full disk may still be read
        os.ftruncate(held, 0)
        os.write(held, str(os.getpid()).encode())
    return held


def _make_file(path: Path) -> tuple[int, int]:
    """Create the file unless it exists, readable by its owner only (states hold the seeds). Returns its identity."""
    try:
        handle = _open(str(path))
    except OSError as error:
        raise CannotOpen(f"{path} cannot be opened for writing: {error.strerror}.") from error
    found = os.fstat(handle)
    os.close(handle)
    if found.st_nlink > 1:
        raise CannotOpen(f"{path} has a second name (a hard link), by which another server could open it.")
    return _identity(found)


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def network_file_system(path: Path, mounts: str) -> str | None:
    """The kind of network file system that a path is on, from the lines of /proc/mounts; `None` for a local disk."""
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
