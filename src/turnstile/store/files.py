"""The file of a store, before anybody reads it: whose it is, and what it lies on."""

import fcntl
import os
from pathlib import Path

from turnstile.store.protocol import CannotOpen

NETWORKED = frozenset(
    {"9p", "afs", "ceph", "cifs", "fuse.glusterfs", "fuse.s3fs", "fuse.sshfs", "gpfs", "lustre", "nfs", "nfs4", "smb3"}
)
"""File systems on other machines, as Linux names them. Their locks and syncs may not keep what they promise."""


def lock(path: Path) -> int:
    """The lock beside a file, held until this is closed; the operating system lets go of it when we die."""
    try:
        held = _open(f"{path}.lock")
    except OSError as error:
        raise CannotOpen(f"{path} cannot be locked: {error.strerror}.") from error
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = os.read(held, 20).decode("ascii", "replace") or "unknown"
        os.close(held)
        raise CannotOpen(f"{path} is in use by another server (process {holder}).") from error
    os.ftruncate(held, 0)
    os.write(held, str(os.getpid()).encode())
    return held


def ensure(path: Path) -> None:
    """An empty file that only its owner may read (states hold the seeds), unless there is one."""
    try:
        os.close(_open(str(path)))
    except OSError as error:
        raise CannotOpen(f"{path} cannot be opened for writing: {error.strerror}.") from error


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
