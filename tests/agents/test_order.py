"""Calls in order, and timers in time."""

import asyncio

from tests.agents.company import run
from turnstile.agents.alarm import Alarm
from turnstile.agents.outbox import MOST_WAITING, Outbox


def test_each_is_called_in_order_and_who_is_slow_slows_nobody_else() -> None:
    async def play() -> None:
        async with asyncio.TaskGroup() as group:
            outbox, made, slow = Outbox(group.create_task), [], asyncio.Event()

            async def call(to: str, number: int) -> None:
                if to == "slow":
                    await slow.wait()
                made.append((to, number))

            for number in range(3):
                for to in ("slow", "quick"):
                    assert outbox.put(to, lambda to=to, number=number: call(to, number))  # type: ignore[misc]
            while len(made) < 3:
                await asyncio.sleep(0)
            assert made == [("quick", 0), ("quick", 1), ("quick", 2)]
            slow.set()
            await outbox.empty()
            assert made[3:] == [("slow", 0), ("slow", 1), ("slow", 2)]

    run(play())


def test_for_one_that_is_too_slow_no_more_than_so_many_calls_wait() -> None:
    async def play() -> None:
        async with asyncio.TaskGroup() as group:
            outbox, go = Outbox(group.create_task), asyncio.Event()

            async def call() -> None:
                await go.wait()

            taken = [outbox.put("slow", call) for _ in range(MOST_WAITING + 10)]
            assert taken.count(False) == 10
            go.set()
            await outbox.empty()
            assert outbox.put("slow", call)

    run(play())


def test_an_alarm_wakes_each_in_the_order_of_their_instants_and_only_who_is_still_due() -> None:
    async def play() -> None:
        time, woken = 1_000, []
        due = {"a": 1_030, "b": 1_010, "c": 1_020, "d": 999}
        done = asyncio.Event()

        def now() -> int:
            nonlocal time
            time += 1  # it goes on whenever it is looked at
            return time

        async def wake(key: str) -> None:
            woken.append(key)
            del due[key]
            if not due:
                done.set()

        alarm = Alarm(now, lambda key: due.get(key), wake)
        for key in due:
            alarm.set(key)
        due["c"] = 1_060  # put off; what was set is only a hint
        alarm.set("c")
        task = asyncio.create_task(alarm.run())
        await done.wait()
        task.cancel()
        assert woken == ["d", "b", "a", "c"]

    run(play())
