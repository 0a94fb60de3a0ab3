"""The directory in PostgreSQL while other processes change the same rows, and when connections break."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random
from typing import TypeVar

import asyncpg
import pytest
from msgspec.structs import replace

from tests import postgres
from tests.store.making import FINISHED, ROW, commit_of, following, header
from tests.store.people import ANA, BO, CY, NOW, hashed, match, rating, registered, tables_on, use_code
from tests.store.postgres.stores import end_sessions, held, opened, run, shell, until_waiting
from tests.store.test_directory_results import one_more
from turnstile.kernel.values import Instant, LogId
from turnstile.store.directory import Booked, Directory, book_rated
from turnstile.store.protocol import Busy, Unknown

T = TypeVar("T")
LATER = Instant(2_000)

ADD_RATING = "INSERT INTO ratings VALUES ('ana', 'doors', 'all', 9, 1, 1, 6)"
ADD_RESULT = "INSERT INTO results VALUES ('t', 'doors', 1, 'played', true, true)"
DELETE_ANA = "UPDATE players SET name = NULL WHERE id = 'ana'"


@asynccontextmanager
async def during(schema: str, change: str, *, is_kept: bool) -> AsyncIterator[asyncpg.Connection]:
    """Another process is about to make a change; it ends its transaction after this block."""
    async with shell(schema) as other:
        transaction = other.transaction()
        await transaction.start()
        await other.execute(change)
        yield other
        await (transaction.commit() if is_kept else transaction.rollback())


async def while_changing(schema: str, change: str, work: Awaitable[T], *, is_kept: bool = True) -> T:
    """What the work gives that has to wait for a change of another process."""
    async with during(schema, change, is_kept=is_kept) as other:
        working = asyncio.ensure_future(work)
        await until_waiting(other, schema)
    return await working


# booking


@pytest.mark.parametrize("is_kept", [True, False])
def test_K6_a_match_that_another_process_is_booking_is_booked_once(is_kept: bool) -> None:
    @run
    async def test() -> None:
        schema = postgres.shared.new_schema()
        async with opened(schema) as store:
            booking = store.directory.book(match("t"), [rating(ANA), rating(BO)])
            booked = await while_changing(schema, ADD_RESULT, booking, is_kept=is_kept)
            assert booked is (Booked.ALREADY if is_kept else Booked.NOW)
            assert await store.directory.ratings_of(BO) == (() if is_kept else (rating(BO),))

    test()


@pytest.mark.parametrize("is_kept", [True, False])
def test_K6_a_first_rating_that_another_process_is_adding_is_not_lost(is_kept: bool) -> None:
    @run
    async def test() -> None:
        schema = postgres.shared.new_schema()
        async with opened(schema) as store:
            booking = store.directory.book(match("t"), [rating(BO), rating(ANA)])
            booked = await while_changing(schema, ADD_RATING, booking, is_kept=is_kept)
            assert booked is (Booked.STALE if is_kept else Booked.NOW)
            found = await store.directory.ratings([ANA, BO], "doors", "all")
            assert {player: each.mu for player, each in found.items()} == (
                {ANA: 9.0} if is_kept else {ANA: 25.0, BO: 25.0}
            )
            assert len((await store.directory.results_of(ANA)).items) == (0 if is_kept else 1)

    test()


@pytest.mark.parametrize("is_kept", [True, False])
def test_K6_a_rating_that_another_process_is_changing_is_not_overwritten(is_kept: bool) -> None:
    @run
    async def test() -> None:
        schema = postgres.shared.new_schema()
        async with opened(schema) as store:
            await store.directory.book(match("s"), [rating(ANA), rating(BO)])
            booking = store.directory.book(match("t"), [rating(ANA, 2), rating(BO, 2)])
            change = "UPDATE ratings SET mu = 9, matches = 2 WHERE player = 'ana'"
            booked = await while_changing(schema, change, booking, is_kept=is_kept)
            assert booked is (Booked.STALE if is_kept else Booked.NOW)
            (found,) = await store.directory.ratings_of(ANA)
            assert (found.mu, found.matches) == (9.0 if is_kept else 25.0, 2)

    test()


@run
async def test_K6_a_player_who_is_being_deleted_gets_no_rating() -> None:
    schema = postgres.shared.new_schema()
    async with opened(schema) as store:
        await registered(store.directory, ANA, BO)
        booking = store.directory.book(match("t"), [rating(ANA), rating(BO)])
        assert await while_changing(schema, DELETE_ANA, booking) is Booked.NOW
        assert await store.directory.ratings_of(ANA) == ()
        assert await store.directory.ratings_of(BO) == (rating(BO),)


@run
async def test_K6_a_player_whose_match_is_being_booked_is_deleted_with_the_new_rating() -> None:
    schema = postgres.shared.new_schema()
    async with opened(schema) as store, during(schema, "LOCK TABLE ratings", is_kept=True) as other:
        await registered(store.directory, ANA, BO)
        booking = asyncio.create_task(store.directory.book(match("t"), [rating(ANA), rating(BO)]))
        first = await until_waiting(other, schema)
        deleting = asyncio.create_task(store.directory.delete_player(ANA))
        await until_waiting(other, schema, besides=first)
        await other.execute("COMMIT; BEGIN")
        assert await booking is Booked.NOW
        assert await deleting
        assert await store.directory.ratings_of(ANA) == ()
        assert await store.directory.ratings_of(BO) == (rating(BO),)


@run
async def test_C15_matches_are_booked_once_by_three_servers_whose_sessions_are_killed() -> None:
    schema, count, chance = postgres.shared.new_schema(), 30, Random(1)
    pairs = [[ANA, BO], [BO, CY], [CY, ANA]]

    async def book(directory: Directory, number: int) -> None:
        pair = pairs[number % 3]
        while True:
            try:
                await book_rated(directory, match(f"t{number:02}", *pair), "all", one_more(pair))
                return
            except Busy:
                continue

    async with AsyncExitStack() as stack:
        stores = [await stack.enter_async_context(opened(schema)) for _ in range(3)]
        operator = await stack.enter_async_context(shell(schema))
        await registered(stores[0].directory, ANA, BO, CY)
        work = [asyncio.create_task(book(store.directory, number)) for number in range(count) for store in stores]
        killed = 0
        while not all(task.done() for task in work):
            killed += await end_sessions(operator, schema, "%INTO r%" if chance.random() < 0.5 else "%ratings%")
            await asyncio.sleep(0.02)
        await asyncio.gather(*work)
        assert killed > 0
        found = await stores[0].directory.ratings([ANA, BO, CY], "doors", "all")
        assert {each.matches for each in found.values()} == {count * 2 // 3}
        assert {each.mu for each in found.values()} == {float(count * 2 // 3)}
        assert len((await stores[0].directory.results_of(ANA)).items) == count * 2 // 3


# tokens and codes


@run
async def test_K6_who_logs_out_everywhere_or_is_deleted_meanwhile_gets_no_token_and_no_code() -> None:
    schema = postgres.shared.new_schema()
    async with opened(schema) as store:
        await registered(store.directory, ANA)
        assert await store.directory.add_code(hashed("used"), ANA, LATER)
        for number, work in enumerate((
            store.directory.add_token(ANA, hashed("phone"), NOW),
            store.directory.replace_tokens(ANA, hashed("phone"), NOW),
            store.directory.add_code(hashed("code"), ANA, LATER),
            store.directory.use_code(hashed("used"), hashed("phone"), NOW),
        )):  # fmt: skip
            assert not await while_changing(schema, f"{DELETE_ANA} -- {number}", work)
            async with shell(schema) as operator:
                await operator.execute("UPDATE players SET name = 'Ana'")
        assert await store.directory.player_by_token(hashed("phone")) is None
        assert await use_code(store.directory, "code") is None


@run
async def test_K6_a_code_that_is_used_during_a_log_out_everywhere_gives_no_token() -> None:
    schema = postgres.shared.new_schema()
    async with opened(schema) as store, opened(schema) as other:
        await registered(store.directory, ANA)
        assert await store.directory.add_code(hashed("code"), ANA, LATER)
        async with during(schema, "LOCK TABLE tokens IN EXCLUSIVE MODE", is_kept=True) as holding:
            log_out = asyncio.create_task(other.directory.replace_tokens(ANA, hashed("new"), NOW))
            first = await until_waiting(holding, schema)
            using = asyncio.create_task(use_code(store.directory, "code"))
            await until_waiting(holding, schema, first)
        assert await log_out
        assert await using is None
        assert await store.directory.valid_tokens([hashed("tablet"), hashed("new")]) == {hashed("new")}


@run
async def test_K6_a_code_that_another_process_is_using_is_used_once() -> None:
    schema = postgres.shared.new_schema()
    async with opened(schema) as store:
        await registered(store.directory, ANA)
        for is_kept, wanted in ((False, ANA), (True, None)):
            assert await store.directory.add_code(hashed("code"), ANA, LATER)
            using = use_code(store.directory, "code")
            assert await while_changing(schema, "DELETE FROM codes", using, is_kept=is_kept) == wanted


@run
async def test_C15_the_use_of_a_code_whose_session_is_killed_is_in_doubt_and_never_made_twice() -> None:
    schema = postgres.shared.new_schema()
    async with opened(schema) as store:
        await registered(store.directory, ANA)
        assert await store.directory.add_code(hashed("code"), ANA, LATER)
        async with during(schema, "LOCK TABLE tokens IN EXCLUSIVE MODE", is_kept=True) as other:
            using = asyncio.create_task(use_code(store.directory, "code"))
            await until_waiting(other, schema)
            await end_sessions(other, schema, "%INSERT INTO tokens%")
            with pytest.raises(Unknown):
                await using
        assert await store.directory.player_by_token(hashed("tablet")) is None
        uses = [use_code(store.directory, "code", f"device {number}") for number in range(5)]
        assert (await asyncio.gather(*uses)).count(ANA) == 1, "the code was not lost"


# seats


@run
async def test_K7_seats_follow_the_commit_that_wins() -> None:
    """Two servers seat another player at one position; the loser changes nothing."""
    schema, table = postgres.shared.new_schema(), LogId("t")
    async with opened(schema) as one, opened(schema) as other:
        await one.create(table, header(), replace(ROW, players=()))
        for round_number in range(10):
            last = (await one.entries(table, -1))[-1]
            rivals = [
                replace(
                    commit_of(table, following(last, f"{player} {round_number}"), replace(ROW, players=(player,))),
                    seats=(player,),
                )
                for player in (ANA, BO)
            ]
            async with held(schema, table) as holder:
                writing = [
                    asyncio.create_task(store.commit(rival)) for store, rival in zip((one, other), rivals, strict=True)
                ]
                first = await until_waiting(holder, schema)
                await until_waiting(holder, schema, besides=first)
            won = await asyncio.gather(*writing)
            assert sorted(won) == [False, True]
            seated = [tables_on(await one.directory.tables_of(player)) for player in (ANA, BO)]
            assert seated == ([[table], []] if won[0] else [[], [table]])


@run
async def test_K7_a_table_that_is_put_aside_while_a_player_sits_down_is_closed_for_that_player_too() -> None:
    schema, table = postgres.shared.new_schema(), LogId("t")
    async with opened(schema) as store:
        await store.create(table, header(), replace(ROW, players=()))
        async with held(schema, table) as holder:
            seated = replace(commit_of(table, following(header()), replace(ROW, players=(ANA,))), seats=(ANA,))
            writing = asyncio.create_task(store.commit(seated))
            first = await until_waiting(holder, schema)
            putting_aside = asyncio.create_task(store.put_aside(table, "entry 1 is missing"))
            await until_waiting(holder, schema, besides=first)
        is_written, _ = await asyncio.gather(writing, putting_aside)
        open_tables = tables_on(await store.directory.tables_of(ANA, is_open=True))
        assert open_tables == []
        assert tables_on(await store.directory.tables_of(ANA, is_open=False)) == ([table] if is_written else [])
        assert tables_on(await store.directory.listed()) == []


@run
async def test_K7_a_table_is_pruned_with_what_was_just_written_of_it() -> None:
    schema, table = postgres.shared.new_schema(), LogId("t")
    async with opened(schema) as store:
        await store.create(table, header(), replace(FINISHED, players=(ANA,)))
        async with held(schema, table) as holder:
            writing = asyncio.create_task(
                store.commit(
                    replace(commit_of(table, following(header()), replace(FINISHED, players=(BO,))), seats=(BO,))
                )
            )
            first = await until_waiting(holder, schema)
            pruning = asyncio.create_task(store.prune(table))
            await until_waiting(holder, schema, besides=first)
        await asyncio.gather(writing, pruning)
        async with shell(schema) as operator:
            assert await operator.fetchval("SELECT count(*) FROM seats") == 0
