"""What every store does with time: one clock, claims of what is due, outages. And the news from elsewhere."""

import asyncio

import pytest
from msgspec.structs import replace

from tests.store.making import LONG, ROW, commit_of, following, stored
from tests.store.places import SHARED, Place, at_a_place, on_a_store
from turnstile.kernel.values import Instant, LogId
from turnstile.store.log import Entry
from turnstile.store.protocol import OUTAGE_AFTER, Change, Outage, Row, SeatLine, Store

T, U = LogId("t"), LogId("u")
LATER = Instant(LONG)


def due(at: int) -> Row:
    return replace(ROW, due=Instant(at))


async def all_due(store: Store, **instants: int) -> dict[str, list[Entry]]:
    return {name: await stored(store, LogId(name), 0, row=due(at)) for name, at in instants.items()}


@at_a_place
async def test_T1_the_clock_never_goes_back(place: Place) -> None:
    store = await place.open()
    seen = [store.now()]
    for step in (1, 0, 5_000, 0):
        await place.let_pass(step)
        seen.append(store.now())
    assert seen == sorted(seen)
    await store.close()
    store = await place.open()
    assert store.now() >= seen[-1]
    await store.close()


@on_a_store
async def test_T11_what_is_due_is_claimed_the_earliest_first(store: Store) -> None:
    await all_due(store, a=300, b=100, c=200, d=100, e=5_000, f=400)
    await stored(store, LogId("never"), 0)
    assert await store.claim(Instant(1_000), LONG, 3) == ["b", "d", "c"]
    assert await store.claim(Instant(1_000), LONG, 3) == ["a", "f"]
    assert await store.claim(Instant(1_000), LONG, 3) == []
    assert await store.claim(Instant(5_000), LONG, 3) == ["e"]


@on_a_store
async def test_due_at_the_very_instant_is_due(store: Store) -> None:
    await all_due(store, t=1_000)
    assert await store.claim(Instant(999), LONG, 1) == []
    assert await store.claim(Instant(1_000), LONG, 1) == [T]


@on_a_store
async def test_T11_many_who_claim_at_once_share_without_overlap(store: Store) -> None:
    await asyncio.gather(*(stored(store, LogId(f"{number:03}"), 0, row=due(number)) for number in range(100)))
    shares = await asyncio.gather(*(store.claim(LATER, LONG, 13) for _ in range(10)))
    claimed = [table for share in shares for table in share]
    assert len(claimed) == 100
    assert len(set(claimed)) == 100
    assert all(share == sorted(share) for share in shares)


@at_a_place
async def test_C8_after_its_time_a_claim_is_anybodys(place: Place) -> None:
    store = await place.open()
    await all_due(store, t=100)
    assert await store.claim(LATER, 60_000, 1) == [T]
    await place.let_pass(50_000)
    assert await store.claim(LATER, 60_000, 1) == []
    await place.let_pass(10_000)
    assert await store.claim(LATER, 60_000, 1) == [T]
    await store.close()


@on_a_store
async def test_a_claim_for_no_time_binds_nobody(store: Store) -> None:
    await all_due(store, t=100)
    assert await store.claim(LATER, 0, 1) == [T]
    assert await store.claim(LATER, LONG, 1) == [T]


@on_a_store
async def test_a_commit_ends_the_claim(store: Store) -> None:
    tables = await all_due(store, t=100, u=50)
    assert await store.claim(LATER, LONG, 2) == [U, T]
    assert await store.commit(commit_of(T, following(tables["t"][-1]), due(200)))
    assert await store.claim(LATER, LONG, 2) == [T]


@on_a_store
async def test_a_refused_commit_does_not_end_the_claim(store: Store) -> None:
    tables = await all_due(store, t=100)
    assert await store.claim(LATER, LONG, 1) == [T]
    assert not await store.commit(commit_of(T, following(following(tables["t"][-1])), due(200)))
    assert await store.claim(LATER, LONG, 1) == []


@on_a_store
async def test_an_acknowledgement_does_not_end_the_claim(store: Store) -> None:
    await all_due(store, t=100)
    assert await store.claim(LATER, LONG, 1) == [T]
    await store.acknowledge(T, {"alice": 1})
    assert await store.claim(LATER, LONG, 1) == []


@on_a_store
async def test_a_table_that_is_over_may_still_be_due(store: Store) -> None:
    """Its last work may have been left undone."""
    await stored(store, T, 0, row=replace(due(100), is_open=False))
    assert await store.claim(LATER, LONG, 1) == [T]


@on_a_store
async def test_a_table_that_is_due_no_more_is_not_claimed(store: Store) -> None:
    tables = await all_due(store, t=100)
    assert await store.commit(commit_of(T, following(tables["t"][-1])))
    assert await store.claim(LATER, LONG, 1) == []


@on_a_store
async def test_rebuilt_rows_are_due_when_they_say(store: Store) -> None:
    await all_due(store, t=100, u=100)
    await store.rebuild([(T, ROW), (U, due(50))])
    assert await store.claim(LATER, LONG, 9) == [U]


# outages


@at_a_place
async def test_the_first_beat_of_all_is_no_outage(place: Place) -> None:
    store = await place.open()
    await place.let_pass(LONG)
    assert await store.beat() is None
    assert await store.outages(Instant(0)) == []
    await store.close()


