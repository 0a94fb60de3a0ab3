"""Several servers on one PostgreSQL, with nothing between them but the database."""

import asyncio
from contextlib import AsyncExitStack

from msgspec.structs import replace

from tests import postgres
from tests.store.making import LONG, ROW, commit_of, following, header, stored
from tests.store.places import START, PostgresPlace
from tests.store.postgres.stores import held, opened, run, shell, until_waiting
from turnstile.kernel.values import Instant, LogId
from turnstile.store.log import verify
from turnstile.store.postgres import PostgresStore

T = LogId("t")


async def several(stack: AsyncExitStack, schema: str, count: int) -> list[PostgresStore]:
    return [await stack.enter_async_context(opened(schema)) for _ in range(count)]


@run
async def test_K6_of_two_servers_at_one_position_exactly_one_wins() -> None:
    async with AsyncExitStack() as stack:
        one, other = await several(stack, postgres.shared.new_schema(), 2)
        last = (await stored(one, T, 0))[-1]
        for number in range(50):
            rivals = [following(last, f"{name} {number}") for name in ("alice", "bob")]
            won = await asyncio.gather(one.commit(commit_of(T, rivals[0])), other.commit(commit_of(T, rivals[1])))
            assert sorted(won) == [False, True]
            last = rivals[won.index(True)]
        verify(T, b"", -1, await other.entries(T, -1))
        assert (await one.entries(T, -1))[-1] == last


@run
async def test_K7_whole_groups_of_two_servers_share_the_tables_between_them() -> None:
    """Both write to all tables at once, in opposite orders; every table moves on once in each round."""
    names = [LogId(f"table {number}") for number in range(40)]
    async with AsyncExitStack() as stack:
        one, other = await several(stack, postgres.shared.new_schema(), 2)
        await asyncio.gather(*(stored(one, name, 0) for name in names))
        last = {name: header() for name in names}
        for number in range(10):
            ours = {name: following(last[name], f"ours {number}") for name in names}
            theirs = {name: following(last[name], f"theirs {number}") for name in names}
            won = await asyncio.gather(*(one.commit(commit_of(name, made)) for name, made in ours.items()), *(
                other.commit(commit_of(name, theirs[name])) for name in reversed(names)))  # fmt: skip
            by_us, by_them = dict(zip(names, won, strict=False)), dict(zip(reversed(names), won[40:], strict=True))
            assert all(by_us[name] is not by_them[name] for name in names)
            last = {name: ours[name] if by_us[name] else theirs[name] for name in names}
        for name in names:
            entries = await one.entries(name, -1)
            verify(name, b"", -1, entries)
            assert entries[-1] == last[name]


@run
async def test_K4_of_several_servers_that_create_a_table_one_does() -> None:
    async with AsyncExitStack() as stack:
        stores = await several(stack, postgres.shared.new_schema(), 3)
        for number in range(20):
            table = LogId(f"table {number}")
            headers = [header(about=b"%d" % server) for server in range(3)]
            made = await asyncio.gather(
                *(store.create(table, its, ROW) for store, its in zip(stores, headers, strict=True))
            )
            assert made.count(True) == 1
            assert await stores[0].entries(table, -1) == (headers[made.index(True)],)


@run
async def test_T11_what_several_servers_claim_at_once_is_disjoint_and_complete() -> None:
    async with AsyncExitStack() as stack:
        stores = await several(stack, postgres.shared.new_schema(), 3)
        names = [LogId(f"{number:03}") for number in range(150)]
        await asyncio.gather(*(stored(stores[0], name, 0, row=replace(ROW, due=Instant(5))) for name in names))
        shares = await asyncio.gather(*(store.claim(Instant(LONG), LONG, 10) for store in stores for _ in range(6)))
        claimed = [table for share in shares for table in share]
        assert sorted(claimed) == names


@run
async def test_T7_the_database_has_the_one_clock_whatever_the_servers_clocks_say() -> None:
    place = PostgresPlace()
    first = await place.open()
    fast = await PostgresStore.open(postgres.shared.dsn(), schema=place.schema, monotonic=lambda: 5_000_000_000)
    assert first.now() == fast.now() == START
    await place.let_pass(7_000)
    assert (first.now(), fast.now()) == (START + 7_000, START)  # its own clock stands still
    await fast.beat()
    assert fast.now() == START + 7_000
    await place.let_pass(-3_600_000)
    await first.beat()
    await fast.beat()
    assert first.now() == fast.now() == START + 7_000  # it waits, and never goes back
    await first.close()
    await fast.close()


