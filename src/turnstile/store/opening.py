"""Opens the store at a location: an SQLite file, or a PostgreSQL database. Only this module chooses between them."""

from pathlib import Path

from turnstile.store.protocol import CannotOpen, Store
from turnstile.store.sqlite import SqliteStore

DATABASES = ("postgresql://", "postgres://")


def is_database(where: str) -> bool:
    """Whether a location is a database address. Any other location is a file."""
    return where.startswith(DATABASES)


async def open_store(where: str) -> Store:
    """Open the store at a location, and create it if it does not exist. Raises `CannotOpen`."""
    if not is_database(where):
        return await SqliteStore.open(where)
    try:
        from turnstile.store.postgres import PostgresStore  # asyncpg is an optional dependency
    except ImportError as missing:
        why = f"A store in PostgreSQL needs another package: pip install 'turnstile[postgres]' ({missing})."
        raise CannotOpen(why) from missing
    return await PostgresStore.open(where)


async def open_existing(where: str) -> Store:
    """Open a store that must exist already: a mistyped path does not create an empty file."""
    if not is_database(where) and not Path(where).is_file():
        raise CannotOpen(f"There is no store in {where}: name its file, or its postgresql:// address, with --store.")
    return await open_store(where)
