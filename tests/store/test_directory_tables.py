"""What every directory knows of tables: invitations, who sits where, which are listed, which are not booked yet."""

import asyncio

import pytest
from msgspec.structs import replace

from tests.store.making import FINISHED, ROW, chain, commit_of, following, header, stored
from tests.store.people import ANA, BO, CY, hashed, invitation, match, tables_on
from tests.store.places import Place, on_a_store
from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.store.directory import MOST_ON_A_PAGE, Booked, DirectoryStore, Invitation, Page, PageMark
from turnstile.store.pages import read_mark, write_mark
from turnstile.store.protocol import Row, Unstorable

T, U = LogId("t"), LogId("u")
SEATED = replace(ROW, players=(ANA, BO))
ALONE = replace(ROW, players=(ANA,))
OVER = replace(SEATED, phase="over", is_open=False)


async def change(store: DirectoryStore, table: LogId, row: Row, seats: tuple[str, ...] | None) -> bool:
    """One more entry at a table. When it was opened stays the same."""
    last, before = (await store.entries(table, -1))[-1], await store.row(table)
    assert before is not None
    row = replace(row, opened=before.opened)
    return await store.commit(replace(commit_of(table, following(last), row), seats=seats))


async def open_tables(store: DirectoryStore, *names: str, row: Row = SEATED) -> None:
    """Tables that were opened one after the other."""
    for number, name in enumerate(names):
        assert await store.create(LogId(name), header(), replace(row, opened=Instant(1_000 + number)))


# invitations


@on_a_store
async def test_an_invitation_is_settled_once_for_a_table(store: DirectoryStore) -> None:
    directory = store.directory
    assert await directory.add_invitation(invitation("t", is_required=True))
    assert not await directory.add_invitation(invitation("t", BO))
    assert await directory.add_invitation(invitation("u"))
    assert await directory.invitation(T) == Invitation(T, ANA, hashed("t"), True)
    assert await directory.invitation(U) == Invitation(U, ANA, hashed("u"), False)
    assert await directory.invitation(LogId("nowhere")) is None
    assert await directory.invitation(LogId("\ud800")) is None


@on_a_store
async def test_an_invitation_is_removed_where_no_table_was_created_and_pruned_with_its_table(
    store: DirectoryStore,
) -> None:
    directory = store.directory
    for table in ("t", "u"):
        await directory.add_invitation(invitation(table))
    await store.create(T, header(), FINISHED)
    assert not await directory.remove_invitation(T)
    assert await directory.remove_invitation(U)
    assert not await directory.remove_invitation(U)
    assert not await directory.remove_invitation(LogId(""))
    assert await directory.invitation(U) is None
    assert await directory.invitation(T) is not None
    assert await store.prune(T)
    assert await directory.invitation(T) is None


@on_a_store
async def test_the_open_tables_of_an_admin_are_counted(store: DirectoryStore) -> None:
    directory = store.directory
    for number in range(5):
        await directory.add_invitation(invitation(f"t{number}"))
    await directory.add_invitation(invitation("u", BO))
    assert await directory.count_open(ANA) == 0  # no table was created yet
    await open_tables(store, "t0", "t1", "t2", "t3", "u")
    assert await directory.count_open(ANA) == 4
    assert sorted(await directory.opened_by(ANA)) == ["t0", "t1", "t2", "t3"]
    await change(store, LogId("t0"), OVER, None)
    await store.put_aside(LogId("t1"), "entry 1 is missing")
    assert await directory.count_open(ANA) == 2
    assert sorted(await directory.opened_by(ANA)) == ["t2", "t3"]
    await store.rebuild([(LogId("t1"), SEATED)])
    assert await directory.count_open(ANA) == 3
    await store.prune(LogId("t0"))
    assert (await directory.count_open(ANA), await directory.count_open(BO)) == (3, 1)
    assert await directory.count_open(PlayerId("\0")) == 0
    assert await directory.opened_by(PlayerId("\0")) == []


@pytest.mark.parametrize(
    "spoiled",
    [
        invitation("x" * 65),
        invitation("t", PlayerId("a\0")),
        replace(invitation("t"), secret=b"in the clear"),
    ],
)
def test_an_invalid_invitation_is_refused(place: Place, spoiled: Invitation) -> None:
    async def test(store: DirectoryStore) -> None:
        with pytest.raises(Unstorable):
            await store.directory.add_invitation(spoiled)

    on_a_store(test)(place)


# seats


