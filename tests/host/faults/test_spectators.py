"""Spectators, at a host: they see what anyone may see, change nothing, and hold nobody up."""

import asyncio
import json

from tests.host.faults.cases import ANA, BO, T, World, attached, code, pick, read, started, stream
from tests.host.matches import NOW
from turnstile.host.live import RECENT
from turnstile.host.records import read_record
from turnstile.kernel.machine import Rejection
from turnstile.kernel.record import Record
from turnstile.kernel.values import PlayerId
from turnstile.table.values import Resign, Settings

EVE = PlayerId("eve")


def test_V1_nothing_that_a_spectator_can_ask_for_tells_more_than_the_view_of_a_spectator() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            await company.ask(T, pick(ANA))
            for _, body in await stream(company.host, None):
                assert b"a seed" not in body
                assert json.loads(body)["actions"] == []
                assert "hand" not in (json.loads(body)["view"] or {}) or not json.loads(body)["view"]["hand"]
            record = await read_record(world.store, T)
            assert isinstance(record, Rejection)
            assert record.code == "NotOver"
            await company.ask(T, Resign(BO, "enough", NOW))
            assert isinstance(await read_record(world.store, T), Record)

    asyncio.run(run())


def test_V1_streams_and_what_is_read_again_from_the_log_are_the_same_bytes() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            await company.move(T, 4)
            told = {eyes: await stream(company.host, eyes) for eyes in (ANA, BO, None)}
        async with world.host() as company:
            for eyes, updates in told.items():
                assert await stream(company.host, eyes) == updates

    asyncio.run(run())


def test_V2_who_has_no_seat_can_neither_move_nor_acknowledge_nor_listen_at_one() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            assert code(await company.host.submit(T, pick(EVE))) == "NotSeated"
            assert code(await company.host.acknowledge(T, EVE, 1)) == "NotSeated"
            assert code(await company.host.attach(T, EVE)) == "NotSeated"

    asyncio.run(run())


def test_V4_spectators_are_behind_by_as_many_updates_as_was_declared_until_the_match_is_over() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company, settings=Settings(delay=3))
            await company.move(T, 4)
            line, *_ = await company._line(T, ANA)
            assert len(await stream(company.host, None)) == line.live.state.watched - 3
            assert code(await company.host.attach(T, None, line.live.state.watched)) == "FutureUpdate"
            await company.ask(T, Resign(BO, "enough", NOW))
            assert len(await stream(company.host, None)) == line.live.state.watched

    asyncio.run(run())


def test_V4_a_table_may_have_no_spectators_at_all() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company, settings=Settings(spectators=False))
            assert code(await company.host.attach(T, None)) == "NoSpectators"

    asyncio.run(run())


def test_V5_a_spectator_who_reads_nothing_is_not_waited_for() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await company.sit_down(T, "66", Settings())
            silent = await company.host.attach(T, None)
            await started(company, "66")
            await company.move(T, 3)
            assert getattr(silent, "sent", None) == 0
        assert world.events("Act") == 3

    asyncio.run(run())


def test_V9_a_match_that_was_given_up_shows_nobody_the_hands_that_were_not_played() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            await company.ask(T, Resign(BO, "enough", NOW))
            _, last = (await stream(company.host, None))[-1]
            view = json.loads(last)["view"]
            assert not view.get("hand")

    asyncio.run(run())


def test_V6_a_spectator_who_reads_slowly_has_no_buffer_and_misses_nothing() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company, "up-down")
            slow = await attached(company.host, None)
            await company.move(T, RECENT + 20)
            assert slow.sent == 0
            assert max(len(news) for news in slow.live._recent.values()) <= RECENT
            assert [seq for seq, _ in await read(slow)] == list(range(1, slow.live.state.watched + 1))

    asyncio.run(run())
