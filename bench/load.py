"""`python -m bench.load`: many tables at one host, each seat with a reader that acknowledges every update and moves.

The whole way of a move is paid for, without a network: command, decision, commit, updates to every seat, and their
acknowledgements. CPU is that of the process, without the time in which readers decode updates and choose moves. A
second pass with the same matches counts what the first was not slowed down by: loop callbacks, store operations,
machine steps and views.
"""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context
from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import click
import msgspec
from msgspec import Raw

from turnstile.host import Host, Refused, Update
from turnstile.kernel import AnyGame, Machine, PlayerId, Seed
from turnstile.kernel.values import Instant, LogId, encode
from turnstile.net.serving import collect_garbage_rarely, new_event_loop
from turnstile.registry import find_game, names
from turnstile.store.memory import MemoryStore
from turnstile.store.opening import open_store
from turnstile.store.protocol import Store
from turnstile.table.values import Accepted, Act, Header, Join, Settings, Start

NOW = Instant(0)  # the host dates every command
PARTS = 4  # of a match, for the curve of cost over its length
COUNTED = ("commit", "acknowledge", "entries", "load", "row", "cursors", "positions", "find", "snapshot", "claim")


class Figures(msgspec.Struct):
    """What a run cost, per move."""

    game: str
    players: int
    tables: int
    store: str
    moves: int
    cpu_us: float
    wall_us: float
    updates: float
    bytes: float
    cpu_us_by_part: list[float]
    """In the first quarter of all moves, and so on."""
    bytes_by_part: list[float]
    counts: dict[str, float]


class Load:
    """The matches of one run, and what was seen of them."""

    def __init__(self, host: Host, game: AnyGame, players: int, tables: int, seed: int) -> None:
        self._host, self._game, self._seed = host, game, seed
        self._players = tuple(PlayerId(f"player {number}") for number in range(players))
        self._tables = [LogId(f"table {number}") for number in range(tables)]
        self.moves = self.updates = self.bytes = 0
        self.reading = 0.0
        """Seconds of CPU that the readers have spent."""
        self.marks: list[tuple[int, float, float, int]] = []
        """Moves, CPU of the process, CPU of the readers and bytes, whenever every table has moved about once."""

    async def seat(self) -> None:
        """Every table up to the moment before its match starts."""
        await asyncio.gather(*map(self._seat, self._tables))

    async def _seat(self, table: LogId) -> None:
        game, admin = self._game, self._players[0]
        settings = Settings(spectators=False)
        header = Header(table, game.name, game.version, Raw(b"{}"), admin, NOW, settings)
        assert await self._host.open(header) == table
        for player in self._players:
            assert isinstance(await self._host.submit(table, Join(player, "join", NOW)), Accepted)

    async def play(self) -> None:
        """All matches, from the start to their ends."""
        self._mark()
        await asyncio.gather(*(self._read(table, player) for table in self._tables for player in self._players))
        self._mark()

    async def _read(self, table: LogId, player: PlayerId) -> None:
        """One seat: acknowledge every update, and move when there is something to choose."""
        host, chance = self._host, Random(f"{self._seed} {table} {player}")
        line = await host.attach(table, player)
        assert not isinstance(line, Refused), line
        if player == self._players[0]:
            start = Start(player, "start", NOW, Seed(f"{self._seed} {table}"))
            assert isinstance(await host.submit(table, start), Accepted)
        number = 0
        async for item in line:
            if not isinstance(item, Update):
                continue
            self.updates += 1
            self.bytes += len(item.body)
            began = time.thread_time()
            update = msgspec.json.decode(item.body)
            actions = update["actions"]
            is_over = any(message["type"] == "MatchEnded" for message in update["messages"])
            move = Raw(encode(chance.choice(actions))) if actions else None
            self.reading += time.thread_time() - began
            assert await host.acknowledge(table, player, item.seq) is None
            if is_over:
                break
            if move is not None and item.seq == line.newest():
                number += 1
                answer = await host.submit(table, Act(player, f"move {number}", NOW, move, item.seq))
                if isinstance(answer, Accepted):
                    self._count_move()
        host.detach(line)

    def _count_move(self) -> None:
        self.moves += 1
        if self.moves % len(self._tables) == 0:
            self._mark()

    def _mark(self) -> None:
        self.marks.append((self.moves, time.process_time(), self.reading, self.bytes))


# counts


@contextmanager
def counting(counts: Counter[str], store: Store, game: AnyGame) -> Iterator[None]:
    """Count store operations, machine steps, views and lists of actions while this context is open."""
    undo: list[Callable[[], None]] = []

    def count(owner: Any, name: str, label: str) -> None:
        replace = setattr if isinstance(owner, type) else object.__setattr__  # a game is frozen
        real = getattr(owner, name)

        def counted(*args: Any, **kwargs: Any) -> Any:
            counts[label] += 1
            return real(*args, **kwargs)

        replace(owner, name, counted)
        undo.append(lambda: replace(owner, name, real))

    for name in COUNTED:
        count(store, name, f"store.{name}")
    for name in ("step", "apply"):
        count(Machine, name, f"machine.{name}")
    for name in ("view", "actions"):
        count(game, name, f"game.{name}")
    try:
        yield
    finally:
        for each in reversed(undo):
            each()


