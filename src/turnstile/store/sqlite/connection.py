"""A connection to SQLite that is set as we need it, and what its errors mean to us."""

import errno
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import apsw

from turnstile.store import migrations
from turnstile.store.protocol import Broken, Busy, CannotOpen, ReadOnly, StorageFull, StoreFault, Unstorable

OLDEST_SQLITE = (3, 51, 3)
"""Older ones may damage a file in WAL mode that has more than one connection."""

BUSY_TIMEOUT = 5_000
"""Milliseconds that a statement tries again while somebody else, such as a backup, holds the file."""

APPLICATION_ID = 0x5475726E

_ALIKE: Mapping[str, int | str] = {
    "foreign_keys": 1,
    "trusted_schema": 0,
    "cell_size_check": 1,
    "mmap_size": 0,  # an I/O error shall be an error, not a signal
    "temp_store": 2,
}
_WRITING: Mapping[str, int | str] = {
    "page_size": 4096,
    "journal_mode": "wal",
    "fullfsync": 1,
    "checkpoint_fullfsync": 1,
    "wal_autocheckpoint": 0,  # the writer does it itself: an automatic one keeps its failures to itself
    "journal_size_limit": 64 * 1024 * 1024,
}

_FAULTS: tuple[tuple[type[apsw.Error], type[StoreFault], str], ...] = (
    (apsw.FullError, StorageFull, "There is no room left for the store"),
    (apsw.BusyError, Busy, "Somebody else holds the file of the store"),
    (apsw.LockedError, Busy, "Somebody else holds the file of the store"),
    (apsw.ReadOnlyError, ReadOnly, "The store may not be written to"),
    (apsw.PermissionsError, ReadOnly, "The store may not be written to"),
    (apsw.IOError, Broken, "The disk failed"),
    (apsw.CorruptError, Broken, "The file of the store is damaged"),
    (apsw.NotADBError, Broken, "The file of the store is damaged"),
    (apsw.CantOpenError, Broken, "A file of the store cannot be opened"),
    (apsw.NoMemError, Broken, "There is no memory left"),
)


_REFUSED_BY_THE_SYSTEM: Mapping[int, tuple[type[StoreFault], str]] = {
    errno.EDQUOT: (StorageFull, "There is no room left for the store"),
    errno.EFBIG: (StorageFull, "The files of the store may not grow any more"),
    errno.EROFS: (ReadOnly, "The store may not be written to"),
}


def fault(error: apsw.Error, system: int = 0) -> StoreFault | None:
    """What an error of SQLite means; `None` for what only a mistake of ours can bring about.

    `system` is the number by which the operating system refused to write: not all of them are the disk's failing.
    """
    if isinstance(error, apsw.IOError) and getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_WRITE:
        refused, sentence = _REFUSED_BY_THE_SYSTEM.get(system, (Broken, "The disk failed"))
        return refused(f"{sentence} ({os.strerror(system)}).")
    for kind, meaning, sentence in _FAULTS:
        if isinstance(error, kind):
            return meaning(f"{sentence} ({error}).")
    return None


def meaning(error: Exception) -> Exception:
    """What to tell who asked for something that failed alone, and by itself."""
    if isinstance(error, UnicodeEncodeError | apsw.TooBigError | OverflowError):
        return Unstorable(f"This cannot be stored ({error}).")
    return error


def require_version(version: str) -> None:
    if tuple(int(part) for part in version.split(".")) < OLDEST_SQLITE:
        wanted = ".".join(str(part) for part in OLDEST_SQLITE)
        raise CannotOpen(f"SQLite {version} may damage its files; {wanted} or newer is needed (it comes with apsw).")


def connect_writer(path: Path, vfs: str | None, synchronous: int) -> apsw.Connection:
    """The one connection that writes. The file gets its schema, where it has none or an older one."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE, vfs=vfs)
    try:
        steps = migrations.pending(_version(connection), migrations.known("sqlite"))
        _set(connection, {"busy_timeout": BUSY_TIMEOUT, **_WRITING, "synchronous": synchronous, **_ALIKE})
        # A checkpoint at closing would keep its failures to itself, too.
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        _migrate(connection, steps)
    except BaseException:
        connection.close()
        raise
    return connection


def connect_reader(path: Path, vfs: str | None) -> apsw.Connection:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY, vfs=vfs)
    try:
        _set(connection, {"busy_timeout": BUSY_TIMEOUT, "query_only": 1, **_ALIKE})
    except BaseException:
        connection.close()
        raise
    return connection


def _set(connection: apsw.Connection, wanted: Mapping[str, int | str]) -> None:
    """Set PRAGMAs and read every one back: SQLite says nothing of one that it does not obey."""
    for name, value in wanted.items():
        connection.execute(f"PRAGMA {name} = {value}").fetchall()
        found = connection.execute(f"PRAGMA {name}").fetchall()
        if found != [(value,)]:
            raise CannotOpen(f"SQLite does not obey: {name} should be {value} and is {found}.")


def _version(connection: apsw.Connection) -> int:
    is_empty = _number(connection, "SELECT count(*) FROM sqlite_schema") == 0
    if not is_empty and _number(connection, "PRAGMA application_id") != APPLICATION_ID:
        raise CannotOpen("It is a database of another program.")
    return _number(connection, "PRAGMA user_version")


def _migrate(connection: apsw.Connection, steps: Iterable[migrations.Migration]) -> None:
    """Each step in one transaction with its version number: killed anywhere, it stands before a step or after it."""
    for step in steps:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(step.sql)
        connection.execute(f"PRAGMA user_version = {step.version}")
        connection.execute("COMMIT")


def _number(connection: apsw.Connection, query: str) -> int:
    number = connection.execute(query).get
    assert isinstance(number, int)
    return number
