"""A client that comes back goes on where it was, at any process and after a restart."""

import asyncio

from tests.agents.loops import current, pass_time, run
from tests.server.matches import playing, started
from tests.server.servers import Guest, site
from turnstile.store.memory import Disk, MemoryStore


def test_C5_a_client_that_comes_back_gets_what_it_has_not_seen_and_nothing_twice() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table, mine, other = await playing(here)
            last = mine.seq
            await mine.close()
            await other.send("resign", id="a")
            again = await ana.hello(table, last)
            assert (again.welcomed["after"], again.welcomed["top"] > last) == (last, True)
            assert (await again.until("update"))["seq"] == last + 1

    run(main())


def test_C6_N17_what_was_not_acknowledged_comes_again_and_the_ack_may_be_repeated() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            first = await ana.hello(table)
            body = await first.until("update")
            await first.close()
            again = await ana.hello(table)
            assert await again.until("update") == body
            for _ in range(3):
                await again.send("ack", upto=1)
            await again.send("addWords", id="w", words="heads")
            assert "error" not in await again.until("answer")

    run(main())


def test_a_hello_on_an_open_connection_starts_over_without_a_new_one() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table, mine, _ = await playing(here)
            top = mine.seq
            await mine.hello(table, ana.token, 1)
            seqs = [(await mine.until("update"))["seq"] for _ in range(top - 1)]
            assert seqs == list(range(2, top + 1))
            assert not here.server.counts.closed

    run(main())


def test_N9_S8_after_an_update_that_does_not_exist_the_client_gets_the_whole_newest_view() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table, mine, _ = await playing(here)
            again = await ana.hello(table, 99)
            welcome = again.welcomed
            assert welcome["after"] < welcome["top"] <= mine.seq
            update = await again.until("update")
            assert update["seq"] == welcome["after"] + 1
            assert update["view"]

    run(main())


def test_N10_a_client_far_behind_gets_the_whole_stream_without_a_gap() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table, mine, _ = await playing(here)
            top = mine.seq
            again = await ana.hello(table, 0)
            assert [(await again.until("update"))["seq"] for _ in range(top)] == list(range(1, top + 1))

    run(main())


def test_N11_another_process_has_the_same_stream() -> None:
    async def main() -> None:
        disk, loop = Disk(), current()
        stores = [MemoryStore(lambda: round(loop.time() * 1000), disk, is_shared=True) for _ in range(2)]
        async with (
            site(store=stores[0]) as here,
            site(store=stores[1]) as there,
        ):
            ana, bo, table = await started(here)
            mine = await ana.hello(table)
            first = await mine.until("update")
            elsewhere = await Guest(there, ana.player, ana.token).hello(table, 0)
            assert await elsewhere.until("update") == first
            far = await Guest(there, bo.player, bo.token).hello(table)
            await elsewhere.send("ack", upto=1)
            await far.send("ack", upto=(await far.until("update"))["seq"])
            pass_time(1)
            await far.until("update")

    run(main())


def test_C3_a_server_that_starts_again_goes_on_with_the_same_streams_and_answers() -> None:
    async def main() -> None:
        disk, loop = Disk(), current()
        store = MemoryStore(lambda: round(loop.time() * 1000), disk, is_shared=False)
        async with site(store=store) as here:
            ana, _, table, mine, other = await playing(here)
            await mine.send("resign", id="the end")
            first, last = await mine.until("answer"), mine.seq
            closed, _, _ = await asyncio.gather(mine.closed(), other.closed(), here.stop())
            assert closed == 4100
        store = MemoryStore(lambda: round(loop.time() * 1000), disk, is_shared=False)
        async with site(store=store) as there:
            again = await Guest(there, ana.player, ana.token).hello(table, last)
            await again.send("resign", id="the end")
            assert await again.until("answer") == first

    run(main())
