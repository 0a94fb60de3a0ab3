"""Opens the store at a location: an SQLite file, or a PostgreSQL database. Only this module chooses between them."""

from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

from turnstile.store.directory import DirectoryStore
from turnstile.store.protocol import BAD_ADDRESS, CannotOpen
from turnstile.store.sqlite import SqliteStore

DATABASES = ("postgresql://", "postgres://")


def is_database(where: str) -> bool:
    """Whether a location is a database address. Any other location is a file."""
    return where.startswith(DATABASES)


async def open_store(where: str) -> DirectoryStore:
    """Open the store at a location with its directory, and create it if it does not exist. Raises `CannotOpen`.

    A database may hold several stores: `?schema=NAME` in its address chooses one.
    """
    if not is_database(where):
        scheme, is_address, _ = where.partition("://")
        if is_address:
            raise CannotOpen(f"There is no store at a {scheme}:// address: name a file, or a postgresql:// address.")
        return await SqliteStore.open(where)
    try:
        from turnstile.store.postgres import PostgresStore  # asyncpg is an optional dependency
    except ImportError as missing:
        why = f"A store in PostgreSQL needs another package: pip install 'turnstile[postgres]' ({missing})."
        raise CannotOpen(why) from missing
    try:
        dsn, schema = split_schema(where)
    except ValueError:
        raise CannotOpen(BAD_ADDRESS) from None
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


async def open_existing(where: str) -> DirectoryStore:
    """Open a store that must exist already: a mistyped path does not create an empty file."""
    if not is_database(where) and not Path(where).is_file():
        raise CannotOpen(f"There is no store in {where}: name its file, or its postgresql:// address, with --store.")
    return await open_store(where)
