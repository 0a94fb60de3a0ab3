"""Tables over HTTP: open, list, join, bots, start, commands, view, record, rematch."""

import asyncio
import dataclasses

import pytest
import segno
from msgspec.structs import replace

from tests.agents.loops import current, run
from tests.server.matches import status
from tests.server.servers import SETTINGS, Guest, site
from turnstile.games import ecard
from turnstile.host.chores import Chores
from turnstile.kernel.values import LogId
from turnstile.registry import lent
from turnstile.store.memory import Disk, MemoryStore

ACE = {"suit": "hearts", "rank": "A"}


def test_the_installed_games_are_listed_with_their_bots_and_described_with_their_rules() -> None:
    async def main() -> None:
        async with site() as here:
            games = {game["name"]: game for game in (await here.ask("GET", "/api/games"))["games"]}
            assert games["e-card"]["seats"] == {"fewest": 2, "most": 2}
            assert "random" in [bot["name"] for bot in games["e-card"]["bots"]]
            page = await here.ask("GET", "/api/games/e-card")
            assert page["rules"]
            assert set(page["schemas"]) == {"events", "messages", "view", "options"}
            assert await here.refusal("GET", "/api/games/chess") == (404, "NoSuchGame")

    run(main())


def test_a_command_at_the_wrong_time_is_refused_in_plain_words() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo, cy = await here.register("Ana"), await here.register("Bo"), await here.register("Cy")
            table = await here.table(ana, bo, game="up-down")
            path = f"/api/tables/{table}/commands"

            async def sentence(guest: Guest, **command: object) -> str:
                refused = await guest.ask("POST", path, {"id": "x", **command}, status=409)
                assert refused["error"]["code"] == "WrongPhase"
                return str(refused["error"]["message"])

            bet = {"type": "act", "move": {"type": "PLACE_BET", "player": ana.player, "bet": 0}}
            assert await sentence(ana, **bet) == "There is no running match to move in."
            assert await sentence(ana, type="resign") == "There is no running match to resign from."
            assert await sentence(ana, type="rematch") == "A rematch is possible after the match only."
            assert await sentence(ana, type="addWords", words="x") == "Words can be added only while the match starts."
            await ana.command(table, "start")
            assert await sentence(cy, type="join") == "This table takes no more players."
            before = [{"type": "leave"}, {"type": "start"}, {"type": "close"}, {"type": "remove", "name": bo.player}]
            for command in (*before, {"type": "addBot", "name": "R", "bot": "random"}):
                assert await sentence(ana, **command) == "This is possible before the match only."
            for guest in (ana, bo):
                await guest.ask("GET", f"/api/tables/{table}/updates")
                await guest.ask("POST", f"/api/tables/{table}/ack", {"upto": 1})
            card = {"type": "act", "move": {"type": "PLAY_CARD", "player": ana.player, "card": ACE}}
            assert await sentence(ana, **card) == "PLAY_CARD is not possible in betting; possible now: PLACE_BET."

    run(main())


def test_a_table_is_opened_joined_and_started() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)
            page = await here.ask("GET", f"/api/tables/{table}")
            assert [seat["player"] for seat in page["status"]["seats"]] == [ana.player, bo.player]
            assert page["names"] == {ana.player: "Ana", bo.player: "Bo"}
            assert page["status"]["admin"] == ana.player
            await ana.command(table, "start")
            assert (await status(here, table))["phase"] == "Starting"

    run(main())


def test_the_link_for_friends_comes_with_its_qr_code_and_the_secret_stays_behind_the_hash() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            table = await here.table(ana)
            drawn = await ana.ask("POST", f"/api/tables/{table}/invitation", {"invite": "a secret&more"})
            assert drawn["link"] == f"{here.url}/table/{table}#invite=a%20secret%26more"
            assert drawn["qr"] == segno.make(drawn["link"]).svg_inline()
            plain = await ana.ask("POST", f"/api/tables/{table}/invitation", {})
            assert plain["link"] == f"{here.url}/table/{table}"
            gone = await ana.refusal("POST", "/api/tables/nowhere/invitation", {})
            assert gone == (404, "NoSuchTable")

    run(main())


def test_bots_take_seats_when_a_table_is_opened_and_play() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            table = await here.table(ana, bots=["random"])
            seats = (await here.ask("GET", f"/api/tables/{table}"))["status"]["seats"]
            assert seats[1] == {"player": "random 1", "kind": "bot", "bot": "random", "isAway": False}
            await ana.command(table, "start")

    run(main())