class CountingLoop(asyncio.SelectorEventLoop):
    """Counts its callbacks."""

    callbacks = 0

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        self.callbacks += 1
        return super().call_soon(callback, *args, context=context)


# a run


async def run_load(
    where: str, game: AnyGame, players: int, tables: int, seed: int, counts: Counter[str] | None
) -> Load:
    store: Store = MemoryStore(lambda: time.time_ns() // 1_000_000) if where == "memory" else await open_store(where)
    try:
        async with Host(store, chance=Random(seed)).serving() as host:
            load = Load(host, game, players, tables, seed)
            await load.seat()
            if counts is None:
                await load.play()
                return load
            loop = asyncio.get_running_loop()
            assert isinstance(loop, CountingLoop)
            loop.callbacks = 0
            with counting(counts, store, game):
                await load.play()
            counts["loop callbacks"] = loop.callbacks
            return load
    finally:
        await store.close()


def measure(game: AnyGame, players: int, tables: int, kind: str, seed: int) -> Figures:
    """One run for the times, and the same again for the counts."""

    collect_garbage_rarely()  # as every server does

    def run(number: int, counts: Counter[str] | None) -> tuple[Load, float]:
        with TemporaryDirectory(prefix="turnstile-load-") as folder:
            where = str(Path(folder) / "load.db") if kind == "sqlite" else kind
            if kind.startswith("postgres"):
                where += f"{'&' if '?' in kind else '?'}schema=load_{number}_{time.time_ns()}"
            began = time.perf_counter()
            with asyncio.Runner(loop_factory=new_event_loop if counts is None else CountingLoop) as runner:
                load = runner.run(run_load(where, game, players, tables, seed, counts))
            return load, time.perf_counter() - began

    load, wall = run(1, None)
    counts: Counter[str] = Counter()
    counted, _ = run(2, counts)
    first, last = load.marks[0], load.marks[-1]
    cpu = (last[1] - first[1]) - (last[2] - first[2])
    return Figures(
        game=game.name,
        players=players,
        tables=tables,
        store=kind.partition("://")[0],
        moves=load.moves,
        cpu_us=cpu / load.moves * 1e6,
        wall_us=wall / load.moves * 1e6,
        updates=load.updates / load.moves,
        bytes=load.bytes / load.moves,
        cpu_us_by_part=[(b[1] - a[1] - b[2] + a[2]) / (b[0] - a[0]) * 1e6 for a, b in _parts(load)],
        bytes_by_part=[(b[3] - a[3]) / (b[0] - a[0]) for a, b in _parts(load)],
        counts={name: number / counted.moves for name, number in sorted(counts.items())},
    )


def _parts(load: Load) -> Iterator[tuple[tuple[int, float, float, int], tuple[int, float, float, int]]]:
    """The marks at the ends of each part of the run."""
    marks = [load.marks[number * (len(load.marks) - 1) // PARTS] for number in range(PARTS + 1)]
    return ((a, b) for a, b in pairwise(marks) if b[0] > a[0])


def show(figures: Figures) -> str:
    parts = ", ".join(f"{each:,.0f}" for each in figures.cpu_us_by_part)
    sizes = ", ".join(f"{each:,.0f}" for each in figures.bytes_by_part)
    lines = [
        f"{figures.game}: {figures.players} players, {figures.tables} tables, {figures.store}, {figures.moves:,} moves",
        f"  {figures.cpu_us:,.0f} us CPU a move ({figures.wall_us:,.0f} us wall), by quarters of the match: {parts}",
        f"  {figures.updates:.1f} updates and {figures.bytes:,.0f} bytes a move, by quarters: {sizes}",
        *(f"  {number:8.2f} {name}" for name, number in figures.counts.items()),
    ]
    return "\n".join(lines)


@click.command()
@click.option("--game", "name", type=click.Choice(names()), default="e-card", show_default=True)
@click.option("--players", type=click.IntRange(1), help="The fewest that can play, by default.")
@click.option("--tables", type=click.IntRange(1), default=200, show_default=True)
@click.option("--store", default="sqlite", show_default=True, help="sqlite, memory, or a postgresql:// address.")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--json", "is_json", is_flag=True, help="Print JSON.")
def main(name: str, players: int | None, tables: int, store: str, seed: int, is_json: bool) -> None:
    """What a move costs at a host with many tables: CPU, bytes, and counts of what is done for it.

    \b
    Examples:
      python -m bench.load
      python -m bench.load --game up-down --players 4 --tables 30
      python -m bench.load --store postgresql://user@host/database --tables 100
    """
    game = find_game(name)
    assert game is not None
    figures = measure(game, players or game.seats[0], tables, store, seed)
    click.echo(msgspec.json.encode(figures) if is_json else show(figures))


if __name__ == "__main__":
    sys.exit(main())
