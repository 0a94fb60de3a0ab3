"""Booking: every match that ends is booked once, whatever happens to servers and stores."""

import asyncio
import contextlib
import logging
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import postgres
from tests.agents.loops import pass_time, run, until
from tests.server.finished import booked, play_to_the_end, rated, ratings_of, resign, results_of
from tests.server.servers import Guest, site
from turnstile.durable.upkeep import rebuild
from turnstile.host.logs import TABLES
from turnstile.host.records import read_end
from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.server.results.booking import Booking
from turnstile.store.directory import Booked, MatchResult, Rating
from turnstile.store.log import BEFORE_FIRST, entry
from turnstile.store.memory import Disk, MemoryStore
from turnstile.store.postgres import PostgresStore
from turnstile.store.protocol import Busy, Row, StoreFault, Unstorable
from turnstile.store.sqlite import SqliteStore


def no_booking(patch: pytest.MonkeyPatch) -> None:
    """Let servers die, as it were, before they book anything."""
    for chore in ("keep_booking", "keep_looking"):
        patch.setattr(Booking, chore, lambda _: asyncio.sleep(0))


# exactly once


def test_C10_a_match_that_ended_just_before_the_server_died_is_booked_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        store = await SqliteStore.open(tmp_path / "tables.db")
        with monkeypatch.context() as patch:
            no_booking(patch)
            async with site(store=store) as here:
                ana, bo = await here.register("Ana"), await here.register("Bo")
                tables = [await resign(ana, bo), await play_to_the_end(ana, bo), await resign(bo, ana)]
                ends = [await read_end(store, LogId(table)) for table in tables]
                assert await results_of(ana) == []
        await store.close()
        for _ in range(2):  # and after another one it is not booked again
            store = await SqliteStore.open(tmp_path / "tables.db")
            async with site(store=store) as there:
                ana, bo = [Guest(there, each.player, each.token) for each in (ana, bo)]
                await until_booked(store)
                found = {each["table"]: each["finished"] for each in await results_of(ana)}
                assert found == {table: end.now for table, end in zip(tables, ends, strict=True) if end}
                assert {count for _, _, count in (await ratings_of(ana, bo)).values()} == {3}
            await store.close()

    run(main())


async def until_booked(store: SqliteStore | PostgresStore) -> None:
    while await store.directory.unbooked():
        await asyncio.sleep(0.001)


DYING = """
import os, signal, sys
from turnstile.__main__ import main
from turnstile.server.results.booking import Booking

book, instant = Booking._book, sys.argv.pop()

async def die(self, match):
    if instant == "after":
        await book(self, match)
    os.kill(os.getpid(), signal.SIGKILL)

if instant != "any":
    Booking._book = die
main()
"""
"""A server that kills itself before it books its first match, or just after that."""


@pytest.mark.parametrize("instant", ["before", "after", "any"])
def test_C10_after_a_kill_every_match_is_booked_once(tmp_path: Path, instant: str) -> None:
    """A real process, which is killed at one of these instants, or as soon as the end of a match was answered."""

    async def main() -> None:
        players, tables = list[tuple[str, str]](), list[str]()
        for number in range(3 if instant == "any" else 1):
            with server_process(tmp_path / "t.db", instant) as url:
                async with aiohttp.ClientSession() as client:
                    ask = asker(client, url)
                    if not players:
                        for name in ("Ana", "Bo"):
                            found = await ask("POST", "/api/players", {"name": name}, None)
                            players.append((found["player"], found["token"]))
                    (_, first), (_, second) = players
                    table = (await ask("POST", "/api/tables", {"game": "e-card"}, first))["table"]
                    tables.append(table)
                    for token, type_ in ((second, "join"), (first, "start"), (second, "resign")):
                        body = {"type": type_, "id": f"{type_} {number}"}
                        with contextlib.suppress(aiohttp.ClientConnectionError):  # it may die before it answers
                            await ask("POST", f"/api/tables/{table}/commands", body, token)
        store = await SqliteStore.open(tmp_path / "t.db")
        if instant != "any":
            assert await store.directory.unbooked() == ([LogId(tables[0])] if instant == "before" else [])
        async with site(store=store) as here:
            await until_booked(store)
            ana, bo = [Guest(here, *each) for each in players]
            assert sorted(each["table"] for each in await results_of(ana)) == sorted(tables)
            wanted = rated([("e-card", [(ana.player, 1), (bo.player, 2)])] * len(tables))
            assert await ratings_of(ana, bo) == wanted
        await store.close()

    run(main())


