"""Durable commits: many tables at once, whose commits share a sync, beside one commit after the other.

Both do the same work on the same store: one more entry for every table. Each is on the disk before it is answered.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence

from msgspec.structs import replace

from bench import endless
from bench.gauges import WALL
from bench.harness import Absent, Aim, Contest, Contestant, Run
from bench.hosting import Stage
from bench.tables import Wanted, log_of, store_log
from tools.postgres import CannotStart, Server
from turnstile.registry import lent
from turnstile.store.log import entry
from turnstile.store.protocol import Commit, Store
from turnstile.store.sqlite import SqliteStore

TABLES = 200
ROUNDS = 20

Way = Callable[[Store, list[Commit]], Awaitable[list[bool]]]


class Logs:
    """Tables on a store, each of which can be given one entry more, as often as one likes."""

    def __init__(self, stage: Stage, store: Store, tables: int) -> None:
        self.stage = stage
        self.store = store
        self._newest: dict[str, Commit] = {}
        with lent(endless.game):
            stage.do(self._set_out(tables))

    async def _set_out(self, tables: int) -> None:
        for name in (f"table {number}" for number in range(tables)):
            log = log_of(endless.game, Wanted(name, 1), self.store.now())
            await store_log(self.store, name, log)
            self._newest[name] = log.commits[-1]

    def next(self) -> list[Commit]:
        """A commit for each table, the same each time but for its place in the log."""
        self._newest = {name: self._following(commit) for name, commit in self._newest.items()}
        return list(self._newest.values())

    def _following(self, commit: Commit) -> Commit:
        before = commit.entry
        made = entry(before.link, before.position + 1, self.store.now(), before.event, before.state)
        return replace(commit, entry=made, before=before.link)


async def together(store: Store, wanted: list[Commit]) -> list[bool]:
    return await asyncio.gather(*map(store.commit, wanted))


async def one_by_one(store: Store, wanted: list[Commit]) -> list[bool]:
    return [await store.commit(commit) for commit in wanted]


def on_sqlite(tables: int = TABLES) -> Contest:
    stage = Stage()
    store = stage.do(stage.kept(SqliteStore.open(stage.folder / "tables.db")))
    return _contest("SQLite", _contestants(Logs(stage, store, tables)), (), tables, stage.close)


def on_postgresql(tables: int = TABLES) -> Contest:
    try:
        from turnstile.store.postgres import PostgresStore

        server = Server()
    except (ImportError, CannotStart) as fault:
        why = f"PostgreSQL could not be started ({fault}); pip install 'turnstile[dev]' brings one."
        return _contest("PostgreSQL", (), [Absent(name, why) for name in ("together", "one by one")], tables)
    stage = Stage()

    def close() -> None:
        stage.close()
        server.close()

    server.start()
    store = stage.do(stage.kept(PostgresStore.open(server.dsn)))
    return _contest("PostgreSQL", _contestants(Logs(stage, store, tables)), (), tables, close)


def _contest(
    where: str,
    contestants: tuple[Contestant, ...],
    absent: Sequence[Absent],
    tables: int,
    close: Callable[[], None] = lambda: None,
) -> Contest:
    return Contest(
        name=f"commits on {where}".lower(),
        title=f"Durable commits on {where}, one for each of {tables} tables",
        unit="commit",
        units=tables,
        baseline="together",
        contestants=contestants,
        absent=absent,
        aims=(
            Aim(contestant="one by one", sentence="one by one takes at least 3 times as long as together", at_least=3),
        ),
        gauge=WALL,
        rounds=ROUNDS,
        close=close,
    )


def _contestants(logs: Logs) -> tuple[Contestant, ...]:
    return (
        _contestant("together", "all of them asked for at once: they share transactions and syncs", together, logs),
        _contestant("one by one", "a transaction and a sync for every commit", one_by_one, logs),
    )


def _contestant(name: str, about: str, way: Way, logs: Logs) -> Contestant:
    def trail() -> Iterator[object]:
        yield from logs.stage.do(_done(way, logs.store, logs.next()))

    def prepare() -> Run:
        wanted = logs.next()
        return lambda: logs.stage.do(_done(way, logs.store, wanted))

    return Contestant(name=name, about=about, trail=trail, prepare=prepare)


async def _done(way: Way, store: Store, wanted: list[Commit]) -> list[bool]:
    added = await way(store, wanted)
    assert all(added), "each has the position after the one before"
    return added
