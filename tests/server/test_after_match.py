"""After the end of a match: its record, and a rematch."""

import asyncio

from msgspec.structs import replace

from tests.agents.loops import run, until
from tests.server.matches import status
from tests.server.servers import SETTINGS, Guest, Site, site
from turnstile.kernel.record import Record, load
from turnstile.kernel.values import LogId


async def finished(here: Site, ana: Guest, bo: Guest) -> str:
    """A table whose match was resigned."""
    table = await here.table(ana, bo)
    await ana.command(table, "start")
    wires = [await guest.hello(table) for guest in (ana, bo)]
    await asyncio.gather(*(wire.until_actions() for wire in wires))
    await ana.command(table, "resign")
    return table


def test_the_record_is_given_after_the_end_and_can_be_checked() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)
            assert await here.refusal("GET", f"/api/tables/{table}/record") == (409, "NotOver")
            table = await finished(here, ana, bo)
            async with here.client.get(f"{here.url}/api/tables/{table}/record") as response:
                record = load(await response.read())
            assert isinstance(record, Record)
            assert set(record.header.players) == {ana.player, bo.player}

    run(main())


def test_a_rematch_opens_the_next_table_when_both_agree() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await finished(here, ana, bo)
            await ana.command(table, "rematch")
            assert (await status(here, table))["agreed"] == [ana.player]
            await bo.command(table, "rematch")
            live = here.server.host.tables.live[table]  # type: ignore[index]
            await until(lambda: live.state.phase.value == "Closed")
            successor = str((await status(here, table))["successor"])
            seats = (await here.ask("GET", f"/api/tables/{successor}"))["status"]["seats"]
            assert [seat["player"] for seat in seats] == [ana.player, bo.player]

    run(main())


def test_there_is_no_rematch_with_a_player_who_has_deleted_its_account() -> None:
    """The next table would be one that nobody can start, and at which the other one waits in vain."""

    async def main() -> None:
        async with site() as here:
            ana, bo, eve = [await here.register(name) for name in ("Ana", "Bo", "Eve")]
            table = await here.table(ana, bo, eve, game="66")
            await ana.command(table, "start")
            await ana.command(table, "resign")
            agree = {"type": "rematch", "id": "agree"}
            answer = await bo.ask("POST", f"/api/tables/{table}/commands", agree)
            await ana.command(table, "rematch")
            await ana.ask("DELETE", "/api/me")
            assert await eve.refusal("POST", f"/api/tables/{table}/commands", agree) == (404, "NoSuchPlayer")
            assert await bo.ask("POST", f"/api/tables/{table}/commands", agree) == answer
            found = await status(here, table)
            assert (found["phase"], found["agreed"]) == ("Finished", [bo.player, ana.player])

    run(main())


def test_P19_the_table_after_a_rematch_has_the_same_invitation_and_counts_as_opened() -> None:
    async def main() -> None:
        async with site(replace(SETTINGS, most_open_tables=1)) as here:
            ana, bo, cy = [await here.register(name) for name in ("Ana", "Bo", "Cy")]
            opened = await ana.ask("POST", "/api/tables", {"game": "e-card", "inviteOnly": True}, status=201)
            table, invite = opened["table"], opened["invite"]
            await bo.command(table, "join", invite=invite)
            await ana.command(table, "start")
            await ana.command(table, "resign")
            for guest in (ana, bo):
                await guest.command(table, "rematch")
            live = here.server.host.tables.live[LogId(table)]
            await until(lambda: live.state.phase.value == "Closed")
            successor = str((await status(here, table))["successor"])
            assert await ana.refusal("POST", "/api/tables", {"game": "e-card"}) == (429, "TooManyTables")
            await bo.command(successor, "leave")
            commands = f"/api/tables/{successor}/commands"
            assert await cy.refusal("POST", commands, {"type": "join", "id": "a"}) == (403, "NeedsInvitation")
            await cy.command(successor, "join", invite=invite)

    run(main())
