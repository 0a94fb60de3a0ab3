"""What acknowledges an update besides an acknowledgement, in this process and in others."""

from tests.agents.loops import current, run
from tests.server.matches import started
from tests.server.servers import Guest, site
from turnstile.store.memory import Disk, MemoryStore


def test_a_move_acknowledges_the_update_it_was_decided_on() -> None:
    """A gated game does not refuse a program that polls, reads its turn and moves."""

    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo, game="66")
            await ana.command(table, "start")
            seen, moves = {ana: 0, bo: 0}, 0
            while moves < 5:
                for guest in (ana, bo):
                    found = await guest.ask("GET", f"/api/tables/{table}/updates?after={seen[guest]}")
                    for update in found["updates"]:
                        seen[guest] = update["seq"]
                        if update["actions"]:
                            await guest.command(table, "act", seen=seen[guest], move=update["actions"][0])
                            moves += 1
            assert not here.server.counts.errors

    run(main())


def test_N11_a_move_acknowledges_an_update_that_another_process_has_handed_out() -> None:
    """A program behind a proxy polls at one process and moves at another."""

    async def main() -> None:
        disk, loop = Disk(), current()
        stores = [MemoryStore(lambda: round(loop.time() * 1000), disk, is_shared=True) for _ in range(2)]
        async with site(store=stores[0]) as here, site(store=stores[1]) as there:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo, game="66")
            await ana.command(table, "start")
            far = {guest: Guest(there, guest.player, guest.token) for guest in (ana, bo)}
            await far[ana].command(table, "addWords", id="words", words="the table is in memory there")
            seen, moves = {ana: 0, bo: 0}, 0
            while moves < 3:
                for guest in (ana, bo):
                    found = await guest.ask("GET", f"/api/tables/{table}/updates?after={seen[guest]}")
                    for update in found["updates"]:
                        seen[guest] = update["seq"]
                        if update["actions"]:
                            move = {"id": f"move {moves}", "seen": seen[guest], "move": update["actions"][0]}
                            await far[guest].command(table, "act", **move)
                            moves += 1
            assert not there.server.counts.errors

    run(main())


def test_what_was_handed_out_before_a_restart_may_be_acknowledged_after_it() -> None:
    async def main() -> None:
        disk, loop = Disk(), current()
        stores = [MemoryStore(lambda: round(loop.time() * 1000), disk, is_shared=False) for _ in range(2)]
        async with site(store=stores[0]) as here:
            ana, _, table = await started(here)
            await ana.ask("GET", f"/api/tables/{table}/updates")
        async with site(store=stores[1]) as there:
            again = Guest(there, ana.player, ana.token)
            await again.ask("POST", f"/api/tables/{table}/ack", {"upto": 1})
            assert await again.refusal("POST", f"/api/tables/{table}/ack", {"upto": 2}) == (409, "FutureAck")

    run(main())
