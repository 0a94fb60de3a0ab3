"""Servers on real stores: a match on SQLite across a restart, and two servers on one PostgreSQL."""

import asyncio
import secrets
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession

from tests import postgres
from tests.agents.loops import run, until
from tests.proxy import line_to
from tests.server.play.test_matches import play
from tests.server.processes import ServerProcess, several
from tests.server.servers import Guest, Wire, site
from turnstile.client import Client, Notice, Seat
from turnstile.kernel.values import LogId, PlayerId
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
            await until(lambda: not here.server.readers.is_here(LogId(table), PlayerId(ana.player)))
            played = await asyncio.gather(play(newer), play(other))
            assert played[0] == list(range(first["seq"] + 1, first["seq"] + 1 + len(played[0])))
        for store in stores:
            await store.close()

    run(main())


def test_N11_a_player_at_another_process_is_not_shown_as_away() -> None:
    async def main() -> None:
        async with (
            several(2, postgres.shared.new_store(), "--beat-seconds", "20") as (one, other),
            Client(one.url) as near,
            Client(other.url) as far,
        ):
            ana, bo = await near.register("Ana"), await far.register("Bo")
            table = (await ana.create_table("e-card")).table
            await bo.join(table)
            async with ClientSession() as session:
                mine = Wire(await session.ws_connect(f"{one.url}/api/play"))
                await mine.hello(table, ana.token)
                theirs = Wire(await session.ws_connect(f"{other.url}/api/play"))
                await theirs.hello(table, bo.token)
                here = set(theirs.welcomed["here"])
                while ana.id not in here:  # her process tells the other one within moments
                    told = await theirs.until("presence")
                    assert told["here"]
                    here.add(told["player"])
                assert here == {ana.id, bo.id}
                assert await mine.until("presence") == {"type": "presence", "player": bo.id, "here": True}
                stopping = asyncio.create_task(other.stop())
                assert await theirs.closed() == 4100
                await stopping
                assert await mine.until("presence") == {"type": "presence", "player": bo.id, "here": False}

    run(main())


@pytest.mark.parametrize("is_recent", [True, False])
def test_S8_U7_a_client_of_a_lost_history_is_never_spliced_onto_the_restored_one(
    tmp_path: Path, is_recent: bool
) -> None:
    """Whether the updates of the new history are in memory or only in the log, and though there are more of them."""

    async def main() -> None:
        path, backup = tmp_path / "tables.db", tmp_path / "backup.db"
        store = await SqliteStore.open(path)
        async with site(store=store) as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)
            await ana.command(table, "start")
            kept = await (await ana.hello(table)).until("update")
        await store.close()
        shutil.copy(path, backup)

        store = await SqliteStore.open(path)
        async with site(store=store) as here:
            lost = await go_on(Guest(here, ana.player, ana.token), Guest(here, bo.player, bo.token), table, 5)
        await store.close()
        shutil.copy(backup, path)

        store = await SqliteStore.open(path)
        async with site(store=store) as here:
            ana, bo = Guest(here, ana.player, ana.token), Guest(here, bo.player, bo.token)
            newest = await go_on(ana, bo, table, 9)
            assert newest["seq"] > lost["seq"] > kept["seq"]
        if not is_recent:
            await store.close()
            store = await SqliteStore.open(path)
        async with site(store=store) as here:
            ana = Guest(here, ana.player, ana.token)
            wire = await ana.hello(table, lost["seq"], lost["history"])
            assert (wire.welcomed["resumed"], wire.welcomed["after"] == lost["seq"]) == (False, False)
            assert "view" in await wire.until("update")
            wire = await ana.hello(table, kept["seq"], kept["history"])
            assert (wire.welcomed["resumed"], wire.welcomed["after"]) == (True, kept["seq"])
            wire = await ana.hello(table, newest["seq"], newest["history"])
            assert (wire.welcomed["resumed"], wire.welcomed["after"]) == (True, newest["seq"])
            address = f"/api/tables/{table}/updates?after={lost['seq']}&history={lost['history']}"
            found = await ana.ask("GET", address)
            assert (found["resumed"], found["after"] == lost["seq"]) == (False, False)
            found = await ana.ask("GET", f"/api/tables/{table}/updates?after=1&history={found['history']}")
            assert not found["resumed"]
            found = await ana.ask("GET", f"/api/tables/{table}/updates?after={found['top']}&history={found['history']}")
            assert found["resumed"]
        await store.close()

    run(main())


async def go_on(one: Guest, other: Guest, table: str, seq: int) -> Any:
    """Play until the first player has so many updates; the last of them."""
    mine, playing = await one.hello(table), asyncio.create_task(play(await other.hello(table)))
    actions = list[Any]()
    while True:
        frame = await mine.next()
        if frame["type"] == "update":
            actions = frame["actions"]
            await mine.send("ack", upto=frame["seq"])
            if frame["seq"] == seq:
                playing.cancel()
                return frame
        elif "error" in frame:
            await asyncio.sleep(0.001)
        if actions and (frame["type"] == "update" or "error" in frame):
            await mine.send("act", id=secrets.token_hex(8), move=actions[0])


@pytest.mark.parametrize(
    ("first", "second", "stop_seconds", "status"),
    [(signal.SIGTERM, None, "0.1", 1), (signal.SIGINT, signal.SIGINT, "60", 130)],
)
def test_a_server_whose_database_is_frozen_ends_in_time_or_with_a_second_ctrl_c(
    first: signal.Signals, second: signal.Signals | None, stop_seconds: str, status: int
) -> None:
    async def main() -> None:
        async with (
            line_to(postgres.shared.new_store()) as (line, store),
            ServerProcess(store, "--stop-seconds", stop_seconds) as server,
            Client(server.url) as client,
        ):
            ana, lost = await client.register("Ana"), asyncio.Event()
            table = await ana.create_table("e-card", bots=["random"])

            def hear(_: Seat, notice: Notice) -> None:
                if notice is Notice.LOST:
                    lost.set()

            async with ana.play(table, hear) as seat:
                await anext(seat)
                line.freeze()
                server.signal(first)
                await lost.wait()
                if second is not None:
                    server.signal(second)
                assert await server.ended() == status

    run(main())
