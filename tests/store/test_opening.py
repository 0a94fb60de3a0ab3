"""Which store a location names."""

import asyncio

import pytest

from turnstile.store.opening import open_store
from turnstile.store.protocol import CannotOpen


@pytest.mark.parametrize("where", ["sqlite:///tables.db", "mysql://me:secret@host/tables"])
def test_an_address_that_names_no_store_is_refused_without_its_secrets(where: str) -> None:
    with pytest.raises(CannotOpen, match=r"^There is no store at a \w+:// address: .*postgresql://") as refused:
        asyncio.run(open_store(where))
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("where", ["postgresql://me:secret@[host/db", "postgresql://me:secret/5@host/db"])
def test_a_database_address_that_cannot_be_read_is_refused_without_its_secrets(where: str) -> None:
    with pytest.raises(CannotOpen, match=r"^The address of the database cannot be read: .*postgresql://") as refused:
        asyncio.run(open_store(where))
    assert "secret" not in str(refused.value)
