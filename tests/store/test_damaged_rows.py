"""S6: damage beside the log, in a row or a cursor, concerns its own table and ends nothing; a rebuild mends it."""

import asyncio
from contextlib import suppress
from pathlib import Path

import apsw
import asyncpg
import pytest

from tests import postgres
from tests.store.making import LONG, ROW, reading, stored
from tests.store.places import Place, PostgresPlace, SqlitePlace, at_a_place, on_a_store
from turnstile.kernel.values import Instant, LogId
from turnstile.store.columns import DAMAGED_ROW
from turnstile.store.log import Command, Damaged
from turnstile.store.protocol import Store, Unstorable
from turnstile.store.sqlite import SqliteStore

T, U = LogId("t"), LogId("u")
Kept = SqlitePlace | PostgresPlace

kept_by_a_database = pytest.mark.parametrize("place", ["sqlite", "postgres"], indirect=True)
AS_TEXT = {SqlitePlace: "CAST(x'{}' AS text)", PostgresPlace: "'\\x{}'::bytea::text"}


async def spoil(place: Kept, change: str) -> None:
    """Change something behind the back of a store that is closed. {ff} is a text of bytes that are none."""
    change = change.replace("{ff}", AS_TEXT[type(place)].format("ff41"))
    if isinstance(place, SqlitePlace):
        with apsw.Connection(str(place.path)) as connection:
            connection.execute(change)
        connection.close()
        return
    async with postgres.shell(postgres.shared.dsn(), place.schema) as shell:
        with suppress(asyncpg.DuplicateObjectError):
            await shell.execute("CREATE CAST (bytea AS text) WITHOUT FUNCTION")  # the bytes as they are
        await shell.execute(change)


def _of(place: Kept, table: LogId) -> str:
    """Which lines of a log are a table's."""
    if isinstance(place, SqlitePlace):
        return f"table_key = (SELECT key FROM tables WHERE id = '{table}')"  # noqa: S608
    return f"table_id = '{table}'"


async def spoiled(place: Kept, change: str, *, due: int | None = 1) -> Store:
    """A store of two tables, after the change."""
    store = await place.open()
    for table in (T, U):
        await stored(store, table, 3)
        await store.acknowledge(table, {"alice": 2, "bob": 3})
    await store.close()
    await spoil(place, f"UPDATE tables SET due = {due or 'NULL'}")  # noqa: S608
    await spoil(place, change)
    return await place.open()


@kept_by_a_database
@pytest.mark.parametrize("change", ["game = {ff}", "phase = {ff}", "players = '['", "players = '[1]'", "note = {ff}"])
def test_S6_a_damaged_row_says_so_and_a_rebuild_mends_it(place: Kept, change: str) -> None:
    async def test() -> None:
        store = await spoiled(place, f"UPDATE tables SET {change} WHERE id = 't'")  # noqa: S608
        found = await store.row(T)
        assert found is not None
        assert (found.players, found.note) == ((), DAMAGED_ROW)
        (_, first), (_, second) = await store.logs()
        assert (first.note, second.note) == (DAMAGED_ROW, "")
        assert await store.claim(Instant(1), LONG, 9) == [T, U]
        assert len((await reading(store, T)).entries) == 3
        await store.rebuild([(T, ROW)])
        assert await store.row(T) == ROW
        await store.close()

    asyncio.run(test())


@kept_by_a_database
@at_a_place
async def test_S6_a_table_whose_id_cannot_be_read_is_left_out(place: Place) -> None:
    assert isinstance(place, Kept)
    store = await spoiled(place, "UPDATE tables SET id = {ff} WHERE id = 't'")
    assert await store.claim(Instant(1), LONG, 9) == [U]
    assert [table for table, _ in await store.logs(limit=1)] == [U]
    assert [table for table, _ in await store.logs(is_open=True)] == [U]
    await store.close()


@kept_by_a_database
@at_a_place
async def test_S6_a_cursor_whose_seat_cannot_be_read_is_lost(place: Place) -> None:
    assert isinstance(place, Kept)
    store = await spoiled(place, "UPDATE cursors SET seat = {ff} WHERE seat = 'alice'")
    assert await store.cursors(T) == {"bob": 3}
    assert await store.acknowledge(T, {"bob": 4}) == {"bob": 4}
    await store.close()


