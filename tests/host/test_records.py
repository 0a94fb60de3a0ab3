"""The record of a match, out of the log of its table."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from msgspec import Raw
from msgspec.structs import replace

from tests.host import bell
from tests.host.matches import ANA, BO, NOW, begun, done, hear, hosting, opened, played, until
from tools.logs import Writing
from turnstile.durable.upkeep import Code
from turnstile.host import Host
from turnstile.host.records import record_of
from turnstile.kernel.machine import Rejection
from turnstile.kernel.record import Record, Replay, load, refuse_deal, replay, save
from turnstile.kernel.values import LogId, decode, encode
from turnstile.registry import find_game, lent, names
from turnstile.store.log import BEFORE_FIRST, entry
from turnstile.store.memory import MemoryStore
from turnstile.store.protocol import Saved
from turnstile.table.clocks import game_timer
from turnstile.table.values import Act, AddWords, Close, Header, Phase, Rematch, Resign

Work = Callable[[Host], Coroutine[Any, Any, LogId]]


def log_after(work: Work) -> tuple[LogId, Saved]:
    """The log of the table that some work leaves behind."""

    async def run() -> tuple[LogId, Saved]:
        time = iter(range(1_800_000_000_000, 1_900_000_000_000))
        store = MemoryStore(lambda: next(time), is_shared=False)
        async with hosting(store) as host:
            name = await work(host)
        header, *entries = await store.entries(name, -1)
        return name, Saved(header, None, tuple(entries))

    return asyncio.run(run())


def checked(record: Record | Rejection) -> Replay[Any]:
    """The record, written, read, replayed and found fair."""
    assert isinstance(record, Record), record
    assert load(save(record)) == record
    game = find_game(record.header.game)
    assert game is not None
    again = replay(record, game)
    assert isinstance(again, Replay), again
    assert refuse_deal(record, game, again) is None
    return again


@pytest.mark.parametrize("game", names())
def test_a_match_between_bots_gives_a_record_that_replays_and_is_fair(game: str) -> None:
    name, log = log_after(lambda host: played(host, "t", game))
    record = record_of(name, log)
    checked(record)
    assert isinstance(record, Record)
    assert record.end.outcome is not None
    assert record.end.seed == "the seed of t"


def test_words_of_the_players_are_in_the_record() -> None:
    async def work(host: Host) -> LogId:
        name = await begun(host, "t", "e-card", ANA, BO)
        await done(host, name, AddWords(BO, "words", NOW, "my own"))
        await asyncio.gather(hear(host, name, ANA, Phase.PLAYING), hear(host, name, BO, Phase.PLAYING))
        await done(host, name, Resign(ANA, "enough", NOW))
        return name

    record = record_of(*log_after(work))
    again = checked(record)
    assert isinstance(record, Record)
    assert [(entry.player, entry.words) for entry in record.entropy] == [(BO, "my own")]
    assert record.seed != record.end.seed
    assert (record.end.outcome, len(again.events)) == (None, 2)


def test_a_match_that_ended_before_anything_was_dealt_is_a_record_without_events() -> None:
    async def work(host: Host) -> LogId:
        name = await begun(host, "t", "up-down", ANA, BO)
        await done(host, name, Resign(ANA, "enough", NOW))
        return name

    record = record_of(*log_after(work))
    checked(record)
    assert isinstance(record, Record)
    assert (record.happened, record.end.outcome) == ((), None)


def test_the_event_of_a_timer_is_in_the_record_unless_the_game_had_no_use_for_it() -> None:
    with lent(bell.game):
        at = Writing("bell")
        at.sit_down(ANA, BO)
        at.start()
        at.hear()
        for moves in ([bell.Wind(ANA)], [bell.Wind(BO), bell.Muffle(ANA)], [bell.Wind(BO)]):
            for move in moves:
                at.happen(Act(move.player, f"{len(at.entries)}", at.now(), Raw(encode(move))))
            at.ring(game_timer("bell"))
            at.play(0)
        again = checked(record_of(LogId("golden"), at.log))
    kinds = [type(event).__name__ for event in again.events]
    assert kinds == ["Wind", "Dinged", "HangUp", "Wind", "Muffle", "Wind", "Dinged", "HangUp"]


def refusal(name: LogId, log: Saved) -> str:
    refused = record_of(name, log)
    assert isinstance(refused, Rejection)
    return refused.code


def test_a_match_that_is_not_over_gives_no_record() -> None:
    async def work(host: Host) -> LogId:
        name = await begun(host, "t", "e-card", ANA, BO)
        await asyncio.gather(hear(host, name, ANA, Phase.PLAYING), hear(host, name, BO, Phase.PLAYING))
        return name

    name, log = log_after(work)
    for length in range(len(log.entries) + 1):
        assert refusal(name, replace(log, entries=log.entries[:length])) == Code.NOT_OVER


def test_a_match_that_is_over_gives_the_same_record_while_a_rematch_is_agreed_on_and_opened() -> None:
    async def work(host: Host) -> LogId:
        name = await begun(host, "t", "e-card", ANA, BO)
        await done(host, name, Resign(ANA, "enough", NOW))
        for player in (ANA, BO):
            await done(host, name, Rematch(player, "again", NOW, LogId(f"after {player}")))
        await until(host, name, Phase.CLOSED)
        return name

    name, log = log_after(work)
    ended = next(at for at, each in enumerate(log.entries, start=1) if b'"Resign"' in each.event)
    lengths = range(ended, len(log.entries) + 1)
    assert len(lengths) == 4, "the end, both rematches and the next table"
    first, *others = [record_of(name, replace(log, entries=log.entries[:length])) for length in lengths]
    checked(first)
    assert others == [first] * 3


def test_a_table_that_was_closed_before_a_match_gives_no_record() -> None:
    async def work(host: Host) -> LogId:
        name = await opened(host, "t", "e-card")
        await done(host, name, Close(ANA, "close", NOW))
        return name

    assert refusal(*log_after(work)) == Code.NO_MATCH


def test_S6_a_damaged_log_gives_no_record_and_says_where_it_is_damaged() -> None:
    name, log = log_after(lambda host: played(host, "t", "even-odd"))
    for number in range(len(log.entries)):
        its = log.entries[number]
        flipped = replace(its, event=bytes([its.event[0] ^ 1]) + its.event[1:])
        refused = record_of(name, replace(log, entries=(*log.entries[:number], flipped, *log.entries[number + 1 :])))
        assert isinstance(refused, Rejection)
        assert refused.code == Code.DAMAGED
        assert f"entry {number + 1}" in refused.sentence
    assert refusal(name, replace(log, entries=log.entries[1:])) == Code.DAMAGED


def test_U2_a_match_of_another_version_gives_no_record() -> None:
    name, log = log_after(lambda host: played(host, "t", "even-odd"))
    about = replace(decode(log.header.event, Header), game_version=99)
    first = entry(BEFORE_FIRST, 0, log.header.at, encode(about), log.header.state)
    assert refusal(name, Saved(first, None, ())) == Code.OTHER_VERSION
