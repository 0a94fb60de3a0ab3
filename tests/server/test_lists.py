"""Lists of tables: open ones, those of a player, and how many a player may open."""

import asyncio

import pytest
from msgspec.structs import replace

from tests.agents.loops import pass_time, run, until
from tests.server.servers import SETTINGS, Guest, site
from turnstile.host import Ending
from turnstile.kernel.values import LogId
from turnstile.registry import find_game
from turnstile.server.limits import LIMITS, LimitName
from turnstile.table import machine as table_machine


def test_open_tables_are_listed_by_game_and_page_the_newest_first() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            tables = [await here.table(ana, game=game) for game in ("e-card", "66", "e-card", "up-down", "e-card")]
            found, after = list[str](), ""
            while True:
                page = await here.ask("GET", f"/api/tables?limit=2{after}")
                found += [each["table"] for each in page["tables"]]
                if page["next"] is None:
                    break
                after = f"&after={page['next']}"
            assert sorted(found) == sorted(tables)
            cards = await here.ask("GET", "/api/tables?game=e-card&phase=Seating")
            assert cards["names"] == {ana.player: "Ana"}
            assert {each["table"] for each in cards["tables"]} == {tables[0], tables[2], tables[4]}

    run(main())


@pytest.mark.parametrize("delay", [0, 3])
def test_V4_a_list_tells_no_more_than_spectators_see(delay: int) -> None:
    """Not when the last move was made, and with a delay not that the table waits. After the end all of it is shown."""

    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo, settings={"delay": delay})
            live = here.server.host.tables.live[LogId(table)]
            opened = live.state.header.at
            wires = await ana.hello(table), await bo.hello(table)
            pass_time(1)
            await ana.command(table, "start")
            for phase in ("Starting", "Gathering", "Playing"):
                listed = (await here.ask("GET", "/api/tables"))["tables"][0]
                shown = phase.replace("Gathering", "Playing") if delay else phase
                assert (listed["phase"], listed["changed"]) == (shown, opened)
                pass_time(1)
                if phase != "Playing":
                    for wire in wires:
                        await wire.send("ack", upto=(await wire.until("update"))["seq"])
                    await until(lambda was=phase: live.state.phase.value != was)  # type: ignore[misc]
            await ana.command(table, "resign")
            (over,) = (await ana.ask("GET", "/api/me/tables"))["tables"]
            assert (over["phase"], over["changed"]) == ("Finished", live.state.now)

    run(main())


def test_a_player_finds_its_own_tables() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            first, second = await here.table(ana), await here.table(bo, ana)
            mine = await ana.ask("GET", "/api/me/tables?open=true")
            assert {each["table"] for each in mine["tables"]} == {first, second}
            assert [each["table"] for each in (await bo.ask("GET", "/api/me/tables"))["tables"]] == [second]

    run(main())


def test_a_table_that_is_not_started_is_closed_after_a_while_unless_a_player_is_here() -> None:
    """Otherwise the list, and the quota of its player, would fill with tables that everyone has left."""

    async def main() -> None:
        async with site(replace(SETTINGS, unstarted_hours=0.01)) as here:
            ana, bo, cem = [await here.register(name) for name in ("Ana", "Bo", "Cem")]
            left, private = await here.table(ana), await here.table(ana, inviteOnly=True)
            started, used = await here.table(bo, ana), await here.table(cem, bo)
            await bo.command(started, "start")
            await bo.hello(used)
            pass_time(35)
            fresh = await here.table(ana)
            pass_time(2)
            await here.server.unstarted.close_old()
            phases = [await phase_of(ana, each) for each in (left, private, started, used, fresh)]
            assert phases == ["Closed", "Closed", "Starting", "Seating", "Seating"]

    async def phase_of(guest: Guest, table: str) -> str:
        return str((await guest.ask("GET", f"/api/tables/{table}"))["status"]["phase"])

    run(main())


def test_a_table_that_cannot_be_read_keeps_no_other_from_being_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with site(replace(SETTINGS, unstarted_hours=0.01)) as here:
            ana = await here.register("Ana")
            tables = sorted([await here.table(ana, game="66"), await here.table(ana)])
            for name in tables:
                here.server.host.tables.let_go(LogId(name), Ending.RESTORED)
            monkeypatch.setattr(table_machine, "find_game", lambda name: None if name == "66" else find_game(name))
            pass_time(37)
            await here.server.unstarted.close_old()
            rows = [await here.server.host.store.row(LogId(name)) for name in tables]
            assert sorted((row.game, row.phase) for row in rows if row) == [("66", "Seating"), ("e-card", "Closed")]

    run(main())


def test_P19_a_player_can_open_only_so_many_tables() -> None:
    async def main() -> None:
        async with site(replace(SETTINGS, most_open_tables=2)) as here:
            ana = await here.register("Ana")
            tables = [await here.table(ana) for _ in range(2)]
            wanted = {"game": "e-card"}
            assert await ana.refusal("POST", "/api/tables", wanted) == (429, "TooManyTables")
            given = {"Authorization": f"Bearer {ana.token}"}
            async with here.client.post(here.url + "/api/tables", json=wanted, headers=given) as response:
                assert int(response.headers["Retry-After"]) > 0
                assert (await response.json())["error"]["limit"] == "openTables"
            await ana.command(tables[0], "close")
            await here.table(ana)
            assert await here.refusal("POST", "/api/tables", wanted) == (401, "NoToken")

    run(main())


def test_P19_a_player_who_opens_tables_at_the_same_moment_gets_only_so_many() -> None:
    async def main() -> None:
        async with site(replace(SETTINGS, most_open_tables=2)) as here:
            ana = await here.register("Ana")
            opening = [ana.ask("POST", "/api/tables", {"game": "e-card"}, status=201) for _ in range(5)]
            answers = await asyncio.gather(*opening, return_exceptions=True)
            assert sum(isinstance(answer, dict) for answer in answers) == 2

    run(main())


def test_P19_a_player_can_open_tables_only_so_fast() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            for _ in range(int(LIMITS[LimitName.TABLES].burst)):
                await here.table(ana)
            assert await ana.refusal("POST", "/api/tables", {"game": "e-card"}) == (429, "TooFast")

    run(main())
