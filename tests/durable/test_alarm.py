"""The alarm: who is due, in which order, and when a waiting process wakes."""

import asyncio

from turnstile.durable.alarm import FEW, Alarm
from turnstile.kernel.values import Instant


class Clock:
    def __init__(self, time: int = 1_000) -> None:
        self.time = time

    def __call__(self) -> Instant:
        return Instant(self.time)


def test_keys_are_due_in_the_order_of_their_instants_and_only_when_they_still_are() -> None:
    clock = Clock()
    alarm = Alarm[str](clock)
    for key, due in {"a": 1_030, "b": 1_010, "c": 1_020, "d": 999, "e": 1_005}.items():
        alarm.plan(key, Instant(due))
    alarm.plan("c", Instant(1_060))  # put off
    alarm.plan("e", None)
    assert alarm.take_due() == ["d"]
    clock.time = 1_050
    assert alarm.take_due() == ["b", "a"]
    clock.time = 1_060
    assert alarm.take_due() == ["c"]
    assert alarm.take_due() == []


def test_R3_what_is_planned_again_and_again_for_the_same_instant_is_due_once() -> None:
    alarm = Alarm[str](Clock())
    for _ in range(1000):
        alarm.plan("a", Instant(1_000))
    assert alarm.take_due() == ["a"]
    alarm.plan("a", Instant(1_000))  # it was due, and may be planned anew
    assert alarm.take_due() == ["a"]


def test_no_more_are_taken_at_once_than_were_asked_for() -> None:
    alarm = Alarm[int](Clock())
    for key in range(5):
        alarm.plan(key, Instant(key))
    assert alarm.take_due(2) == [0, 1]
    assert alarm.take_due() == [2, 3, 4]


def test_plans_that_were_changed_do_not_pile_up() -> None:
    clock = Clock()
    alarm = Alarm[str](clock)
    for due in range(10 * FEW, 0, -1):
        alarm.plan("a", Instant(due))
    assert len(alarm._heap) <= FEW + 3
    clock.time = 1
    assert alarm.take_due() == ["a"]


def test_a_process_that_waits_wakes_when_a_key_is_due_and_when_one_is_planned_sooner() -> None:
    async def run() -> None:
        clock = Clock()
        alarm = Alarm[str](clock)
        await alarm.wait(0)  # nothing is planned
        alarm.plan("soon", Instant(1_000))
        await alarm.wait()
        alarm.take_due()
        waiting = asyncio.create_task(alarm.wait())
        await asyncio.sleep(0)
        alarm.plan("later", Instant(999_999_999))
        await waiting
        waiting = asyncio.create_task(alarm.wait())
        await asyncio.sleep(0)
        alarm.plan("even later", Instant(9_999_999_999))
        await asyncio.sleep(0)
        assert not waiting.done()
        alarm.plan("sooner", Instant(1_001))
        await waiting

    asyncio.run(run())
