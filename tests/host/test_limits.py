"""Games that never answer, or whose state grows without end: they lose their match, and all others go on."""

import asyncio
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import pytest
from msgspec import Raw
from msgspec.structs import replace

from tests.store.places import START
from turnstile.durable.log import FINGERPRINT_EVERY
from turnstile.host import Host, Refused
from turnstile.host.logs import LARGEST_STATE
from turnstile.host.step_limit import StepLimit, StepTooLong
from turnstile.kernel import ByPlayer, Game, Machine, Move, Outcome, PlayerId, Players, Rejection, Seed, Value
from turnstile.kernel.values import Instant, LogId, Message, encode
from turnstile.registry import lent
from turnstile.store.memory import MemoryStore
from turnstile.table.values import Accepted, Act, Header, How, Join, Settings, Start
from turnstile.table.values import Phase as TablePhase

ANA = PlayerId("ana")
NOW = Instant(0)


class Phase(StrEnum):
    READY = "Ready"
    OVER = "Over"


class Code(StrEnum):
    NONE = "None"


class Options(Value, frozen=True):
    pass


class State(Value, frozen=True):
    phase: Phase
    players: Players
    text: str = ""


class Think(Move, frozen=True):
    """It never comes to an end."""


class Grow(Move, frozen=True):
    """The state becomes a quarter larger than a table may keep."""


class Nothing(Message, frozen=True):
    pass


heavy: Machine[State] = Machine(
    "heavy", Phase, start=Phase.READY, ends=(Phase.OVER,), state=State, messages=Nothing, codes=Code
)


@heavy.on(Phase.READY, Think, to=Phase.READY)
def think(state: State, event: Think) -> State:
    while True:
        pass


@heavy.on(Phase.READY, Grow, to=Phase.READY)
def grow(state: State, event: Grow) -> State:
    return replace(state, text=state.text + "x" * (LARGEST_STATE // 4))


def new(players: Sequence[PlayerId], options: Options, seed: Seed | None) -> State | Rejection:
    return State(Phase.READY, tuple(players))


HEAVY: Game[Any, Any, Any] = Game(
    machine=heavy,
    title="Heavy",
    rules="",
    version=1,
    seats=range(1, 2),
    options=Options,
    new=new,
    view=lambda state, player: None,
    actions=lambda state, player: (Think(ANA), Grow(ANA)),
    dealer=lambda state: None,
    outcome=lambda state: Outcome((), ByPlayer()) if state.phase is Phase.OVER else None,
)


async def started(host: Host, table: str) -> LogId:
    name = LogId(table)
    header = Header(name, "heavy", 1, Raw(b"{}"), ANA, NOW, Settings(spectators=False))
    assert await host.open(header) == name
    assert isinstance(await host.submit(name, Join(ANA, "join", NOW)), Accepted)
    assert isinstance(await host.submit(name, Start(ANA, "start", NOW, Seed("a seed"))), Accepted)
    line = await host.attach(name, ANA)
    assert not isinstance(line, Refused)
    async for _ in line:
        if line.sent == 1:
            await host.acknowledge(name, ANA, 1)
        if host.tables.live[name].state.phase is TablePhase.PLAYING:
            return name
    raise AssertionError("the match began")


def test_K14_R4_a_game_whose_step_never_ends_loses_its_match_and_all_other_tables_go_on() -> None:
    async def run() -> None:
        store = MemoryStore(lambda: START)
        async with Host(store, longest_step=0.2).serving() as host:
            loops, other = await started(host, "loops"), await started(host, "other")
            answer = await host.submit(loops, Act(ANA, "1", NOW, Raw(encode(Think(ANA)))))
            assert isinstance(answer, Refused)
            assert answer.error.code == "GameFailed"
            result = host.tables.live[loops].state.result
            assert result is not None
            assert result.how is How.HALTED
            assert isinstance(await host.submit(other, Act(ANA, "1", NOW, Raw(encode(Grow(ANA))))), Accepted)

    with lent(HEAVY):
        asyncio.run(run())


def test_R6_a_game_whose_state_grows_without_end_loses_its_match() -> None:
    async def run() -> None:
        store = MemoryStore(lambda: START)
        async with Host(store).serving() as host:
            name = await started(host, "grows")
            for number in range(FINGERPRINT_EVERY + 1):
                answer = await host.submit(name, Act(ANA, f"{number}", NOW, Raw(encode(Grow(ANA)))))
                if isinstance(answer, Refused):
                    break
            assert isinstance(answer, Refused)
            assert answer.error.code == "GameFailed"
            result = host.tables.live[name].state.result
            assert result is not None
            assert result.how is How.HALTED

    with lent(HEAVY):
        asyncio.run(run())


def test_a_limit_that_has_stopped_raises_no_more() -> None:
    limit = StepLimit(0.1)
    limit.start()
    with pytest.raises(StepTooLong), limit:
        think(State(Phase.READY, (ANA,)), Think(ANA))
    limit.stop()
    with limit:
        limit.check()
