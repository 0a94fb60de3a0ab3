"""Who a request is from: the token alone decides, and a player id in the body never does."""

import asyncio
from typing import Any

import pytest

from tests.agents.loops import run
from tests.server.servers import site


@pytest.mark.parametrize("given", [{}, {"player": None}, {"player": ""}, {"playerId": None}, {"player": "ANA"}])
def test_V3_a_player_id_in_the_body_gives_no_seat_to_a_caller_without_a_token(given: dict[str, Any]) -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)
            named = {name: ana.player if value == "ANA" else value for name, value in given.items()}
            body = {"type": "start", "id": "1", **named}
            status, code = await here.refusal("POST", f"/api/tables/{table}/commands", body)
            assert (status, code) in {(401, "NoToken"), (400, "BadRequest")}
            assert (await ana.ask("GET", f"/api/tables/{table}"))["status"]["phase"] == "Seating"

    run(main())


def test_V3_a_connection_without_a_token_is_a_spectator_and_sees_what_spectators_see() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)
            wires = [await ana.hello(table), await bo.hello(table)]
            await wires[0].send("start", id="1")
            for wire in wires:
                await wire.send("ack", upto=(await wire.until("update"))["seq"])
            watching = await here.socket()
            assert (await watching.hello(table))["seat"] is None
            while not (shown := await watching.until("update"))["view"]:
                pass
            assert shown["view"]["hand"] == []
            assert shown["actions"] == []
            await watching.send("act", id="1", move={"type": "Pick", "player": ana.player, "card": "C"})
            assert (await watching.until("answer"))["error"]["code"] == "NoToken"

    run(main())


def test_R11_all_clients_that_come_back_at_once_are_served_without_a_restart() -> None:
    async def main() -> None:
        async with site() as here:
            guests = [await here.register(f"Guest {number}") for number in range(20)]
            tables = [await here.table(*pair) for pair in zip(guests[::2], guests[1::2], strict=True)]
            seats = [(guest, tables[number // 2]) for number, guest in enumerate(guests)]
            for _ in range(3):
                wires = await asyncio.gather(*(guest.hello(table) for guest, table in seats))
                assert all(wire.welcomed["seat"] == guest.player for wire, (guest, _) in zip(wires, seats, strict=True))
                for wire in wires:
                    wire.socket._writer.transport.abort()
            again = await guests[0].hello(tables[0])
            assert again.welcomed["here"] is not None

    run(main())