@on_a_store
async def test_the_tables_of_a_player_are_those_where_it_sits_the_newest_first(store: DirectoryStore) -> None:
    await open_tables(store, "t0", "t1", "t2")
    await store.create(LogId("of bo"), header(), replace(ROW, players=(BO,)))
    await store.create(LogId("of nobody"), header(), replace(ROW, players=()))
    page = await store.directory.tables_of(ANA)
    assert tables_on(page) == ["t2", "t1", "t0"]
    assert page.items[0] == (LogId("t2"), await store.row(LogId("t2")))
    assert page.after is None
    assert len((await store.directory.tables_of(BO)).items) == 4
    assert await store.directory.tables_of(CY) == Page((), None)


@on_a_store
async def test_who_comes_and_goes_is_known_with_the_commit(store: DirectoryStore) -> None:
    directory = store.directory
    await store.create(T, header(), ALONE)
    assert await change(store, T, SEATED, (ANA, BO))
    assert tables_on(await directory.tables_of(BO)) == [T]
    assert await change(store, T, replace(ROW, players=(BO, CY)), (BO, CY))
    assert tables_on(await directory.tables_of(ANA)) == []
    assert [tables_on(await directory.tables_of(player)) for player in (BO, CY)] == [[T], [T]]
    assert await change(store, T, replace(ROW, players=()), ())
    assert tables_on(await directory.tables_of(BO)) == []


@on_a_store
async def test_a_commit_that_says_nothing_of_seats_leaves_them_as_they_are(store: DirectoryStore) -> None:
    await store.create(T, header(), ALONE)
    assert await change(store, T, SEATED, None)
    assert tables_on(await store.directory.tables_of(ANA)) == [T]
    assert tables_on(await store.directory.tables_of(BO)) == []


@on_a_store
async def test_K6_a_commit_that_is_refused_changes_no_seats(store: DirectoryStore) -> None:
    await store.create(T, header(), ALONE)
    stale = replace(commit_of(T, chain(2)[2], OVER), seats=(BO,))
    assert not await store.commit(stale)
    assert tables_on(await store.directory.tables_of(ANA, is_open=True)) == [T]
    assert tables_on(await store.directory.tables_of(BO)) == []
    assert not await store.create(T, header(), replace(OVER, players=(CY,)))
    assert tables_on(await store.directory.tables_of(CY)) == []
    assert tables_on(await store.directory.listed()) == [T]


@on_a_store
async def test_open_and_closed_tables_of_a_player_are_told_apart(store: DirectoryStore) -> None:
    directory = store.directory
    await open_tables(store, "t0", "t1", "t2", "t3")
    assert await change(store, LogId("t1"), OVER, None)
    assert await change(store, LogId("t3"), OVER, (ANA,))  # a player leaves with the last entry
    assert tables_on(await directory.tables_of(ANA, is_open=True)) == ["t2", "t0"]
    assert tables_on(await directory.tables_of(ANA, is_open=False)) == ["t3", "t1"]
    assert tables_on(await directory.tables_of(ANA)) == ["t3", "t2", "t1", "t0"]
    assert tables_on(await directory.tables_of(BO)) == ["t2", "t1", "t0"]


@on_a_store
async def test_a_table_put_aside_is_not_open_and_a_rebuild_restores_its_seats(store: DirectoryStore) -> None:
    directory = store.directory
    await open_tables(store, "t", "u")
    await store.put_aside(T, "entry 1 is missing")
    assert tables_on(await directory.tables_of(ANA, is_open=False)) == [T]
    assert tables_on(await directory.listed()) == [U]
    await store.rebuild([(T, replace(SEATED, players=(BO, CY))), (LogId("nowhere"), SEATED)])
    assert tables_on(await directory.tables_of(ANA)) == [U]
    assert tables_on(await directory.tables_of(CY, is_open=True)) == [T]
    assert sorted(tables_on(await directory.listed())) == [T, U]
    await store.rebuild([(T, OVER)])
    assert tables_on(await directory.listed()) == [U]


@on_a_store
async def test_a_pruned_table_has_no_seats(store: DirectoryStore) -> None:
    await store.create(T, header(), OVER)
    assert await store.prune(T)
    assert tables_on(await store.directory.tables_of(ANA)) == []
    await store.create(T, header(), replace(ROW, players=(BO,)))
    assert tables_on(await store.directory.tables_of(ANA)) == []
    assert tables_on(await store.directory.tables_of(BO)) == [T]


