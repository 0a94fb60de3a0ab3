"""PostgreSQL goes away, in part or whole, while tables are written: no answer is lost, and none is made up."""

import asyncio
from collections.abc import Awaitable, Callable

import asyncpg
import pytest

from tests import postgres
from tests.proxy import line_to
from tests.store.making import FINISHED, ROW, commit_of, following, header, stored
from tests.store.postgres.stores import Player, check, end_sessions, held, opened, run, shell, until_waiting
from turnstile.kernel.values import LogId
from turnstile.store.postgres import PostgresStore, statements
from turnstile.store.protocol import Busy, Commit, Unknown

T = LogId("t")
NEXT: Commit = commit_of(T, following(header(), "alice 1"))


async def play_on(store: PostgresStore, players: list[Player], disturb: Callable[[], Awaitable[object]]) -> None:
    """Everybody makes 25 moves at once; whenever a tenth of all is made, something happens to the database."""
    made, one_at_a_time = 0, asyncio.Lock()

    async def play(player: Player) -> None:
        nonlocal made
        for _ in range(25):
            await player.move(store)
            made += 1
            if made * 10 % (len(players) * 25) == 0:
                async with one_at_a_time:
                    await disturb()

    await asyncio.gather(*(play(player) for player in players))


@run
async def test_C15_sessions_killed_under_load_lose_nothing_and_double_nothing() -> None:
    schema = postgres.shared.new_schema()
    players = [Player(f"table {number}") for number in range(40)]
    async with opened(schema) as store, shell(schema) as operator:
        for player in players:
            assert await store.create(player.table, header(), ROW)
        await play_on(store, players, lambda: end_sessions(operator, schema))
        await check(store, players)
        assert sum(len(player.told) for player in players) > 500


@pytest.mark.parametrize("how", ["kill", "stop"])
def test_C15_a_server_killed_under_load_and_started_again_has_all_it_promised(how: str) -> None:
    async def test(server: postgres.Server) -> None:
        schema = "killed"
        players = [Player(f"table {number}") for number in range(40)]
        ended = 0

        async def crash() -> None:
            nonlocal ended
            if ended < 3:
                ended += 1
                await asyncio.to_thread(getattr(server, how))
                await asyncio.to_thread(server.start)

        async with opened(schema, server.dsn) as store:
            for player in players:
                assert await store.create(player.table, header(), ROW)
            await play_on(store, players, crash)
            await check(store, players)
        assert ended == 3
        assert sum(len(player.told) for player in players) > 500

    with postgres.running() as server:
        asyncio.run(test(server))


def test_C15_a_cursor_that_was_stored_is_there_when_the_server_was_killed() -> None:
    """Else two processes wait for each other: one has told the store all it knows, the other cannot find it there."""

    async def test(server: postgres.Server) -> None:
        async with opened("killed", server.dsn) as store:
            await stored(store, T, 0)
            for cursor in range(1, 4):
                assert await store.acknowledge(T, {"alice": cursor}) == {"alice": cursor}
                await asyncio.to_thread(server.kill)
                await asyncio.to_thread(server.start)
                assert await store.cursors(T) == {"alice": cursor}

    with postgres.running() as server:
        asyncio.run(test(server))


@run
async def test_C15_a_commit_whose_answer_was_lost_is_found_in_the_log() -> None:
    schema = postgres.shared.new_schema()
    async with line_to(postgres.shared.dsn()) as (line, near), opened(schema, near) as store, shell(schema) as operator:
        await stored(store, LogId("before"), 1)  # the statement is prepared now: it needs no answer to be carried out
        await stored(store, T, 0)
        line.is_deaf = True
        sending = asyncio.create_task(store.commit(NEXT))
        while await operator.fetchval("SELECT max(position) FROM log WHERE table_id = 't'") == 0:
            pass  # each question gives the store its turn
        line.cut()
        line.mend()
        assert await sending
        assert await store.entries(T, 0) == (NEXT.entry,)


@run
async def test_C15_a_commit_that_never_arrived_is_made_when_the_line_is_mended() -> None:
    schema = postgres.shared.new_schema()
    async with line_to(postgres.shared.dsn()) as (line, near), opened(schema, near) as store:
        await stored(store, T, 0)
        line.freeze()
        sending = asyncio.create_task(store.commit(NEXT))
        await asyncio.sleep(0)
        line.cut()
        line.mend()
        assert await sending
        assert await store.entries(T, 0) == (NEXT.entry,)


@run
async def test_C15_K6_a_commit_whose_position_another_process_took_while_the_line_was_broken_is_not_accepted() -> None:
    """An entry is at that position, with another link: it is not ours."""
    schema, rival = postgres.shared.new_schema(), commit_of(T, following(header(), "bob 1"))
    async with line_to(postgres.shared.dsn()) as (line, near), opened(schema, near) as store, opened(schema) as other:
        await stored(store, T, 0)
        line.freeze()
        sending = asyncio.create_task(store.commit(NEXT))
        assert await other.commit(rival)
        line.cut()
        line.mend()
        assert await sending is False
        assert await store.entries(T, 0) == (rival.entry,)


