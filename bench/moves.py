"""Moves through a host on SQLite, while more and more other matches are open: what one costs must not grow.

Ten players move at once, whatever the number of tables: they go from table to table, so that all are in use. All tables
are in memory.
"""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack

from msgspec import Raw

from bench import endless
from bench.harness import Aim, Contest, Contestant, Run
from bench.hosting import Stage
from bench.tables import ADMIN, Wanted, store_all
from turnstile.host import Host
from turnstile.kernel import encode
from turnstile.kernel.values import Instant, LogId
from turnstile.registry import lent
from turnstile.store.sqlite import SqliteStore
from turnstile.table.values import Accepted, Act

MOVES = 500
PLAYERS = 10
ROUNDS = 15
NOW = Instant(0)  # the host puts in when a command came
COUNT = Raw(encode(endless.Count(ADMIN)))


def contest(tables: int) -> Contest:
    sizes = [*(size for size in (10, 100, 1_000) if size < tables), tables]
    rest = ExitStack()
    rest.enter_context(lent(endless.game))
    return Contest(
        name="moves",
        title="Moves through a host on SQLite, with so many matches open",
        unit="move",
        units=MOVES,
        baseline=_named(sizes[0]),
        contestants=[_contestant(rest, size) for size in sizes],
        aims=(
            Aim(
                contestant=_named(sizes[-1]),
                sentence=f"a move costs as much with {sizes[-1]:,} open matches as with {sizes[0]}",
                at_most=1.2,
            ),
        ),
        rounds=ROUNDS,
        close=rest.close,
    )


class Playing:
    """A host with so many tables in memory, and how many moves were made there. It stands still between two runs."""

    def __init__(self, size: int) -> None:
        self.stage = Stage()
        self.names = [LogId(f"table {number}") for number in range(size)]
        self.made = 0
        self.host = self.stage.do(self._host(size))

    async def _host(self, size: int) -> Host:
        store = await self.stage.kept(SqliteStore.open(self.stage.folder / f"{size}.db"))
        await store_all(store, endless.game, [Wanted(name, 1) for name in self.names])
        host = await self.stage.serve(store)
        for name in self.names:
            await host.pass_gate(name)  # which changes nothing, but brings the table into memory
        return host

    def moves(self) -> int:
        """All the moves of a run; how many were accepted."""
        return self.stage.do(self._moves())

    async def _moves(self) -> int:
        numbers = iter(range(self.made, self.made + MOVES))
        self.made += MOVES
        return sum(await asyncio.gather(*(self._play(numbers) for _ in range(PLAYERS))))

    async def _play(self, numbers: Iterator[int]) -> int:
        accepted = 0
        for number in numbers:
            command = Act(ADMIN, f"bench {number}", NOW, COUNT)
            answer = await self.host.submit(self.names[number % len(self.names)], command)
            assert isinstance(answer, Accepted), answer
            accepted += 1
        return accepted


def _contestant(rest: ExitStack, size: int) -> Contestant:
    made: list[Playing] = []

    def playing() -> Playing:
        if not made:
            made.append(Playing(size))
            rest.callback(made[0].stage.close)
        return made[0]

    def trail() -> Iterator[int]:
        yield playing().moves()

    def prepare() -> Run:
        return playing().moves

    return Contestant(name=_named(size), about=f"{size:,} open matches", trail=trail, prepare=prepare)


def _named(size: int) -> str:
    return f"{size:,} matches"
