"""Clocks and timers: nobody loses on time through us, and a timer acts once, in order, or not at all."""

import asyncio
import json

import pytest

from tests.agents import loops
from tests.agents.loops import current, hurry, pass_time
from tests.host import bell
from tests.host.faults.cases import ANA, BO, TIMED, T, World, act, attached, code, pick, started, stream, until
from tests.host.matches import begun, hear, hosting
from turnstile.durable.log import replay
from turnstile.host import Host
from turnstile.host.logs import TABLES
from turnstile.kernel.chance import Seed
from turnstile.kernel.values import Instant, LogId, Malformed, decode
from turnstile.registry import lent
from turnstile.store.memory import Disk, MemoryStore
from turnstile.store.protocol import Commit, Saved, StorageFull
from turnstile.table.clocks import timer_of
from turnstile.table.values import How, Phase, Ring, Settings, Start

HOUR = 3_600_000
NOW = Instant(0)


async def due(host: Host, timer: str) -> int:
    line = await attached(host, ANA)
    found = timer_of(line.live.state, timer)
    assert found is not None
    return found.due


def _kinds(world: World, name: LogId) -> list[str]:
    return [json.loads(entry.event)["type"] for entry in world.disk.logs[name].entries[1:]]


def test_T1_a_clock_that_jumps_back_lets_no_timer_ring_again_and_loses_none() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company, settings=TIMED)
            before = await due(company.host, "clock ana")
            world.time.milliseconds -= HOUR
            await company.ask(T, pick(BO))
            assert await due(company.host, "clock ana") == before
            world.time.milliseconds += HOUR
            result = await company.until(T, Phase.FINISHED)
            assert result is not None
            assert (result.how, result.reason) == (How.OUT_OF_TIME, ANA)
        assert world.events("Ring") == 1

    asyncio.run(run())


@pytest.mark.parametrize("gap", [HOUR, 30_000])
def test_T2_T8_a_clock_that_jumps_forth_or_a_host_that_was_paused_costs_nobody_time(gap: int) -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company, settings=TIMED)
            before = await due(company.host, "clock ana")
            world.time.milliseconds += gap
            await company.host._watch._look(0)
            assert world.events("Ring") == 0
            assert world.events("Resume") == 1
            assert await due(company.host, "clock ana") == before + gap
            await company.ask(T, pick(ANA))
            assert world.events("Resume") == 1

    asyncio.run(run())


def test_T4_a_move_in_the_instant_of_its_deadline_is_made_if_it_comes_first_and_refused_if_not() -> None:
    async def ended(move_first: bool) -> tuple[str, int]:
        world = World()
        async with world.host() as company:
            await started(company, settings=TIMED)
            for _ in range(10):
                world.time.milliseconds += 1_000
                await company.host.heartbeat.beat()
            if move_first:
                await asyncio.gather(company.ask(T, pick(ANA)), company.ask(T, pick(BO)))
            await company.host._watch._look(0)
            answer = "" if move_first else code(await company.host.submit(T, pick(ANA)))
        log = world.disk.logs[T].entries
        replay(TABLES, T, Saved(log[0], None, tuple(log[1:])))
        return answer, world.events("Ring")

    assert asyncio.run(ended(move_first=True)) == ("", 0)
    assert asyncio.run(ended(move_first=False)) == ("WrongPhase", 1)


def test_T5_a_timer_that_was_set_anew_since_does_nothing() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company, settings=TIMED)
            old = await due(company.host, "clock ana")
            for player in (ANA, BO):
                world.time.milliseconds += 1_000
                await company.ask(T, pick(player))
            refused = await company.host.notice(T, lambda now: Ring(Instant(old), "clock ana", Instant(old)))
            assert refused is not None
            assert refused.code == "StaleTimer"
        assert world.events("Ring") == 0

    asyncio.run(run())


def test_T6_after_an_outage_every_deadline_is_later_before_any_timer_rings() -> None:
    async def run() -> None:
        world, names = World(), [LogId(f"table {number}") for number in range(50)]
        async with world.host() as company:
            for name in names:
                await company.sit_down(name, "e-card", TIMED)
                await company.ask(name, Start(ANA, "start", NOW, Seed("a seed")))
                await company.hear(name, ANA, BO)
        world.time.milliseconds += 600_000
        async with world.host():
            await until(lambda: all(_kinds(world, name)[-1] == "Resume" for name in names))
            for name in names:
                assert "Ring" not in _kinds(world, name)

    asyncio.run(run())


