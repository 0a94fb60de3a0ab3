"""Concurrency: whatever happens at once, the log has one order, and everyone is answered by it."""

import ast
import asyncio
import inspect
import json
from collections import Counter

import pytest

from tests.host.faults.cases import ANA, BO, T, World, attached, code, pick, read, started, stream, until
from tests.host.matches import NOW
from turnstile.durable import keeper as keeper_module
from turnstile.host import Refused
from turnstile.host.live import Live
from turnstile.kernel.values import PlayerId
from turnstile.store.protocol import Busy, Commit, Store
from turnstile.table.values import Accepted, Join, Settings


def test_K1_of_two_moves_of_one_seat_at_once_one_is_accepted() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            moves = (pick(ANA, "one"), pick(ANA, "other"))
            answers = await asyncio.gather(*(company.host.submit(T, move) for move in moves))
            assert sorted(type(answer).__name__ for answer in answers) == ["Accepted", "Refused"]
        assert world.events("Act") == 1

    asyncio.run(run())


def test_K2_of_simultaneous_moves_neither_is_lost() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            answers = await asyncio.gather(*(company.host.submit(T, pick(player)) for player in (ANA, BO)))
            assert all(isinstance(answer, Accepted) for answer in answers)
            told = await stream(company.host, ANA)
        async with world.host() as company:
            assert await stream(company.host, ANA) == told
        assert world.events("Act") == 2

    asyncio.run(run())


def test_K4_of_two_who_want_the_last_seat_at_once_one_gets_it() -> None:
    async def run() -> None:
        world = World()
        async with world.host(is_shared=True) as one, world.host(is_shared=True) as other:
            await one.open(T, "e-card", Settings())
            await one.join(T, ANA)
            answers = await asyncio.gather(
                one.host.submit(T, Join(BO, "join", NOW)), other.host.submit(T, Join(PlayerId("cy"), "join", NOW))
            )
            assert [code(answer) for answer in answers if isinstance(answer, Refused)] == ["TableFull"]
        assert world.events("Join") == 2

    asyncio.run(run())


def test_K5_a_spectator_who_comes_while_something_is_written_sees_all_of_it_or_nothing() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            await company.ask(T, pick(ANA))
            before = await stream(company.host, None)
            world.store.stands_after = True
            moving = asyncio.create_task(company.host.submit(T, pick(BO)))
            await world.store.reached.wait()
            coming = asyncio.create_task(company.host.attach(T, None))
            world.store.go_on.set()
            await moving
            line = await coming
            assert not isinstance(line, Refused)
            after = await read(line)
            assert after[: len(before)] == before
            assert all(json.loads(body)["seq"] == seq for seq, body in after)
            assert len(after) == line.live.state.watched

    asyncio.run(run())


def test_K8_a_move_whose_sender_hung_up_is_made_and_its_answer_kept() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            world.store.stands_before = True
            await world.dies(company.host.submit(T, pick(ANA)))
            world.store.stands_before = False
            world.store.go_on.set()
            await until(lambda: world.events("Act") == 1)
            assert isinstance(await company.host.submit(T, pick(ANA)), Accepted)
        assert world.events("Act") == 1

    asyncio.run(run())


def test_K8_others_hear_of_a_move_whose_sender_hung_up_as_soon_as_the_table_is_looked_at() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            line = await attached(company.host, BO)
            before = line.newest()
            world.store.stands_before = True
            await world.dies(company.host.submit(T, pick(ANA)))
            world.store.stands_before = False
            world.store.go_on.set()
            await company.host.at(T, Live.settle_doubt)  # which happens every second
            assert world.events("Act") == 1
            assert line.newest() > before

    asyncio.run(run())