@run
async def test_C15_K4_a_table_that_another_process_created_while_the_line_was_broken_is_not_ours() -> None:
    schema, ours, theirs = postgres.shared.new_schema(), header(about=b"ours"), header(about=b"theirs")
    async with line_to(postgres.shared.dsn()) as (line, near), opened(schema, near) as store, opened(schema) as other:
        await stored(store, LogId("another"), 0)  # so that the line is in use
        line.freeze()
        sending = asyncio.create_task(store.create(T, ours, ROW))
        assert await other.create(T, theirs, ROW)
        line.cut()
        line.mend()
        assert await sending is False
        assert await store.entries(T, -1) == (theirs,)


@run
async def test_C15_a_session_that_outlives_its_line_cannot_write_behind_our_back() -> None:
    """It waits for a row when the line breaks, and nobody tells it. Could it go on, it would be in our own way."""
    schema = postgres.shared.new_schema()
    async with line_to(postgres.shared.dsn()) as (line, near), opened(schema, near) as store:
        await stored(store, T, 0)
        async with held(schema, T) as operator:
            sending = asyncio.create_task(store.commit(NEXT))
            ghost = await until_waiting(operator, schema)
            line.abandon()
            await until_waiting(operator, schema, besides=ghost)
        assert await sending
        assert await store.entries(T, 0) == (NEXT.entry,)


@run
async def test_C15_an_outcome_that_cannot_be_found_out_is_unknown() -> None:
    schema = postgres.shared.new_schema()
    async with line_to(postgres.shared.dsn()) as (line, near), opened(schema, near, patience=0.5) as store:
        await stored(store, T, 0)
        line.freeze()
        with pytest.raises(Unknown):
            await store.commit(NEXT)
        with pytest.raises(Busy):
            await store.load(T)
        line.cut()
        line.mend()
        saved = await store.load(T)
        assert saved is not None
        if not saved.entries:
            assert await store.commit(NEXT)


def test_C15_a_commit_that_no_standby_has_is_not_promised() -> None:
    """The server has it, and shows it; if it dies, the standby that takes over never heard of it."""

    async def test(dsn: str) -> None:
        async with opened("t", dsn, patience=1.0) as store, shell("t", dsn) as operator:
            await stored(store, T, 0)
            await _require_standby(operator, "absent")
            await _until_commits_wait(operator, dsn)
            with pytest.raises(Unknown):
                await store.commit(NEXT)
            assert await store.entries(T, 0) == (NEXT.entry,)
            await _require_standby(operator, "")
            assert await store.commit(commit_of(T, following(NEXT.entry)))

    with postgres.running() as server:
        asyncio.run(test(server.dsn))


async def _require_standby(operator: asyncpg.Connection, name: str) -> None:
    await operator.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{name}'")
    await operator.execute("SELECT pg_reload_conf()")


async def _until_commits_wait(operator: asyncpg.Connection, dsn: str) -> None:
    """Sessions hear of a new standby when it suits them; from here on they know."""
    async with shell("t", dsn) as other:
        while True:
            asking = asyncio.create_task(other.execute(statements.BEHIND_ALL))
            while not asking.done():
                if await operator.fetchval("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"):
                    asking.cancel()
                    return
            await asking


@run
async def test_C15_a_beat_or_a_pruning_of_unknown_outcome_says_so() -> None:
    schema = postgres.shared.new_schema()
    async with line_to(postgres.shared.dsn()) as (line, near), opened(schema, near) as store:
        await stored(store, T, 0, row=FINISHED)
        for call in (store.beat, lambda: store.prune(T)):
            async with held(schema, T) as operator:
                await operator.execute("SELECT FROM heartbeat FOR UPDATE")
                calling = asyncio.ensure_future(call())
                await until_waiting(operator, schema)
                line.cut()
                with pytest.raises(Unknown):
                    await calling
        assert await store.beat() is None


def test_N12_while_the_database_is_away_everybody_is_told_so_and_afterwards_all_goes_on() -> None:
    async def test(server: postgres.Server) -> None:
        async with opened("away", server.dsn, patience=0.3) as store:
            await stored(store, T, 0)
            await asyncio.to_thread(server.stop)
            calls = (
                store.commit(NEXT),
                store.load(T),
                store.acknowledge(T, {"alice": 1}),
                store.claim(NEXT.entry.at, 0, 1),
            )
            told = await asyncio.gather(*calls, return_exceptions=True)
            assert [type(one) for one in told[1:]] == [Busy] * 3
            assert type(told[0]) in (Busy, Unknown)
            with pytest.raises(Busy):
                await store.commit(NEXT)
            await asyncio.to_thread(server.start)
            assert await store.commit(NEXT)
            assert await store.acknowledge(T, {"alice": 1}) == {"alice": 1}

    with postgres.running() as server:
        asyncio.run(test(server))
