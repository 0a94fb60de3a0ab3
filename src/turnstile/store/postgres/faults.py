"""What an error from PostgreSQL means for the caller: whether the connection is lost, and which fault to raise."""

import asyncpg

from turnstile.store.protocol import Busy, ReadOnly, StorageFull, StoreFault, Unstorable

ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError, TimeoutError)
"""Everything that asyncpg raises when the database does not answer as it should."""

UNDONE = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError)
"""The database rolled back in favour of another transaction: nothing was written, and a retry may start at once."""

_ENDED = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.InternalClientError,  # the server closed an idle connection, and asyncpg has not noticed yet
    OSError,
)

_MEANINGS: tuple[tuple[type[Exception], type[StoreFault]], ...] = (
    (asyncpg.DiskFullError, StorageFull),
    (asyncpg.ReadOnlySQLTransactionError, ReadOnly),
    (asyncpg.InsufficientPrivilegeError, ReadOnly),
    (asyncpg.InsufficientResourcesError, Busy),
    (asyncpg.LockNotAvailableError, Busy),
    (asyncpg.QueryCanceledError, Busy),
    (asyncpg.DataError, Unstorable),  # from the database: a zero byte
    (ValueError, Unstorable),  # from asyncpg: half a character
    (asyncpg.ProgramLimitExceededError, Unstorable),  # too long for an index
    (asyncpg.SerializationError, Busy),
    (asyncpg.DeadlockDetectedError, Busy),
)


def is_lost(connection: asyncpg.Connection, error: Exception) -> bool:
    """Whether the connection is lost, and with it the answer to the last statement."""
    return connection.is_closed() or isinstance(error, _ENDED)


def fault_of(error: Exception) -> StoreFault:
    """The fault to raise for an error after which nothing has changed."""
    for kind, fault in _MEANINGS:
        if isinstance(error, kind):
            return fault(f"PostgreSQL: {error}.")
    return StoreFault(f"PostgreSQL refused: {type(error).__name__}: {error}.")
