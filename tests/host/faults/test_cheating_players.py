"""Players who cheat, at a host: they are refused, learn nothing by it, and hold nobody up."""

import asyncio
import json

import pytest

from tests.host.faults.cases import ANA, BO, TIMED, T, World, act, code, pick, started, stream
from tests.host.matches import NOW
from tests.reading import whole_update
from turnstile.durable.log import replay
from turnstile.host.chores import Chores
from turnstile.host.logs import TABLES, told_since
from turnstile.kernel.chance import Seed, commit
from turnstile.kernel.values import LogId, PlayerId
from turnstile.store.protocol import Saved
from turnstile.table.values import Act, AddWords, How, Phase, Settings, Start

EVE = PlayerId("eve")
FOR_BO = b'{"type":"Pick","player":"bo","card":"C"}'
NO_CARD = b'{"type":"Pick","player":"ana","card":"X"}'


@pytest.mark.parametrize(
    ("move", "refused"),
    [(act(ANA, "1", FOR_BO), "NotYourSeat"), (pick(EVE), "NotSeated"), (act(ANA, "1", NO_CARD), "InvalidEvent")],
)
def test_P1_P2_a_player_who_moves_for_another_without_a_seat_or_illegally_is_refused(move: Act, refused: str) -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            assert code(await company.host.submit(T, move)) == refused
            assert code(await company.host.submit(LogId("elsewhere"), pick(ANA))) == "NoSuchTable"
        assert world.events("Act") == 0

    asyncio.run(run())


def test_P2_a_card_that_is_not_held_is_refused_in_the_same_words_whatever_the_other_holds() -> None:
    async def refusals(seed: str) -> set[str]:
        world = World()
        async with world.host() as company:
            await company.sit_down(T, "e-card", Settings())
            await company.ask(T, Start(ANA, "start", NOW, Seed(seed)))
            await company.hear(T, ANA, BO)
            held = json.loads(world.memory.history(T, ANA).updates[-1][1])["view"]["hand"]
            absent = "S" if "E" in held else "E"
            answer = await company.host.submit(T, pick(ANA, card=absent))
            assert code(answer) == "CardNotInHand"
            return {str(answer).replace("emperor", "*").replace("slave", "*")}

    assert len(set.union(*(asyncio.run(refusals(f"seed {number}")) for number in range(4)))) == 1


@pytest.mark.parametrize("seen", [99, -1])
def test_P4_a_move_that_was_decided_on_what_does_not_exist_is_refused(seen: int) -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            assert code(await company.host.submit(T, pick(ANA, seen=seen))) == "FutureVersion"

    asyncio.run(run())


@pytest.mark.parametrize("seq", [99, -1])
def test_P6_who_acknowledges_what_it_was_never_sent_is_refused_and_it_does_not_count(seq: int) -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await company.sit_down(T, "66", Settings())
            await company.ask(T, Start(ANA, "start", NOW, Seed("a seed")))
            await company.hear(T, BO)
            assert code(await company.host.acknowledge(T, ANA, seq)) == "FutureAck"
            line, *_ = await company._line(T, BO)
            assert line.live.state.phase is Phase.STARTING
            assert line.live.cursors.get(ANA, 0) == 0

    asyncio.run(run())


def test_P6_before_the_match_there_is_nothing_to_acknowledge() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await company.sit_down(T, "66", Settings())
            assert await company.host.acknowledge(T, ANA, 0) is None
            assert code(await company.host.acknowledge(T, ANA, 1)) == "FutureAck"

    asyncio.run(run())


def test_P7_who_acknowledged_something_cannot_deny_it_the_log_has_what_it_was_sent_and_when() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            await Chores(company.host).save_cursors()
        (header, *entries), sent = world.disk.logs[T].entries, world.memory.history(T, ANA).updates
        _, told = told_since(T, replay(TABLES, T, Saved(header, None, ())), entries, ANA)
        assert [(each.seq, whole_update(each)) for each in told] == sent
        assert world.disk.logs[T].cursors[ANA] == len(sent)
        assert all(type(entry.at) is int for entry in entries)

    asyncio.run(run())


def test_P8_who_leaves_when_it_is_losing_loses_on_time() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company, settings=TIMED)
            await company.ask(T, pick(ANA))
            company.hang_up(T, BO)
            result = await company.until(T, Phase.FINISHED)
            assert result is not None
            assert (result.how, result.winners, result.reason) == (How.OUT_OF_TIME, (ANA,), BO)

    asyncio.run(run())


def test_P9_an_old_command_that_is_replayed_gets_its_old_answer_and_one_with_a_new_id_is_too_late() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await started(company)
            seen = len(world.memory.history(T, ANA).updates)
            first = await company.host.submit(T, pick(ANA, "1", seen=seen))
            await company.ask(T, pick(BO))
            await company.hear(T, ANA, BO)
            count = len(world.disk.logs[T].entries)
            assert await company.host.submit(T, pick(ANA, "1", seen=seen)) == first
            assert code(await company.host.submit(T, pick(ANA, "2", seen=seen))) == "StaleVersion"
        assert len(world.disk.logs[T].entries) == count

    asyncio.run(run())


def test_P23_the_server_commits_before_any_player_adds_words_and_a_player_who_adds_none_stops_nothing() -> None:
    async def run() -> None:
        world = World()
        async with world.host() as company:
            await company.sit_down(T, "e-card", TIMED)
            await company.ask(T, Start(ANA, "start", NOW, Seed("a seed")))
            (_, first), *_ = await stream(company.host, BO)
            assert json.loads(first)["messages"][0]["commitment"] == commit(Seed("a seed"))
            await company.ask(T, AddWords(ANA, "words", NOW, "mine"))
            company._lines.clear()
            line, *_ = await company._line(T, ANA)
            for _ in range(6):
                world.time.milliseconds += 1_000
                await company.host.heartbeat.beat()
                await company.host._watch._look(0)
            assert dict(line.live.state.words) == {ANA: "mine"}
            assert line.live.state.match is not None
            assert code(await company.host.submit(T, AddWords(BO, "late", NOW, "x"))) == "WrongPhase"

    asyncio.run(run())
