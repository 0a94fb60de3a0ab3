"""Players who delete their accounts: what they lose, and that they are left at no table."""

from typing import Any

import pytest

from tests.agents.loops import run
from tests.server.servers import Site, site
from turnstile.host import Refused
from turnstile.host.answers import Answer
from turnstile.host.answers import Code as HostCode
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import PlayerId


def test_a_deleted_player_has_no_name_and_no_token() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            assert await ana.ask("DELETE", "/api/me") == {}
            assert await ana.refusal("GET", "/api/me") == (401, "BadToken")
            assert await here.refusal("GET", f"/api/players/{ana.player}") == (404, "NoSuchPlayer")

    run(main())


async def table_status(here: Site, table: str) -> Any:
    return (await here.ask("GET", f"/api/tables/{table}"))["status"]


def test_a_player_who_deletes_its_account_gives_up_at_all_its_tables() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            running, over, opened, joined = [
                await here.table(*guests) for guests in ((ana, bo), (bo, ana), (ana, bo), (bo, ana))
            ]
            await ana.command(running, "start")
            await bo.command(over, "start")
            await bo.command(over, "resign")
            assert await ana.ask("DELETE", "/api/me") == {}
            result = (await table_status(here, running))["result"]
            assert (result["how"], result["winners"]) == ("resigned", [bo.player])
            assert (await table_status(here, over))["result"]["winners"] == [ana.player]
            assert (await table_status(here, opened))["phase"] == "Closed"
            status = await table_status(here, joined)
            assert (status["phase"], [seat["player"] for seat in status["seats"]]) == ("Seating", [bo.player])
            assert await ana.refusal("GET", "/api/me") == (401, "BadToken")

    run(main())


def test_a_table_whose_player_has_left_it_is_closed_when_that_player_deletes_its_account() -> None:
    """Nobody else may start or close it, so it would be listed for ever. A match that others play there goes on."""

    async def main() -> None:
        async with site() as here:
            ana, bo, eve = [await here.register(name) for name in ("Ana", "Bo", "Eve")]
            seating, running = await here.table(ana, bo), await here.table(ana, bo, eve, game="66")
            await ana.command(running, "leave")
            await ana.command(running, "start")
            await ana.command(seating, "leave")
            assert await ana.ask("DELETE", "/api/me") == {}
            assert (await table_status(here, seating))["phase"] == "Closed"
            assert (await table_status(here, running))["result"] is None
            assert (await table_status(here, running))["phase"] != "Closed"

    run(main())


def test_P8_no_command_of_a_player_keeps_its_account_from_giving_up() -> None:
    """A player chooses the ids of its commands, also those that the server uses to give up for it."""

    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            running, seating = await here.table(ana, bo), await here.table(ana)
            await ana.command(running, "start")
            await ana.command(running, "addWords", id="give-up: resign", words="?")
            await ana.command(seating, "addBot", id="give-up: close", name="Robot", bot="random")
            assert await ana.ask("DELETE", "/api/me") == {}
            assert (await table_status(here, running))["result"]["how"] == "resigned"
            assert (await table_status(here, seating))["phase"] == "Closed"

    run(main())


@pytest.mark.parametrize(("command", "how"), [("start", "resigned"), ("close", None)])
def test_a_table_may_change_while_a_player_gives_up_at_it(
    command: str, how: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a match that begins meanwhile the player resigns. A table that is over meanwhile does not keep its account."""

    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)

            async def change_and_submit(*given: Any) -> Answer:
                monkeypatch.undo()
                await ana.command(table, command)
                return await submit(*given)

            submit = here.server.tables.submit
            monkeypatch.setattr(here.server.tables, "submit", change_and_submit)
            assert await bo.ask("DELETE", "/api/me") == {}
            assert ((await table_status(here, table))["result"] or {}).get("how") == how

    run(main())


def test_S4_a_player_who_cannot_give_up_now_is_not_deleted_and_may_ask_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)
            await ana.command(table, "start")

            async def refuse(*_: object) -> Refused:
                return Refused(Rejection(HostCode.BUSY, "PostgreSQL cannot be reached."))

            with monkeypatch.context() as busy:
                busy.setattr(here.server.host, "submit", refuse)
                assert await ana.refusal("DELETE", "/api/me") == (503, "Busy")
            assert (await ana.ask("GET", "/api/me"))["name"] == "Ana"
            assert await ana.ask("DELETE", "/api/me") == {}
            assert (await table_status(here, table))["phase"] == "Finished"

    run(main())


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "/api/me", {"name": "Eve"}),
        ("POST", "/api/me/logout-everywhere", None),
        ("POST", "/api/me/codes", None),
    ],
)
def test_P26_what_a_deleted_player_asks_for_at_another_process_is_refused(method: str, path: str, body: Any) -> None:
    """The other process may still know the token for a moment: it must not say that something was done."""

    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            await ana.ask("GET", "/api/me")
            await here.server.directory.delete_player(PlayerId(ana.player))  # as another process does it
            assert await ana.refusal(method, path, body) == (401, "BadToken")

    run(main())


@pytest.mark.parametrize("command", ["open", "join"])
def test_P26_a_deleted_player_comes_to_no_table_at_another_process(command: str) -> None:
    """Nobody could start or close the table that it opened, or get rid of the player before the match."""

    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana)
            await bo.ask("GET", "/api/me")
            await here.server.directory.delete_player(PlayerId(bo.player))  # as another process does it
            path = "/api/tables" if command == "open" else f"/api/tables/{table}/commands"
            body = {"game": "e-card"} if command == "open" else {"type": "join", "id": "a"}
            assert await bo.refusal("POST", path, body) == (401, "BadToken")
            (listed,) = (await here.ask("GET", "/api/tables"))["tables"]
            assert (listed["table"], listed["players"]) == (table, [ana.player])

    run(main())


@pytest.mark.parametrize("command", ["open", "join"])
def test_a_player_who_comes_to_a_table_while_its_account_is_deleted_leaves_it(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana)
            delete = here.server.people.delete

            async def come_and_delete(player: PlayerId) -> None:
                if command == "open":
                    await here.table(bo)
                else:
                    await bo.command(table, "join")
                await delete(player)

            monkeypatch.setattr(here.server.people, "delete", come_and_delete)
            assert await bo.ask("DELETE", "/api/me") == {}
            (listed,) = (await here.ask("GET", "/api/tables"))["tables"]
            assert (listed["table"], listed["players"]) == (table, [ana.player])

    run(main())
