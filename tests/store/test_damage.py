"""S6, U9: what changes in the file behind our back is noticed when the table is read, and no other table suffers."""

import asyncio
from pathlib import Path

import apsw
import pytest
from msgspec.structs import replace

from tests.store.making import ROW, commit_of, following, header, state
from turnstile.kernel.values import LogId
from turnstile.store.log import BEFORE_FIRST, Damaged, Entry, verify, verify_snapshot
from turnstile.store.protocol import Saved
from turnstile.store.sqlite import SqliteStore

T, U = LogId("t"), LogId("u")


async def _put(path: Path) -> None:
    store = await SqliteStore.open(path)
    for table in (T, U):
        made = header(about=b"header of %s" % table.encode())
        await store.create(table, made, ROW)
        for number in range(1, 7):
            made = following(made, f"alice {number}", event=b"event %d of %s" % (number, table.encode()))
            assert await store.commit(commit_of(table, made, ROW, with_snapshot=number == 3))
    await store.close()


async def _read(path: Path, table: LogId) -> None:
    """Read a table as a host does, and then the whole of it."""
    store = await SqliteStore.open(path)
    try:
        saved = await store.load(table)
        assert saved is not None
        assert saved.snapshot is not None
        _verify(table, saved)
        verify(table, BEFORE_FIRST, -1, await store.entries(table, -1))
    finally:
        await store.close()


def _verify(table: LogId, saved: Saved) -> None:
    """Raises `Damaged` unless all of this is what was written: the header, the snapshot, and the entries after it."""
    verify(table, BEFORE_FIRST, -1, (saved.header,))
    if saved.snapshot is None:
        verify(table, saved.header.link, 0, saved.entries)
    else:
        verify_snapshot(table, saved.snapshot)
        verify(table, saved.snapshot.link, saved.snapshot.position, saved.entries)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "tables.db"
    asyncio.run(_put(path))
    return path


def is_damaged(path: Path) -> str:
    with pytest.raises(Damaged) as damaged:
        asyncio.run(_read(path, T))
    asyncio.run(_read(path, U))
    return damaged.value.why


FIRST = "table_key = (SELECT key FROM tables WHERE id = 't')"


@pytest.mark.parametrize("position", [0, 2, 3, 6])
@pytest.mark.parametrize(
    "change",
    ["at = at + 1", "event = CAST(event || x'00' AS BLOB)", "event = x''", "state = zeroblob(32)",
     "link = zeroblob(32)", "command = 'bob 1'", "command = NULL", "command = CAST(x'ff' AS TEXT)",
     "answer = x''", "answer = NULL"],
)  # fmt: skip
def test_S6_U9_a_changed_column_of_any_entry_is_noticed(path: Path, position: int, change: str) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(f"UPDATE log SET {change} WHERE {FIRST} AND position = {position}")  # noqa: S608
    assert connection.changes() == 1
    connection.close()
    if position == 0 and change in ("command = NULL", "answer = NULL"):
        asyncio.run(_read(path, T))  # a header of no command: nothing has changed
    else:
        assert is_damaged(path)


def test_S6_a_missing_entry_is_noticed(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(f"DELETE FROM log WHERE {FIRST} AND position = 5")  # noqa: S608
    connection.close()
    assert is_damaged(path) == "entry 5 is missing"


def test_S6_a_missing_header_is_noticed(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(f"DELETE FROM log WHERE {FIRST} AND position = 0")  # noqa: S608
    connection.close()
    assert is_damaged(path) == "entry 0 is missing"


def test_S6_a_changed_snapshot_is_noticed(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(f"UPDATE snapshots SET state = CAST(state || x'00' AS BLOB) WHERE {FIRST}")  # noqa: S608
    connection.close()
    assert is_damaged(path) == "the snapshot at 3 is not the state that entry led to"


@pytest.mark.parametrize("bit", range(8))
@pytest.mark.parametrize("where", [b"event 2 of t", b"event 5 of t", b"header of t", state(3)])
def test_S6_a_flipped_bit_in_the_file_is_noticed(path: Path, where: bytes, bit: int) -> None:
    """Pages fill from their ends: of two snapshots that are alike, the last in the file is the older, that of `t`."""
    data = bytearray(path.read_bytes())
    data[data.rindex(where) + len(where) // 2] ^= 1 << bit
    path.write_bytes(data)
    assert is_damaged(path)


def test_a_chain_says_what_is_wrong_with_it() -> None:
    def broken(*entries: Entry) -> str:
        with pytest.raises(Damaged) as damaged:
            verify(T, BEFORE_FIRST, -1, entries)
        return str(damaged.value)

    first = header()
    second = following(first, "alice 1")
    verify(T, BEFORE_FIRST, -1, (first, second))
    assert broken(second) == "Log t is damaged: entry 0 is missing."
    assert "entry 1" in broken(first, replace(second, at=first.at))
    assert "entry 1" in broken(first, replace(second, command=None))


def test_S6_bytes_that_moved_from_one_field_of_an_entry_to_the_next_are_noticed() -> None:
    first = header()
    made = following(first, "hello")
    assert made.answer is not None
    tail = made.state + made.answer + b"5:hello"
    kept = len(tail) - len(made.answer)
    with pytest.raises(Damaged):
        verify(T, first.link, 0, [replace(made, state=tail[:kept], answer=tail[kept:], command=None)])