@on_a_store
async def test_a_name_that_no_player_can_have_takes_a_seat_without_harm(store: DirectoryStore) -> None:
    """A bot may have any name."""
    await store.create(T, header(), ALONE)
    odd = (ANA, "a\0b", "x" * 65, ANA)
    assert await change(store, T, replace(ROW, players=odd), odd)
    assert tables_on(await store.directory.tables_of(ANA)) == [T]
    assert tables_on(await store.directory.tables_of(PlayerId("a\0b"))) == []
    assert await store.row(T) == replace(ROW, players=odd)


@on_a_store
async def test_many_commits_at_once_seat_their_own_players(store: DirectoryStore) -> None:
    names = [LogId(f"table {number:02}") for number in range(40)]
    await asyncio.gather(*(store.create(name, header(), ALONE) for name in names))

    def entry_at(number: int) -> tuple[Row, tuple[str, ...] | None]:
        return [(SEATED, (ANA, BO)), (ALONE, None), (OVER, None), (OVER, (BO,))][number % 4]

    made = [following(header()) for _ in names]
    commits = [
        replace(commit_of(name, entry, row), seats=seats)
        for number, (name, entry) in enumerate(zip(names, made, strict=True))
        for row, seats in [entry_at(number)]
    ]
    assert all(await asyncio.gather(*map(store.commit, commits)))
    found = {
        (player, is_open): len((await store.directory.tables_of(player, is_open=is_open)).items)
        for player in (ANA, BO)
        for is_open in (True, False)
    }
    assert found == {(ANA, True): 20, (ANA, False): 10, (BO, True): 10, (BO, False): 10}
    assert len((await store.directory.listed()).items) == 20


@on_a_store
async def test_a_table_that_was_closed_counts_as_closed_although_a_rematch_opens_its_log(store: DirectoryStore) -> None:
    directory = store.directory
    await directory.add_invitation(invitation("t"))
    await store.create(T, header(), SEATED)
    assert await change(store, T, OVER, None)
    assert await change(store, T, SEATED, None)
    assert tables_on(await directory.tables_of(ANA, is_open=True)) == tables_on(await directory.listed()) == []
    assert tables_on(await directory.tables_of(ANA, is_open=False)) == [T]
    assert await directory.count_open(ANA) == 0
    await store.rebuild([(T, SEATED)])
    assert tables_on(await directory.tables_of(ANA, is_open=True)) == tables_on(await directory.listed()) == [T]
    assert await directory.count_open(ANA) == 1


# pages


