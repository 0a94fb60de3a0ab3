"""What every store does with what is written: create, commit, acknowledge, put aside, prune, rebuild."""

import asyncio

import pytest
from msgspec.structs import replace

from tests.store.making import FINISHED, LONG, ROW, chain, commit_of, following, header, reading, stored
from tests.store.places import SHARED, Place, at_a_place, on_a_store
from turnstile.kernel.values import Instant, LogId
from turnstile.store.log import BEFORE_FIRST, Command, entry, verify, verify_snapshot
from turnstile.store.protocol import Saved, Store, StoreFault

T, U = LogId("t"), LogId("u")


@on_a_store
async def test_a_new_table_is_its_header_and_its_row(store: Store) -> None:
    assert await store.create(T, header(), ROW)
    saved = await reading(store, T)
    assert (saved.header, saved.snapshot, saved.entries) == (header(), None, ())
    assert await store.row(T) == ROW
    assert await store.cursors(T) == {}


@on_a_store
async def test_a_table_is_created_once(store: Store) -> None:
    assert await store.create(T, header(about=b"first"), ROW)
    assert not await store.create(T, header(about=b"second"), FINISHED)
    assert (await reading(store, T)).header.event == b"first"
    assert await store.row(T) == ROW


@on_a_store
async def test_K4_of_many_who_create_a_table_at_once_one_does(store: Store) -> None:
    headers = [header(about=b"%d" % number) for number in range(20)]
    made = await asyncio.gather(*(store.create(T, one, ROW) for one in headers))
    assert made.count(True) == 1
    assert (await reading(store, T)).header == headers[made.index(True)]


@on_a_store
async def test_a_commit_appends_its_entry_and_replaces_the_row(store: Store) -> None:
    entries = await stored(store, T, 0)
    made = following(entries[-1], "alice 1")
    row = replace(ROW, phase="shut", changed=Instant(2_000), due=Instant(9_000), players=("alice", "bob", "çarol"))
    assert await store.commit(commit_of(T, made, row))
    assert (await reading(store, T)).entries == (made,)
    assert await store.row(T) == row


@on_a_store
async def test_S19_bytes_and_numbers_come_back_as_they_went_in(store: Store) -> None:
    assert await store.create(T, header(), ROW)
    made = entry(header().link, 1, Instant(2**53 + 1), bytes(range(256)), b"\x00" * 32, Command("ü 1"), b"")
    assert await store.commit(commit_of(T, made, before=header().link))
    assert (await reading(store, T)).entries == (made,)


@on_a_store
async def test_K6_of_two_commits_at_one_position_one_wins_and_the_other_changes_nothing(store: Store) -> None:
    entries = await stored(store, T, 3)
    first, second = following(entries[-1], "alice 1"), following(entries[-1], "bob 1")
    assert await store.commit(commit_of(T, first))
    assert not await store.commit(commit_of(T, second, FINISHED, with_snapshot=True))
    saved = await reading(store, T)
    assert saved.entries == (*entries[1:], first)
    assert saved.snapshot is None
    assert await store.row(T) == ROW
    assert await store.find(T, Command("bob 1")) is None


@on_a_store
async def test_K6_of_many_commits_at_one_position_at_once_one_wins(store: Store) -> None:
    entries = await stored(store, T, 3)
    rivals = [following(entries[-1], f"player {number}") for number in range(50)]
    won = await asyncio.gather(*(store.commit(commit_of(T, rival)) for rival in rivals))
    assert won.count(True) == 1
    assert (await reading(store, T)).entries[-1] == rivals[won.index(True)]


@pytest.mark.parametrize("place", SHARED, indirect=True)
@at_a_place
async def test_K7_a_server_that_has_not_seen_the_last_entry_writes_nothing(place: Place) -> None:
    one, other = await place.open(), await place.open()
    entries = await stored(one, T, 1)
    seen = (await reading(other, T)).entries[-1]
    assert await one.commit(commit_of(T, following(entries[-1], "alice 1")))
    assert not await other.commit(commit_of(T, following(seen, "bob 1")))
    assert await other.entries(T, 1) == (following(entries[-1], "alice 1"),)
    await one.close()
    await other.close()


