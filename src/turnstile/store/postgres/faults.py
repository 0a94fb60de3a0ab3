"""What an error of PostgreSQL means for who asked: is the connection gone, was nothing written, what to tell."""

import asyncpg

from turnstile.store.protocol import Busy, ReadOnly, StorageFull, StoreFault, Unstorable

ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError, TimeoutError)
"""All that asyncpg raises when the database does not answer as it should."""

UNDONE = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError)
"""The database gave way to somebody else: nothing was written, and the same may go again at once."""

_ENDED = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.InternalClientError,  # a farewell came while nothing was asked, and asyncpg has not noticed yet
    OSError,
)

_MEANINGS: tuple[tuple[type[Exception], type[StoreFault]], ...] = (
    (asyncpg.DiskFullError, StorageFull),
    (asyncpg.ReadOnlySQLTransactionError, ReadOnly),
    (asyncpg.InsufficientPrivilegeError, ReadOnly),
    (asyncpg.InsufficientResourcesError, Busy),
    (asyncpg.LockNotAvailableError, Busy),
    (asyncpg.QueryCanceledError, Busy),
    (asyncpg.DataError, Unstorable),  # the database's: a zero byte
    (ValueError, Unstorable),  # asyncpg's own: half a character
    (asyncpg.ProgramLimitExceededError, Unstorable),  # too long for an index
    (asyncpg.SerializationError, Busy),
    (asyncpg.DeadlockDetectedError, Busy),
)


def ended(connection: asyncpg.Connection, error: Exception) -> bool:
    """Whether the connection is gone, and with it the answer to what was asked last."""
    return connection.is_closed() or isinstance(error, _ENDED)


def meaning(error: Exception) -> StoreFault:
    """The fault to raise for an error after which nothing has changed."""
    for kind, fault in _MEANINGS:
        if isinstance(error, kind):
            return fault(f"PostgreSQL: {error}.")
    return StoreFault(f"PostgreSQL refused: {type(error).__name__}: {error}.")