@at_a_place
async def test_beats_that_follow_each_other_are_no_outage(place: Place) -> None:
    store = await place.open()
    for _ in range(5):
        assert await store.beat() is None
        await place.let_pass(OUTAGE_AFTER - 1_000)
    assert await store.beat() is None
    assert await store.outages(Instant(0)) == []
    await store.close()


@at_a_place
async def test_T6_a_time_without_a_beat_is_an_outage_kept_and_given_back(place: Place) -> None:
    store = await place.open()
    assert await store.beat() is None
    started = store.now()
    await place.let_pass(600_000)
    outage = await store.beat()
    assert outage is not None
    assert outage.end - outage.start >= 600_000
    assert outage.end <= store.now()
    assert outage.start <= started
    assert await store.beat() is None
    assert await store.outages(Instant(0)) == [outage]
    await store.close()


@at_a_place
async def test_T6_nobody_there_between_two_runs_is_an_outage(place: Place) -> None:
    store = await place.open()
    await store.beat()
    await store.close()
    await place.let_pass(600_000)
    store = await place.open()
    outage = await store.beat()
    assert outage is not None
    assert outage.end - outage.start >= 600_000
    assert await store.outages(Instant(0)) == [outage]
    await store.close()


@at_a_place
async def test_outages_that_ended_after_an_instant_in_order(place: Place) -> None:
    store = await place.open()
    await store.beat()
    found: list[Outage] = []
    for length in (10_000, 4_000, 20_000):
        await place.let_pass(length)
        outage = await store.beat()
        assert outage is not None
        found.append(outage)
    assert await store.outages(Instant(0)) == found
    assert await store.outages(found[0].start) == found
    assert await store.outages(found[0].end) == found[1:]
    assert await store.outages(found[2].end) == []
    await store.close()


# elsewhere


@at_a_place
async def test_news_from_elsewhere_end_with_the_store(place: Place) -> None:
    store = await place.open()

    async def listen() -> list[Change]:
        return [change async for change in store.changes()]

    listening = asyncio.create_task(listen())
    await asyncio.sleep(0)
    await stored(store, T, 1)  # our own doing is no news
    await store.close()
    assert await listening == []
    assert [change async for change in store.changes()] == []


@pytest.mark.parametrize("place", SHARED, indirect=True)
@at_a_place
async def test_N13_what_another_store_changed_is_news(place: Place) -> None:
    """A wake-up may be missed, so one is awaited only while changes go on."""
    one, other = await place.open(), await place.open()
    news = other.changes()
    first = asyncio.ensure_future(anext(news))
    await asyncio.sleep(0)
    entries = await stored(one, T, 0)
    while not first.done():
        entries.append(following(entries[-1]))
        assert await one.commit(commit_of(T, entries[-1]))
        await asyncio.sleep(0)
    change = await first
    assert change.log == T
    assert change.position is not None
    assert change.position in range(len(entries))
    await one.close()
    await other.close()


# lines


@pytest.mark.parametrize("place", SHARED, indirect=True)
@at_a_place
async def test_N8_a_line_is_replaced_by_the_next_one_of_its_seat_wherever_that_is(place: Place) -> None:
    one, other = await place.open(), await place.open()
    await stored(one, T, 0)
    await stored(one, U, 0)
    older, beside = await one.number_line(T, "alice"), await one.number_line(T, "bob")
    elsewhere = await one.number_line(U, "alice")
    assert older
    assert beside
    assert elsewhere
    assert await other.replaced_lines([older, beside, elsewhere]) == []
    newer = await other.number_line(T, "alice")
    assert newer
    assert newer.number > older.number
    assert await one.replaced_lines([beside, older, newer, elsewhere]) == [older]
    assert await one.replaced_lines([]) == []
    await one.close()
    await other.close()


@pytest.mark.parametrize("place", SHARED, indirect=True)
@at_a_place
async def test_N8_another_store_is_notified_of_a_new_line(place: Place) -> None:
    """A wake-up may be missed, so one is awaited only while lines are numbered."""
    one, other = await place.open(), await place.open()
    await stored(one, T, 0)
    changes = other.changes()
    heard = Change(T, 0)  # of the table itself: it may come late
    while heard == Change(T, 0):
        following = asyncio.ensure_future(anext(changes))
        while not following.done():
            assert await one.number_line(T, "alice")
            await asyncio.sleep(0)
        heard = await following
    assert heard == Change(T, None)
    await one.close()
    await other.close()


@pytest.mark.parametrize("place", SHARED, indirect=True)
@on_a_store
async def test_N8_of_many_lines_at_once_all_but_one_are_replaced(store: Store) -> None:
    await stored(store, T, 0)
    lines = [line for line in await asyncio.gather(*(store.number_line(T, "alice") for _ in range(20))) if line]
    assert sorted(line.number for line in lines) == list(range(1, 21))
    assert sorted(line.number for line in await store.replaced_lines(lines)) == list(range(1, 20))


@on_a_store
async def test_a_log_that_is_gone_has_no_lines(store: Store) -> None:
    assert await store.number_line(T, "alice") is None
    assert await store.number_line(LogId(""), "alice") is None
    assert await store.replaced_lines([SeatLine(T, "alice", 0), SeatLine(LogId(""), "alice", 0)]) == []


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
@on_a_store
async def test_a_store_of_one_process_numbers_no_lines(store: Store) -> None:
    await stored(store, T, 0)
    assert await store.number_line(T, "alice") is None
