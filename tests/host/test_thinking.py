"""Where bots think: in a few threads of their own, so that the event loop goes on, and by turns."""

import asyncio
from collections.abc import Callable
from threading import Event, Semaphore

import pytest
from msgspec.structs import replace

from tests.host.matches import ANA, BO, BOTS, NOW, done, header, until
from tests.store.places import START
from turnstile.host import Host
from turnstile.host.drive import MOST_THINKERS, THINKERS, in_a_thread
from turnstile.host.turns import Turns
from turnstile.kernel import Move, PlayerId
from turnstile.kernel.chance import Seed
from turnstile.kernel.values import LogId
from turnstile.store.memory import MemoryStore
from turnstile.table.values import AddBot, Phase, Start


def test_few_bots_think_at_the_same_time_and_the_loop_goes_on() -> None:
    may_move, begun = Event(), Semaphore(0)
    move = Move(PlayerId("bot"))

    def think() -> Move:
        begun.release()
        assert may_move.wait(30)
        return move

    async def run() -> None:
        most = THINKERS._max_workers
        thoughts = [asyncio.ensure_future(in_a_thread(think)) for _ in range(most + 1)]
        started = await asyncio.to_thread(lambda: [begun.acquire(timeout=30) for _ in range(most)])
        assert all(started)
        assert not begun.acquire(blocking=False)
        may_move.set()
        assert await asyncio.gather(*thoughts) == [move] * (most + 1)

    asyncio.run(run())


async def between_bots(host: Host, table: str, admin: PlayerId) -> LogId:
    """A match of two bots, at a table of this player."""
    name = await host.open(replace(header(host.store, table, "e-card"), admin=admin))
    assert isinstance(name, str), name
    adding = [AddBot(admin, f"add {bot}", NOW, bot, PlayerId("random")) for bot in BOTS]
    await done(host, name, *adding, Start(admin, "start", NOW, Seed(table)))
    await until(host, name, Phase.PLAYING)
    return name


def test_R4_bots_of_one_player_with_many_tables_do_not_keep_those_of_others_waiting() -> None:
    """As in a pool of threads: what is asked for first is done first, here whenever the test allows it."""
    threads, allowed = asyncio.Semaphore(MOST_THINKERS), asyncio.Semaphore(0)

    async def think(choose: Callable[[], Move]) -> Move:
        async with threads:
            await allowed.acquire()
            return choose()

    async def run() -> None:
        async with Host(MemoryStore(lambda: START), think=think).serving() as host:
            for number in range(20):
                await between_bots(host, f"ana {number}", ANA)
            table = await between_bots(host, "bo", BO)
            before = host.tables.live[table].state.events
            allowed.release()
            allowed.release()
            async with asyncio.timeout(30):
                while host.tables.live[table].state.events == before:
                    await asyncio.sleep(0)
            for _ in range(1_000):
                allowed.release()

    asyncio.run(run())


def test_one_player_leaves_room_for_others_and_is_let_in_again_afterwards() -> None:
    async def run() -> None:
        turns, begun, may_end = Turns(2, 1), list[str](), asyncio.Event()

        async def work(player: str) -> None:
            async with turns.of(player):
                begun.append(player)
                await may_end.wait()

        working = [asyncio.create_task(work(player)) for player in ("ana", "ana", "ana", "bo", "cy")]
        await asyncio.sleep(0)
        assert begun == ["ana", "bo"]
        may_end.set()
        await asyncio.gather(*working)
        assert begun == ["ana", "bo", "ana", "cy", "ana"]
        assert turns._free == 2
        assert not turns._at_work

    asyncio.run(run())


@pytest.mark.parametrize("is_let_in", [False, True], ids=["it waits", "it is let in at that moment"])
def test_a_turn_that_is_given_up_goes_to_the_next(is_let_in: bool) -> None:
    async def run() -> None:
        turns, done = Turns(1, 1), list[str]()

        async def work(player: str) -> None:
            async with turns.of(player):
                done.append(player)

        async with turns.of("first"):
            waiting = [asyncio.create_task(work(player)) for player in ("ana", "bo", "ana")]
            await asyncio.sleep(0)
            if not is_let_in:
                waiting[0].cancel()
        waiting[0].cancel()
        await asyncio.wait(waiting)
        await work("last")
        assert done == ["bo", "ana", "last"]

    asyncio.run(run())
