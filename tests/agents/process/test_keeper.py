"""Keepers: what happened is durable, and comes back as it was, timers included."""

import asyncio
from enum import StrEnum
from random import Random
from typing import Any

import pytest

from tests.agents.process.kept import (
    MACHINES,
    START,
    TABLE,
    Clock,
    MoodyStore,
    begun,
    copied,
    happening,
    last,
    nothing,
    restored,
    standing,
)
from turnstile.agents.process.logs import PLAYERS, log_id
from turnstile.durable import storing
from turnstile.durable.timed_keeper import TakenOver, TimedKeeper
from turnstile.durable.timed_log import TimedLogs
from turnstile.kernel.chance import Seed
from turnstile.kernel.effects import Arm
from turnstile.kernel.machine import Machine, Next, Step
from turnstile.kernel.values import Event, Message, PlayerId, Timeout, Value, is_log_id
from turnstile.league.player.machine import new
from turnstile.league.player.state import Options, Phase, PlayerStartup
from turnstile.league.protocol.messages import LeagueRegisterResponse, RoundAnnouncement
from turnstile.league.protocol.values import AnnouncedMatch
from turnstile.league.protocol.words import LeagueId, MatchId, RefereeId, Registration
from turnstile.store.log import Damaged, Entry, entry
from turnstile.store.memory import Disk, MemoryStore
from turnstile.store.protocol import Broken
from turnstile.store.sqlite.store import SqliteStore

