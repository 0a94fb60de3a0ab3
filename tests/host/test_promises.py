"""What a host owes those who keep to the rules, whatever others do: each of these was once not so."""

import asyncio
from dataclasses import replace

import pytest

from tests.host import bell
from tests.host.faults.cases import ANA, BO, T, World, attached, code, pick, started
from tests.host.matches import at_once
from turnstile import registry
from turnstile.durable import room
from turnstile.host import Host, Line, Refused, Status
from turnstile.host.answers import Code as HostCode
from turnstile.kernel.chance import Seed
from turnstile.kernel.game import AnyGame
from turnstile.kernel.values import Instant, LogId, PlayerId, decode
from turnstile.registry import find_game, lent
from turnstile.table import sight
from turnstile.table.values import (
    Accepted,
    AddWords,
    Clock,
    Code,
    How,
    Phase,
    Rematch,
    Resign,
    RunOut,
    Settings,
    Start,
)

NOW = Instant(0)
STAND_IN = Settings(clock=Clock(1.0, run_out=RunOut.BOT), ack_seconds=5.0)


async def ring(world: World, host: Host, milliseconds: int) -> None:
    """So much later, with a server there all the time, every timer that has run out rings."""
    for _ in range(milliseconds // 1_000):
        world.time.milliseconds += 1_000
        await host.heartbeat.beat()
    await host.do(T, host._watch.ring)


def away(line: Line) -> list[PlayerId]:
    return [seat.player for seat in line.live.state.seats if seat.is_away]


def test_T14_who_has_acknowledged_is_not_away_because_another_is_silent() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await company.sit_down(T, "e-card", STAND_IN)
            await company.ask(T, Start(ANA, "start", NOW, Seed("a seed")))
            await company.hear(T, ANA)
            line = await attached(company.host, ANA, 1)
            await ring(world, company.host, 5_000)
            assert away(line) == [BO]

    asyncio.run(run())


def test_nobody_can_take_the_id_of_a_bots_move_and_so_stop_it() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await company.sit_down(T, "even-odd", STAND_IN)
            await company.ask(T, Start(ANA, "start", NOW, Seed("a seed")))
            for number in range(20):
                await company.host.submit(T, AddWords(BO, f"bot {number} {number}", NOW, "mine"))
            await company.hear(T, ANA, BO)
            line = await attached(company.host, ANA)
            await ring(world, company.host, 1_000)
            for _ in range(200):
                await asyncio.sleep(0)
            assert away(line) == [ANA, BO]
            assert line.live.state.events > 1, "the bots that stand in have moved"

    asyncio.run(run())


def test_a_bot_does_not_move_for_a_player_who_has_come_back() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            thinking, thought = asyncio.Event(), asyncio.Event()

            async def think_long(choose):  # type: ignore[no-untyped-def]
                thinking.set()
                await thought.wait()
                return await at_once(choose)

            company.host.think = think_long
            await started(company, "even-odd", STAND_IN)
            await ring(world, company.host, 1_000)
            await thinking.wait()
            line = await attached(company.host, ANA)
            assert ANA not in away(line)
            before = line.live.state.events
            thought.set()
            for _ in range(200):
                await asyncio.sleep(0)
            moves = [entry for entry in world.disk.logs[T].entries if b'"type":"Act"' in entry.event]
            assert not any(b'"player":"ana"' in entry.event for entry in moves), before

    asyncio.run(run())


def test_K13_a_table_is_heard_of_however_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST_LIVE", 1)

    async def run() -> None:
        world = World()
        async with world.host() as company:
            names = [LogId(f"t{number}") for number in range(3)]
            for name in names:
                await company.sit_down(name, "e-card", Settings())
            lines = [await company.host.attach(name, ANA) for name in names]
            for name, line in zip(names, lines, strict=True):
                assert isinstance(line, Line)
                assert company.host.tables.live[name] is line.live
                assert isinstance(await company.host.submit(name, Start(ANA, "go", NOW, Seed("s"))), Accepted)
                assert line.newest() == 1

    asyncio.run(run())


def test_U3_a_server_without_the_game_leaves_its_matches_to_those_who_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
        length = len(world.disk.logs[T].entries)
        with monkeypatch.context() as patch:
            patch.setattr(registry, "find_game", lambda name: None)
            for module in ("turnstile.table.machine", "turnstile.host.logs"):
                patch.setattr(f"{module}.find_game", lambda name: None)
            async with world.host() as company:
                assert code(await company.host.attach(T, None)) == Code.UNKNOWN_GAME
        assert len(world.disk.logs[T].entries) == length
        async with world.host() as company:
            assert isinstance(await company.host.submit(T, pick(ANA)), Accepted)

    asyncio.run(run())


def test_P11_what_one_player_lets_wait_holds_nobody_else_up() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            world.store.stands_before = True
            first = asyncio.create_task(company.host.submit(T, pick(BO)))
            await world.store.reached.wait()
            flood = [asyncio.create_task(company.host.submit(T, Start(BO, f"{n}", NOW, Seed("s")))) for n in range(50)]
            mine = asyncio.create_task(company.host.submit(T, Resign(ANA, "enough", NOW)))
            await asyncio.sleep(0)
            world.store.stands_before = False
            world.store.go_on.set()
            assert isinstance(await first, Accepted)
            assert isinstance(await mine, Accepted)
            codes = [code(answer) for answer in await asyncio.gather(*flood)]
            assert HostCode.BUSY in codes

    asyncio.run(run())


def test_a_game_that_fails_is_over_and_its_players_learn_no_more_than_that() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await company.sit_down(T, "bell", Settings())
            await company.ask(T, Start(ANA, "start", NOW, Seed("a seed")))
            await company.hear(T, ANA, BO)
            live = (await attached(company.host, ANA)).live
            await company.host.fail(live, RuntimeError("ana holds the queen"))
            result = live.state.result
            assert result is not None
            assert result.how is How.HALTED
            assert "queen" not in result.reason
            row = await world.store.row(T)
            assert row is not None
            assert row.note == ""

    with lent(bell.game):
        asyncio.run(run())


def test_V4_spectators_with_a_delay_see_no_clocks_before_the_end() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company, settings=Settings(clock=Clock(60.0), delay=5))
            line = await attached(company.host, None)
            first = await anext(aiter(line))
            assert isinstance(first, Status)
            assert decode(first.body, sight.TableStatus).clocks == {}
            await company.ask(T, Resign(ANA, "enough", NOW))
            assert decode(line.live.status(is_delayed=False), sight.TableStatus).phase is Phase.FINISHED

    asyncio.run(run())


