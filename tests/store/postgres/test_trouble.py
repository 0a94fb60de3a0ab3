"""Trouble that PostgreSQL makes for one call and not for the rest: rivals, locks, full queues, callers that go away."""

import asyncio
import gc
import random
from collections import Counter
from contextlib import suppress
from typing import Any

import asyncpg
import pytest

from tests import postgres
from tests.proxy import line_to
from tests.store.making import FINISHED, LONG, ROW, commit_of, following, header, stored
from tests.store.postgres.stores import end_sessions, held, opened, run, shell, until_waiting
from turnstile.kernel.values import Instant, LogId
from turnstile.store.log import Command, entry
from turnstile.store.postgres import PostgresStore, groups, statements, writer
from turnstile.store.protocol import Busy, Change, SeatLine, StoreFault, Unstorable

T, U = LogId("t"), LogId("u")
NEXT = commit_of(T, following(header(), "alice 1"))


async def fail_at_first(operator: asyncpg.Connection, code: str, times: int) -> None:
    """The next `times` entries are refused with an error code; a sequence counts on though all else is undone."""
    await operator.execute(f"""
        CREATE SEQUENCE failures;
        CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF nextval('failures') <= {times} THEN RAISE EXCEPTION 'not now' USING ERRCODE = '{code}'; END IF;
            RETURN NEW;
        END $$;
        CREATE TRIGGER fail BEFORE INSERT ON log FOR EACH STATEMENT EXECUTE FUNCTION fail();
    """)


@pytest.mark.parametrize("code", ["40001", "40P01"])
def test_S16_who_gave_way_to_others_goes_again(code: str) -> None:
    @run
    async def test() -> None:
        schema = postgres.shared.new_schema()
        async with opened(schema) as store, shell(schema) as operator:
            await stored(store, T, 0)
            await fail_at_first(operator, code, writer.ATTEMPTS - 1)
            assert await store.commit(NEXT)
            assert await store.entries(T, 0) == (NEXT.entry,)

    test()


@run
async def test_S16_who_gives_way_again_and_again_is_told_and_has_changed_nothing() -> None:
    schema = postgres.shared.new_schema()
    async with opened(schema) as store, shell(schema) as operator:
        await stored(store, T, 0)
        await fail_at_first(operator, "40001", writer.ATTEMPTS)
        with pytest.raises(Busy):
            await store.commit(NEXT)
        assert await store.entries(T, 0) == ()
        assert await store.commit(NEXT)


@run
async def test_a_deadlock_with_somebody_else_ends_and_the_group_is_written() -> None:
    """An operator takes two tables the wrong way round; whoever the database sends back, the commits are made."""
    schema = postgres.shared.new_schema()
    async with opened(schema) as store, shell(schema) as operator:
        for table in (T, U):
            await stored(store, table, 0)
        transaction = operator.transaction()
        await transaction.start()
        await operator.execute("SELECT FROM tables WHERE id = 'u' FOR UPDATE")
        async with shell(schema) as watcher:
            group = asyncio.gather(*(store.commit(commit_of(table, following(header()))) for table in (T, U)))
            await until_waiting(watcher, schema)
        with suppress(asyncpg.DeadlockDetectedError):
            await operator.execute("SELECT FROM tables WHERE id = 't' FOR UPDATE")
        await transaction.rollback()
        assert await group == [True, True]


@run
async def test_a_row_that_somebody_holds_keeps_nobody_else_waiting_for_long() -> None:
    schema = postgres.shared.new_schema()
    async with opened(schema, patience=2.0) as store:
        for table in (T, U):
            await stored(store, table, 0)
        async with held(schema, T):
            answers = await asyncio.gather(
                store.commit(NEXT), store.commit(commit_of(U, following(header()))), return_exceptions=True
            )
        assert type(answers[0]) is Busy
        assert answers[1] is True
        assert await store.commit(NEXT)