SEEDS = range(20)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", MACHINES)
def test_T6_a_machine_that_is_dropped_after_any_event_comes_back_with_its_state_and_what_its_timers_had_left(
    name: str, seed: int
) -> None:
    async def run() -> int:
        chance, clock, disk = Random(seed), Clock(), Disk()
        store = MemoryStore(clock, disk, is_shared=False)
        keeper = await begun(store, name, time_scale=chance.choice([1.0, 0.1]))
        for _ in range(120):
            event = happening(name, keeper, chance)
            await keeper.bring(event, nothing)
            clock.time += chance.randrange(20_000)
            copy = copied(disk)
            again = await restored(MemoryStore(clock, copy, is_shared=False), name)
            assert standing(again, clock.time) == standing(keeper, last(disk))
            assert again.time_scale == keeper.time_scale
            if chance.random() < 0.3:
                keeper, disk = again, copy
        return keeper.position

    assert asyncio.run(run()) >= 3


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", MACHINES)
def test_a_snapshot_has_the_timers_too(
    name: str, seed: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(TimedLogs, "snapshot_every", 3)

    async def run() -> None:
        chance, clock, disk = Random(seed), Clock(), Disk()
        keeper = await begun(MemoryStore(clock, disk, is_shared=False), name)
        for _ in range(40):
            event = happening(name, keeper, chance)
            await keeper.bring(event, nothing)
            clock.time += chance.randrange(20_000)
            store = MemoryStore(clock, copied(disk), is_shared=False)
            saved = await store.load(TABLE)
            assert saved is not None
            assert saved.snapshot is not None or keeper.position < 3
            again = await restored(store, name)
            assert standing(again, clock.time) == standing(keeper, last(disk))

    asyncio.run(run())
    assert caplog.records == []  # it was not read from the beginning instead


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", MACHINES)
def test_a_store_that_cannot_now_neither_loses_nor_doubles_an_event(
    name: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storing, "FIRST_PAUSE", 0.0)

    async def run(share: float) -> tuple[Any, int, int]:
        chance, clock, disk = Random(seed), Clock(), Disk()
        store = MoodyStore(clock, disk, Random(seed), share)
        keeper = await begun(store, name)
        told: list[object] = []
        for _ in range(40):
            event = happening(name, keeper, chance)
            result = await keeper.bring(event, lambda _, result: told.append(result))
            assert told.pop() is result
            clock.time += chance.randrange(20_000)
        left = standing(keeper, last(disk))
        assert standing(await restored(store, name), clock.time) == left
        return standing(keeper), keeper.position, store.faults

    calm, moody = asyncio.run(run(0.0)), asyncio.run(run(0.4))
    assert moody[:2] == calm[:2]
    assert moody[2] > 0


def test_a_store_that_is_broken_ends_it_and_nobody_hears_of_what_was_not_stored() -> None:
    async def run() -> None:
        class BrokenStore(MemoryStore):
            async def commit(self, commit: object) -> bool:
                raise Broken("the disk is gone")

        keeper = await begun(BrokenStore(Clock()), "player")
        heard: list[object] = []
        with pytest.raises(Broken):
            await keeper.bring(PlayerStartup(), lambda *told: heard.append(told))
        assert (heard, keeper.state.phase) == ([], Phase.UNREGISTERED)

    asyncio.run(run())


def test_what_happens_is_heard_of_only_when_it_is_durable() -> None:
    async def run() -> None:
        clock, disk = Clock(), Disk()
        keeper = await begun(MemoryStore(clock, disk, is_shared=False), "player")
        seen: list[int] = []
        await keeper.bring(PlayerStartup(), lambda *_: seen.append(len(disk.logs[TABLE].entries)))
        assert seen == [2]

    asyncio.run(run())


def registered() -> LeagueRegisterResponse:
    return LeagueRegisterResponse(
        status=Registration.ACCEPTED,
        player_id=PlayerId("P01"),
        auth_token="tok",  # noqa: S106
        league_id=LeagueId("league"),
    )


def announced() -> RoundAnnouncement:
    match = AnnouncedMatch(
        match_id=MatchId("R1M1"),
        player_a_id=PlayerId("P01"),
        player_b_id=PlayerId("P02"),
        referee_endpoint="http://localhost:8001/mcp",
        referee_id=RefereeId("REF01"),
    )
    return RoundAnnouncement(league_id=LeagueId("league"), round_id=1, matches=(match,))


async def fed(keeper: TimedKeeper[Any], *events: Event) -> None:
    for event in events:
        await keeper.bring(event, nothing)


def test_what_changes_nothing_is_not_written() -> None:
    async def run() -> None:
        keeper = await begun(MemoryStore(Clock()), "player")
        await fed(keeper, PlayerStartup(), registered(), announced())
        before = keeper.position
        await fed(keeper, announced(), registered())
        assert keeper.position == before

    asyncio.run(run())


def test_T6_no_timer_runs_while_nobody_is_there_however_often() -> None:
    async def run() -> None:
        clock, disk = Clock(), Disk()
        keeper = await begun(MemoryStore(clock, disk, is_shared=False), "player")
        await fed(keeper, PlayerStartup())
        assert keeper.timers[0].due == START + 10_000
        happened: list[Event] = []
        for _ in range(3):
            clock.time += 60_000
            keeper = await restored(MemoryStore(clock, disk, is_shared=False), "player")
            await keeper.expire(lambda event, _: happened.append(event))
            assert keeper.timers[0].due == clock.time + 10_000
        assert not happened
        clock.time += 10_000
        await keeper.expire(lambda event, _: happened.append(event))
        assert len(happened) == 1
        assert keeper.state.retry_count == 1

    asyncio.run(run())


class Bell(StrEnum):
    SET = "Set"
    FORGOTTEN = "Forgotten"


class BellState(Value, frozen=True):
    phase: Bell


class Forget(Event, frozen=True):
    """Leave the timer running, though nobody wants it any more."""


class Rings(Timeout, frozen=True):
    """The timer has run out."""


def bell() -> Machine[BellState]:
    machine: Machine[BellState] = Machine(
        "bell", Bell, start=Bell.SET, ends=(Bell.FORGOTTEN,), state=BellState, messages=Message, codes=Bell
    )
    machine.on(Bell.SET, Forget, to=Bell.FORGOTTEN)(
        lambda state, event: Next(BellState(Bell.FORGOTTEN), Arm("bell", 1.0, Rings()))
    )
    machine.on(Bell.SET, Rings, to=Bell.SET)(lambda state, event: state)
    return machine


def test_a_timer_that_is_turned_down_has_run_out_all_the_same() -> None:
    async def run() -> None:
        clock, disk, bells = Clock(), Disk(), TimedLogs(bell(), lambda state: True)
        store = MemoryStore(clock, disk, is_shared=False)
        keeper = await TimedKeeper.begin(store, TABLE, bells, BellState(Bell.SET), time_scale=1.0)
        await fed(keeper, Forget())
        clock.time += 5_000
        happened: list[object] = []
        await keeper.expire(lambda event, result: happened.append(result))
        assert [type(result) for result in happened] == [Step]
        again = await TimedKeeper.restore(MemoryStore(clock, disk), TABLE, bells)
        assert again is not None
        assert (again.timers, again.state) == ((), keeper.state)

    asyncio.run(run())


def test_many_events_at_once_happen_one_after_the_other() -> None:
    async def run() -> None:
        clock, disk = Clock(), Disk()
        store = MoodyStore(clock, disk, Random(1), 0.0)
        keeper = await begun(store, "player")
        await asyncio.gather(*(fed(keeper, event) for event in (PlayerStartup(), registered(), announced())))
        assert keeper.state.phase is Phase.WAITING_FOR_ROUND
        assert standing(await restored(store, "player")) == standing(keeper)

    asyncio.run(run())


def test_an_agent_that_was_started_twice_on_one_store_ends_instead_of_going_on_with_an_old_state() -> None:
    async def run() -> None:
        clock, disk = Clock(), Disk()
        one = await begun(MemoryStore(clock, disk, is_shared=True), "player")
        other = await restored(MemoryStore(clock, disk, is_shared=True), "player")
        await fed(one, PlayerStartup())
        clock.time += 1
        with pytest.raises(TakenOver, match="started twice"):
            await fed(other, PlayerStartup())
        with pytest.raises(TakenOver, match="started twice"):
            await fed(other, registered())  # which the old state refuses
        assert other.state.phase is Phase.UNREGISTERED

    asyncio.run(run())


def test_who_watches_a_restoration_is_shown_everything_again() -> None:
    async def run() -> None:
        clock, disk = Clock(), Disk()
        keeper = await begun(MemoryStore(clock, disk, is_shared=False), "player")
        events = (PlayerStartup(), registered(), announced())
        for event in events:
            clock.time += 5
            await fed(keeper, event)
        shown: list[tuple[int, Event]] = []
        store = MemoryStore(clock, disk, is_shared=False)
        await TimedKeeper.restore(store, TABLE, PLAYERS, lambda at, event, _: shown.append((at, event)))
        assert shown == [(START + 5, events[0]), (START + 10, events[1]), (START + 15, events[2])]

    asyncio.run(run())


def test_a_log_that_was_changed_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnstile.durable.log.FINGERPRINT_EVERY", 2)

    async def run() -> None:
        clock, disk = Clock(), Disk()
        keeper = await begun(MemoryStore(clock, disk, is_shared=False), "player")
        await fed(keeper, PlayerStartup(), registered())
        log = disk.logs[TABLE].entries
        log[2] = entry(log[1].link, 2, log[2].at, log[2].event.replace(b"P01", b"P02"), log[2].state)
        with pytest.raises(Damaged, match="no longer leads"):
            await restored(MemoryStore(clock, disk, is_shared=False), "player")
        log[2] = Entry(2, log[2].at, log[2].event, log[2].state, b"another link")
        with pytest.raises(Damaged, match="hash of entry 2"):
            await restored(MemoryStore(clock, disk, is_shared=False), "player")

    asyncio.run(run())


def test_a_time_away_that_cannot_be_read_is_damage() -> None:
    async def run() -> None:
        clock, disk = Clock(), Disk()
        keeper = await begun(MemoryStore(clock, disk, is_shared=False), "player")
        await fed(keeper, PlayerStartup())
        clock.time += 5
        await restored(MemoryStore(clock, disk, is_shared=False), "player")
        log = disk.logs[TABLE].entries
        log[2] = entry(log[1].link, 2, log[2].at, log[2].event.replace(b"5", b'"5"'), log[2].state)
        with pytest.raises(Damaged, match="entry 2 is not an event of a player"):
            await restored(MemoryStore(clock, disk, is_shared=False), "player")

    asyncio.run(run())


def test_a_bad_snapshot_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TimedLogs, "snapshot_every", 2)

    async def run() -> None:
        clock, disk = Clock(), Disk()
        keeper = await begun(MemoryStore(clock, disk, is_shared=False), "player")
        await fed(keeper, PlayerStartup(), registered())
        disk.logs[TABLE].snapshots[2] = b"{}"
        assert standing(await restored(MemoryStore(clock, disk, is_shared=False), "player")) == standing(keeper)

    asyncio.run(run())


