"""What the directory knows of tables follows what happens at them: who sits down and leaves, and when it is over."""

import asyncio
from pathlib import Path

from tests.host.matches import ANA, BO, BOTS, NOW, begun, done, hosting, opened, until
from turnstile.durable.upkeep import rebuild
from turnstile.host.logs import TABLES
from turnstile.kernel.values import LogId, PlayerId
from turnstile.store.directory import DirectoryStore
from turnstile.store.memory import MemoryStore
from turnstile.store.protocol import Commit
from turnstile.store.sqlite import SqliteStore
from turnstile.table.values import AddBot, Join, Leave, Phase, Remove, Resign


async def tables_of(store: DirectoryStore, player: PlayerId, *, is_open: bool | None = True) -> list[LogId]:
    return [table for table, _ in (await store.directory.tables_of(player, is_open=is_open)).items]


def test_a_player_has_a_table_from_joining_to_leaving(tmp_path: Path) -> None:
    async def run() -> None:
        store = await SqliteStore.open(tmp_path / "tables.db")
        async with hosting(store) as host:
            table = await opened(host, "t", "e-card")
            assert await tables_of(store, ANA) == await tables_of(store, BO) == []  # the admin need not play
            await done(host, table, Join(ANA, "1", NOW), Join(BO, "2", NOW))
            assert await tables_of(store, ANA) == await tables_of(store, BO) == [table]
            await done(host, table, Leave(BO, "3", NOW), AddBot(ANA, "4", NOW, BOTS[0], PlayerId("random")))
            assert (await tables_of(store, BO), await tables_of(store, BOTS[0])) == ([], [table])
            await done(host, table, Remove(ANA, "5", NOW, BOTS[0]))
            assert await tables_of(store, BOTS[0]) == []
        await store.close()

    asyncio.run(run())


def test_a_table_that_is_over_is_closed_unlisted_and_waits_to_be_booked(tmp_path: Path) -> None:
    async def run() -> None:
        store = await SqliteStore.open(tmp_path / "tables.db")
        async with hosting(store) as host:
            table = await begun(host, "t", "e-card", ANA, BO)
            assert [name for name, _ in (await store.directory.listed(game="e-card")).items] == [table]
            assert await store.directory.unbooked() == []
            await done(host, table, Resign(ANA, "enough", NOW))
            await until(host, table, Phase.FINISHED)
            assert (await tables_of(store, ANA), await tables_of(store, ANA, is_open=False)) == ([], [table])
            assert (await store.directory.listed()).items == ()
            assert await store.directory.unbooked() == [table]
            await store.put_aside(table, "for no reason")
            assert await rebuild({"table": TABLES}, store, table) is None
            assert await tables_of(store, BO, is_open=False) == [table]
            assert await store.directory.unbooked() == [table]
        await store.close()

    asyncio.run(run())


def test_R5_only_the_commits_that_change_the_players_say_who_they_are() -> None:
    """A move costs the directory nothing."""
    written: list[Commit] = []

    class Watched(MemoryStore):
        async def commit(self, commit: Commit) -> bool:
            written.append(commit)
            return await super().commit(commit)

    async def run() -> None:
        store = Watched(lambda: 1_800_000_000_000, is_shared=False)
        async with hosting(store) as host:
            table = await begun(host, "t", "e-card", ANA)
            await done(host, table, Resign(ANA, "enough", NOW))

    asyncio.run(run())
    named = [commit.seats for commit in written if commit.seats is not None]
    assert named == [(ANA,), (ANA, BOTS[0])]
    assert len(written) > len(named)