@on_a_store
async def test_K6_a_log_that_went_another_way_to_the_same_position_is_not_written_to(store: Store) -> None:
    """A server of old entries, after a failover lost them and others were written, or the table was made anew."""
    stale = chain(3, header(about=b"another life"))
    entries = await stored(store, T, 2)
    assert not await store.commit(commit_of(T, stale[3], FINISHED, with_snapshot=True))
    assert not await store.commit(commit_of(T, following(entries[1])))
    assert await reading(store, T) == Saved(entries[0], None, tuple(entries[1:]))
    assert await store.row(T) == ROW
    assert await store.commit(commit_of(T, following(entries[-1])))


@on_a_store
async def test_no_commit_leaves_a_gap(store: Store) -> None:
    entries = await stored(store, T, 1)
    beyond = following(following(entries[-1]))
    assert not await store.commit(commit_of(T, beyond))
    assert (await reading(store, T)).entries == tuple(entries[1:])


@on_a_store
async def test_a_commit_to_a_table_that_is_not_there_is_refused(store: Store) -> None:
    assert not await store.commit(commit_of(T, following(header())))
    assert not await store.commit(commit_of(T, header()))
    assert await store.load(T) is None


@on_a_store
async def test_N3_a_command_id_is_taken_once_in_a_table_for_ever(store: Store) -> None:
    entries = await stored(store, T, 0)
    first = following(entries[-1], "alice 1")
    assert await store.commit(commit_of(T, first))
    assert not await store.commit(commit_of(T, following(first, "alice 1", event=b"another move"), FINISHED))
    second = following(first, "alice 2")
    assert await store.commit(commit_of(T, second))
    assert not await store.commit(commit_of(T, following(second, "alice 1")))
    assert await store.find(T, Command("alice 1")) == first
    assert await store.row(T) == ROW


@on_a_store
async def test_two_tables_may_have_the_same_command_id(store: Store) -> None:
    for table in (T, U):
        entries = await stored(store, table, 0)
        assert await store.commit(commit_of(table, following(entries[-1], "alice 1")))


@on_a_store
async def test_many_entries_have_no_command(store: Store) -> None:
    entries = await stored(store, T, 3)
    assert [made.command for made in (await reading(store, T)).entries] == [None] * 3
    assert len(entries) == 4


@on_a_store
async def test_the_command_of_a_header_is_taken_too(store: Store) -> None:
    first = entry(BEFORE_FIRST, 0, Instant(1_000), b"header", b"\x00" * 32, Command("alice 1"), b"made")
    assert await store.create(T, first, ROW)
    assert await store.find(T, Command("alice 1")) == first
    assert not await store.commit(commit_of(T, following(first, "alice 1")))


@on_a_store
async def test_commits_of_many_tables_at_once_do_not_disturb_each_other(store: Store) -> None:
    """Some are refused: for their position, their command id, or because there is no such table."""
    names = [LogId(f"table {number}") for number in range(120)]
    tables = {name: await stored(store, name, 0) for name in names}
    firsts = {name: following(entries[-1], "alice 1") for name, entries in tables.items()}
    assert all(await asyncio.gather(*(store.commit(commit_of(name, made)) for name, made in firsts.items())))
    attempts = [
        (names[0], following(firsts[names[0]], "alice 2"), True),
        (LogId("gone"), following(firsts[names[0]], "alice 2"), False),
        *((name, following(firsts[name], "alice 1"), False) for name in names[1:40]),
        *((name, following(tables[name][0], "bob 1"), False) for name in names[40:80]),
        *((name, following(firsts[name], "bob 1"), True) for name in names[80:]),
    ]
    answers = await asyncio.gather(*(store.commit(commit_of(name, made)) for name, made, _ in attempts))
    assert answers == [is_right for _, _, is_right in attempts]
    for name in names:
        saved = await reading(store, name)
        verify(name, saved.header.link, 0, saved.entries)
        assert len(saved.entries) == (2 if name == names[0] or name in names[80:] else 1)


