"""The network between players and hosts: what is lost, doubled, late or out of order changes nothing."""

import asyncio

import pytest

from tests.host.faults.cases import ANA, BO, Mortal, T, World, attached, code, pick, read, started, stream
from tests.host.matches import NOW
from turnstile.host import Ending
from turnstile.table.values import Accepted, Resign, Settings


def test_N1_a_command_that_is_sent_again_gets_the_same_answer_and_counts_once() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            answers = [await company.host.submit(T, pick(ANA)) for _ in range(3)]
            assert isinstance(answers[0], Accepted)
            assert answers == [answers[0]] * 3
        assert world.events("Act") == 1

    asyncio.run(run())


def test_N2_of_a_command_that_was_doubled_on_its_way_both_get_the_same_answer() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            one, other = await asyncio.gather(*(company.host.submit(T, pick(ANA)) for _ in range(2)))
            assert isinstance(one, Accepted)
            assert one == other
        assert world.events("Act") == 1

    asyncio.run(run())


def test_N3_an_id_that_was_used_for_something_else_is_refused() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            await company.ask(T, pick(ANA, "once"))
            await company.ask(T, pick(BO, "once"))  # an id of another player is another id
            assert code(await company.host.submit(T, Resign(ANA, "once", NOW))) == "IdReused"
        assert world.events("Resign") == 0

    asyncio.run(run())


def test_N4_K1_a_move_that_was_decided_before_its_players_last_move_is_refused_and_learns_the_newest() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            seen = len(world.memory.history(T, BO).updates)
            await company.ask(T, pick(BO, "first", seen=seen))
            await company.ask(T, pick(ANA))
            late = await company.host.submit(T, pick(BO, "second", seen=seen))
            assert code(late) == "StaleVersion"
            assert getattr(late, "seq", None) == seen + 2  # its own pick; the other's, with both cards

    asyncio.run(run())


def test_N4_a_pick_is_accepted_although_the_other_player_was_faster() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            seen = len(world.memory.history(T, BO).updates)
            await company.ask(T, pick(ANA))
            accepted = await company.host.submit(T, pick(BO, seen=seen))
            assert isinstance(accepted, Accepted)
            assert accepted.seq > seen + 1, "Bo was told of the other pick before its own was accepted."

    asyncio.run(run())


def test_N8_the_newest_connection_of_a_seat_counts_and_the_older_one_is_told_why_it_ends() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await company.sit_down(T, "e-card", Settings())
            await company.host.submit(T, pick(ANA))
            older = await attached(company.host, ANA)
            newer = await attached(company.host, ANA)
            assert (older.closed, newer.closed) == (Ending.REPLACED, None)
            assert [item async for item in older] == []
            assert list(older.live.lines) == [newer]

    asyncio.run(run())


def test_N8_acknowledgements_of_both_connections_are_safe() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            lines = [await attached(company.host, ANA) for _ in range(2)]
            count = len(await read(lines[1]))
            for seq in (count, 1, count, 2):
                assert await company.host.acknowledge(T, ANA, seq) is None
            assert lines[1].live.cursors[ANA] == count

    asyncio.run(run())


@pytest.mark.parametrize("is_notified", [True, False])
def test_N8_a_newer_connection_at_another_process_ends_the_older_one(
    is_notified: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when no notification arrives: every host asks from time to time."""

    async def run() -> None:
        world = World()
        if not is_notified:
            monkeypatch.setattr(Mortal, "_tell_others", lambda *_: None)
        async with world.host(is_shared=True) as here, world.host(is_shared=True) as there:
            await started(here)
            older, other = await attached(here.host, ANA), await attached(here.host, BO)
            newer = await attached(there.host, ANA)
            while not older.is_closed:
                await asyncio.sleep(0.01)
            assert (older.closed, newer.closed, other.closed) == (Ending.REPLACED, None, None)
            assert [item async for item in older] == []
            count = len(await read(newer))
            for host, seq in ((here.host, count), (there.host, 1), (here.host, 2), (there.host, count)):
                assert await host.acknowledge(T, ANA, seq) is None
            back = await attached(here.host, ANA, count)
            while not newer.is_closed:
                await asyncio.sleep(0.01)
            assert (newer.closed, back.closed) == (Ending.REPLACED, None)
            await asyncio.sleep(1.5)
            assert (back.closed, other.closed) == (None, None), "The newest lines stay."

    asyncio.run(run())


@pytest.mark.parametrize("after", [99, -1])
def test_N9_who_claims_to_have_seen_what_was_never_told_learns_how_far_it_has_acknowledged(after: int) -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            known = len(world.memory.history(T, ANA).updates)
            refused = await company.host.attach(T, ANA, after)
            assert code(refused) == "FutureUpdate"
            assert getattr(refused, "seq", None) == known
            assert len(await stream(company.host, ANA)) == known

    asyncio.run(run())


def test_N10_who_is_far_behind_gets_everything_in_order_and_to_the_bit() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company, "up-down")
            await company.move(T, 40)
            await company.hear(T, ANA, BO)
            told = world.memory.history(T, ANA).updates
        assert len(world.disk.logs[T].entries) > 40
        async with world.host() as company:
            assert await stream(company.host, ANA) == told
            assert await stream(company.host, ANA, 7) == told[7:]

    asyncio.run(run())


def test_N11_N13_another_host_tells_the_same_stream_though_the_two_know_of_each_other_by_the_store_alone() -> None:
    async def run() -> None:
        world = World()
        async with world.host(is_shared=True) as one, world.host(is_shared=True) as other:
            await started(one)
            await one.ask(T, pick(ANA))
            assert await stream(one.host, BO) == await stream(other.host, BO)
            await other.ask(T, pick(BO))
            assert await stream(one.host, ANA) == await stream(other.host, ANA)

    asyncio.run(run())


def test_N16_seats_that_leave_one_by_one_and_come_back_in_another_order_have_gapless_streams() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            for count, order in enumerate([(ANA, BO), (BO, ANA), (ANA, BO)], start=1):
                for player in order:
                    company.hang_up(T, player)
                await company.hear(T, *order)
                await company.move(T, 2 * count)
            await company.hear(T, ANA, BO)
            for player in (ANA, BO):
                assert [seq for seq, _ in await stream(company.host, player)] == list(
                    range(1, len(world.memory.history(T, player).updates) + 1)
                )

    asyncio.run(run())


def test_N18_P6_what_was_told_and_not_yet_handed_over_cannot_be_acknowledged() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            await company.ask(T, pick(ANA))
            seen = len(world.memory.history(T, BO).updates)
            assert code(await company.host.acknowledge(T, BO, seen + 1)) == "FutureAck"
            await stream(company.host, BO, seen)
            assert await company.host.acknowledge(T, BO, seen + 1) is None
            assert code(await company.host.acknowledge(T, BO, seen + 2)) == "FutureAck"

    asyncio.run(run())
