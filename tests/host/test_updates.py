"""Updates on a line: the whole view first, then what has changed; and what a status shows of a short wait."""

import asyncio
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from msgspec import json

from tests.crash.players import EveningPlayers
from tests.host.faults.cases import ANA, BO, NOW, T, World, act, attached, pick, read, started
from tests.host.matches import begun, hosting
from turnstile.games import updown
from turnstile.host import Line, Status, Update
from turnstile.host.chores import Chores
from turnstile.host.live import LASTING, RECENT
from turnstile.kernel.chance import Seed
from turnstile.kernel.values import LogId, encode
from turnstile.store.memory import MemoryStore
from turnstile.table.values import Phase, Settings, Start


async def bodies(line: Line) -> list[dict[str, Any]]:
    """All updates that a line has to tell now, as they are sent."""
    found, reading = list[Update](), aiter(line)
    while line.sent < line.newest():
        item = await anext(reading)
        found += [item] if isinstance(item, Update) else []
    return [json.decode(item.body) for item in found]


def forms(updates: list[dict[str, Any]]) -> list[str]:
    return ["view" if "view" in update else "changed" for update in updates]


def test_the_first_update_on_a_line_has_the_whole_view_and_later_ones_what_has_changed() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            line = await attached(company.host, BO)
            first = await bodies(line)
            assert forms(first) == ["view"] + ["changed"] * (len(first) - 1)
            assert len(first) == 3
            await company.ask(T, pick(ANA))
            (told,) = await bodies(line)
            assert told["changed"] == {"in": {"hasPicked": {"in": {"ana": {"set": True}}}}}

    asyncio.run(run())


@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_reader_who_comes_back_is_sent_the_whole_view_first(after: int) -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            again = await bodies(await attached(company.host, BO, after))
            assert [update["seq"] for update in again] == [*range(after + 1, 4)]
            assert forms(again) == ["view"] + ["changed"] * (2 - after)

    asyncio.run(run())


def test_every_reader_of_one_stream_is_sent_its_own_first_view() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            early = await attached(company.host, None)
            await bodies(early)
            await company.ask(T, pick(ANA))
            await bodies(early)
            late = await attached(company.host, None, early.sent)
            await company.ask(T, pick(BO))
            assert (forms(await bodies(early)), forms(await bodies(late))) == (["changed"], ["view"])
            await company.ask(T, pick(ANA, "again"))
            told = await bodies(early)
            assert forms(told) == ["changed"]
            assert await bodies(late) == told

    asyncio.run(run())


def test_a_reader_far_behind_has_the_same_views_as_one_who_reads_the_log_alone() -> None:
    """More updates than are at hand: the first ones come from the log."""

    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company, "up-down", Settings(spectators=False))
            slow = await attached(company.host, BO)
            assert await play_on(company, slow, RECENT + 20) > RECENT
            caught_up = await read(slow)
            assert caught_up == await read(await attached(company.host, BO))
            assert [seq for seq, _ in caught_up] == [*range(1, slow.newest() + 1)]

    asyncio.run(run())


async def play_on(company: EveningPlayers, line: Line, count: int) -> int:
    """Random moves in Up-Down, while the reader of a line reads nothing; the number of its newest update then."""
    rng = Random("a long match")
    for number in range(count):
        match: Any = line.live.state.match
        player, moves = updown.game.next_to_act(match)
        await company.ask(T, act(player, f"move {number}", encode(rng.choice(moves))))
    return line.newest()


# gates


async def at_a_gate(company: EveningPlayers, game: str = "e-card") -> Line:
    """A table that waits for both players; the line of a spectator."""
    await company.sit_down(T, game, Settings())
    await company.ask(T, Start(ANA, "start", NOW, Seed("a seed")))
    watching = await attached(company.host, None)
    for player in (ANA, BO):
        await read(await attached(company.host, player))
        assert await company.host.acknowledge(T, player, 1) is None
    assert watching.live.state.phase is Phase.GATHERING
    return watching


def waits(found: list[Update | Status]) -> list[tuple[str, bool]]:
    """The phases that were shown, each with whether the table shows for how long it waits."""
    statuses = [json.decode(item.body) for item in found if isinstance(item, Status)]
    return [(status["phase"], status["acksDue"] is not None) for status in statuses]


def test_a_wait_for_acknowledgements_is_in_the_status_only_after_it_has_lasted() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            watching = await at_a_gate(company)
            reading, chores = aiter(watching), Chores(company.host)
            shown = [await anext(reading) for _ in range(3)]
            assert waits(shown) == [("Playing", False)]
            world.time.milliseconds += LASTING - 1
            chores._show_waits()
            assert not watching.live.is_wait_shown
            world.time.milliseconds += 1
            chores._show_waits()
            assert waits([await anext(reading)]) == [("Gathering", True)]
            for player in (ANA, BO):
                await read(await attached(company.host, player))
                assert await company.host.acknowledge(T, player, 2) is None
            assert watching.live.state.phase is Phase.PLAYING
            assert waits([await anext(reading) for _ in range(2)]) == [("Playing", False)]

    asyncio.run(run())


class Counting(MemoryStore):
    """A store that counts how often cursors are written."""

    writes = 0

    async def acknowledge(self, log: LogId, cursors: Mapping[str, int]) -> dict[str, int]:
        self.writes += 1
        return await super().acknowledge(log, cursors)


@pytest.mark.parametrize("has_line", [True, False])
def test_on_a_shared_store_a_gate_writes_cursors_only_if_an_awaited_player_may_be_elsewhere(has_line: bool) -> None:
    async def run() -> None:
        store = Counting(lambda: 1_800_000_000_000, is_shared=True)
        async with hosting(store) as host:
            name = await begun(host, "t", "66", ANA, BO)
            for player in (ANA, BO) if has_line else (ANA,):
                line = await host.attach(name, player)
                assert isinstance(line, Line)
                await read(line)
            before = store.writes
            assert await host.acknowledge(name, ANA, 1) is None
            assert (store.writes > before) is not has_line

    asyncio.run(run())