@kept_by_a_database
@pytest.mark.parametrize("read", ["load", "entries", "find"])
def test_S6_a_command_that_is_no_text_is_damage_of_its_table(place: Kept, read: str) -> None:
    async def test() -> None:
        store = await spoiled(place, f"UPDATE log SET command = {{ff}} WHERE position = 2 AND {_of(place, T)}")  # noqa: S608
        if read != "find":  # who looks for a text does not find what is none
            with pytest.raises(Damaged):
                await (store.load(T) if read == "load" else store.entries(T, -1))
        assert await store.find(T, Command("alice 1")) is None
        assert len((await reading(store, U)).entries) == 3
        await store.close()

    asyncio.run(test())


# how long a log is


@kept_by_a_database
@pytest.mark.parametrize("first", [0, 2, 3])
def test_S6_a_log_without_its_last_entries_is_damaged(place: Kept, first: int) -> None:
    async def test() -> None:
        store = await spoiled(place, f"DELETE FROM log WHERE position >= {first} AND {_of(place, T)}")  # noqa: S608
        why = "entry 0 is missing" if first == 0 else f"the entries after {first - 1} are missing"
        with pytest.raises(Damaged, match=why):
            await store.load(T)
        assert len((await reading(store, U)).entries) == 3
        await store.close()

    asyncio.run(test())


@kept_by_a_database
@pytest.mark.parametrize("position", [1, 7])
def test_S6_a_wrong_position_in_a_row_is_set_right_by_a_rebuild(place: Kept, position: int) -> None:
    async def test() -> None:
        store = await spoiled(place, f"UPDATE tables SET position = {position} WHERE id = 't'")  # noqa: S608
        assert await store.positions([T, U]) == {T: position, U: 3}
        await store.rebuild([(T, ROW)])
        assert await store.positions([T, U]) == {T: 3, U: 3}
        assert len((await reading(store, T)).entries) == 3
        await store.close()

    asyncio.run(test())


# pages of a file


def _damage_page(path: Path, name: str, number: int) -> int:
    """Spoil one leaf of a table or an index; how many there are."""
    connection = apsw.Connection(str(path))
    query = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path"
    pages = [int(str(page)) for (page,) in connection.execute(query, (name,))]
    connection.close()
    with path.open("r+b") as file:
        file.seek((pages[number] - 1) * 4096)
        file.write(b"\x00")
    return len(pages)


@pytest.mark.parametrize("name", ["log", "log_by_position", "snapshots", "sqlite_autoindex_tables_1"])
@pytest.mark.parametrize("number", [0, -1])
def test_S6_a_damaged_page_is_damage_of_the_tables_on_it(tmp_path: Path, name: str, number: int) -> None:
    async def test() -> None:
        place = SqlitePlace(tmp_path)
        tables = [LogId(f"table {number:03}") for number in range(300)]
        store = await place.open()
        for table in tables:
            await stored(store, table, 2, snapshots=(1,))
        await store.close()
        assert _damage_page(place.path, name, number) > 1
        store = await place.open()
        damaged = [table for table in tables if not await _can_be_read(store, table)]
        assert 0 < len(damaged) < len(tables)
        for table in damaged:
            await store.put_aside(table, "its page is damaged")
        assert all([(row := await store.row(table)) is not None and row.note for table in damaged])
        await store.beat()
        await store.close()

    asyncio.run(test())


async def _can_be_read(store: SqliteStore, table: LogId) -> bool:
    try:
        return await store.load(table) is not None
    except Damaged:
        return False


# ids


NONE = ["", "a\0b", "\ud800", "x" * 65, "two\nlines"]


@pytest.mark.parametrize("name", NONE)
def test_what_is_no_id_makes_no_table_and_finds_none(place: Kept, name: str) -> None:
    async def test(store: Store) -> None:
        table = LogId(name)
        entries = await stored(store, T, 1)
        with pytest.raises(Unstorable):
            await store.create(table, entries[0], ROW)
        assert await store.load(table) is None
        assert await store.row(table) is None
        assert await store.snapshot(table, 9) is None
        assert await store.entries(table, -1) == ()
        assert await store.find(table, Command("alice 1")) is None
        assert await store.cursors(table) == await store.acknowledge(table, {"alice": 1}) == {}
        assert await store.positions([table, T]) == {T: 1}
        await store.put_aside(table, "for no reason")
        assert not await store.prune(table)
        assert [found for found, _ in await store.logs()] == [T]

    on_a_store(test)(place)


@kept_by_a_database
@on_a_store
async def test_a_text_that_no_database_takes_is_refused_and_ends_nothing(store: Store) -> None:
    await stored(store, T, 1)
    with pytest.raises(Unstorable):
        await store.acknowledge(T, {"\ud800": 1})
    with pytest.raises(Unstorable):
        await store.find(T, Command("\ud800"))
    assert await store.acknowledge(T, {"alice": 1}) == {"alice": 1}