def test_a_rematch_has_its_company_from_the_first_and_nobody_sits_down_between() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            await company.ask(T, Resign(ANA, "enough", NOW))
            await company.ask(T, Rematch(ANA, "again", NOW, LogId("next")))
            shown = decode((await attached(company.host, None)).live.status(is_delayed=False), sight.TableStatus)
            assert shown.successor is None
            await company.ask(T, Rematch(BO, "again", NOW, LogId("other")))
            await company.until(T, Phase.CLOSED)
            line = await company.host.attach(LogId("next"), ANA)
            assert not isinstance(line, Refused)
            assert line.live.state.players == (ANA, BO)

    asyncio.run(run())


def test_a_table_after_a_rematch_that_is_refused_for_good_is_named_to_no_one() -> None:
    """Since the match, the game has fewer seats; or another table has the id."""

    async def run(game: AnyGame, successor: LogId) -> None:
        world = World()
        async with world.host() as company:
            await company.open(LogId("taken"), "up-down", Settings())
            await company.open(T, "up-down", Settings())
            for player in players:
                await company.join(T, player)
            await company.ask(T, Start(ANA, "start", NOW, Seed("a seed")))
            await company.ask(T, Resign(ANA, "enough", NOW))
        with lent(game):
            async with world.host() as company:
                for player in players:
                    await company.ask(T, Rematch(player, "again", NOW, successor))
                await company.until(T, Phase.CLOSED)
                shown = decode((await attached(company.host, None)).live.status(is_delayed=False), sight.TableStatus)
                assert (shown.agreed, shown.successor) == (players, None)
        assert (world.events("RematchFailed"), world.events("Succeeded")) == (1, 0)
        assert LogId("next") not in world.disk.logs

    game, players = find_game("up-down"), (ANA, BO, PlayerId("cy"))
    assert game is not None
    asyncio.run(run(replace(game, seats=range(2, 3)), LogId("next")))
    asyncio.run(run(game, LogId("taken")))
