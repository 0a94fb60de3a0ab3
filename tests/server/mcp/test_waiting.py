"""Waiting for news: how long a call waits, who hears what, and what ends it."""

import asyncio

from tests.agents.loops import hurry, run, until
from tests.server.mcp.models import model, text_of
from tests.server.servers import site
from turnstile.server.mcp.seat import LONGEST_WAIT


def test_a_wait_without_news_answers_in_one_line() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            async with model(here.url, ana.token) as first, model(here.url, bo.token) as second:
                table = await here.table(ana, bo)
                starting = asyncio.create_task(first.do("start_match", table=table))
                assert (await second.do("wait", table=table, since=0))["yourTurn"]
                seen = await starting
                acting = first.do("act", table=table, seq=seen["seq"], action=seen["actions"][0])
                after = await hurry(acting, 5)
                assert not after["yourTurn"]
                waited = await hurry(first.call("wait", table=table, since=after["seq"]), 5)
                assert waited.structured_content == {
                    "table": table,
                    "seq": after["seq"],
                    "yourTurn": False,
                    "next": f"Nothing new. Call wait with since={after['seq']} again.",
                }
                assert text_of(waited) == waited.structured_content["next"]

    run(main())


def test_a_wait_for_an_update_that_does_not_exist_shows_the_newest_one() -> None:
    """Such as one with the number of an update of another table."""

    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            async with model(here.url, ana.token) as first, model(here.url, bo.token) as second:
                table = await here.table(ana, bo, game="up-down")
                starting = asyncio.create_task(first.do("start_match", table=table))
                waiting = asyncio.create_task(second.do("wait", table=table, since=0))
                done, _ = await asyncio.wait({starting, waiting}, return_when=asyncio.FIRST_COMPLETED)
                idle = second if starting in done else first
                seen = await hurry(idle.do("wait", table=table, since=999), 5)
                assert (seen["seq"], seen["phase"], seen["yourTurn"]) == (2, "Playing", False)
                for task in (starting, waiting):
                    task.cancel()

    run(main())


def test_no_call_waits_longer_than_clients_do() -> None:
    async def main() -> None:
        async with site() as here, model(here.url, (await here.register("Ana")).token) as guest:
            assert LONGEST_WAIT <= 25
            refused = await guest.refused("wait", table="t", since=0, seconds=26)
            assert refused["code"] == "BadRequest"

    run(main())


def test_the_player_who_opened_a_table_hears_who_joins() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            async with model(here.url, ana.token) as first, model(here.url, bo.token) as second:
                table = (await first.do("make_table", game="e-card"))["table"]
                waiting = asyncio.create_task(first.do("wait", table=table, since=0))
                while not len(here.server.readers):
                    await asyncio.sleep(0.001)
                await second.do("join_table", table=table)
                assert len((await waiting)["players"]) == 2

    run(main())


def test_a_call_ends_no_other_reader_of_the_seat_and_none_of_them_ends_a_call() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            async with model(here.url, ana.token) as guest:
                table = (await guest.do("make_table", game="e-card"))["table"]
                wire = await ana.hello(table)
                waiting = asyncio.create_task(guest.do("wait", table=table, since=0))
                await until(lambda: len(here.server.readers) == 2)
                await guest.do("see", table=table)
                again = await ana.hello(table)
                assert await wire.closed() == 4009  # by the newer WebSocket
                await bo.command(table, "join")
                assert len((await waiting)["players"]) == 2
                await ana.command(table, "start")
                assert (await again.until("update"))["seq"] == 1
                await guest.do("see", table=table)
                assert (await ana.ask("GET", f"/api/tables/{table}/view"))["seq"] == 1
                await again.send("resign", id="a")
                assert "error" not in await again.until("answer")

    run(main())


def test_a_call_that_waits_ends_when_its_player_logs_out_or_the_server_stops() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            async with model(here.url, ana.token) as guest:
                table = (await guest.do("make_table", game="e-card"))["table"]
                waiting = asyncio.create_task(guest.refused("wait", table=table, since=0))
                while not len(here.server.readers):
                    await asyncio.sleep(0.001)
                await ana.ask("POST", "/api/me/logout-everywhere")
                assert (await waiting)["code"] == "BadToken"
            bo = await here.register("Bo")
            async with model(here.url, bo.token) as guest:
                table = (await guest.do("make_table", game="e-card"))["table"]
                waiting = asyncio.create_task(guest.refused("wait", table=table, since=0))
                while not len(here.server.readers):
                    await asyncio.sleep(0.001)
                await here.server.sessions.stop()
                assert (await waiting)["code"] == "Stopping"

    run(main())