@on_a_store
async def test_commits_of_one_table_that_follow_each_other_may_be_sent_together(store: Store) -> None:
    entries = chain(60)
    await store.create(T, entries[0], ROW)
    answers = await asyncio.gather(*(store.commit(commit_of(T, made)) for made in entries[1:]))
    assert answers == [True] * 60
    assert (await reading(store, T)).entries == tuple(entries[1:])


@on_a_store
async def test_a_mistake_in_one_commit_is_its_own(store: Store) -> None:
    """A text that no database takes, among many that are sound."""
    names = [LogId(f"table {number}") for number in range(30)]
    for name in names:
        await stored(store, name, 0)
    spoiled = commit_of(names[7], following(header()), replace(ROW, phase="\ud800"))
    sound = [commit_of(name, following(header())) for name in names if name != names[7]]
    answers = await asyncio.gather(
        store.commit(spoiled), *(store.commit(commit) for commit in sound), return_exceptions=True
    )
    assert answers[1:] == [True] * 29
    assert all([await store.entries(commit.log, 0) == (commit.entry,) for commit in sound])


@on_a_store
async def test_K8_S17_a_commit_whose_sender_hung_up_is_made(store: Store) -> None:
    entries = await stored(store, T, 0)
    made = following(entries[-1], "alice 1")
    sending = asyncio.ensure_future(store.commit(commit_of(T, made)))
    await asyncio.sleep(0)  # it is on its way
    sending.cancel()
    await asyncio.wait([sending])
    assert await store.commit(commit_of(T, following(made)))  # it comes behind the other, and finds it there
    assert await store.find(T, Command("alice 1")) == made


# acknowledge


@on_a_store
async def test_a_cursor_goes_forward_never_back(store: Store) -> None:
    await stored(store, T, 0)
    assert await store.acknowledge(T, {"alice": 5}) == {"alice": 5}
    assert await store.acknowledge(T, {"alice": 3}) == {"alice": 5}
    assert await store.acknowledge(T, {"alice": 5, "bob": 0}) == {"alice": 5, "bob": 0}
    assert await store.acknowledge(T, {"alice": 9, "bob": 2}) == {"alice": 9, "bob": 2}
    assert await store.cursors(T) == {"alice": 9, "bob": 2}


@on_a_store
async def test_N17_acknowledging_gives_back_all_cursors_of_the_table_and_of_no_other(store: Store) -> None:
    await stored(store, T, 0)
    await stored(store, U, 0)
    await store.acknowledge(U, {"carol": 7})
    await store.acknowledge(T, {"alice": 1})
    assert await store.acknowledge(T, {"bob": 2}) == {"alice": 1, "bob": 2}
    assert await store.acknowledge(T, {}) == {"alice": 1, "bob": 2}


@on_a_store
async def test_a_table_that_is_gone_has_no_cursors_and_gets_none(store: Store) -> None:
    assert await store.acknowledge(T, {"alice": 1}) == {}
    await stored(store, T, 0, row=FINISHED)
    assert await store.cursors(T) == {}
    await store.acknowledge(T, {"alice": 4})
    assert await store.prune(T)
    assert await store.cursors(T) == {}
    await stored(store, T, 0)
    assert await store.cursors(T) == {}


@on_a_store
async def test_acknowledgements_at_once_end_at_the_furthest(store: Store) -> None:
    await stored(store, T, 0)
    order = [3, 9, 1, 7, 9, 2, 8]
    seen = await asyncio.gather(*(store.acknowledge(T, {"alice": cursor}) for cursor in order))
    assert max(one["alice"] for one in seen) == 9
    assert await store.cursors(T) == {"alice": 9}


# put aside, prune, rebuild


@on_a_store
async def test_S6_a_table_put_aside_is_not_open_needs_nobody_and_says_why(store: Store) -> None:
    due = replace(ROW, due=Instant(5_000))
    entries = await stored(store, T, 2, row=due)
    await stored(store, U, 2, row=due)
    await store.put_aside(T, "entry 1 is missing")
    assert await store.row(T) == replace(due, is_open=False, due=None, note="entry 1 is missing")
    assert await store.claim(Instant(LONG), 0, 10) == [U]
    assert (await reading(store, T)).entries == tuple(entries[1:])


