from pathlib import Path

import pytest

from tests import postgres
from tests.store.places import PLACES, Place


@pytest.fixture(params=list(PLACES))
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Every store there is, one after the other."""
    return PLACES[request.param](tmp_path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the file of a store may be; nothing is there yet."""
    return tmp_path / "tables.db"


def pytest_sessionfinish() -> None:
    postgres.shared.close()
