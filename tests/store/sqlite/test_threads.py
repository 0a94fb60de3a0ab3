"""The SQLite store alone: its two threads, what they share, and what happens when one of them cannot go on."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Condition, Event

import apsw
import pytest
from msgspec.structs import replace

from tests.store.making import FINISHED, ROW, chain, commit_of, following, header, reading, stored
from tests.store.people import ANA, BO, NOW, hashed, invitation, match, rating, registered, use_code
from tests.store.sqlite.on_disk import nothing, with_store
from turnstile.kernel.values import Instant, LogId
from turnstile.store.directory import Booked, Directory
from turnstile.store.log import Command
from turnstile.store.protocol import Broken, Busy, ReadOnly
from turnstile.store.sqlite import SqliteStore
from turnstile.store.sqlite import connection as sqlite_connection
from turnstile.store.sqlite import lanes as sqlite_lanes
from turnstile.store.sqlite import store as sqlite

T = LogId("t")
MOVED = replace(ROW, phase="shut", changed=Instant(2_000), due=Instant(3_000))


class Standstill:
    """The writer waits, so that what is asked meanwhile gathers behind it."""

    def __init__(self, store: SqliteStore) -> None:
        self.store = store
        self.go_on = Event()
        self.has_begun = asyncio.Event()
        self.loop = asyncio.get_running_loop()

    async def __aenter__(self) -> None:
        self.waiting = asyncio.ensure_future(self.store._write.ask(self._wait))
        await self.has_begun.wait()

    def _wait(self, _db: apsw.Connection) -> None:
        self.loop.call_soon_threadsafe(self.has_begun.set)
        self.go_on.wait()

    async def __aexit__(self, *_: object) -> None:
        self.go_on.set()
        await self.waiting


def test_what_gathers_while_the_writer_is_busy_shares_one_transaction(path: Path) -> None:
    async def test(store: SqliteStore) -> None:
        transactions: list[bool] = []

        def count() -> bool:
            transactions.append(True)
            return False

        names = [LogId(f"table {number}") for number in range(50)]
        for name in names:
            await store.create(name, header(), ROW)
        await store._write.ask(lambda db: db.set_commit_hook(count))
        del transactions[:]
        async with Standstill(store):
            commits = [asyncio.ensure_future(store.commit(commit_of(name, chain(1)[1]))) for name in names]
            await asyncio.sleep(0)
        assert await asyncio.gather(*commits) == [True] * 50
        assert len(transactions) == 2  # the standstill's own, and that of all the others
        assert await store.commit(commit_of(names[0], chain(2)[2]))
        assert len(transactions) == 3

    with_store(path, test)


def test_a_commit_that_is_refused_does_not_harm_those_that_are_written_with_it(path: Path) -> None:
    async def test(store: SqliteStore) -> None:
        names = [LogId(f"table {number}") for number in range(40)]
        for name in names:
            await store.create(name, header(), ROW)
        first, second = chain(2)[1:]
        too_late = LogId("table 20")
        assert await store.commit(commit_of(too_late, first))
        async with Standstill(store):
            commits = [asyncio.ensure_future(store.commit(commit_of(name, first, MOVED))) for name in names]
            commits += [asyncio.ensure_future(store.commit(commit_of(name, second, MOVED))) for name in names]
            await asyncio.sleep(0)
        answers = await asyncio.gather(*commits)
        assert answers == [*(name != too_late for name in names), *([True] * 40)]
        for name in names:
            assert (await reading(store, name)).entries == (first, second)
            assert await store.row(name) == MOVED

    with_store(path, test)


def test_S14_what_waits_is_bounded_and_the_rest_is_told_to_come_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_lanes, "WAITING_AT_MOST", 5)

    async def test(store: SqliteStore) -> None:
        async with Standstill(store):
            creations = [
                asyncio.create_task(store.create(LogId(f"table {number}"), header(), ROW)) for number in range(9)
            ]
            await asyncio.sleep(0)
        answers = await asyncio.gather(*creations, return_exceptions=True)
        assert answers[:5] == [True] * 5
        assert all(isinstance(answer, Busy) for answer in answers[5:])
        assert len(await store.logs()) == 5
        assert await store.create(LogId("table 7"), header(), ROW)

    with_store(path, test)


def test_S4_a_file_that_somebody_holds_is_busy_and_nothing_is_lost(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_connection, "BUSY_TIMEOUT", 10)

    async def test(store: SqliteStore) -> None:
        entries = await stored(store, T, 1)
        other = apsw.Connection(str(path))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Busy):
            await store.commit(commit_of(T, following(entries[-1])))
        assert len((await reading(store, T)).entries) == 1
        other.execute("ROLLBACK")
        other.close()
        assert await store.commit(commit_of(T, following(entries[-1])))

    with_store(path, test)


def test_S5_a_store_that_may_not_be_written_to_refuses_and_reads_on(path: Path) -> None:
    async def test(store: SqliteStore) -> None:
        entries = await stored(store, T, 1)
        store._write._connection.execute("PRAGMA query_only = 1")
        with pytest.raises(ReadOnly):
            await store.commit(commit_of(T, following(entries[-1])))
        assert len((await reading(store, T)).entries) == 1
        store._write._connection.execute("PRAGMA query_only = 0")
        assert await store.commit(commit_of(T, following(entries[-1])))

    with_store(path, test)


def test_K5_a_table_that_is_pruned_while_it_is_read_is_read_whole(path: Path) -> None:
    async def test(store: SqliteStore) -> None:
        await stored(store, T, 5, row=FINISHED)
        loop = asyncio.get_running_loop()
        pruned: list[bool] = []

        def prune_between(_cursor: apsw.Cursor, sql: str, _bindings: object) -> bool:
            """In the reader's thread, before each of its statements: the last two come after the table is gone."""
            if "snapshots" in sql:
                pruned.append(asyncio.run_coroutine_threadsafe(store.prune(T), loop).result())
            return True

        store._read._connection.set_exec_trace(prune_between)
        assert len((await reading(store, T)).entries) == 5
        assert pruned == [True]
        assert await store.load(T) is None

    with_store(path, test)


