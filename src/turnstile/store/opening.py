"""Which store a place names: a file of SQLite, or a database of PostgreSQL. The one point where this is decided."""

from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

from turnstile.store.protocol import CannotOpen, Store
from turnstile.store.sqlite.store import SqliteStore

DATABASES = ("postgresql://", "postgres://")


def is_database(where: str) -> bool:
    """Whether a place is a database server's; any other is a file."""
    return where.startswith(DATABASES)


async def open_store(where: str) -> Store:
    """The store in a place, which is made if it is not there. Raises `CannotOpen`.

    A database may hold several stores: `?schema=NAME` in its address says which.
    """
    if not is_database(where):
        return await SqliteStore.open(where)
    try:
        from turnstile.store.postgres import PostgresStore  # asyncpg comes only to those who want it
    except ImportError as missing:
        why = f"Tables in PostgreSQL need a package more: pip install 'turnstile[postgres]' ({missing})."
        raise CannotOpen(why) from missing
    dsn, schema = split_schema(where)
    return await (PostgresStore.open(dsn) if schema is None else PostgresStore.open(dsn, schema=schema))


def split_schema(where: str) -> tuple[str, str | None]:
    """The address of a database without its `schema`, and the schema."""
    address = urlsplit(where)
    query = parse_qsl(address.query, keep_blank_values=True)
    schema = dict(query).get("schema")
    if schema is None:
        return where, None
    rest = urlencode([pair for pair in query if pair[0] != "schema"], safe="/")
    head, _, _ = where.partition("?")
    return f"{head}?{rest}" if rest else head, schema


async def open_existing(where: str) -> Store:
    """The store in a place where there should be one: a path that was mistyped makes no empty file."""
    if not is_database(where) and not Path(where).is_file():
        raise CannotOpen(f"There is no store in {where}: name its file, or its postgresql:// address, with --store.")
    return await open_store(where)