def test_bots_are_added_and_removed_by_the_admin_alone() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana)
            path = f"/api/tables/{table}/commands"
            add = {"type": "addBot", "id": "a", "name": "Robbie", "bot": "random"}
            assert await bo.refusal("POST", path, add) == (403, "NotAdmin")
            await ana.ask("POST", path, add)
            assert await ana.refusal("POST", path, {**add, "id": "b", "bot": "none"}) == (409, "UnknownBot")
            await ana.command(table, "remove", name="Robbie")
            assert len((await here.ask("GET", f"/api/tables/{table}"))["status"]["seats"]) == 1

    run(main())


def test_P1_a_bot_cannot_have_the_id_of_a_player_as_its_name() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana)
            add = {"type": "addBot", "id": "a", "name": bo.player, "bot": "random"}
            assert await ana.refusal("POST", f"/api/tables/{table}/commands", add) == (400, "BadName")

    run(main())


def test_P1_the_player_of_a_command_is_that_of_the_token() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana)
            forged = {"type": "join", "id": "a", "player": ana.player}
            assert await bo.refusal("POST", f"/api/tables/{table}/commands", forged) == (400, "BadRequest")
            assert await here.refusal("POST", f"/api/tables/{table}/commands", {"type": "join", "id": "a"}) == (
                401,
                "NoToken",
            )

    run(main())


def test_a_table_by_invitation_is_not_listed_and_joined_with_its_invitation_only() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            opened = await ana.ask("POST", "/api/tables", {"game": "e-card", "inviteOnly": True}, status=201)
            table = opened["table"]
            assert (await here.ask("GET", "/api/tables"))["tables"] == []
            path = f"/api/tables/{table}/commands"
            assert await bo.refusal("POST", path, {"type": "join", "id": "a"}) == (403, "NeedsInvitation")
            wrong = {"type": "join", "id": "b", "invite": "wrong"}
            assert await bo.refusal("POST", path, wrong) == (403, "NeedsInvitation")
            assert await here.refusal("GET", f"/api/tables/{table}/view") == (403, "NoSpectators")
            await bo.command(table, "join", invite=opened["invite"])
            assert len((await status(here, table))["seats"]) == 2  # type: ignore[arg-type]

    run(main())


def test_a_table_that_cannot_be_opened_is_refused_with_the_reason() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            refused = {
                (404, "NoSuchGame"): {"game": "chess"},
                (400, "InvalidOptions"): {"game": "e-card", "options": {"rounds": -1}},
                (409, "UnknownBot"): {"game": "e-card", "bots": ["nobody"]},
                (400, "InvalidPlayers"): {"game": "e-card", "bots": ["random", "random"]},
                (400, "BadRequest"): {"game": "e-card", "settings": {"ackSeconds": -1}},
            }
            for reason, wanted in refused.items():
                assert await ana.refusal("POST", "/api/tables", wanted) == reason
            assert (await ana.ask("GET", "/api/me/tables"))["tables"] == []

    run(main())


def test_N1_a_command_that_is_repeated_gets_its_first_answer_again() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana)
            join = {"type": "join", "id": "the same"}
            first = await bo.ask("POST", f"/api/tables/{table}/commands", join)
            assert await bo.ask("POST", f"/api/tables/{table}/commands", join) == first

    run(main())


def test_N3_an_id_that_was_used_for_another_command_is_refused() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana)
            await bo.ask("POST", f"/api/tables/{table}/commands", {"type": "join", "id": "one"})
            again = {"type": "leave", "id": "one"}
            assert await bo.refusal("POST", f"/api/tables/{table}/commands", again) == (409, "IdReused")

    run(main())


def test_P24_the_same_command_over_http_and_websocket_counts_once() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)
            first = await ana.ask("POST", f"/api/tables/{table}/commands", {"type": "start", "id": "go"})
            wire = await ana.hello(table)
            await wire.send("start", id="go")
            answer = await wire.until("answer")
            assert "error" not in answer
            assert answer["seq"] == first["seq"]

    run(main())


def test_a_table_that_is_not_there_is_refused_everywhere() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            for path in ("", "/view", "/updates", "/record"):
                assert await ana.refusal("GET", f"/api/tables/none{path}") == (404, "NoSuchTable")
            for path, body in (("/commands", {"type": "start", "id": "a"}), ("/ack", {"upto": 1})):
                assert await ana.refusal("POST", f"/api/tables/none{path}", body) == (404, "NoSuchTable")

    run(main())


def test_V2_who_has_no_seat_cannot_act_and_what_it_acknowledges_is_ignored() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo, cy = [await here.register(name) for name in ("Ana", "Bo", "Cy")]
            table = await here.table(ana, bo)
            await ana.command(table, "start")
            assert await cy.ask("POST", f"/api/tables/{table}/ack", {"upto": 1}) == {"upto": 1}
            resign = {"type": "resign", "id": "a", "upto": 1}
            assert await cy.refusal("POST", f"/api/tables/{table}/commands", resign) == (403, "NotSeated")
            live = here.server.host.tables.live[LogId(table)]
            assert (live.cursors, live.state.phase.value) == ({}, "Starting")

    run(main())


