"""Stores for the tests of `turnstile matches`."""

import asyncio
from pathlib import Path
from shutil import copy

import pytest

from tests.cli.matches.filled import fill


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "tables.db"
    asyncio.run(fill(path))
    return path


@pytest.fixture
def store(filled: Path, tmp_path: Path) -> Path:
    """A store of one's own; it was closed well, so that the file is whole without a `-wal`."""
    return Path(copy(filled, tmp_path / "tables.db"))
