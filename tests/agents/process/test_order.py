"""Calls in order."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.agents.agents_in_process import run
from tests.agents.foreign import foreign_league, joins
from tests.agents.loops import until
from tests.agents.wire.wired import LONG
from tests.agents.wire.zoo import Body
from turnstile.agents.process.outbox import MOST_WAITING, Outbox, Turns
from turnstile.league.protocol.words import MAX_RETRIES


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


def test_a_call_waits_for_the_one_before_it_to_the_same_recipient_to_be_written() -> None:
    async def play() -> None:
        turns = Turns(longest=LONG)
        gone: list[tuple[str, int]] = []

        async def go(to: str, number: int) -> None:
            await turn[to, number].come()
            gone.append((to, number))

        turn = {(to, number): turns.take(to) for number in range(3) for to in ("P01", "P02")}
        tasks = [asyncio.create_task(go(to, number)) for to, number in reversed(turn)]
        await until(lambda: len(gone) == 2)
        for number in range(2):
            assert ("P01", number + 1) not in gone
            turn["P01", number].pass_on()
            await until(lambda number=number: ("P01", number + 1) in gone)  # type: ignore[misc]
        assert [number for to, number in gone if to == "P02"] == [0]
        turn["P02", 0].pass_on()
        turn["P02", 1].pass_on()
        await asyncio.gather(*tasks)

    run(play())


def test_what_cannot_be_written_holds_up_the_next_call_no_longer_than_a_moment() -> None:
    async def play() -> None:
        turns = Turns(longest=0.01)
        stuck, following = turns.take("P01"), turns.take("P01")
        await stuck.come()
        await following.come()

    run(play())


def test_a_complaint_arrives_before_the_call_that_is_repeated_though_it_is_slow_and_never_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:

            async def silent(fields: Body) -> Body:
                if fields["message_type"] in ("CHOOSE_PARITY_CALL", "GAME_ERROR"):
                    await asyncio.Event().wait()
                return joins(fields)

            await league.enter("P01", silent)
            await league.enter("P02")
            resolver = league.referee.host.agent.calls._caller.resolver
            resolve, found = resolver.resolve, 0

            async def slowly(*address: Any, **more: Any) -> Any:
                """The name is found at once for a call, and late for the complaint before it."""
                nonlocal found
                found += 1
                if found % 2:
                    for _ in range(50):  # long enough for whoever does not wait to be first
                        await asyncio.sleep(0.001)
                return await resolve(*address, **more)

            await league.hand_out()
            await until(lambda: bool(league.heard("P01", "CHOOSE_PARITY_CALL")))
            monkeypatch.setattr(resolver, "resolve", slowly)
            await league.wait_in_vain("CHOOSE_PARITY_CALL")
            await league.reports.get()
            kinds = [body["params"]["message_type"] for body in league.players["P01"].heard]
            asked = kinds[kinds.index("CHOOSE_PARITY_CALL") : kinds.index("GAME_OVER")]
            assert asked == ["CHOOSE_PARITY_CALL", *["GAME_ERROR", "CHOOSE_PARITY_CALL"] * MAX_RETRIES]

    run(play())
