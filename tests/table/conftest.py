"""The toy games are lent to the registry for as long as a test runs."""

from collections.abc import Iterator

import pytest

from tests.table.toys import gated, hourglass
from turnstile.registry import lent


@pytest.fixture
def toys() -> Iterator[None]:
    with lent(hourglass), lent(gated()):
        yield