def test_P6_what_was_not_handed_out_cannot_be_acknowledged() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)
            await ana.command(table, "start")
            assert await ana.refusal("POST", f"/api/tables/{table}/ack", {"upto": 1}) == (409, "FutureAck")
            assert await ana.refusal("POST", f"/api/tables/{table}/ack", {"upto": -1}) == (400, "BadRequest")

    run(main())


def test_the_view_of_a_seat_disturbs_no_connection() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)
            assert await ana.refusal("GET", f"/api/tables/{table}/view") == (404, "NotFound")
            await ana.command(table, "start")
            wire = await ana.hello(table)
            update = await wire.until("update")
            view = await ana.ask("GET", f"/api/tables/{table}/view")
            assert view == {name: value for name, value in update.items() if name not in ("type", "history")}
            assert not here.server.counts.closed

    run(main())


def test_N11_what_one_process_has_answered_the_others_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also before they are notified of it."""

    async def main() -> None:
        monkeypatch.setattr(Chores, "keep_hearing", lambda _: asyncio.sleep(3600))
        disk, loop = Disk(), current()
        stores = [MemoryStore(lambda: round(loop.time() * 1000), disk, is_shared=True) for _ in range(2)]
        async with site(store=stores[0]) as here, site(store=stores[1]) as there:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)
            assert (await there.ask("GET", f"/api/tables/{table}"))["status"]["phase"] == "Seating"
            await ana.command(table, "start")
            assert (await there.ask("GET", f"/api/tables/{table}"))["status"]["phase"] == "Starting"
            await ana.command(table, "resign")
            assert (await there.ask("GET", f"/api/tables/{table}/view", token=bo.token))["seq"] == 2

    run(main())


def test_V1_a_spectator_sees_no_hand_by_any_way() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo, cy = [await here.register(name) for name in ("Ana", "Bo", "Cy")]
            table = await here.table(ana, bo)
            await ana.command(table, "start")
            wires = [await guest.hello(table) for guest in (ana, bo)]
            await asyncio.gather(*(wire.until_actions() for wire in wires))
            mine = await ana.ask("GET", f"/api/tables/{table}/view")
            assert mine["view"]["hand"]
            for token in (None, cy.token):
                seen = await here.ask("GET", f"/api/tables/{table}/view", token=token)
                assert seen["actions"] == []
                assert seen["view"].get("hand") in (None, [], "")
                polled = await here.ask("GET", f"/api/tables/{table}/updates", token=token)
                assert polled["seat"] is None
                for update in polled["updates"]:
                    shown = update.get("view") or update.get("changed") or {}
                    assert shown.get("hand") in (None, [], "")

    run(main())


def test_a_game_whose_view_has_no_annotation_is_shown_and_played() -> None:
    def view(state, player):  # type: ignore[no-untyped-def]
        return ecard.game.view(state, player)

    async def main() -> None:
        async with site() as here:
            page = await here.ask("GET", "/api/games/e-card")
            assert "type" not in page["schemas"]["view"]
            assert (await here.ask("GET", "/api/games/e-card/schemas/view"))["$defs"] == {}
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)
            await ana.command(table, "start")
            found = await ana.ask("GET", f"/api/tables/{table}/view")
            assert set(found) == {"seq", "messages", "view", "actions"}

    with lent(dataclasses.replace(ecard.game, view=view)):
        run(main())


def test_N1_a_table_that_is_asked_for_again_is_opened_once() -> None:
    async def main() -> None:
        async with site(replace(SETTINGS, most_open_tables=2)) as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            wanted = {"game": "e-card", "inviteOnly": True, "id": "0123456789abcdef"}
            first = await ana.ask("POST", "/api/tables", wanted, status=201)
            other = await bo.ask("POST", "/api/tables", wanted, status=201)
            assert first["table"] != other["table"], "An id is that of its player."
            await ana.ask("POST", "/api/tables", {"game": "e-card"}, status=201)
            assert await ana.ask("POST", "/api/tables", wanted, status=201) == first, "It counts once."
            assert await ana.refusal("POST", "/api/tables", {**wanted, "kind": "agent"}) == (409, "TableExists")
            assert await ana.refusal("POST", "/api/tables", {"game": "e-card"}) == (429, "TooManyTables")
            assert await ana.refusal("POST", "/api/tables", {**wanted, "id": "short"}) == (400, "BadRequest")
            await bo.command(first["table"], "join", invite=first["invite"])
            assert len((await ana.ask("GET", "/api/me/tables"))["tables"]) == 2

    run(main())
