"""Callable functions on real stores: on SQLite, and at two servers on one PostgreSQL."""

from pathlib import Path

from tests import postgres
from tests.agents.loops import run
from tests.server.callable.calls import Caller, callers, play, wait_for_turn
from tests.server.servers import Guest, site
from turnstile.store.postgres import PostgresStore
from turnstile.store.sqlite import SqliteStore


def test_on_sqlite_a_match_goes_on_after_a_restart(tmp_path: Path) -> None:
    async def main() -> None:
        store = await SqliteStore.open(tmp_path / "tables.db")
        async with site(store=store) as here:
            room, players = await callers(here, "Ana", "Bo", maxRoundSize=2)
            await players[0].call("startGame", roomId=room)
            before = [await caller.game(room) for caller in players]
        await store.close()
        store = await SqliteStore.open(tmp_path / "tables.db")
        async with site(store=store) as there:
            again = [Caller(Guest(there, caller.player, caller.guest.token)) for caller in players]
            assert [await caller.game(room) for caller in again] == before
            await play(room, again)
        await store.close()

    run(main())


def test_on_postgresql_two_callers_at_two_servers_play_one_match() -> None:
    async def main() -> None:
        schema = postgres.shared.new_schema()
        stores = [await PostgresStore.open(postgres.shared.dsn(), schema=schema) for _ in range(2)]
        async with site(store=stores[0]) as here, site(store=stores[1]) as there:
            ana, bo = Caller(await here.register("Ana")), Caller(await there.register("Bo"))
            room = await here.table(ana.guest, game="up-down", options={"maxRoundSize": 2})
            await bo.guest.command(room, "join")
            await ana.call("startGame", roomId=room)
            while (active := await wait_for_turn(room, [ana, bo])) is not None:
                await active.act(room)
            for caller in (ana, bo):
                assert len((await caller.game(room))["completedRounds"]) == 3
        for store in stores:
            await store.close()

    run(main())