def test_K8_a_write_that_fails_after_its_sender_hung_up_has_not_happened(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            real, going = world.store.commit, asyncio.Event()

            async def commit(commit: Commit) -> bool:
                going.set()
                await world.store.go_on.wait()
                raise Busy("The store is busy.")

            with monkeypatch.context() as patch:
                patch.setattr(world.store, "commit", commit)
                moving = asyncio.create_task(company.host.submit(T, pick(ANA)))
                await going.wait()
                moving.cancel()
                await asyncio.wait([moving])
                world.store.go_on.set()
                await company.host.at(T, Live.settle_doubt)
            assert world.store.commit == real
            assert world.events("Act") == 0
            assert isinstance(await company.host.submit(T, pick(ANA)), Accepted)
        assert world.events("Act") == 1

    asyncio.run(run())


def test_K10_between_deciding_and_committing_nothing_is_waited_for() -> None:
    """What is decided is decided on what is kept; the store then says whether that is still the newest."""
    (body,) = [
        node
        for node in ast.walk(ast.parse(inspect.getsource(keeper_module)))
        if isinstance(node, ast.AsyncFunctionDef) and node.name == "take"
    ]
    (loop,) = [node for node in ast.walk(body) if isinstance(node, ast.For)]
    waits = [[inner for inner in ast.walk(line) if isinstance(inner, ast.Await)] for line in loop.body]
    decided = next(number for number, line in enumerate(loop.body) if "_decide" in ast.unparse(line))
    commits = next(number for number, line in enumerate(loop.body) if "self._commit" in ast.unparse(line))
    between = [
        line
        for line in loop.body[decided:commits]
        if not (isinstance(line, ast.If) and "Rejection" in ast.unparse(line))
    ]
    assert decided < commits
    assert not any(isinstance(inner, ast.Await) for line in between for inner in ast.walk(line))
    assert len(waits[commits]) == 1, "telling does not wait"


def test_K7_a_refusal_is_decided_on_what_another_process_has_written_and_costs_one_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def run() -> None:
        world = World()
        async with world.host(is_shared=True) as one, world.host(is_shared=True) as other:
            await started(one)
            await attached(other.host, BO)
            await one.ask(T, pick(ANA))
            assert other.host.tables.live[T].kept.position < one.host.tables.live[T].kept.position
            asked = counted(world.store, monkeypatch)
            assert code(await other.host.submit(T, pick(ANA, "again", card="X"))) == "InvalidEvent"
            assert code(await other.host.submit(T, pick(ANA, "again"))) == "AlreadyPicked"
            assert asked == {"entries": 2}, "one for each refusal; the second attempt of the first reads no more"
            await settled()
            assert asked == {"entries": 2}, "a notification of what was read meanwhile costs nothing"

    asyncio.run(run())


def test_N13_what_another_process_has_written_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        world = World()
        async with world.host(is_shared=True) as one, world.host(is_shared=True) as other:
            await started(one)
            await attached(other.host, BO)
            asked = counted(world.store, monkeypatch)
            await one.ask(T, pick(ANA))
            theirs, ours = one.host.tables.live[T], other.host.tables.live[T]
            await until(lambda: ours.kept.position == theirs.kept.position)
            await settled()
            assert asked == {"entries": 1}

    asyncio.run(run())


def counted(store: Store, patch: pytest.MonkeyPatch) -> Counter[str]:
    """How often a store is asked for entries and rows from now on."""
    asked: Counter[str] = Counter()

    def count(name: str) -> None:
        real = getattr(store, name)

        async def ask(*args: object) -> object:
            asked[name] += 1
            return await real(*args)

        patch.setattr(store, name, ask)

    for name in ("entries", "row"):
        count(name)
    return asked


async def settled() -> None:
    """Everyone has done what they were at."""
    for _ in range(100):
        await asyncio.sleep(0)


def test_K13_a_table_has_one_owner_as_long_as_anything_waits_at_it() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            line = await attached(company.host, ANA)
            world.store.stands_before = True
            moving = asyncio.create_task(company.host.submit(T, pick(ANA)))
            await world.store.reached.wait()
            company.host.detach(line)
            company.hang_up(T, ANA)
            company.hang_up(T, BO)
            await line.live.save_cursors()
            company.host.tables.forget_idle()
            world.store.stands_before = False
            world.store.go_on.set()
            assert isinstance(await company.host.submit(T, pick(BO)), Accepted)
            assert isinstance(await moving, Accepted)
            assert (await attached(company.host, BO)).live is line.live
        assert world.events("Act") == 2

    asyncio.run(run())
