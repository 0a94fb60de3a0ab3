"""No timer rings at a clock reading that no beat has covered: time that a jump took is given back before anything else.

The clock jumps before every single reading of it in turn, once or twice, while a host looks at a table that is nearly
due and a player moves there.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from itertools import count

import pytest

from tests.crash.judging import Time
from tests.host.faults.cases import ANA, BO, TIMED, T, World, pick, started
from turnstile.host import Host
from turnstile.host.heartbeat import Heartbeat
from turnstile.host.live import Live
from turnstile.kernel.chance import Seed
from turnstile.kernel.values import Instant
from turnstile.store.memory import Disk, MemoryStore
from turnstile.store.protocol import Outage
from turnstile.table.clocks import ACKS, clock_of, timer_of
from turnstile.table.values import AddWords, Phase, Start

Story = Callable[..., Coroutine[None, None, bool]]

HOUR = 3_600_000
SHORT = 4_000
"""Milliseconds of a jump that is just long enough to be an outage."""
LEFT = 1_000
"""Milliseconds that a player has left when the clock begins to jump."""


class JumpingClock:
    """A clock that is set forward right before some of its readings, which are counted from 1."""

    def __init__(self, time: Time, jumps: dict[int, int]) -> None:
        self._time, self._jumps, self._readings = time, dict(jumps), 0
        self.jumped = 0

    def __call__(self) -> int:
        self._readings += 1
        jump = self._jumps.pop(self._readings, 0)
        self.jumped += jump
        self._time.milliseconds += jump
        return self._time.milliseconds

    @property
    def has_jumped(self) -> bool:
        """Whether it was read often enough for every jump."""
        return not self._jumps


async def nothing() -> None:
    return None


class Slow(MemoryStore):
    """A store at which something happens while a beat is on its way."""

    def __init__(self, clock: Callable[[], int], disk: Disk) -> None:
        super().__init__(clock, disk)
        self.meanwhile: Callable[[], Awaitable[None]] = nothing

    async def beat(self) -> Outage | None:
        await self.meanwhile()
        return await super().beat()


async def wait(world: World, host: Host, milliseconds: int) -> None:
    """Let time pass while the host is there."""
    for _ in range(milliseconds // 1_000):
        world.time.milliseconds += 1_000
        await host.heartbeat.beat()


def due(host: Host, timer: str) -> int:
    found = timer_of(host.tables.live[T].state, timer)
    assert found is not None
    return found.due


async def settled_due(world: World, host: Host, timer: str) -> int:
    """When a timer runs out, once the clock jumps no more and the host has noticed every jump."""
    world.store._clock = lambda: world.time.milliseconds
    await host.heartbeat.beat()
    await host.do(T, Live.resume)
    return due(host, timer)


async def thinks(world: World, jumps: dict[int, int], *, is_shared: bool) -> bool:
    """A player thinks while the clock jumps; whether it did."""
    async with world.host(is_shared=is_shared) as company:
        await started(company, settings=TIMED)
        host, watch = company.host, company.host._watch
        await wait(world, host, 10_000 - LEFT)
        before = due(host, clock_of(ANA))
        world.store._clock = clock = JumpingClock(world.time, jumps)
        await watch._look(0)
        await host.submit(T, pick(BO))
        await watch._look(0)
        assert world.events("Ring") == 0
        assert await settled_due(world, host, clock_of(ANA)) == before + clock.jumped
        await wait(world, host, LEFT)
        await watch._look(0)
        assert world.events("Ring") == 1, "the time that was given back runs out, too"
        return clock.has_jumped


async def acknowledges_late(world: World, jumps: dict[int, int], *, is_shared: bool) -> bool:
    """A player has not acknowledged yet when the clock jumps; whether it did."""
    async with world.host(is_shared=is_shared) as company:
        await company.sit_down(T, "e-card", TIMED)
        await company.ask(T, Start(ANA, "start", Instant(0), Seed("a seed")))
        host, watch = company.host, company.host._watch
        await wait(world, host, 5_000 - LEFT)
        before = due(host, ACKS)
        world.store._clock = clock = JumpingClock(world.time, jumps)
        await host.submit(T, AddWords(ANA, "words", Instant(0), "sesame"))
        await watch._look(0)
        await watch._look(0)
        assert world.events("Ring") == 0
        assert await settled_due(world, host, ACKS) == before + clock.jumped
        return clock.has_jumped


@pytest.mark.parametrize("is_shared", [False, True])
@pytest.mark.parametrize("story", [thinks, acknowledges_late])
def test_T2_at_whichever_reading_the_clock_jumps_the_time_is_given_back_before_anything_rings(
    story: Story, is_shared: bool
) -> None:
    for number in count(1):
        if not asyncio.run(story(World(), {number: HOUR}, is_shared=is_shared)):
            break
    assert number > 5, "the clock was hardly read"


@pytest.mark.parametrize("is_shared", [False, True])
@pytest.mark.parametrize("story", [thinks, acknowledges_late])
def test_T2_a_clock_that_jumps_twice_in_a_row_takes_no_time_from_anyone(story: Story, is_shared: bool) -> None:
    for number in count(1):
        jumped = [
            asyncio.run(story(World(), {number: HOUR, number + gap: SHORT}, is_shared=is_shared)) for gap in range(1, 5)
        ]
        if not any(jumped):
            break
    assert number > 5, "the clock was hardly read"


def test_time_is_given_back_in_the_state_that_an_event_meets_not_in_the_one_that_was_in_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def run() -> None:
        world = World()
        async with world.host(is_shared=True) as company:
            await company.sit_down(T, "e-card", TIMED)
            async with world.host(is_shared=True) as other:
                await other.ask(T, Start(ANA, "start", Instant(0), Seed("a seed")))
            assert company.host.tables.live[T].state.phase is Phase.SEATING, "it has missed the start"
            world.time.milliseconds += HOUR
            await company.ask(T, AddWords(ANA, "words", Instant(0), "sesame"))
            kinds = [json.loads(entry.event)["type"] for entry in world.disk.logs[T].entries[1:]]
            assert kinds[-3:] == ["Start", "Resume", "AddWords"]

    monkeypatch.setattr(MemoryStore, "_tell_others", lambda store, changed: None)
    asyncio.run(run())


def test_an_outage_that_another_server_finds_during_a_beat_is_known_after_that_beat() -> None:
    async def run() -> None:
        disk, time = Disk(), Time()
        slow, other = (Slow(lambda: time.milliseconds, disk) for _ in range(2))
        heartbeat, start = Heartbeat(slow), Instant(time.milliseconds)
        await heartbeat.beat()
        time.milliseconds += 100
        await other.beat()
        time.milliseconds += 2_300

        async def meanwhile() -> None:
            time.milliseconds += 701
            assert await other.beat() == Outage(Instant(start + 100), Instant(start + 3_101))

        slow.meanwhile = meanwhile
        await heartbeat.beat()
        assert await heartbeat.lost(start, slow.now()) == 3_001

    asyncio.run(run())


def test_no_millisecond_of_an_outage_is_given_back_twice_though_an_event_falls_into_it() -> None:
    async def run() -> None:
        time = Time()
        heartbeat, start = Heartbeat(MemoryStore(lambda: time.milliseconds)), time.milliseconds
        await heartbeat.beat()
        time.milliseconds += HOUR
        await heartbeat.beat()
        before, middle, after = Instant(start - 1), Instant(start + 10), Instant(time.milliseconds + 1)
        assert await heartbeat.lost(before, middle) == 10
        assert await heartbeat.lost(middle, after) == HOUR - 10

    asyncio.run(run())


def test_a_beat_that_takes_long_covers_the_reading_before_it_and_none_after() -> None:
    async def run() -> None:
        time = Time()
        slow = Slow(lambda: time.milliseconds, Disk())
        heartbeat = Heartbeat(slow)
        await heartbeat.beat()

        async def meanwhile() -> None:
            time.milliseconds += HOUR

        time.milliseconds += SHORT
        asked, slow.meanwhile = time.milliseconds, meanwhile
        assert await heartbeat.now() == asked

    asyncio.run(run())