@run
async def test_an_acknowledgement_at_a_row_that_another_session_holds_fails_alone() -> None:
    schema = postgres.shared.new_schema()
    async with opened(schema, patience=2.0) as store:
        for table in (T, U):
            await stored(store, table, 0)
        async with held(schema, T):
            moved = (store.acknowledge(table, {"alice": 1}) for table in (T, U))
            answers = await asyncio.gather(*moved, return_exceptions=True)
        assert type(answers[0]) is Busy
        assert answers[1] == {"alice": 1}
        assert await store.acknowledge(T, {"alice": 1}) == {"alice": 1}


@run
async def test_a_command_that_cannot_be_stored_fails_alone() -> None:
    """A zero byte, and an id too long for any index, among many that are sound."""
    names = [LogId(f"table {number}") for number in range(20)]
    async with opened(postgres.shared.new_schema()) as store:
        for name in names:
            await stored(store, name, 0)
        too_long = "".join(random.Random(7).choices("abcdefghij0123456789", k=20_000))
        bad = {3: "a\0b", 7: too_long, 11: "\N{SNOWMAN}\0"}
        first = header().link
        commits = [
            commit_of(name, entry(first, 1, Instant(5), b"", b"", Command(bad.get(number, "alice 1"))), before=first)
            for number, name in enumerate(names)
        ]
        answers = await asyncio.gather(*map(store.commit, commits), return_exceptions=True)
        assert [number for number, answer in enumerate(answers) if answer is not True] == sorted(bad)
        assert all(isinstance(answers[number], StoreFault) for number in bad)
        with pytest.raises(StoreFault):
            await store.create(LogId("x" * 600), header(), ROW)


@run
async def test_of_many_requests_that_are_sent_together_one_that_fails_fails_alone() -> None:
    names = [LogId(f"table {number}") for number in range(20)]
    async with opened(postgres.shared.new_schema()) as store:
        for name in names:
            await stored(store, name, 1)
        seats = {3: "a\0b", 7: "\ud800"}
        moved = [store.acknowledge(name, {seats.get(number, "alice"): 1}) for number, name in enumerate(names)]
        cursors = await asyncio.gather(*moved, return_exceptions=True)
        assert {number for number, answer in enumerate(cursors) if isinstance(answer, Unstorable)} == set(seats)
        assert [answer for answer in cursors if answer == {"alice": 1}] == [{"alice": 1}] * 18
        read = await asyncio.gather(*(store.entries(name, number % 2) for number, name in enumerate(names)))
        assert [len(entries) for entries in read] == [1, 0] * 10


@run
async def test_many_requests_at_once_take_few_statements() -> None:
    names = [LogId(f"table {number}") for number in range(80)]
    async with opened(postgres.shared.new_schema()) as store:
        await asyncio.gather(*(store.create(name, header(), ROW) for name in names))
        asked: list[str] = []
        real = asyncpg.Connection._execute

        async def execute(self: asyncpg.Connection, query: str, *args: Any, **named: Any) -> object:
            asked.append(query)
            return await real(self, query, *args, **named)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(asyncpg.Connection, "_execute", execute)
            await asyncio.gather(*(store.entries(name, -1) for name in names))
            await asyncio.gather(*(store.acknowledge(name, {"alice": 1}) for name in names))
            await asyncio.gather(*(store.commit(commit_of(name, following(header()))) for name in names))
        assert Counter(asked) == {
            statements.ENTRIES: 1,
            statements.ACKNOWLEDGE: 1,
            statements.CURSORS: 1,
            statements.COMMIT: 1,
        }


@run
async def test_S14_who_comes_when_too_many_wait_is_told_so() -> None:
    schema = postgres.shared.new_schema()
    async with opened(schema) as store:
        await stored(store, T, 0)
        async with held(schema, T) as operator:
            first = asyncio.create_task(store.commit(NEXT))
            await until_waiting(operator, schema)
            queue = (commit_of(LogId(f"none {number}"), NEXT.entry) for number in range(writer.QUEUE))
            waiting = [asyncio.create_task(store.commit(commit)) for commit in queue]
            await asyncio.sleep(0)
            with pytest.raises(Busy):
                await store.commit(NEXT)
        assert await first
        assert set(await asyncio.gather(*waiting)) == {False}


