"""What an open match takes in a host's memory: tables of every game, after a few moves each.

A host on a file of SQLite reads them all, with nobody listening. `objects` counts what Python was asked for, `resident`
what the process has grown by, the store and its cache included.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from bench import endless
from bench.gauges import RESIDENT, TRACED, Gauge
from bench.harness import Contest, Contestant, Run
from bench.hosting import Stage
from bench.tables import Wanted, store_all
from turnstile.kernel import AnyGame
from turnstile.registry import find_game, lent, names
from turnstile.store.log import TableId
from turnstile.store.sqlite import SqliteStore

MOVES = 4
TRACED_AT_MOST = 1_000  # tables: Python is slow when it writes down what it is asked for


def objects(tables: int) -> Contest:
    return _contest("memory", TRACED, min(tables, TRACED_AT_MOST))


def resident(tables: int) -> Contest:
    return _contest("resident memory", RESIDENT, tables)


def _contest(name: str, gauge: Gauge, tables: int) -> Contest:
    rest = ExitStack()
    rest.enter_context(lent(endless.game))
    return Contest(
        name=name,
        title=f"{tables:,} open matches in a host, {MOVES} moves each",
        unit="table",
        units=tables,
        baseline=endless.game.name,
        contestants=[_contestant(rest, game, tables) for game in _games()],
        gauge=gauge,
        rounds=1,
        close=rest.close,
    )


def _games() -> Iterator[AnyGame]:
    yield endless.game
    for name in names():
        if name != endless.game.name and (game := find_game(name)):
            yield game


def _contestant(rest: ExitStack, game: AnyGame, tables: int) -> Contestant:
    wanted = [Wanted(f"table {number}", MOVES) for number in range(tables)]
    folders: list[Path] = []
    serving = rest.enter_context(ExitStack())  # the host of the run before, until the next one is prepared

    def folder() -> Path:
        if not folders:
            stage = Stage()
            rest.callback(stage.close)
            stage.do(_stored(stage, game, wanted))
            stage.clear()
            folders.append(stage.folder)
        return folders[0]

    def prepare() -> Run:
        serving.close()
        where = folder()

        def run() -> int:
            stage = Stage(where)
            serving.callback(stage.close)
            return stage.do(_loaded(stage, wanted))

        return run

    def trail() -> Iterator[int]:
        yield tables

    about = "a game with next to no state" if game is endless.game else game.title
    return Contestant(name=game.name, about=about, trail=trail, prepare=prepare)


async def _stored(stage: Stage, game: AnyGame, wanted: list[Wanted]) -> None:
    store = await stage.kept(SqliteStore.open(stage.folder / "tables.db"))
    await store_all(store, game, wanted)


async def _loaded(stage: Stage, wanted: list[Wanted]) -> int:
    """A host with all of these in memory."""
    host = await stage.serve(await stage.kept(SqliteStore.open(stage.folder / "tables.db")))
    for one in wanted:
        assert await host.pass_gate(TableId(one.name)), "it is somebody's turn, so there is no gate to pass"
    return len(wanted)