@run
async def test_T1_a_new_server_is_not_before_the_last_beat_though_the_databases_clock_was_set_back() -> None:
    schema = postgres.shared.new_schema()
    async with opened(schema) as store, shell(schema) as operator:
        await store.beat()
        seen = store.now()
        await operator.execute(
            "CREATE OR REPLACE FUNCTION clock() RETURNS bigint LANGUAGE sql VOLATILE AS "
            "'SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - 3600000000'"
        )
        async with opened(schema) as later:
            beaten = await operator.fetchval("SELECT at FROM heartbeat")
            assert seen - 1_000 < beaten <= later.now()
            await later.beat()
            assert beaten <= later.now()


@run
async def test_T6_servers_that_wake_together_find_one_outage() -> None:
    place = PostgresPlace()
    stores = [await place.open() for _ in range(4)]
    await stores[0].beat()
    for number in range(1, 6):
        await place.let_pass(600_000)
        found = await asyncio.gather(*(store.beat() for store in stores))
        outages = await stores[1].outages(Instant(0))
        assert [outage for outage in found if outage is not None] == outages[-1:]
        assert len(outages) == number
    for store in stores:
        await store.close()


@run
async def test_of_two_servers_that_acknowledge_at_once_one_at_least_sees_both() -> None:
    """Else neither would know that everybody has seen everything, and the table would wait for ever."""
    async with AsyncExitStack() as stack:
        one, other = await several(stack, postgres.shared.new_schema(), 2)
        await stored(one, T, 0)
        for number in range(1, 60):
            seen = await asyncio.gather(one.acknowledge(T, {"alice": number}), other.acknowledge(T, {"bob": number}))
            assert {"alice": number, "bob": number} in seen


@run
async def test_S16_a_group_takes_its_tables_in_the_order_of_their_ids() -> None:
    """That is why two groups never wait for each other in a circle."""
    schema = postgres.shared.new_schema()
    async with opened(schema) as store, shell(schema) as somebody:
        for name in ("a", "b"):
            await stored(store, LogId(name), 0)
        async with held(schema, "a") as operator:
            group = asyncio.gather(*(store.commit(commit_of(LogId(name), following(header()))) for name in "ba"))
            await until_waiting(operator, schema)
            await somebody.execute("SELECT FROM tables WHERE id = 'b' FOR UPDATE NOWAIT")  # nobody has it
        assert await group == [True, True]


@run
async def test_S16_a_rebuild_takes_the_row_before_anything_else_and_knows_of_the_last_entry() -> None:
    """A commit does so, too: neither waits for the other in a circle, and the row says how long the log is."""
    schema = postgres.shared.new_schema()
    async with opened(schema) as store, shell(schema) as somebody:
        entries = await stored(store, T, 2, snapshots=(1,))
        async with held(schema, T) as operator:
            committing = asyncio.create_task(store.commit(commit_of(T, following(entries[-1]))))
            first = await until_waiting(operator, schema)
            rebuilding = asyncio.create_task(store.rebuild([(T, ROW)]))
            await until_waiting(operator, schema, besides=first)
            assert await somebody.fetch("SELECT FROM snapshots FOR UPDATE NOWAIT")  # nobody has it
        assert await committing
        await rebuilding
        assert await store.positions([T]) == {T: 3}
        assert await store.snapshot(T, 9) is None


@run
async def test_prune_leaves_nothing_of_a_commit_that_came_last_minute() -> None:
    schema = postgres.shared.new_schema()
    finished = replace(ROW, is_open=False)
    async with opened(schema) as store, shell(schema) as operator:
        entries = await stored(store, T, 1, row=finished)
        async with held(schema, T) as holder:
            committing = asyncio.create_task(store.commit(commit_of(T, following(entries[-1]), finished)))
            waiting = await until_waiting(holder, schema)
            pruning = asyncio.create_task(store.prune(T))
            await until_waiting(holder, schema, besides=waiting)
        assert await committing
        assert await pruning
        assert await operator.fetchval("SELECT count(*) FROM log") == 0