def test_a_machine_is_kept_in_a_file_for_the_next_process(tmp_path: Any) -> None:
    async def run() -> None:
        store = await SqliteStore.open(tmp_path / "player.db")
        start = new(Options(display_name="Juniper"), Seed("s"))
        about = {"endpoint": "http://localhost:8101/mcp"}
        keeper = await TimedKeeper.begin(store, TABLE, PLAYERS, start, time_scale=0.5, about=about)
        await fed(keeper, PlayerStartup(), registered())
        await store.close()
        store = await SqliteStore.open(tmp_path / "player.db")
        again = await TimedKeeper.restore(store, TABLE, PLAYERS)
        assert again is not None
        assert (again.state, [timer.name for timer in again.timers]) == (
            keeper.state,
            [timer.name for timer in keeper.timers],
        )
        assert again.about(dict) == about
        assert await TimedKeeper.restore(store, log_id("another"), PLAYERS) is None
        await store.close()

    asyncio.run(run())


@pytest.mark.parametrize("names", [("R1M1",), ("a", "b"), ("x" * 200,), ("../..",), ("é",), ("a/b",), ("",), ("a b",)])
def test_any_id_of_others_makes_an_id_of_a_table(names: tuple[str, ...]) -> None:
    assert is_log_id(log_id("match", *names))


def test_different_ids_make_different_tables() -> None:
    names = [("a", "b"), ("a/b",), ("a", "b", ""), ("x" * 200,), ("x" * 201,), ("a b",)]
    assert len({log_id("match", *each) for each in names}) == len(names)
