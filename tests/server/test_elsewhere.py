"""What a process knows of the players at others, whatever the order in which the directory answers."""

import asyncio
from collections.abc import Collection, Iterator
from itertools import cycle
from typing import cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.server import elsewhere
from turnstile.server.elsewhere import Elsewhere
from turnstile.server.readers import Readers
from turnstile.store.directory import Directory, PlayerAtTable
from turnstile.store.memory import MemoryStore

ANA = PlayerId("ana")
MOMENTS = st.integers(0, 40)  # turns of the loop: others may ask and be answered meanwhile, twice and more


class SlowDirectory:
    """Ana is connected to every table, elsewhere. Every answer takes as many turns of the loop as the next delay."""

    def __init__(self, delays: Iterator[int]) -> None:
        self._delays = delays

    async def share_presence(self, process: str, present: Collection[PlayerAtTable], until: Instant) -> None:
        await turns(next(self._delays))

    async def present_elsewhere(self, process: str, tables: Collection[LogId], now: Instant) -> set[PlayerAtTable]:
        await turns(next(self._delays))
        return {PlayerAtTable(table, ANA) for table in tables}


class NoReaders:
    def all_present(self) -> set[PlayerAtTable]:
        return set()

    def tables(self) -> set[LogId]:
        return set()

    def tell_elsewhere(self, table: LogId, player: PlayerId, *, is_here: bool) -> None:
        assert player == ANA


async def turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


@example(starts=[0, 2], delays=[1, 6])
@given(starts=st.lists(MOMENTS, min_size=1, max_size=8), delays=st.lists(MOMENTS, min_size=1, max_size=12))
def test_who_asks_for_a_table_knows_it_then_and_sharing_goes_on(starts: list[int], delays: list[int]) -> None:
    async def main() -> None:
        known = Elsewhere(
            MemoryStore(lambda: 0), cast(Directory, SlowDirectory(cycle(delays))), cast(Readers, NoReaders())
        )
        sharing = asyncio.create_task(known.keep_sharing())

        async def learn(number: int, start: int) -> None:
            await turns(start)
            await known.learn(LogId(f"table {number}"))
            assert known.players(LogId(f"table {number}")) == {ANA}

        await asyncio.gather(*(learn(number, start) for number, start in enumerate(starts)))
        await turns(20)
        assert not sharing.done()
        sharing.cancel()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elsewhere, "SHARE_PAUSE", 0)
        patch.setattr(elsewhere, "SHARE_EVERY", 0)
        asyncio.run(main())
