"""What an open match takes in a host's memory: tables of every game, after a few moves each.

A host on a file of SQLite reads them all, with nobody listening. `objects` counts what Python was asked for, `resident`
what the process has grown by, the store and its cache included.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from bench import endless
from bench.gauges import RESIDENT, TRACED, Gauge, in_a_fork
from bench.harness import Contest, Contestant, Run
from bench.hosting import Stage
from bench.moves import COUNT
from bench.tables import ADMIN, AT_ONCE, Wanted, store_all
from turnstile.host import Host
from turnstile.host.live import RECENT
from turnstile.kernel import AnyGame
from turnstile.kernel.values import Instant, LogId
from turnstile.registry import find_game, lent, names
from turnstile.store.sqlite import SqliteStore
from turnstile.table.values import Accepted, Act

MOVES = 4
TRACED_AT_MOST = 1_000  # tables: Python is slow when it writes down what it is asked for

Hold = Callable[[Stage, list[Wanted]], Awaitable[Host]]


def objects(tables: int) -> Contest:
    tables, rest = min(tables, TRACED_AT_MOST), _with_endless()
    return _contest("memory", TRACED, tables, rest, _played_here(rest, tables))


def resident(tables: int) -> Contest:
    return _contest("resident memory", RESIDENT, tables, _with_endless())


def _contest(name: str, gauge: Gauge, tables: int, rest: ExitStack, *others: Contestant) -> Contest:
    return Contest(
        name=name,
        title=f"{tables:,} open matches in a host, {MOVES} moves each",
        unit="table",
        units=tables,
        baseline=endless.game.name,
        contestants=[*(_contestant(rest, game, tables) for game in _games()), *others],
        gauge=gauge,
        rounds=1,
        close=rest.close,
    )


def _with_endless() -> ExitStack:
    """What ends with the contest; the loan of the endless game ends last."""
    rest = ExitStack()
    rest.enter_context(lent(endless.game))
    return rest


def _games() -> Iterator[AnyGame]:
    yield endless.game
    for name in names():
        if name != endless.game.name and (game := find_game(name)):
            yield game


def _contestant(rest: ExitStack, game: AnyGame, tables: int) -> Contestant:
    about = "a game with next to no state" if game is endless.game else game.title
    return _holding(rest, game, tables, game.name, about, _loaded)


def _played_here(rest: ExitStack, tables: int) -> Contestant:
    about = f"the same after {RECENT} moves in this host, with nobody listening"
    return _holding(rest, endless.game, tables, "counting, played", about, _played)


def _holding(rest: ExitStack, game: AnyGame, tables: int, name: str, about: str, hold: Hold) -> Contestant:
    """What a host takes that holds these tables."""
    wanted = [Wanted(f"table {number}", MOVES) for number in range(tables)]
    folders: list[Path] = []
    serving = rest.enter_context(ExitStack())  # the host of the run before, until the next one is prepared

    def folder() -> Path:
        if not folders:
            stage = Stage()
            rest.callback(stage.close)
            in_a_fork(lambda: stage.do(_stored(stage, game, wanted)))  # what that takes shall not do for the runs
            folders.append(stage.folder)
        return folders[0]

    def prepare() -> Run:
        serving.close()
        where = folder()

        def run() -> int:
            stage = Stage(where)
            serving.callback(stage.close)
            return stage.do(_held(hold, stage, wanted))

        return run

    def trail() -> Iterator[int]:
        yield tables

    return Contestant(name=name, about=about, trail=trail, prepare=prepare)


async def _stored(stage: Stage, game: AnyGame, wanted: list[Wanted]) -> None:
    store = await SqliteStore.open(stage.folder / "tables.db")
    await store_all(store, game, wanted)
    await store.close()


async def _held(hold: Hold, stage: Stage, wanted: list[Wanted]) -> int:
    await hold(stage, wanted)
    return len(wanted)


async def _loaded(stage: Stage, wanted: list[Wanted]) -> Host:
    """A host with all of these in memory."""
    host = await stage.serve(await stage.kept(SqliteStore.open(stage.folder / "tables.db")))
    for one in wanted:
        await host.pass_gate(LogId(one.name))
    return host


async def _played(stage: Stage, wanted: list[Wanted]) -> Host:
    """A host in which all of these were played on. Each run plays on where the one before has stopped."""
    host = await _loaded(stage, wanted)
    begun = host.store.now()
    for done in range(0, len(wanted), AT_ONCE):
        await asyncio.gather(*(_play(host, LogId(one.name), begun) for one in wanted[done : done + AT_ONCE]))
    return host


async def _play(host: Host, name: LogId, begun: Instant) -> None:
    for number in range(RECENT):
        answer = await host.submit(name, Act(ADMIN, f"{begun} {number}", begun, COUNT))
        assert isinstance(answer, Accepted), answer
