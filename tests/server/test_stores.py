"""Servers on real stores: a match on SQLite across a restart, and two servers on one PostgreSQL."""

import asyncio
from pathlib import Path

from tests import postgres
from tests.agents.loops import run
from tests.server.play.test_matches import play
from tests.server.servers import Guest, site
from turnstile.store.postgres import PostgresStore
from turnstile.store.sqlite import SqliteStore


def test_on_sqlite_players_and_tables_outlive_the_server(tmp_path: Path) -> None:
    async def main() -> None:
        store = await SqliteStore.open(tmp_path / "tables.db")
        async with site(store=store) as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)
            await ana.command(table, "start")
            seen = [(await (await guest.hello(table)).until("update"))["seq"] for guest in (ana, bo)]
        await store.close()
        store = await SqliteStore.open(tmp_path / "tables.db")
        async with site(store=store) as there:
            wires = [await Guest(there, guest.player, guest.token).hello(table, 1) for guest in (ana, bo)]
            for seqs in await asyncio.gather(*map(play, wires)):
                assert seen == [1, 1]
                assert seqs == list(range(2, len(seqs) + 2))
            mine = await Guest(there, ana.player, ana.token).ask("GET", "/api/me/tables?open=false")
            assert [each["table"] for each in mine["tables"]] == [table]
        await store.close()

    run(main())


def test_N13_on_postgresql_two_players_at_two_servers_play_one_match() -> None:
    async def main() -> None:
        schema = postgres.shared.new_schema()
        stores = [await PostgresStore.open(postgres.shared.dsn(), schema=schema) for _ in range(2)]
        async with site(store=stores[0]) as here, site(store=stores[1]) as there:
            ana, bo = await here.register("Ana"), await there.register("Bo")
            table = await here.table(ana)
            await bo.command(table, "join")
            await ana.command(table, "start")
            wires = [await ana.hello(table), await bo.hello(table)]
            for seqs in await asyncio.gather(*map(play, wires)):
                assert seqs == list(range(1, len(seqs) + 1))
        for store in stores:
            await store.close()

    run(main())


def test_N8_on_postgresql_a_newer_connection_at_another_server_ends_the_older_one() -> None:
    async def main() -> None:
        schema = postgres.shared.new_schema()
        stores = [await PostgresStore.open(postgres.shared.dsn(), schema=schema) for _ in range(2)]
        async with site(store=stores[0]) as here, site(store=stores[1]) as there:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)
            await ana.command(table, "start")
            older, other = await ana.hello(table), await bo.hello(table)
            first = await older.until("update")
            newer = await Guest(there, ana.player, ana.token).hello(table, first["seq"])
            assert newer.welcomed["after"] == first["seq"]
            await older.send("ack", upto=first["seq"])
            assert await older.closed() == 4009
            assert ana.player not in {reader.player for at in here.server.readers._at.values() for reader in at}
            played = await asyncio.gather(play(newer), play(other))
            assert played[0] == list(range(first["seq"] + 1, first["seq"] + 1 + len(played[0])))
        for store in stores:
            await store.close()

    run(main())
