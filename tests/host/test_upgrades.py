"""A new release and the tables of an older one: what cannot be played on is ended by an entry that says why."""

import asyncio
from hashlib import sha256
from pathlib import Path

import apsw
import pytest
from msgspec import Raw
from msgspec.structs import replace

from tests.host import bell
from tests.host.matches import ANA, NOW, hosting, played
from tools.logs import Writing
from turnstile.durable.log import replay
from turnstile.durable.upkeep import Code
from turnstile.host import Line, Refused, Status
from turnstile.host.logs import TABLES, read_header
from turnstile.host.records import record_of
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import Instant, LogId, decode, encode
from turnstile.registry import lent
from turnstile.store.log import BEFORE_FIRST, Damaged, entry
from turnstile.store.memory import MemoryStore
from turnstile.store.protocol import CannotOpen, Commit, Row, Saved, Store
from turnstile.store.sqlite.store import SqliteStore
from turnstile.table import sight
from turnstile.table.values import Act, Header, How, Join, Phase

OLD = LogId("old")
THEN = Instant(1_700_000_000_000)
ROW = Row("e-card", "SomePhase", (ANA,), True, True, THEN, THEN, None)


async def written_by_an_older_release(store: Store, length: int, *, is_open: bool = True) -> None:
    """A table of rules that nobody knows any more, with events that nobody can read."""
    about = Header(OLD, "e-card", 0, Raw(b"{}"), ANA, THEN)
    last = entry(BEFORE_FIRST, 0, THEN, encode(about), sha256(b"0").digest())
    assert await store.create(OLD, last, ROW)
    for number in range(1, length + 1):
        state = b"state %d" % number
        before = last.link
        last = entry(before, number, THEN, b'{"type":"Forgotten"}', sha256(state).digest())
        row = ROW if number < length else replace(ROW, is_open=is_open)
        assert await store.commit(Commit(OLD, last, before, row, state if number % 64 == 0 else None))


def memory() -> MemoryStore:
    return MemoryStore(lambda: THEN + 1_000, is_shared=False)


@pytest.mark.parametrize("length", [0, 3, 64, 70])
def test_U2_a_table_of_older_rules_is_ended_by_an_entry_that_says_so_and_can_be_read_and_pruned(length: int) -> None:
    async def run() -> None:
        store = memory()
        await written_by_an_older_release(store, length)
        for _ in ("ended", "and read again"):
            async with hosting(store) as host:
                line = await host.attach(OLD, None)
                assert isinstance(line, Line)
                status = await anext(aiter(line))
                assert isinstance(status, Status)
                shown = decode(status.body, sight.TableStatus)
                assert shown.phase is Phase.CLOSED
                assert shown.result is not None
                assert shown.result.how is How.HALTED
                assert "began under version 0" in shown.result.reason
                refused = await host.submit(OLD, Join(ANA, "join", NOW))
                assert isinstance(refused, Refused)
        header, *entries = await store.entries(OLD, -1)
        assert len(entries) == length + 1
        record = record_of(OLD, Saved(header, None, tuple(entries)))
        assert isinstance(record, Rejection)
        assert record.code == Code.OTHER_VERSION
        assert await store.prune(OLD)

    asyncio.run(run())


def test_U2_a_match_that_was_over_before_the_rules_changed_is_left_as_it_is() -> None:
    async def run() -> None:
        store = memory()
        await written_by_an_older_release(store, 5, is_open=False)
        async with hosting(store) as host:
            refused = await host.attach(OLD, None)
            assert isinstance(refused, Refused)
            assert refused.error.code == "OtherVersion"
        assert await store.positions([OLD]) == {OLD: 5}

    asyncio.run(run())


def test_U4_a_table_that_a_newer_release_has_ended_stays_ended_when_an_older_one_comes_back() -> None:
    async def run() -> None:
        store = memory()
        await written_by_an_older_release(store, 0)
        async with hosting(store) as host:
            assert isinstance(await host.attach(OLD, None), Line)
        header, halt = await store.entries(OLD, -1)
        saved = Saved(header, None, (halt,))
        about = replace(read_header(OLD, header.event), game_version=1)
        first = entry(BEFORE_FIRST, 0, THEN, encode(about), header.state)
        ended = sha256(encode(replace(replay(TABLES, OLD, saved).state, header=about))).digest()
        again = Saved(first, None, (entry(first.link, 1, halt.at, halt.event, ended),))
        assert replay(TABLES, OLD, again).state.phase is Phase.CLOSED
        record = record_of(OLD, again)
        assert isinstance(record, Rejection)
        assert record.code == Code.OTHER_VERSION

    asyncio.run(run())


def test_U4_a_store_of_a_newer_release_is_refused(tmp_path: Path) -> None:
    async def run() -> None:
        path = tmp_path / "tables.db"
        store = await SqliteStore.open(path)
        async with hosting(store) as host:
            await played(host, "t", "even-odd")
        await store.close()
        with apsw.Connection(str(path)) as db:
            db.execute("PRAGMA user_version = 99")
        db.close()
        with pytest.raises(CannotOpen, match="start a program at least as new"):
            await SqliteStore.open(path)

    asyncio.run(run())


def test_U1_a_game_that_fails_on_what_it_once_took_is_a_damaged_table_not_a_dead_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with lent(bell.game):
        at = Writing("bell")
        at.sit_down(ANA, bell.FRAGILE)
        at.start()
        at.hear()
        at.happen(Act(bell.FRAGILE, "m", at.now(), Raw(encode(bell.Muffle(bell.FRAGILE)))))
        monkeypatch.setattr(bell, "is_broken", True)
        with pytest.raises(Damaged, match=f"entry {at.kept.position} makes bell fail: RuntimeError: it fell down"):
            replay(TABLES, LogId("golden"), at.log)
