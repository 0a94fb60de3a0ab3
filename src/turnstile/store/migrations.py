"""Numbered SQL files, and which of them a store still needs. Each store runs them in its own way."""

from importlib.resources import files
from typing import NamedTuple

from turnstile.store.protocol import CannotOpen


class Migration(NamedTuple):
    """One step from a schema version to the next. The step and its new version number are one transaction."""

    version: int
    sql: str


def all_migrations(dialect: str) -> tuple[Migration, ...]:
    """All migrations of a dialect, in order: schema/<dialect>/0001_what_it_does.sql and so on."""
    found = sorted(
        (Migration(int(file.name.split("_")[0]), file.read_text(encoding="utf-8")))
        for file in files("turnstile.store").joinpath("schema", dialect).iterdir()
        if file.name.endswith(".sql")
    )
    assert [migration.version for migration in found] == list(range(1, len(found) + 1)), "numbered without gaps"
    return tuple(found)


def pending_migrations(version: int, migrations: tuple[Migration, ...]) -> tuple[Migration, ...]:
    """The migrations that a store of this version lacks. A store with a newer schema cannot be opened."""
    if version > len(migrations):
        raise CannotOpen(
            f"Its schema has version {version}, and this program knows versions up to {len(migrations)} only: "
            "start a program at least as new as the one that wrote it."
        )
    return migrations[version:]