@contextlib.contextmanager
def server_process(path: Path, instant: str) -> Iterator[str]:
    """A server that is dead at the end of this context. It yields its address."""
    arguments = ["serve", "--port", "0", "--operations-port", "0", "--store", str(path), instant]
    command = [sys.executable, "-c", DYING, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            yield re.findall(r"http://[0-9.:]+", process.stdout.readline())[0]
            if instant != "any":
                assert process.wait(30) == -signal.SIGKILL
        finally:
            process.kill()


def asker(client: aiohttp.ClientSession, url: str) -> Callable[..., Coroutine[Any, Any, Any]]:
    async def ask(method: str, path: str, body: Any, token: str | None) -> Any:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        async with client.request(method, url + path, json=body, headers=headers) as response:
            assert response.status < 300, await response.text()
            return await response.json()

    return ask


def test_C10_K6_two_servers_on_one_postgresql_book_every_match_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        schema = postgres.shared.new_schema()
        stores = [await PostgresStore.open(postgres.shared.dsn(), schema=schema) for _ in range(2)]
        async with site(store=stores[0]) as here, site(store=stores[1]) as there:
            ana, bo, cy = await here.register("Ana"), await here.register("Bo"), await there.register("Cy")
            away = Guest(there, bo.player, bo.token)
            # both servers have every table in memory, so both learn of each end and try to book it
            tables = list(await asyncio.gather(*(over_at_both(ana, away) for _ in range(4)), resign(cy, away)))
            sites = (here, there)
            await until(lambda: sum(each.server.counts.booked for each in sites) >= len(tables))
            with monkeypatch.context() as patch:
                for each in sites:
                    patch.setattr(each.server.host.tables, "on_end", lambda _: None)
                tables += await asyncio.gather(*(resign(ana, bo) for _ in range(4)))
            assert len(await stores[0].directory.unbooked()) == 4
            await asyncio.gather(*(each.server.booking._look() for each in sites))
            assert sum(each.server.counts.booked for each in sites) == len(tables) == 9
            assert await stores[0].directory.unbooked() == []
            assert len(await results_of(bo)) == 9
            counts = {key[0]: count for key, (_, _, count) in (await ratings_of(ana, bo, cy)).items()}
            assert counts == {ana.player: 8, bo.player: 9, cy.player: 1}
        for store in stores:
            await store.close()

    async def over_at_both(one: Guest, other: Guest) -> str:
        table = await one.site.table(one)
        await other.command(table, "join")
        await one.command(table, "start")
        wires = [await one.hello(table), await other.hello(table)]
        await one.command(table, "resign")
        for wire in wires:
            while (await wire.until("status"))["phase"] != "Finished":
                pass
        return table

    run(main())


# what goes wrong


def test_S6_a_match_that_cannot_be_read_is_passed_over_and_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        disk = Disk()

        def store() -> MemoryStore:
            return MemoryStore(lambda: 1_000, disk, is_shared=False)

        with monkeypatch.context() as patch:
            no_booking(patch)
            async with site(store=store()) as here:
                ana, bo = await here.register("Ana"), await here.register("Bo")
                first, damaged, last = sorted([LogId(await resign(ana, bo)) for _ in range(3)])
        entries = disk.logs[damaged].entries
        intact = entries[2]
        entries[2] = msgspec.structs.replace(entries[2], event=b"{}")
        disk.logs[damaged].snapshots.clear()
        there = store()
        row = Row("nope", "Finished", (), False, False, Instant(1), Instant(1), None)
        unknown = disk.logs[first].entries[0].event.replace(b'"e-card"', b'"nope"').replace(first.encode(), b"0")
        await there.create(LogId("0"), entry(BEFORE_FIRST, 0, Instant(1), unknown, b""), row)
        league = entry(BEFORE_FIRST, 0, Instant(1), b'{"log": "manager"}', b"")
        await there.create(LogId("1"), league, row)
        async with site(store=there) as again:
            await booked(again, 2)
            assert sorted(each["table"] for each in await results_of(Guest(again, ana.player, ana.token))) == [
                first,
                last,
            ]
            assert disk.logs[damaged].row.note
            assert await there.directory.unbooked() == [LogId("0")]  # another server may know its game
            warned = [each for each in caplog.records if "cannot be booked" in each.message]
            assert {vars(each)["table"] for each in warned} == {damaged, LogId("0")}
            pass_time(61)
            await resign(Guest(again, ana.player, ana.token), Guest(again, bo.player, bo.token))
            await booked(again, 3)
            assert len([each for each in caplog.records if "cannot be booked" in each.message]) == 2
            entries[2] = intact
            assert await rebuild({"table": TABLES}, there, damaged) is None
            pass_time(61)
            await booked(again, 4)

    with caplog.at_level(logging.WARNING):
        run(main())


@pytest.mark.parametrize("fault", [Busy("Try again."), StoreFault("A page of the directory is damaged.")])
def test_S4_S6_a_store_that_cannot_book_is_asked_again_later(
    monkeypatch: pytest.MonkeyPatch, fault: StoreFault
) -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            tries, directory = list[str](), here.server.directory
            book, unbooked = directory.book, directory.unbooked

            async def fail_first(match: MatchResult, ratings: Sequence[Rating] = ()) -> Booked:
                tries.append("book")
                if len(tries) == 1:
                    raise fault
                return await book(match, ratings)

            async def fail_once(*args: Any) -> list[LogId]:
                tries.append("look")
                if tries.count("look") == 1:
                    raise fault
                return await unbooked(*args)

            monkeypatch.setattr(directory, "book", fail_first)
            monkeypatch.setattr(directory, "unbooked", fail_once)
            await resign(ana, bo)
            await until(lambda: tries == ["book"])
            pass_time(61)
            await until(lambda: tries == ["book", "look"])
            pass_time(61)
            await booked(here, 1)
            assert len(await results_of(ana)) == 1

    run(main())


def test_a_match_that_cannot_be_stored_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            directory = here.server.directory
            with monkeypatch.context() as patch:

                async def refuse(*_: object) -> Booked:
                    raise Unstorable("Invalid number.")

                patch.setattr(directory, "book", refuse)
                table = await resign(ana, bo)
                await until(lambda: here.disk.logs[LogId(table)].is_booked)
            await resign(ana, bo)
            await booked(here, 1)
            assert len(await results_of(ana)) == 1

    run(main())


def test_when_too_many_matches_end_at_once_the_rest_is_found_by_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        monkeypatch.setattr("turnstile.server.results.booking.MOST_WAITING", 1)
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            go_on, book = asyncio.Event(), here.server.booking._book

            async def wait_and_book(match: MatchResult) -> None:
                await go_on.wait()
                await book(match)

            monkeypatch.setattr(here.server.booking, "_book", wait_and_book)
            for _ in range(5):
                await resign(ana, bo)
            go_on.set()
            await booked(here, 2)
            pass_time(61)
            await booked(here, 5)
            assert len(await results_of(bo)) == 5

    run(main())


# laws


@settings(deadline=None)  # a busy machine takes longer
@given(st.data())
def test_results_and_ratings_follow_from_the_logs(data: st.DataObject) -> None:
    """Whatever is played, in whatever order it is booked: results are what the logs say, ratings the sum of results."""
    kind = st.sampled_from(["public", "private", "bot", "restart"])
    plan = data.draw(st.lists(st.tuples(kind, st.permutations(range(3)), st.sampled_from([2, 3])), max_size=6))

    async def main() -> None:
        disk, tables = Disk(), list[str]()
        guests: list[tuple[str, str]] = []
        todo = list(plan)
        while True:
            store = MemoryStore(lambda: 1_000 + len(tables), disk, is_shared=False)
            async with site(store=store) as here:
                if not guests:
                    guests = [(each.player, each.token) for each in [await here.register(name) for name in "abc"]]
                people = [Guest(here, *each) for each in guests]
                while todo and todo[0][0] != "restart":
                    how, order, count = todo.pop(0)
                    seated = [people[number] for number in order][:count]
                    game = "e-card" if count == 2 else "up-down"
                    if how == "bot":
                        tables.append(await resign(seated[0], game="e-card", bots=["random"]))
                    else:
                        tables.append(await resign(*seated, game=game, inviteOnly=how == "private"))
                if not todo:
                    await until(lambda: len(disk.people.results) == len(tables))
                    await check(store, people, tables)
                    return
                todo.pop(0)

    async def check(store: MemoryStore, people: Sequence[Guest], tables: Sequence[str]) -> None:
        ends = {table: await read_end(store, LogId(table)) for table in tables}
        for guest in people:
            mine = {table: end for table, end in ends.items() if end and guest.player in end.players}
            shown = {each["table"]: each for each in await results_of(guest)}
            assert shown.keys() == mine.keys()
            for table, end in mine.items():
                assert end.result is not None
                assert [each["player"] for each in shown[table]["players"]] == list(end.players)
                winners = [each["player"] for each in shown[table]["players"] if each["hasWon"]]
                assert winners == list(end.result.winners)
                assert shown[table]["finished"] == end.now
            public = (await guest.ask("GET", f"/api/players/{guest.player}"))["matches"]
            assert {each["table"] for each in public} == {
                table for table, end in mine.items() if end.header.settings.is_listed
            }
            ratings = await store.directory.ratings_of(PlayerId(guest.player))
            rated_matches = [each for each in shown.values() if each["isRated"]]
            assert sum(each.matches for each in ratings) == len(rated_matches)
        await check_ratings(store, people)

    async def check_ratings(store: MemoryStore, people: Sequence[Guest]) -> None:
        booked_in_order = store.directory._people().results.values()
        wanted = rated(
            [
                (each.game, [(player.player, player.place or 0) for player in each.players])
                for each in booked_in_order
                if each.is_rated
            ]
        )
        assert await ratings_of(*people) == wanted

    run(main())