@pytest.mark.parametrize("seconds", ["0", "-1", "1e999", "NaN", "1e300"])
def test_T9_a_clock_of_no_length_or_of_any_length_is_no_setting_of_a_table(seconds: str) -> None:
    with pytest.raises(Malformed):
        decode(b'{"clock":{"seconds":%s}}' % seconds.encode(), Settings)


def test_T11_timers_that_are_due_together_ring_in_order_and_moves_are_made_meanwhile() -> None:
    async def run() -> None:
        world, order = World(), list[LogId]()
        names = [LogId(f"table {number:03}") for number in range(150)]
        async with world.host() as company:
            await started(company)
            for number, name in enumerate(names):
                await company.sit_down(name, "e-card", TIMED)
                world.time.milliseconds += 5
                await company.ask(name, Start(ANA, "start", NOW, Seed("a seed")))
                if number % 100 == 0:
                    await company.host.heartbeat.beat()
            for _ in range(6):
                world.time.milliseconds += 1_000
                await company.host.heartbeat.beat()
            claim = world.store.claim

            async def noting(until: Instant, hold: int, limit: int) -> list[LogId]:
                order.extend(found := await claim(until, hold, limit))
                return found

            world.store.claim = noting  # type: ignore[method-assign]
            looking = asyncio.gather(company.host._watch._look(0), company.host._watch._look(0))
            await company.ask(T, pick(ANA))
            await looking
            assert order == names

    asyncio.run(run())


def test_T12_a_timer_in_the_log_is_read_with_the_time_that_was_written_never_the_clock() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company, settings=TIMED)
            await company.until(T, Phase.FINISHED)
            told = await stream(company.host, ANA)
        world.time.milliseconds += HOUR
        async with world.host() as company:
            assert await stream(company.host, ANA) == told

    asyncio.run(run())


def test_T13_the_time_that_a_client_writes_into_its_command_is_ignored() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await company.sit_down(T, "e-card", TIMED)
            await company.host.submit(T, Start(ANA, "start", Instant(world.time.milliseconds - HOUR), Seed("a seed")))
            assert world.disk.logs[T].entries[-1].at == world.time.milliseconds

    asyncio.run(run())


def test_T14_P5_who_never_acknowledges_holds_nobody_up_beyond_the_deadline_and_finds_its_stream() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await company.sit_down(T, "66", TIMED)
            await company.ask(T, Start(ANA, "start", NOW, Seed("a seed")))
            await company.hear(T, BO)
            line, *_ = await company._line(T, BO)
            for _ in range(5):
                world.time.milliseconds += 1_000
                await company.host.heartbeat.beat()
                await company.host._watch._look(0)
                await company.hear(T, BO)
            assert line.live.state.phase is Phase.PLAYING
            assert [seat.is_away for seat in line.live.state.seats] == [True, False]
            assert len(await stream(company.host, ANA)) == line.live.state.told[ANA]

    asyncio.run(run())


def test_T8_a_game_with_timers_of_its_own_gets_the_time_back_that_nobody_was_there() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company, "bell")
            await company.ask(T, act(ANA, "wind", b'{"type":"Wind","player":"ana"}'))
        world.time.milliseconds += HOUR
        async with world.host() as company:
            await until(lambda: world.events("Resume") == 1)
            assert world.events("Ring") == 0
            for _ in range(4):
                world.time.milliseconds += 1_000
                await company.host.heartbeat.beat()
                await company.host._watch._look(0)
            assert world.events("Ring") == 1

    with lent(bell.game):
        asyncio.run(run())


class Full(MemoryStore):
    """A store that counts commits, and refuses them while its disk is full."""

    is_full, commits = False, 0

    async def commit(self, commit: Commit) -> bool:
        self.commits += 1
        if self.is_full:
            raise StorageFull("The disk is full.")
        return await super().commit(commit)


def test_S3_a_timer_that_cannot_be_written_down_is_tried_again_once_a_second() -> None:
    async def run() -> None:
        loop = current()
        store = Full(lambda: round(loop.time() * 1000), Disk(), is_shared=False)
        async with hosting(store) as host:
            name = await begun(host, "t", "e-card", ANA, BO, settings=TIMED)
            await asyncio.gather(*(hear(host, name, player, Phase.PLAYING) for player in (ANA, BO)))
            store.is_full, before = True, store.commits
            for _ in range(60):  # the players have ten seconds each
                pass_time(0.5)
                await asyncio.sleep(0.002)
            assert 10 < store.commits - before < 60
            store.is_full = False
            await hurry(hear(host, name, ANA, Phase.FINISHED), 0.5)

    loops.run(run())
