"""A table that is asked for while it is being created is not there yet; it was not put aside."""

import asyncio

from tests.host.matches import header, hosting
from turnstile.host import Refused
from turnstile.host.answers import Code
from turnstile.kernel.values import Instant, LogId
from turnstile.store.memory import Disk, MemoryStore
from turnstile.store.protocol import Row


class LateStore(MemoryStore):
    """A look for a row does not find the table that is created right after it."""

    async def row(self, log: LogId) -> Row | None:
        found = await super().row(log)
        await self.creating()
        return found

    async def creating(self) -> None:
        """Replaced by the test."""


def test_a_table_that_is_created_meanwhile_is_missing_and_then_there() -> None:
    async def main() -> None:
        store = LateStore(lambda: Instant(0), Disk())
        async with hosting(store) as host:

            async def create() -> None:
                store.creating = nothing  # type: ignore[method-assign]
                assert not isinstance(await host.open(header(store, "late", "e-card")), Refused)

            async def nothing() -> None:
                pass

            store.creating = create  # type: ignore[method-assign]
            first = await host.attach(LogId("late"), None)
            assert isinstance(first, Refused)
            assert first.error.code == Code.NO_TABLE
            assert not isinstance(await host.attach(LogId("late"), None), Refused)

    asyncio.run(main())