@run
async def test_S14_a_request_that_comes_when_too_many_wait_is_refused() -> None:
    schema = postgres.shared.new_schema()
    async with opened(schema) as store:
        await stored(store, T, 0)
        async with held(schema, T) as operator:
            first = asyncio.create_task(store.acknowledge(T, {"alice": 1}))
            await until_waiting(operator, schema)
            waiting = [asyncio.create_task(store.acknowledge(T, {"alice": 2})) for _ in range(groups.QUEUE)]
            await asyncio.sleep(0)
            with pytest.raises(Busy):
                await store.acknowledge(T, {"alice": 3})
        assert await first == {"alice": 1}
        assert all(cursors == {"alice": 2} for cursors in await asyncio.gather(*waiting))


@run
async def test_R12_when_all_connections_are_taken_who_waits_is_told_in_time() -> None:
    """Each of ten waits a fifth of the store's patience for a row: that is more than those behind them have."""
    schema = postgres.shared.new_schema()
    store = await PostgresStore.open(postgres.shared.dsn(), schema=schema, connections=1, patience=0.5)
    await stored(store, T, 0)
    async with held(schema, T):
        blocked = [store.put_aside(T, "a test") for _ in range(10)]
        told = await asyncio.gather(*blocked, *(store.load(T) for _ in range(5)), return_exceptions=True)
        assert {type(one) for one in told} == {Busy}
        assert {str(one) for one in told[10:]} == {"Too many requests are waiting for PostgreSQL."}
    assert await store.load(T) is not None
    await store.close()


@run
async def test_S17_K8_callers_that_go_away_leave_no_transaction_behind() -> None:
    schema = postgres.shared.new_schema()
    chance = random.Random(17)
    async with opened(schema) as store, shell(schema) as operator:
        names = [LogId(f"table {number}") for number in range(60)]
        await asyncio.gather(*(stored(store, name, 0, row=FINISHED) for name in names))
        for name in names:
            calls = [
                store.prune(name),
                store.load(name),
                store.acknowledge(name, {"alice": 1}),
                store.commit(commit_of(name, following(header()), FINISHED)),
                store.claim(Instant(LONG), 0, 5),
            ]
            tasks = [asyncio.ensure_future(call) for call in calls]
            for _ in range(chance.randrange(12)):
                await asyncio.sleep(0)
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        await asyncio.gather(*(store.load(name) for name in names))
        in_between = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND state LIKE 'idle in tr%'"
        assert await operator.fetchval(in_between, f"turnstile {schema}") == 0
    async with shell(schema) as operator:
        left = "SELECT count(*) FROM {} WHERE table_id NOT IN (SELECT id FROM tables)"
        for part in ("log", "snapshots", "cursors"):
            assert await operator.fetchval(left.format(part)) == 0


@run
async def test_S17_a_commit_whose_caller_went_away_in_the_middle_is_made() -> None:
    schema = postgres.shared.new_schema()
    async with opened(schema) as store:
        await stored(store, T, 0)
        async with held(schema, T) as operator:
            sending = asyncio.create_task(store.commit(NEXT))
            await until_waiting(operator, schema)
            sending.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sending
        assert await store.commit(commit_of(T, following(NEXT.entry)))
        assert await store.find(T, Command("alice 1")) == NEXT.entry


@run
async def test_S17_whatever_was_begun_for_a_caller_that_went_away_is_finished() -> None:
    schema = postgres.shared.new_schema()
    async with opened(schema) as store:
        await stored(store, T, 3, row=FINISHED)
        async with held(schema, T) as operator:
            pruning = asyncio.create_task(store.prune(T))
            await until_waiting(operator, schema)
            pruning.cancel()
            with pytest.raises(asyncio.CancelledError):
                await pruning
    async with shell(schema) as operator:
        assert await operator.fetchval("SELECT count(*) FROM log") == 0


