"""What every store gives back: tables from a snapshot on, entries, commands, pages of rows."""

import asyncio
from hashlib import sha256

from msgspec.structs import replace

from tests.store.making import FINISHED, ROW, commit_of, following, reading, state, stored
from tests.store.places import on_a_store
from turnstile.kernel.values import LogId
from turnstile.store.log import Command, verify, verify_snapshot
from turnstile.store.protocol import Store

T, U = LogId("t"), LogId("u")


@on_a_store
async def test_nothing_is_read_where_nothing_is(store: Store) -> None:
    assert await store.load(T) is None
    assert await store.row(T) is None
    assert await store.entries(T, -1) == ()
    assert await store.find(T, Command("alice 1")) is None
    assert await store.cursors(T) == {}
    assert await store.logs() == []


@on_a_store
async def test_a_table_is_read_from_its_latest_snapshot_on(store: Store) -> None:
    entries = await stored(store, T, 7, snapshots=(2, 5))
    saved = await reading(store, T)
    assert saved.header == entries[0]
    assert saved.snapshot is not None
    assert (saved.snapshot.position, saved.snapshot.state) == (5, state(5))
    assert saved.snapshot.link == entries[5].link
    assert saved.snapshot.fingerprint == sha256(state(5)).digest()
    assert saved.entries == tuple(entries[6:])


@on_a_store
async def test_N10_who_is_far_behind_reads_from_an_older_snapshot(store: Store) -> None:
    entries = await stored(store, T, 7, snapshots=(2, 5))
    begins = {at_most: await store.snapshot(T, at_most) for at_most in (7, 5, 4, 2, 1, 0, -1)}
    assert {at_most: begin and begin.position for at_most, begin in begins.items()} == {
        7: 5, 5: 5, 4: 2, 2: 2, 1: None, 0: None, -1: None
    }  # fmt: skip
    older = begins[4]
    assert older is not None
    assert (older.state, older.link, older.fingerprint) == (state(2), entries[2].link, sha256(state(2)).digest())
    assert await store.snapshot(U, 7) is None


@on_a_store
async def test_C11_a_table_that_is_over_keeps_its_newest_snapshot_and_reads_from_the_beginning_too(
    store: Store,
) -> None:
    entries = await stored(store, T, 7, snapshots=(2, 5), row=FINISHED)
    saved = await reading(store, T)
    assert saved.snapshot is not None
    assert saved.snapshot.position == 5
    assert await store.snapshot(T, 7) == saved.snapshot
    assert await store.entries(T, 0) == tuple(entries[1:])


@on_a_store
async def test_a_log_is_read_as_far_as_one_likes(store: Store) -> None:
    entries = await stored(store, T, 5)
    assert await store.entries(T, -1, 1) == (entries[0],)
    assert await store.entries(T, 1, 2) == tuple(entries[2:4])
    assert await store.entries(T, 4, 9) == (entries[5],)
    assert await store.entries(T, 1, 0) == ()


@on_a_store
async def test_S18_the_newest_positions_of_many_tables_are_known_at_once(store: Store) -> None:
    await stored(store, T, 5)
    await stored(store, U, 0)
    assert await store.positions([T, LogId("nowhere"), U]) == {T: 5, U: 0}
    assert await store.positions([]) == {}


@on_a_store
async def test_snapshots_of_one_table_are_not_anothers(store: Store) -> None:
    await stored(store, T, 3)
    await stored(store, U, 3, snapshots=(1, 2, 3), row=FINISHED)
    assert (await reading(store, T)).snapshot is None


@on_a_store
async def test_S6_what_was_stored_verifies_from_the_header_and_from_a_snapshot(store: Store) -> None:
    await stored(store, T, 9, snapshots=(4,))
    saved = await reading(store, T)
    assert saved.snapshot is not None
    verify_snapshot(T, saved.snapshot)
    verify(T, saved.snapshot.link, saved.snapshot.position, saved.entries)
    verify(T, b"", -1, await store.entries(T, -1))


@on_a_store
async def test_entries_after_a_position(store: Store) -> None:
    entries = await stored(store, T, 4)
    await stored(store, U, 6)
    assert await store.entries(T, -1) == tuple(entries)
    assert await store.entries(T, 0) == tuple(entries[1:])
    assert await store.entries(T, 3) == (entries[4],)
    assert await store.entries(T, 4) == ()
    assert await store.entries(T, 99) == ()


@on_a_store
async def test_N1_the_entry_of_a_command_has_the_answer_its_sender_was_given(store: Store) -> None:
    entries = await stored(store, T, 2)
    made = following(entries[-1], "alice 1")
    assert await store.commit(commit_of(T, made))
    found = await store.find(T, Command("alice 1"))
    assert found == made
    assert found.answer == b"answer 3"
    assert await store.find(T, Command("alice 2")) is None
    assert await store.find(U, Command("alice 1")) is None


@on_a_store
async def test_K5_a_table_is_read_whole_while_it_is_written(store: Store) -> None:
    """Each reading is of one moment: no entry is missing in it, and none comes twice."""
    entries = await stored(store, T, 1)
    await stored(store, U, 0)
    readings = []
    for _ in range(40):
        made = following(entries[-1])
        entries.append(made)
        writing = asyncio.ensure_future(store.commit(commit_of(T, made, with_snapshot=made.position % 3 == 0)))
        readings.append(asyncio.create_task(reading(store, T)))
        readings.append(asyncio.create_task(reading(store, T)))
        assert await writing
    for saved in await asyncio.gather(*readings):
        after = 0 if saved.snapshot is None else saved.snapshot.position
        verify(T, entries[after].link, after, saved.entries)
        assert saved.entries == tuple(entries[after + 1 : after + 1 + len(saved.entries)])


# pages


@on_a_store
async def test_tables_come_in_the_order_of_their_ids_a_page_at_a_time(store: Store) -> None:
    names = [LogId(name) for name in ("b", "a", "B", "z", "ä", "10", "9", "a-b", "a_b", "aa")]
    for name in names:
        await stored(store, name, 0)
    in_order = sorted(names)  # by code point, whatever the language of the machine is
    assert [table for table, _ in await store.logs()] == in_order
    pages: list[LogId] = []
    while page := await store.logs(after=pages[-1] if pages else None, limit=3):
        assert len(page) <= 3
        pages += [table for table, _ in page]
    assert pages == in_order


@on_a_store
async def test_tables_that_are_open_or_are_not(store: Store) -> None:
    hidden = replace(ROW, is_listed=False)
    rows = {"a": ROW, "b": FINISHED, "c": hidden, "d": FINISHED, "e": ROW}
    for name, row in rows.items():
        await stored(store, LogId(name), 0, row=row)
    everything = list(rows.items())
    assert await store.logs() == everything
    assert await store.logs(is_open=True) == [one for one in everything if one[1].is_open]
    assert await store.logs(is_open=False) == [one for one in everything if not one[1].is_open]
    assert await store.logs(is_open=True, after=LogId("a"), limit=1) == [("c", hidden)]
    assert await store.logs(is_open=False, after=LogId("d")) == []
    assert await store.logs(limit=0) == []


@on_a_store
async def test_a_page_has_a_hundred_tables_unless_told_otherwise(store: Store) -> None:
    await asyncio.gather(*(stored(store, LogId(f"{number:03}"), 0) for number in range(130)))
    assert len(await store.logs()) == 100
    assert len(await store.logs(limit=1000)) == 130
    assert [table for table, _ in await store.logs(after=LogId("127"))] == ["128", "129"]