@on_a_store
async def test_S6_no_commit_changes_a_table_put_aside(store: Store) -> None:
    entries = await stored(store, T, 2)
    await store.put_aside(T, "entry 1 is missing")
    assert not await store.commit(commit_of(T, following(entries[-1])))
    assert (await reading(store, T)).entries == tuple(entries[1:])
    await store.rebuild([(T, ROW)])
    assert await store.commit(commit_of(T, following(entries[-1])))


@on_a_store
async def test_nothing_is_put_aside_where_nothing_is(store: Store) -> None:
    await store.put_aside(T, "entry 1 is missing")
    assert await store.row(T) is None


@on_a_store
async def test_only_a_table_that_is_not_open_is_pruned(store: Store) -> None:
    entries = await stored(store, T, 1)
    await stored(store, U, 1)
    assert not await store.prune(T)
    assert not await store.prune(LogId("nowhere"))
    assert await store.commit(commit_of(T, following(entries[-1], "alice 1"), FINISHED, with_snapshot=True))
    await store.acknowledge(T, {"alice": 1})
    assert await store.prune(T)
    assert not await store.prune(T)
    assert await store.load(T) is None
    assert await store.row(T) is None
    assert await store.entries(T, -1) == ()
    assert await store.find(T, Command("alice 1")) is None
    assert [table for table, _ in await store.logs()] == [U]


@on_a_store
async def test_K7_a_commit_to_a_pruned_table_is_refused_and_its_id_is_free(store: Store) -> None:
    entries = await stored(store, T, 2, row=FINISHED, snapshots=(1,))
    assert await store.prune(T)
    assert not await store.commit(commit_of(T, following(entries[-1])))
    await stored(store, T, 0)
    assert (await reading(store, T)).entries == ()


@on_a_store
async def test_rebuilding_replaces_rows_and_drops_snapshots(store: Store) -> None:
    entries = await stored(store, T, 4, snapshots=(2, 4))
    await stored(store, U, 2, snapshots=(2,))
    anew = replace(ROW, phase="anew", due=Instant(7_000))
    await store.rebuild([(T, anew), (LogId("nowhere"), anew)])
    assert await store.row(T) == anew
    assert await store.row(LogId("nowhere")) is None
    saved = await reading(store, T)
    assert (saved.snapshot, saved.entries) == (None, tuple(entries[1:]))
    assert (await reading(store, U)).snapshot is not None


# the end


@at_a_place
async def test_what_is_stored_is_there_when_the_place_is_opened_again(place: Place) -> None:
    store = await place.open()
    entries = await stored(store, T, 5, snapshots=(3,))
    await store.acknowledge(T, {"alice": 2})
    await store.close()
    store = await place.open()
    saved = await reading(store, T)
    assert saved.snapshot is not None
    assert saved.snapshot.position == 3
    verify_snapshot(T, saved.snapshot)
    verify(T, saved.snapshot.link, 3, saved.entries)
    assert saved.entries == tuple(entries[4:])
    assert (await store.row(T), await store.cursors(T)) == (ROW, {"alice": 2})
    await store.close()


@at_a_place
async def test_C14_closing_finishes_what_was_begun(place: Place) -> None:
    store = await place.open()
    entries = await stored(store, T, 0)
    made = following(entries[-1])
    sending = asyncio.ensure_future(store.commit(commit_of(T, made)))
    await asyncio.sleep(0)  # it is on its way
    await store.close()
    assert await sending
    store = await place.open()
    assert (await reading(store, T)).entries == (made,)
    await store.close()


@at_a_place
async def test_a_closed_store_does_nothing_and_says_so(place: Place) -> None:
    store = await place.open()
    await store.close()
    await store.close()
    with pytest.raises(StoreFault):
        await store.create(T, header(), ROW)
    with pytest.raises(StoreFault):
        await store.load(T)
    store = await place.open()
    assert await store.load(T) is None
    await store.close()
