"""The live list of tables."""

import asyncio
from typing import Any

import pytest

from tests.agents.loops import pass_time, run, until
from tests.server.matches import playing
from tests.server.servers import site
from tests.server.streams import EVENTS, events
from turnstile.server import lobby
from turnstile.store.protocol import Busy


def test_the_list_of_tables_is_live() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            first = await here.table(ana)
            response = await here.client.get(f"{here.url}/api/tables?game=e-card", headers=EVENTS)
            changes = events(response)
            _, whole = await anext(changes)
            assert [each["table"] for each in whole["changed"]] == [first]
            second, _ = await here.table(ana), await here.table(ana, game="66")
            pass_time(1)
            _, change = await anext(changes)
            assert [each["table"] for each in change["changed"]] == [second]
            await ana.command(first, "close")
            pass_time(1)
            _, change = await anext(changes)
            assert (change["changed"], change["gone"]) == ([], [first])
            response.close()
            await until(lambda: len(here.server.sessions) == 0)

    run(main())


def test_the_live_list_has_the_tables_of_one_phase_only() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            started, seating = await here.table(ana, bo), await here.table(ana)
            response = await here.client.get(f"{here.url}/api/tables?phase=Seating", headers=EVENTS)
            changes = events(response)
            _, whole = await anext(changes)
            assert {each["table"] for each in whole["changed"]} == {started, seating}
            await ana.command(started, "start")
            pass_time(1)
            _, change = await anext(changes)
            assert (change["changed"], change["gone"]) == ([], [started])
            response.close()

    run(main())


def test_P20_no_list_says_when_a_move_was_made_and_the_live_one_stays_quiet() -> None:
    """A move may be one that the reader is not allowed to know of."""

    async def main() -> None:
        async with site() as here:
            ana, bo, table, mine, _ = await playing(here)
            move = (await ana.ask("GET", f"/api/tables/{table}/view"))["actions"][0]
            response = await here.client.get(f"{here.url}/api/tables", headers=EVENTS)
            changes = events(response)
            await anext(changes)
            lists = [await bo.ask("GET", path) for path in ("/api/tables", "/api/me/tables")]
            pass_time(1)
            await mine.send("act", id="a", move=move)
            assert "error" not in await mine.until("answer")
            assert [await bo.ask("GET", path) for path in ("/api/tables", "/api/me/tables")] == lists
            pass_time(1)
            await ana.command(table, "resign")
            pass_time(1)
            _, change = await anext(changes)
            assert (change["changed"], change["gone"]) == ([], [table])
            (over,) = (await bo.ask("GET", "/api/me/tables"))["tables"]
            assert over["changed"] > over["opened"]
            response.close()

    run(main())


def test_the_live_list_has_more_tables_than_one_page(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        monkeypatch.setattr("turnstile.store.pages.MOST_ON_A_PAGE", 2)
        async with site() as here:
            ana = await here.register("Ana")
            tables = [await here.table(ana, game=game) for game in ("66", "e-card", "e-card", "e-card", "e-card")]
            response = await here.client.get(f"{here.url}/api/tables?game=66", headers=EVENTS)
            _, whole = await anext(events(response))
            assert [each["table"] for each in whole["changed"]] == tables[:1]
            response.close()

    run(main())


def test_V5_lists_are_compared_once_however_many_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them would hold up all others for as long as it takes to go through the whole list."""
    compared = list[object]()
    compare = lobby._compare

    def count(before: lobby.Listed, after: lobby.Listed) -> lobby.ListChange:
        compared.append(before)
        return compare(before, after)

    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            paths = ["/api/tables", "/api/tables?game=e-card", "/api/tables?phase=Seating"] * 2
            watching = [await here.client.get(here.url + path, headers=EVENTS) for path in paths]
            lists = [events(response) for response in watching]
            await asyncio.gather(*map(anext, lists))
            monkeypatch.setattr(lobby, "_compare", count)
            table = await here.table(ana)
            pass_time(1)
            for _, change in await asyncio.gather(*map(anext, lists)):
                assert [each["table"] for each in change["changed"]] == [table]
            assert len(compared) == 1
            for response in watching:
                response.close()

    run(main())


def test_who_watches_sees_what_another_one_found_out_at_its_first_look(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            listed, second_looks, goes_on = here.server.directory.listed, asyncio.Event(), asyncio.Event()
            looks = iter(range(2))

            async def list_late(**given: Any) -> Any:
                look = next(looks, None)
                if look == 0:
                    await second_looks.wait()
                elif look == 1:
                    second_looks.set()
                    await goes_on.wait()
                return await listed(**given)

            monkeypatch.setattr(here.server.directory, "listed", list_late)
            asking = [here.client.get(f"{here.url}/api/tables", headers=EVENTS) for _ in range(2)]
            first, second = [events(response) for response in await asyncio.gather(*asking)]
            waiting = [asyncio.ensure_future(anext(each)) for each in (first, second)]
            (whole,), _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            assert whole.result()[1]["changed"] == []
            table = await here.table(ana)
            goes_on.set()
            await asyncio.wait(waiting)
            early = first if whole is waiting[0] else second
            _, change = await anext(early)
            assert [each["table"] for each in change["changed"]] == [table]

    run(main())


def test_the_live_list_goes_on_after_the_store_was_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            response = await here.client.get(f"{here.url}/api/tables", headers=EVENTS)
            changes = events(response)
            await anext(changes)
            looked = asyncio.Event()

            async def fail(**_: object) -> None:
                looked.set()
                raise Busy("PostgreSQL cannot be reached.")

            with monkeypatch.context() as out_of_reach:
                out_of_reach.setattr(here.server.directory, "listed", fail)
                pass_time(1)
                await looked.wait()
            table = await here.table(ana)
            pass_time(1)
            _, change = await anext(changes)
            assert [each["table"] for each in change["changed"]] == [table]
            response.close()

    run(main())


def test_R7_who_asks_for_the_live_list_while_the_store_is_out_of_reach_is_told_to_come_back(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged in one line: every page asks for the list again and again, and none of them has met a bug."""

    async def main() -> None:
        async with site() as here:

            async def fail(**_: object) -> None:
                raise Busy("PostgreSQL cannot be reached.")

            with monkeypatch.context() as out_of_reach:
                out_of_reach.setattr(here.server.directory, "listed", fail)
                response = await here.client.get(f"{here.url}/api/tables", headers=EVENTS)
                (bye,) = [frame async for _, frame in events(response)]
            assert (bye["code"], bye["retryMs"]) == (4104, 1_000)
        assert [(each.getMessage(), each.exc_info) for each in caplog.records if each.levelname != "INFO"] == [
            ("The store: PostgreSQL cannot be reached.", None)
        ]

    run(main())