@run
async def test_N8_a_line_whose_reader_has_left_before_it_was_numbered_gets_no_number() -> None:
    schema = postgres.shared.new_schema()
    async with opened(schema) as store:
        await stored(store, T, 0)
        async with held(schema, T) as operator:
            first = asyncio.create_task(store.number_line(T, "bob"))
            await until_waiting(operator, schema)
            left = asyncio.create_task(store.number_line(T, "alice"))
            await asyncio.sleep(0)  # it waits for the first one
            left.cancel()
        assert await first
        assert await store.number_line(T, "alice") == SeatLine(T, "alice", 1)


@run
async def test_R7_what_fails_for_a_caller_that_went_away_is_not_reported_as_a_bug() -> None:
    """A health check gives up after two seconds, once a second, while the database is away."""
    reports = list[object]()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reports.append(context))
    schema = postgres.shared.new_schema()
    async with line_to(postgres.shared.dsn()) as (line, near), opened(schema, near, patience=0.5) as store:
        line.is_cut = True
        line.cut()
        left = asyncio.create_task(store.row(T))
        await asyncio.sleep(0)  # it is on its way
        left.cancel()
        await asyncio.wait([left])
    del left
    gc.collect()
    assert reports == []


@run
async def test_S18_a_listener_whose_line_broke_listens_again() -> None:
    schema = postgres.shared.new_schema()
    async with opened(schema) as one, opened(schema) as other, shell(schema) as operator:
        news = other.changes()
        last = (await stored(one, T, 0))[-1]
        assert await anext(news) == Change(T, 0)
        assert await end_sessions(operator, schema, "LISTEN%") == 2
        heard = asyncio.ensure_future(anext(news))
        while not heard.done():
            last = following(last)
            assert await one.commit(commit_of(T, last))
        assert (await heard).log == T


@run
async def test_a_server_hears_nothing_of_its_own_and_a_change_once_until_it_is_read() -> None:
    schema = postgres.shared.new_schema()
    async with opened(schema) as one, opened(schema) as other:
        news, own, arrivals = other.changes(), one.changes(), other.changes()
        await stored(one, T, 5)
        await stored(one, U, 0)
        while (await anext(arrivals)).log != U:  # by then all that was said of T has come, to both readers
            pass
        assert await anext(news) == Change(T, 5)
        assert await anext(news) == Change(U, 0)
        await stored(other, LogId("v"), 0)
        assert await anext(own) == Change(LogId("v"), 0)


@run
async def test_S18_a_group_of_commits_to_logs_with_long_ids_is_news_of_each() -> None:
    """One notification holds less than 8000 bytes."""
    names = [LogId(f"{number:3} " + "\N{GAME DIE}" * 60) for number in range(100)]
    schema = postgres.shared.new_schema()
    async with opened(schema) as one, opened(schema) as other:
        news = other.changes()
        assert all(await asyncio.gather(*(one.create(name, header(), ROW) for name in names)))
        assert {(await anext(news)).log for _ in names} == set(names)
        commits = [commit_of(name, following(header())) for name in names]
        assert all(await asyncio.gather(*map(one.commit, commits)))
        assert {await anext(news) for _ in names} == {Change(name, 1) for name in names}


def test_S18_a_full_queue_of_notifications_stops_nobody() -> None:
    async def test(dsn: str) -> None:
        async with opened("full", dsn) as store, shell("full", dsn) as sleeper, shell("full", dsn) as talker:
            await stored(store, T, 0)
            await sleeper.execute("LISTEN something; BEGIN; SELECT 1")  # it holds up the queue until it is done
            with suppress(asyncpg.ProgramLimitExceededError):
                while True:
                    await talker.execute("SELECT pg_notify('x', repeat('x', 7000) || n) FROM generate_series(1, 50) n")
            assert await store.commit(NEXT)
            await store.put_aside(T, "a test")
            assert await store.prune(T)

    with postgres.running("max_notify_queue_pages=64") as server:
        asyncio.run(asyncio.wait_for(test(server.dsn), 60))
