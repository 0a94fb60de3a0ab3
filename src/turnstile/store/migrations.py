"""Numbered SQL files, and which of them a store still needs. Who runs them, and how, is the store's affair."""

from importlib.resources import files
from typing import NamedTuple

from turnstile.store.protocol import CannotOpen


class Migration(NamedTuple):
    """One step from a version of the schema to the next, run in one transaction together with the new version."""

    version: int
    sql: str


def known(dialect: str) -> tuple[Migration, ...]:
    """All there are for a dialect, in order: schema/<dialect>/0001_what_it_does.sql and so on."""
    found = sorted(
        (Migration(int(file.name.split("_")[0]), file.read_text(encoding="utf-8")))
        for file in files("turnstile.store").joinpath("schema", dialect).iterdir()
        if file.name.endswith(".sql")
    )
    assert [migration.version for migration in found] == list(range(1, len(found) + 1)), "numbered without gaps"
    return tuple(found)


def pending(version: int, migrations: tuple[Migration, ...]) -> tuple[Migration, ...]:
    """Those that a store of this version lacks. A store that is ahead of us is refused: we would not understand it."""
    if version > len(migrations):
        raise CannotOpen(
            f"Its schema has version {version}, and this program knows versions up to {len(migrations)} only: "
            "start a program at least as new as the one that wrote it."
        )
    return migrations[version:]
