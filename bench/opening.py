"""Opening a table that nobody has in memory: after ten moves, after ten thousand, and when most is to be read.

A host begins at the newest snapshot, so what it reads does not grow with the match. The long match is a few moves short
of its round number, so that as much follows its last snapshot as there is in the short one; the third
has the longest way from a snapshot that there can be.
"""

from collections.abc import Iterator
from contextlib import ExitStack

from bench import endless
from bench.harness import Aim, Contest, Contestant, Run
from bench.hosting import Stage
from bench.tables import Wanted, store_all
from turnstile.host.logs import SNAPSHOT_EVERY
from turnstile.kernel.values import LogId
from turnstile.registry import lent
from turnstile.store.sqlite import SqliteStore

FEW = 10
BEFORE_MOVES = 4  # entries: two sit down, the match starts, both acknowledge that
MOST = SNAPSHOT_EVERY - 1 - BEFORE_MOVES
MANY = 10_000
TABLES = 5
ROUNDS = 50


def contest(many: int = MANY) -> Contest:
    rest, stage = ExitStack(), Stage()
    rest.enter_context(lent(endless.game))
    rest.callback(stage.close)
    store = stage.do(stage.kept(SqliteStore.open(stage.folder / "tables.db")))
    many = max(many, 2 * SNAPSHOT_EVERY)
    many -= (many - FEW) % SNAPSHOT_EVERY
    sizes = (FEW, many, MOST)
    for moves in sizes:
        wanted = [Wanted(f"{moves} {number}", moves) for number in range(TABLES)]
        stage.do(store_all(store, endless.game, wanted))
    return Contest(
        name="opening",
        title="Opening a table from SQLite",
        unit="table",
        units=TABLES,
        baseline=_named(FEW),
        contestants=[_contestant(stage, store, moves) for moves in sizes],
        aims=(
            Aim(
                contestant=_named(many),
                sentence=f"a table opens as fast after {many:,} moves as after {FEW}",
                at_most=1.2,
            ),
        ),
        rounds=ROUNDS,
        close=rest.close,
    )


def _contestant(stage: Stage, store: SqliteStore, moves: int) -> Contestant:
    names = [LogId(f"{moves} {number}") for number in range(TABLES)]

    def prepare() -> Run:
        host = stage.do(stage.serve(store))

        async def open_all() -> int:
            for name in names:
                await host.pass_gate(name)
            return len(names)

        return lambda: stage.do(open_all())

    def trail() -> Iterator[object]:
        yield prepare()()

    return Contestant(name=_named(moves), about=f"tables after {moves:,} moves", trail=trail, prepare=prepare)


def _named(moves: int) -> str:
    return f"{moves:,} moves"
