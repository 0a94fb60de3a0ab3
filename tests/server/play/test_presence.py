"""Who is here, who has taken a seat or left it, and who is told so."""

import asyncio

import pytest

from tests.agents.loops import current, hurry, pass_time, run, until
from tests.server.matches import playing, started
from tests.server.mcp.models import model
from tests.server.servers import Guest, site
from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.server import ServerSettings
from turnstile.server.elsewhere import COUNTS_FOR, SHARE_PAUSE
from turnstile.server.mcp.seat import THINKING_SECONDS
from turnstile.server.readers import ABSENT_AFTER
from turnstile.store.directory import PlayerAtTable, RegisteredPlayer
from turnstile.store.memory import Disk, MemoryStore


def test_a_player_who_comes_and_goes_is_announced_once() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo, table = await started(here)
            mine = await ana.hello(table)
            assert mine.welcomed["here"] == [ana.player]
            other = await bo.hello(table)
            assert sorted(other.welcomed["here"]) == sorted([ana.player, bo.player])
            assert await mine.until("presence") == {"type": "presence", "player": bo.player, "here": True}
            await other.close()
            await until(lambda: len(here.server.readers) == 1)
            again = await bo.hello(table)  # within seconds: nobody hears of it
            await again.close()
            await until(lambda: len(here.server.readers) == 1)
            pass_time(4)
            assert await mine.until("presence") == {"type": "presence", "player": bo.player, "here": False}

    run(main())


def test_a_player_who_reconnects_is_here_for_one_who_came_in_between() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo, table = await started(here)
            mine = await ana.hello(table)
            await mine.close()
            await until(lambda: len(here.server.readers) == 0)
            other = await bo.hello(table)
            assert sorted(other.welcomed["here"]) == sorted([ana.player, bo.player])
            pass_time(4)
            assert await other.until("presence") == {"type": "presence", "player": ana.player, "here": False}

    run(main())


def test_a_model_that_thinks_between_its_calls_is_not_gone() -> None:
    async def main() -> None:
        quiet = ServerSettings(port=0, operations_port=0, dev=True, beat_seconds=3600)
        async with site(quiet) as here:
            ana, bo, table = await started(here)
            mine = await ana.hello(table)
            async with model(here.url, bo.token) as program:
                await program.do("see", table=table)
                assert (await mine.until("presence"))["here"]
                for _ in range(3):
                    pass_time(THINKING_SECONDS - 1)
                    await program.do("see", table=table)
                await mine.send("rematch", id="a")
                while (frame := await mine.next())["type"] != "answer":
                    assert frame["type"] != "presence"
                pass_time(THINKING_SECONDS + 1)
                assert await mine.until("presence") == {"type": "presence", "player": bo.player, "here": False}

    run(main())


def test_N11_a_player_at_another_process_is_present_and_may_change_the_process() -> None:
    async def main() -> None:
        disk, loop = Disk(), current()
        stores = [MemoryStore(lambda: round(loop.time() * 1000), disk) for _ in range(2)]
        async with site(store=stores[0]) as here, site(store=stores[1]) as there:
            ana, bo, table = await started(here)
            mine = await ana.hello(table)
            await until(lambda: any(present for _, present in disk.people.presence.values()))
            other = await Guest(there, bo.player, bo.token).hello(table)
            assert other.welcomed["here"] == sorted([ana.player, bo.player])
            assert await mine.until("presence") == {"type": "presence", "player": bo.player, "here": True}
            moved = await bo.hello(table)
            assert await other.closed() == 4009
            back = await Guest(there, bo.player, bo.token).hello(table)
            assert await moved.closed() == 4009
            for _ in range(4):
                pass_time(ABSENT_AFTER / 2)
                await asyncio.sleep(2 * SHARE_PAUSE)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await mine.until("presence")
            await back.close()
            await until(lambda: not there.server.readers.is_here(LogId(table), PlayerId(bo.player)))
            assert await hurry(mine.until("presence"), 0.5) == {"type": "presence", "player": bo.player, "here": False}

    run(main())


