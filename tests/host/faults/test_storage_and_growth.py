"""Storage that is slow or full, and what grows: a host bounds what waits, and forgets what is over."""

import asyncio
import gc
import weakref
from typing import Any

import pytest
from msgspec.structs import replace

from tests.host.faults.cases import ANA, BO, T, World, attached, code, pick, read, started, stream
from tests.host.matches import hosting, played
from tests.store.places import START
from turnstile.host import Ending, Line, Refused, chores
from turnstile.host.host import MOST_WAITING
from turnstile.host.live import Live
from turnstile.host.logs import SNAPSHOT_EVERY
from turnstile.store.memory import MemoryStore
from turnstile.store.protocol import Commit, ReadOnly, StorageFull, StoreFault
from turnstile.table import play
from turnstile.table.values import Accepted, How, Phase


def test_S14_while_the_disk_is_slow_so_many_wait_at_a_table_and_the_rest_is_told_to_come_again() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            world.store.stands_before = True
            asked = [asyncio.create_task(company.host.submit(T, pick(ANA, f"{n}"))) for n in range(MOST_WAITING + 20)]
            await world.store.reached.wait()
            await asyncio.gather(*asked[MOST_WAITING:])
            assert {code(task.result()) for task in asked[MOST_WAITING:]} == {"Busy"}
            assert not any(task.done() for task in asked[:MOST_WAITING])
            world.store.stands_before = False
            world.store.go_on.set()
            answers = await asyncio.gather(*asked[:MOST_WAITING])
            assert sum(isinstance(answer, Refused) for answer in answers) == MOST_WAITING - 1
        assert world.events("Act") == 1

    asyncio.run(run())


def test_S3_while_there_is_no_room_a_move_is_refused_told_to_nobody_and_made_when_there_is_room() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            commit, line = world.store.commit, await attached(company.host, BO)
            told = await read(line)

            async def full(commit: Commit) -> bool:
                raise StorageFull("There is no room.")

            world.store.commit = full  # type: ignore[method-assign]
            assert code(await company.host.submit(T, pick(ANA))) == "StorageFull"
            assert await stream(company.host, BO) == told
            world.store.commit = commit  # type: ignore[method-assign]
            await company.ask(T, pick(ANA))
        assert world.events("Act") == 1

    asyncio.run(run())


@pytest.mark.parametrize("fault", [StorageFull, ReadOnly])
def test_S3_S5_however_long_nothing_can_be_written_whoever_comes_back_can_read(fault: type[StoreFault]) -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            told = {eyes: await stream(company.host, eyes) for eyes in (ANA, None)}

            async def refuse(*_: object) -> Any:
                raise fault("Nothing can be written.")

            world.store.commit = world.store.beat = refuse  # type: ignore[assignment, method-assign]
            world.time.milliseconds += 60_000
            for eyes, updates in told.items():
                assert await stream(company.host, eyes) == updates
            assert isinstance(await company.host.submit(T, pick(ANA)), Refused)

    asyncio.run(run())


def test_S8_after_an_old_backup_was_restored_who_has_seen_more_is_refused_and_nothing_goes_on_in_silence() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            backup = list(world.disk.logs[T].entries)
            await company.move(T, 4)
            await company.hear(T, ANA, BO)
        kept = world.disk.logs[T]
        kept.row = replace(kept.row, due=None)
        kept.entries, kept.cursors = backup, {}
        kept.commands = {entry.command: entry for entry in backup if entry.command is not None}
        async with world.host() as company:
            seen = len(world.memory.history(T, ANA).updates)
            assert code(await company.host.attach(T, ANA, seen)) == "FutureUpdate"

    asyncio.run(run())


def test_S8_a_server_that_lives_through_a_restored_backup_takes_what_is_stored_for_what_was_heard() -> None:
    async def run() -> None:
        world = World()
        async with world.host(is_shared=True) as company:
            await started(company)
            kept, live = world.disk.logs[T], company.host.tables.live[T]
            backup, heard = list(kept.entries), dict(live.cursors)
            await company.move(T, 1)
            await company.hear(T, ANA, BO)
            assert live.cursors != heard
            kept.entries, kept.cursors = backup, dict(heard)
            kept.commands = {entry.command: entry for entry in backup if entry.command is not None}
            async with world.host(is_shared=True) as other:
                for player in (ANA, BO):
                    assert isinstance(await other.host.submit(T, pick(player, "after the backup")), Accepted)
            await company.host.do(T, Live.read_on)
            assert company.host.tables.live[T] is live
            assert live.cursors == kept.cursors == heard

    asyncio.run(run())


@pytest.mark.parametrize("is_shared", [True, False])
def test_S8_S15_a_server_that_lives_through_a_failover_without_the_last_moves_goes_on_from_what_is_stored(
    is_shared: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        world = World()
        async with world.host(is_shared=is_shared) as company:
            await started(company)
            kept = world.disk.logs[T]
            backup, heard = list(kept.entries), dict(kept.cursors)
            await company.move(T, 2)
            await company.hear(T, ANA, BO)
            line = await company.host.attach(T, ANA, 0)
            assert isinstance(line, Line)
            kept.entries, kept.cursors = list(backup), heard
            kept.commands = {entry.command: entry for entry in backup if entry.command is not None}
            assert isinstance(await company.host.submit(T, pick(ANA, "after the failover")), Accepted)
            assert line.closed is Ending.RESTORED
            assert [len(kept.entries), kept.row.note] == [len(backup) + 1, ""]
        assert [each.getMessage() for each in caplog.records if "has lost entries" in each.getMessage()]

    asyncio.run(run())


def test_R5_a_long_match_is_opened_from_its_newest_snapshot() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company, "up-down")
            await company.move(T, SNAPSHOT_EVERY + 30)
        saved = await MemoryStore(lambda: START, world.disk).load(T)
        assert saved is not None
        assert len(world.disk.logs[T].entries) > SNAPSHOT_EVERY
        assert len(saved.entries) < SNAPSHOT_EVERY
        async with world.host() as company:
            await company.move(T, SNAPSHOT_EVERY + 31)

    asyncio.run(run())


def test_R5_a_match_of_too_many_events_is_ended_by_rule_and_everyone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "MOST_EVENTS", 8)

    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            with pytest.raises(Exception, match="nobody can make move"):
                await company.move(T, 20)
            result = await company.until(T, Phase.FINISHED)
            assert result is not None
            assert (result.how, result.reason) == (How.HALTED, "a match has at most 8 events")
            assert b"MatchEnded" in (await stream(company.host, BO))[-1][1]

    asyncio.run(run())


def test_R9_of_tables_that_are_over_and_that_nobody_looks_at_nothing_stays_in_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(chores, "TIDY_EVERY", 0)

    async def run() -> None:
        store = MemoryStore(lambda: START, is_shared=False)
        async with hosting(store) as host:
            for number in range(5):
                await played(host, f"table {number}", "even-odd")
            tables = [weakref.ref(live) for live in host.tables.live.values()]
            for _ in range(1_000):
                await asyncio.sleep(0)
            gc.collect()
            assert host.tables.live == {}
            assert host.tables._loading == {}
            assert not any(table() for table in tables)

    asyncio.run(run())
