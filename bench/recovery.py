"""A server comes back after an outage to a file full of open matches: when does it serve, when is all in order again?

A tenth of the tables has a clock that ran out meanwhile, a tenth waits for a bot; at all others somebody is to move and
may take any time. No clock counts the outage, so each of the first gets its time back; each of the second gets its
move. Every run starts on a fresh copy of the same file, and counts from before the file is opened.
"""

import asyncio
import shutil
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from msgspec import Raw

from bench.gauges import WALL
from bench.harness import Contest, Contestant, Run
from bench.hosting import Stage
from bench.tables import ADMIN, Wanted, store_all
from turnstile.games.ecard import Card, Pick, game
from turnstile.host import Host
from turnstile.kernel import encode
from turnstile.kernel.values import Instant, LogId
from turnstile.store.protocol import Commit
from turnstile.store.sqlite import SqliteStore
from turnstile.table.values import Accepted, Act, Clock

PICK = Raw(encode(Pick(ADMIN, Card.CITIZEN)))
CLOCK = Clock(seconds=60.0)
OUTAGE = 3_600 * 1_000_000_000  # nanoseconds
ROUNDS = 3


class Watched(SqliteStore):
    """A store that knows which tables were written to since it was opened."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.written: set[LogId] = set()
        self.awaited: frozenset[LogId] = frozenset()
        self.all_written = asyncio.Event()

    async def commit(self, commit: Commit) -> bool:
        added = await super().commit(commit)
        if added:
            self.written.add(commit.log)
            if len(self.written) >= len(self.awaited) and self.awaited <= self.written:
                self.all_written.set()
        return added


class Outage:
    """A file with these open tables, as a server left it that was killed an hour ago."""

    def __init__(self, tables: int) -> None:
        self.tables = tables
        self.stage = Stage()
        self.file = self.stage.folder / "left.db"
        some = tables // 10
        self.clocked = [Wanted(f"clock {number}", 0, clock=CLOCK) for number in range(some)]
        self.waiting_for_bot = [Wanted(f"bot {number}", 0, with_bot=True) for number in range(some)]
        self.others = [Wanted(f"other {number}", 2) for number in range(tables - 2 * some)]
        self.stage.do(self._store())
        self.stage.clear()

    async def _store(self) -> None:
        store = await self.stage.kept(SqliteStore.open(self.file, wall=lambda: time.time_ns() - OUTAGE))
        await store_all(store, game, [*self.clocked, *self.waiting_for_bot, *self.others])
        await store.beat()

    def copy(self) -> Path:
        """The same file again, untouched, with nobody using the one before."""
        self.stage.clear()
        return Path(shutil.copy(self.file, self.stage.folder / "found.db"))

    async def served(self, file: Path) -> tuple[Host, Watched]:
        store = await self.stage.kept(Watched.open(file))
        assert isinstance(store, Watched)
        store.awaited = frozenset(LogId(one.name) for one in (*self.clocked, *self.waiting_for_bot))
        return await self.stage.serve(store), store


Until = Callable[[Outage, Path], Awaitable[SqliteStore]]


async def serves(outage: Outage, file: Path) -> SqliteStore:
    _, store = await outage.served(file)
    return store


async def first_move(outage: Outage, file: Path) -> SqliteStore:
    """Somebody was waiting for the server, and moves at a table that is not in memory yet."""
    host, store = await outage.served(file)
    name = LogId(outage.others[-1].name)
    answer = await host.submit(name, Act(ADMIN, "after the outage", Instant(0), PICK))
    assert isinstance(answer, Accepted), answer
    return store


async def all_in_order(outage: Outage, file: Path) -> SqliteStore:
    _, store = await outage.served(file)
    await store.all_written.wait()
    return store


def contest(tables: int) -> Contest:
    outage = Outage(tables)
    due = len(outage.clocked) + len(outage.waiting_for_bot)
    in_order = f"until all {due:,} tables that are due were looked after"
    return Contest(
        name="recovery",
        title=f"A host back after an hour, {tables:,} open matches in its file",
        unit="start",
        units=1,
        baseline="serves",
        contestants=(
            _contestant("serves", "until the host is ready", serves, outage),
            _contestant("first move", "until a move at a table not in memory is answered", first_move, outage),
            _contestant("all in order", in_order, all_in_order, outage),
        ),
        gauge=WALL,
        rounds=ROUNDS,
        close=outage.stage.close,
    )


def _contestant(name: str, about: str, until: Until, outage: Outage) -> Contestant:
    def prepare() -> Run:
        file = outage.copy()

        def run() -> int:
            outage.stage.do(_reached(until, outage, file))
            return outage.tables

        return run

    def trail() -> Iterator[object]:
        """Where every table is when this one has had its time, and the others theirs."""
        yield outage.stage.do(_deadlines(outage, outage.copy()))

    return Contestant(name=name, about=about, trail=trail, prepare=prepare)


async def _reached(until: Until, outage: Outage, file: Path) -> None:
    await until(outage, file)


async def _deadlines(outage: Outage, file: Path) -> int:
    """How many of the clocks that ran out during the outage have all their time again."""
    store = await all_in_order(outage, file)
    rows = [await store.row(LogId(one.name)) for one in outage.clocked]
    moved = sum(row is not None and row.due is not None and row.due > store.now() for row in rows)
    assert moved == len(outage.clocked), "no clock counts an outage"
    return moved
