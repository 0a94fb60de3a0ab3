"""Opens connections to SQLite with the settings that the store needs, and translates SQLite's errors into faults."""

import errno
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import apsw

from turnstile.store import migrations
from turnstile.store.protocol import Broken, Busy, CannotOpen, ReadOnly, StorageFull, StoreFault, Unstorable

OLDEST_SQLITE = (3, 51, 3)
"""Older versions may damage a file in WAL mode that has several connections."""

BUSY_TIMEOUT = 5_000
"""Milliseconds that a statement waits while another process, such as a backup, locks the file."""

APPLICATION_ID = 0x5475726E

_ALIKE: Mapping[str, int | str] = {
    "foreign_keys": 1,
    "trusted_schema": 0,
    "cell_size_check": 1,
    "mmap_size": 0,  # an I/O error must be an error, not a signal
    "temp_store": 2,
}
_WRITING: Mapping[str, int | str] = {
    "page_size": 4096,
    "journal_mode": "wal",
    "fullfsync": 1,
    "checkpoint_fullfsync": 1,
    "wal_autocheckpoint": 0,  # the writer does it: an automatic checkpoint hides its failures
    "journal_size_limit": 64 * 1024 * 1024,
}

_FAULTS: tuple[tuple[type[apsw.Error], type[StoreFault], str], ...] = (
    (apsw.FullError, StorageFull, "There is no room left for the store"),
    (apsw.BusyError, Busy, "Another process has locked the file of the store"),
    (apsw.LockedError, Busy, "Another process has locked the file of the store"),
    (apsw.ReadOnlyError, ReadOnly, "The store is read-only"),
    (apsw.PermissionsError, ReadOnly, "The store is read-only"),
    (apsw.IOError, Broken, "The disk failed"),
    (apsw.CorruptError, Broken, "The file of the store is damaged"),
    (apsw.NotADBError, Broken, "The file of the store is damaged"),
    (apsw.CantOpenError, Broken, "A file of the store cannot be opened"),
    (apsw.NoMemError, Broken, "There is no memory left"),
)


_REFUSED_BY_THE_SYSTEM: Mapping[int, tuple[type[StoreFault], str]] = {
    errno.EDQUOT: (StorageFull, "There is no room left for the store"),
    errno.EFBIG: (StorageFull, "The files of the store may not grow further"),
    errno.EROFS: (ReadOnly, "The store is read-only"),
}


def fault_of(error: apsw.Error, system: int = 0) -> StoreFault | None:
    """The fault to raise for an error of SQLite; `None` for errors that only a bug of the store can cause.

    `system` is the operating system's error number for a failed write: not all of these mean a broken disk.
    """
    if isinstance(error, apsw.IOError) and getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_WRITE:
        refused, sentence = _REFUSED_BY_THE_SYSTEM.get(system, (Broken, "The disk failed"))
        return refused(f"{sentence} ({os.strerror(system)}).")
    for kind, fault, sentence in _FAULTS:
        if isinstance(error, kind):
            return fault(f"{sentence} ({error}).")
    return None


def translate(error: Exception) -> Exception:
    """The exception to raise when one request failed by itself: values that cannot be stored become `Unstorable`."""
    if isinstance(error, UnicodeEncodeError | apsw.TooBigError | OverflowError):
        return Unstorable(f"This cannot be stored ({error}).")
    return error


def require_version(version: str) -> None:
    if tuple(int(part) for part in version.split(".")) < OLDEST_SQLITE:
        wanted = ".".join(str(part) for part in OLDEST_SQLITE)
        raise CannotOpen(f"SQLite {version} may damage its files; {wanted} or newer is needed (it comes with apsw).")


def connect_writer(path: Path, vfs: str | None, synchronous: int) -> apsw.Connection:
    """The one connection that writes. It creates the schema, or migrates an older one."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE, vfs=vfs)
    try:
        steps = migrations.pending_migrations(_version(connection), migrations.all_migrations("sqlite"))
        _set(connection, {"busy_timeout": BUSY_TIMEOUT, **_WRITING, "synchronous": synchronous, **_ALIKE})
        # A checkpoint at closing would hide its failures, too.
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
    """Set PRAGMAs and read each one back: SQLite ignores a setting that it cannot apply, without an error."""
    for name, value in wanted.items():
        connection.execute(f"PRAGMA {name} = {value}").fetchall()
        found = connection.execute(f"PRAGMA {name}").fetchall()
        if found != [(value,)]:
            raise CannotOpen(f"SQLite ignored a setting: {name} should be {value} and is {found}.")


def _version(connection: apsw.Connection) -> int:
    is_empty = _number(connection, "SELECT count(*) FROM sqlite_schema") == 0
    if not is_empty and _number(connection, "PRAGMA application_id") != APPLICATION_ID:
        raise CannotOpen("It is a database of another program.")
    return _number(connection, "PRAGMA user_version")


def _migrate(connection: apsw.Connection, steps: Iterable[migrations.Migration]) -> None:
    """Run each step in one transaction with its version number: a kill leaves the schema before or after a step."""
    for step in steps:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(step.sql)
        connection.execute(f"PRAGMA user_version = {step.version}")
        connection.execute("COMMIT")


def _number(connection: apsw.Connection, query: str) -> int:
    number = connection.execute(query).get
    assert isinstance(number, int)
    return number