def test_C16_when_the_writer_itself_fails_nobody_waits_for_ever(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_self: object) -> None:
        raise RuntimeError("planted")

    async def test(store: SqliteStore) -> None:
        monkeypatch.setattr(sqlite_lanes.WriteLane, "_afterwards", fail)
        async with Standstill(store):
            creations = [
                asyncio.create_task(store.create(LogId(f"table {number}"), header(), ROW)) for number in range(600)
            ]
            await asyncio.sleep(0)
        answers = await asyncio.gather(*creations, return_exceptions=True)
        assert [answer for answer in answers if not isinstance(answer, Broken)] == []
        with pytest.raises(Broken, match="planted"):
            await store.load(T)

    with pytest.raises(Broken, match="planted"):
        with_store(path, test)
    monkeypatch.undo()
    with_store(path, nothing)


def test_S13_the_write_ahead_log_stays_small_while_others_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_lanes, "CHECKPOINT_AFTER", 20)
    log = path.parent / "tables.db-wal"

    async def test(store: SqliteStore) -> None:
        await store.create(T, header(), ROW)
        for made in chain(400)[1:]:
            await asyncio.gather(store.commit(commit_of(T, made)), store.load(T))
        assert log.stat().st_size < 200 * 4096

    with_store(path, test)


def test_S13_reads_that_always_overlap_cannot_keep_the_write_ahead_log_from_starting_anew(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read is open at every commit, and the next one waits behind it: the reader is never idle."""
    monkeypatch.setattr(sqlite_lanes, "CHECKPOINT_AFTER", 20)
    monkeypatch.setattr(sqlite, "ReadGate", Telling)
    log = path.parent / "tables.db-wal"

    async def test(store: SqliteStore) -> None:
        await store.create(T, header(), ROW)
        reading = Reading(store)
        for made in chain(200)[1:]:
            await reading.has_begun.wait()
            assert await store.commit(commit_of(T, made))
            before, reading = reading, Reading(store)
            await asyncio.sleep(0)  # the next one is in the line
            await before.end()
        await reading.end()
        assert log.stat().st_size < 100 * 4096

    with_store(path, test)


class Telling(sqlite_lanes.ReadGate):
    """A gate that tells an open read when the writer waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.changed = Condition()
        self.has_writer = False

    @contextmanager
    def no_reads(self) -> Iterator[None]:
        self._tell(has_writer=True)
        with super().no_reads():
            self._tell(has_writer=False)
            yield

    def _tell(self, has_writer: bool) -> None:
        with self.changed:
            self.has_writer = has_writer
            self.changed.notify_all()


class Reading:
    """A read that goes on until it is ended, or until the writer waits for it."""

    def __init__(self, store: SqliteStore) -> None:
        assert isinstance(store._read._gate, Telling)
        self.has_begun = asyncio.Event()
        self._gate = store._read._gate
        self._is_enough = False
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.ensure_future(store._read.ask(self._read))

    def _read(self, db: apsw.Connection) -> None:
        db.execute("SELECT count(*) FROM log").fetchall()
        self._loop.call_soon_threadsafe(self.has_begun.set)
        with self._gate.changed:
            self._gate.changed.wait_for(lambda: self._is_enough or self._gate.has_writer)

    async def end(self) -> None:
        with self._gate.changed:
            self._is_enough = True
            self._gate.changed.notify_all()
        await self._task


def test_S13_a_write_ahead_log_that_grows_and_grows_is_warned_of_once(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sqlite_lanes, "WARN_AFTER", 60)

    async def test(store: SqliteStore) -> None:
        await stored(store, T, 3)
        assert caplog.messages == []
        for number in range(10):
            await stored(store, LogId(f"table {number}"), 3)
        assert len([said for said in caplog.messages if "write-ahead log" in said]) == 1

    with_store(path, test)


def test_R5_no_statement_looks_through_a_whole_table(path: Path) -> None:
    """What is done to one table costs the same however many there are, and however long their logs."""
    seen: set[str] = set()

    def note(_cursor: apsw.Cursor, sql: str, _bindings: object) -> bool:
        seen.add(sql)
        return True

    async def test(store: SqliteStore) -> None:
        for lane in (store._write, store._read):
            lane._connection.set_exec_trace(note)
        await stored(store, T, 2, snapshots=(1,), row=FINISHED)
        await store.acknowledge(T, {"alice": 1})
        await store.claim(store.now(), 0, 1)
        await store.load(T)
        await store.find(T, Command("alice 1"))
        await store.row(T)
        await store.logs()
        await store.logs(is_open=True)
        await store.beat()
        await store.outages(store.now())
        await store.rebuild([(T, FINISHED)])
        await store.put_aside(T, "entry 1 is missing")
        await _use_directory(store.directory)
        await store.prune(T)

    with_store(path, test)
    connection = apsw.Connection(str(path))
    plans = {sql: connection.execute(f"EXPLAIN QUERY PLAN {sql}", _nothing_for(sql)).fetchall() for sql in seen}
    connection.close()
    assert len(plans) > 60
    scans = {(sql, str(row[3])) for sql, plan in plans.items() for row in plan if str(row[3]).startswith("SCAN")}
    assert {sql for sql, _ in scans} <= {"SELECT at FROM heartbeat"}  # one row
    assert not [plan for plan in plans.values() if "TEMP B-TREE" in str(plan)]


def test_many_tokens_are_checked_with_few_statements(path: Path) -> None:
    seen: list[str] = []

    def note(_cursor: apsw.Cursor, sql: str, _bindings: object) -> bool:
        seen.append(sql)
        return True

    async def test(store: SqliteStore) -> None:
        await registered(store.directory, ANA, BO)
        store._read._connection.set_exec_trace(note)
        for count in (1, 100, 1_998):
            others = [hashed(f"other {number}") for number in range(count)]
            known = [hashed("ana"), hashed("bo")]
            assert await store.directory.valid_tokens([known[0], *others, known[1]]) == {*known}
        checks = [sql for sql in seen if "FROM tokens" in sql]
        assert len(checks) == 1 + 2 + 20
        assert len(set(checks)) == 1, "it is prepared once"

    with_store(path, test)


async def _use_directory(directory: Directory) -> None:
    await registered(directory, ANA, BO)
    await directory.player_by_token(hashed("ana"))
    await directory.valid_tokens([hashed("ana")])
    await directory.rename(ANA, "Anna")
    await directory.add_token(ANA, hashed("phone"), NOW)
    await directory.replace_tokens(ANA, hashed("phone"), NOW)
    await directory.add_code(hashed("code"), ANA, Instant(NOW + 1))
    assert await use_code(directory, "code") == ANA
    await directory.sweep_codes(NOW)
    await directory.add_invitation(invitation("x"))
    await directory.invitation(T)
    await directory.remove_invitation(LogId("x"))
    await directory.count_open(ANA)
    await directory.opened_by(ANA)
    await directory.tables_of(ANA)
    await directory.listed()
    await directory.listed(game="doors", phase="open")
    await directory.unbooked()
    assert await directory.book(match("t"), [rating(ANA), rating(BO)]) is Booked.NOW
    await directory.results_of(ANA)
    await directory.results_of(ANA, game="doors")
    await directory.ratings_of(ANA)
    await directory.ratings([ANA], "doors", "all")
    await directory.leaders("doors", "all")
    await directory.delete_player(ANA)


def _nothing_for(sql: str) -> tuple[None, ...]:
    return (None,) if "?1" in sql else (None,) * sql.count("?")