def test_C17_a_player_at_a_process_that_has_died_is_absent_soon() -> None:
    async def main() -> None:
        loop = current()
        store = MemoryStore(lambda: round(loop.time() * 1000), Disk())
        async with site(store=store) as here:
            ana, bo, table = await started(here)
            mine = await ana.hello(table)
            there, until = {PlayerAtTable(LogId(table), PlayerId(bo.player))}, Instant(store.now() + COUNTS_FOR)
            await store.directory.share_presence("killed", there, until)
            assert (await hurry(mine.until("presence"), 0.5))["here"]
            assert not (await hurry(mine.until("presence"), 0.5))["here"]
            assert store.now() >= until

    run(main())


def test_V8_spectators_come_and_go_unannounced() -> None:
    async def main() -> None:
        async with site() as here:
            _, _, table, mine, other = await playing(here)
            for _ in range(5):
                wire = await here.socket()
                assert len((await wire.hello(table))["here"]) == 2
                await wire.close()
            await mine.send("addWords", id="a", words="x")
            while (frame := await mine.next())["type"] != "answer":
                assert frame["type"] != "presence"
            await other.close()

    run(main())


def test_V4_spectators_who_see_the_match_later_do_not_see_who_is_here_now() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo, settings={"delay": 5})
            await ana.hello(table)
            wire = await here.socket()
            assert (await wire.hello(table))["here"] == []
            await bo.hello(table)
            await ana.command(table, "start")
            frames = [await wire.next() for _ in range(2)]
            assert {frame["type"] for frame in frames} == {"status"}

    run(main())


def test_who_joins_over_the_websocket_reads_its_seat_from_then_on() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana)
            wire = await bo.hello(table)
            assert wire.welcomed["seat"] is None
            await wire.send("join", id="a")
            assert "error" not in await wire.until("answer")
            assert (await wire.until("welcome"))["seat"] == bo.player
            await ana.command(table, "start")
            assert (await wire.until("update"))["seq"] == 1

    run(main())


def test_who_joins_over_the_websocket_stays_connected_however_long_the_store_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana)
            wire, find = await bo.hello(table), here.server.directory.player
            other = await ana.hello(table)

            async def find_late(player: PlayerId) -> RegisteredPlayer | None:
                await other.until("status")
                await asyncio.sleep(0.01)
                return await find(player)

            monkeypatch.setattr(here.server.directory, "player", find_late)
            await other.until("status")
            await wire.send("join", id="a")
            assert "error" not in await wire.until("answer")
            assert (await wire.until("welcome"))["seat"] == bo.player

    run(main())


def test_who_leaves_over_the_websocket_is_a_spectator_from_then_on() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            wire = await bo.hello(await here.table(ana, bo))
            await wire.send("leave", id="a")
            assert (await wire.until("welcome"))["seat"] is None

    run(main())


@pytest.mark.parametrize("by_invitation", [False, True])
def test_V2_who_is_removed_from_its_seat_reads_it_no_more(by_invitation: bool) -> None:
    """At a table by invitation it may not even watch."""

    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo, inviteOnly=by_invitation)
            wire = await bo.hello(table)
            await ana.command(table, "remove", name=bo.player)
            assert await wire.closed() == 4201
            again = await here.socket()
            if by_invitation:
                await again.send("hello", v=1, table=table, token=bo.token)
                assert await again.closed() == 4003
            else:
                assert (await again.hello(table, bo.token))["seat"] is None

    run(main())


def test_a_player_who_watches_and_joins_by_another_way_is_sent_to_its_seat() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana)
            wire, other = await bo.hello(table), await here.socket()
            await other.hello(table)
            await bo.command(table, "join")
            assert await wire.closed() == 4201
            assert (await bo.hello(table)).welcomed["seat"] == bo.player
            assert (await other.until("status"))["phase"] == "Seating"

    run(main())