@on_a_store
async def test_pages_follow_each_other_without_gap_or_repetition(store: DirectoryStore) -> None:
    directory = store.directory
    names = [f"t{number}" for number in range(7)]
    for number, name in enumerate(names):  # two of each time
        row = replace(SEATED if number % 3 else OVER, opened=Instant(1_000 + number // 2))
        assert await store.create(LogId(name), header(), row)
    for is_open, wanted in ((None, names), (True, ["t1", "t2", "t4", "t5"]), (False, ["t0", "t3", "t6"])):
        found: list[str] = []
        page = await directory.tables_of(ANA, is_open=is_open, limit=2)
        while page.after is not None:
            found += tables_on(page)
            assert len(page.items) == 2
            mark = read_mark(write_mark(page.after))
            assert mark == page.after
            page = await directory.tables_of(ANA, is_open=is_open, after=mark, limit=2)
        assert found + tables_on(page) == wanted[::-1]


@on_a_store
async def test_a_page_goes_on_where_it_ended_although_that_table_is_gone(store: DirectoryStore) -> None:
    await open_tables(store, "t0", "t1", "t2", row=OVER)
    first = await store.directory.tables_of(ANA, limit=1)
    assert await store.prune(LogId("t2"))
    assert tables_on(await store.directory.tables_of(ANA, after=first.after)) == ["t1", "t0"]


@on_a_store
async def test_a_limit_or_a_mark_out_of_range_does_no_harm(store: DirectoryStore) -> None:
    directory = store.directory
    await open_tables(store, "t0", "t1")
    for limit in (0, -5):
        assert (await directory.tables_of(ANA, limit=limit)).items == ()
        assert (await directory.listed(limit=limit)).items == ()
        assert await directory.unbooked(limit=limit) == []
    assert len((await directory.tables_of(ANA, limit=10**9)).items) == 2
    for mark in (PageMark(1e300, "t"), PageMark(2**70, "\0"), PageMark(1_001.5, "t9")):
        assert len((await directory.tables_of(ANA, after=mark)).items) <= 2
        assert len((await directory.leaders("doors", "all", after=mark)).items) == 0
    assert tables_on(await directory.tables_of(ANA, after=PageMark(1_001, ""))) == ["t0"]


@pytest.mark.parametrize(
    "text", ["", ":", "1", "1:", "x:t", "NaN:t", "1e999:t", "[1]:t", "1:\ud800", "1:a\0", "\ud800:t"]
)
def test_a_text_that_is_not_a_mark_is_none(text: str) -> None:
    assert read_mark(text) is None


# listed tables


@on_a_store
async def test_listed_tables_are_open_and_come_by_game_and_phase(store: DirectoryStore) -> None:
    directory = store.directory
    await open_tables(store, "t0", "t1", "t2", "t3", "t4")
    await store.create(LogId("other"), header(), replace(SEATED, game="windows", opened=Instant(1)))
    await store.create(LogId("hidden"), header(), replace(SEATED, is_listed=False))
    await store.create(LogId("over"), header(), OVER)
    assert tables_on(await directory.listed()) == ["t4", "t3", "t2", "t1", "t0", "other"]
    assert await change(store, LogId("t4"), OVER, None)
    assert await change(store, LogId("t1"), replace(SEATED, phase="shut"), None)
    assert tables_on(await directory.listed(game="doors")) == ["t3", "t2", "t1", "t0"]
    assert tables_on(await directory.listed(game="windows")) == ["other"]
    assert tables_on(await directory.listed(game="doors", phase="shut")) == ["t1"]
    assert tables_on(await directory.listed(phase="open")) == ["t3", "t2", "t0", "other"]
    assert tables_on(await directory.listed(phase="\ud800")) == []
    assert tables_on(await directory.listed(game="a\0")) == []
    first = await directory.listed(phase="open", limit=2)
    assert (tables_on(first), tables_on(await directory.listed(phase="open", after=first.after))) == (
        ["t3", "t2"],
        ["t0", "other"],
    )


@on_a_store
async def test_a_page_of_one_phase_looks_at_so_many_tables_and_says_where_to_go_on(store: DirectoryStore) -> None:
    names = [f"t{number:03}" for number in range(MOST_ON_A_PAGE + 5)]
    rows = [
        replace(SEATED, phase="rare" if number < 3 else "open", opened=Instant(number)) for number in range(len(names))
    ]
    await asyncio.gather(*(store.create(LogId(name), header(), row) for name, row in zip(names, rows, strict=True)))
    first = await store.directory.listed(phase="rare")
    assert (first.items, first.after) == ((), PageMark(5, "t005"))
    assert tables_on(await store.directory.listed(phase="rare", after=first.after)) == ["t002", "t001", "t000"]


# what is not booked yet


@on_a_store
async def test_closed_tables_that_are_not_booked_are_found_in_order(store: DirectoryStore) -> None:
    directory = store.directory
    await open_tables(store, "a", "b", "c", "d", "e", row=OVER)
    await open_tables(store, "open")
    await store.put_aside(LogId("e"), "entry 1 is missing")
    assert await directory.unbooked() == ["a", "b", "c", "d"]
    assert await directory.unbooked(limit=2) == ["a", "b"]
    assert await directory.unbooked(LogId("b")) == ["c", "d"]
    assert await directory.unbooked(LogId("\ud800")) == []
    assert await directory.book(match("b")) is Booked.NOW
    await directory.skip_booking(LogId("c"))
    await directory.skip_booking(LogId("nowhere"))
    await directory.skip_booking(LogId(""))
    assert await directory.unbooked() == ["a", "d"]
    assert await change(store, LogId("b"), OVER, None)  # such as a wish for a rematch
    await store.rebuild([(LogId("b"), OVER), (LogId("e"), OVER)])
    assert await directory.unbooked() == ["a", "d", "e"]
    await store.prune(LogId("a"))
    assert await directory.unbooked() == ["d", "e"]
    assert await change(store, LogId("open"), OVER, None)
    assert await directory.unbooked() == ["d", "e", "open"]


@on_a_store
async def test_a_match_that_was_booked_before_its_table_was_marked_is_marked_then(store: DirectoryStore) -> None:
    await store.directory.book(match("t"))
    await stored(store, T, 1, row=OVER)
    assert await store.directory.unbooked() == [T]
    assert await store.directory.book(match("t")) is Booked.ALREADY
    assert await store.directory.unbooked() == []
