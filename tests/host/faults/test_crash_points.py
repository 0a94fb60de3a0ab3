"""Crash points, each by its name: the host dies at that instant, and another one takes over."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from tests.host.faults.cases import ANA, BO, NOW, TIMED, T, World, code, pick, started, stream
from turnstile.host import Host
from turnstile.host.chores import Chores
from turnstile.kernel.chance import Seed
from turnstile.kernel.values import LogId, encode
from turnstile.store.log import Entry, Position
from turnstile.store.protocol import Broken, Busy, Commit, Unknown
from turnstile.table.values import Accepted, Phase, Resign, Start


def test_C1_a_command_that_was_not_written_left_no_trace_and_is_accepted_when_sent_again() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            world.store.stands_before = True
            await world.dies(company.ask(T, pick(ANA)))
        assert world.events("Act") == 0
        async with world.host() as company:
            await company.ask(T, pick(ANA))
            await company.ask(T, pick(ANA))
        assert world.events("Act") == 1

    asyncio.run(run())


def test_C3_N1_a_command_whose_answer_was_lost_is_answered_as_it_would_have_been_and_counts_once() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            world.store.stands_after = True
            await world.dies(company.ask(T, pick(ANA)))
        stored = world.disk.logs[T].entries[-1].answer
        async with world.host() as company:
            await company.ask(T, pick(BO))
            await company.ask(T, pick(ANA))
        _, seq = world.memory.history(T, ANA).accepted[-1]
        assert stored == b'{"seq":%d}' % seq
        assert world.events("Act") == 2

    asyncio.run(run())


def test_C4_what_nobody_was_sent_before_the_crash_is_sent_after_it() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            await company.ask(T, pick(ANA))
            before = {player: len(world.memory.history(T, player).updates) for player in (ANA, BO)}
        async with world.host() as company:
            assert [seq for seq, _ in await stream(company.host, BO, before[BO])] == [before[BO] + 1]

    asyncio.run(run())


def test_C5_who_was_sent_something_before_the_crash_and_who_was_not_both_have_it_all_in_the_end() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            whole = {player: await stream(company.host, player) for player in (ANA, BO)}
        async with world.host() as company:
            for player, seen in ((ANA, len(whole[ANA])), (BO, 1)):
                assert whole[player][:seen] + await stream(company.host, player, seen) == whole[player]

    asyncio.run(run())


def test_C6_N17_an_acknowledgement_that_was_lost_costs_nothing_but_sending_again() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            told = await stream(company.host, ANA)
            assert await company.host.acknowledge(T, ANA, len(told)) is None
        world.disk.logs[T].cursors.clear()
        async with world.host() as company:
            assert await stream(company.host, ANA) == told
            assert await company.host.acknowledge(T, ANA, len(told)) is None
            assert await company.host.acknowledge(T, ANA, len(told)) is None

    asyncio.run(run())


def test_C7_a_gate_for_which_all_had_acknowledged_opens_after_the_crash() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company, "66")
            await company.ask(T, await company._chosen(T, 0))
            world.store.stands_before = True
            await world.dies(company.hear(T, ANA, BO))
        async with world.host() as company:
            await company.hear(T, ANA, BO)
            line, *_ = await company._line(T, ANA)
            assert line.live.state.phase is Phase.PLAYING

    asyncio.run(run())


def test_C7_T14_who_had_acknowledged_before_the_crash_is_not_away_after_it() -> None:
    """No player has connected to the new host when the deadline passes: it goes by the cursors of the last second."""

    async def run() -> None:
        world = World()
        async with world.host() as company:
            await company.sit_down(T, "e-card", TIMED)
            await company.ask(T, Start(ANA, "start", NOW, Seed("a seed")))
            await company.hear(T, ANA)
            await Chores(company.host).save_cursors()  # which happens every second
        async with world.host() as company:
            for _ in range(5):
                world.time.milliseconds += 1_000
                await company.host.heartbeat.beat()
            await company.host._watch._look(0)
            assert world.events("Ring") == 1
            seats = company.host.tables.live[T].state.seats
            assert [seat.player for seat in seats if seat.is_away] == [BO]

    asyncio.run(run())


def test_C8_a_timer_that_rang_and_was_not_written_rings_again_and_acts_once() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company, settings=TIMED)
            world.store.stands_before = True
            await world.dies(company.until(T, Phase.FINISHED))
        assert world.events("Ring") == 0
        async with world.host() as company:
            result = await company.until(T, Phase.FINISHED)
            assert result is not None
        assert world.events("Ring") == 1

    asyncio.run(run())


@pytest.mark.parametrize("is_written", [True, False])
def test_C9_a_table_is_there_whole_or_not_at_all_and_can_be_asked_for_again(is_written: bool) -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            if is_written:
                await company.sit_down(T, "e-card", TIMED)
        assert (T in world.disk.logs) is is_written
        async with world.host() as company:
            await started(company, settings=TIMED)
            assert b'"type":"MatchStarting"' in (await stream(company.host, BO))[0][1]
        assert world.events("Join") == 2

    asyncio.run(run())


def test_C13_hosts_that_die_while_they_read_change_nothing() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company, "66")
            told, log = await stream(company.host, ANA), list(world.disk.logs[T].entries)
        for _ in range(10):
            async with world.host() as company:
                reading = asyncio.ensure_future(company.host.attach(T, None))
                await asyncio.sleep(0)
                reading.cancel()
        async with world.host() as company:
            assert await stream(company.host, ANA) == told
        assert world.disk.logs[T].entries == log

    asyncio.run(run())


def test_C16_K9_what_escapes_from_any_task_ends_the_host_and_nothing_is_accepted_meanwhile() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            host, ready = Host(world.store), asyncio.Event()

            async def broken(commit: Commit) -> bool:
                raise Broken("the disk is gone")

            running = asyncio.create_task(host.run(ready, asyncio.Event()))
            await ready.wait()
            world.store.commit = broken  # type: ignore[method-assign]
            with pytest.raises(Broken):
                await host.submit(T, pick(ANA))
            assert code(await host.submit(T, pick(BO))) == "Stopping"
            with pytest.raises(ExceptionGroup) as ended:
                await running
            assert ended.group_contains(Broken)
        assert world.events("Act") == 0

    asyncio.run(run())


def test_C15_an_outcome_stays_in_doubt_until_the_log_was_really_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bo's pick is in the log, and so the next picks may be made: a decision on what was before refuses them."""

    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            await company.ask(T, pick(ANA))
            with monkeypatch.context() as broken:
                broken.setattr(world.store, "commit", committed_without_an_answer(world.store.commit))
                assert code(await company.host.submit(T, pick(BO))) == "OutcomeUnknown"
            with monkeypatch.context() as broken:
                broken.setattr(world.store, "entries", out_of_reach)
                assert code(await company.host.submit(T, pick(ANA, "next"))) == "Busy"
            assert isinstance(await company.host.submit(T, pick(ANA, "next")), Accepted)

    asyncio.run(run())


def committed_without_an_answer(commit: Callable[[Commit], Awaitable[bool]]) -> Callable[[Commit], Awaitable[bool]]:
    async def unanswered(given: Commit) -> bool:
        assert await commit(given)
        raise Unknown("The connection broke.")

    return unanswered


async def out_of_reach(table: LogId, after: Position, limit: int | None = None) -> tuple[Entry, ...]:
    raise Busy("The store could not be reached in time.")


def test_C11_the_entry_that_ends_a_match_brings_a_snapshot_so_that_nothing_is_replayed_afterwards() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            assert world.disk.logs[T].snapshots == {}
            await company.ask(T, Resign(ANA, "resign", NOW))
            state = company.host.tables.live[T].state
            assert state.phase is Phase.FINISHED
            saved = await world.store.load(T)
        assert saved is not None
        assert saved.snapshot is not None
        last = world.disk.logs[T].entries[-1]
        assert (saved.snapshot.position, saved.snapshot.link, saved.entries) == (last.position, last.link, ())
        assert saved.snapshot.state == encode(state)

    asyncio.run(run())
