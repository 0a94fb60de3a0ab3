"""Tables in the middle of a match, made without a host: which commands they had, and how they are stored in bulk."""

import asyncio
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

import click
from msgspec import Raw

from turnstile.durable.log import begin, draft
from turnstile.host.logs import TABLES, TableEvent
from turnstile.kernel import AnyGame, PlayerId, Rejection, Seed, encode
from turnstile.kernel.values import Instant, LogId
from turnstile.store.log import Entry
from turnstile.store.protocol import Commit, Row, Store
from turnstile.table.machine import Table, table
from turnstile.table.play import thinking
from turnstile.table.sight import bot_of, is_open
from turnstile.table.values import Acknowledge, Act, AddBot, Clock, Header, Join, Phase, Settings, Start

ADMIN = PlayerId("player 1")
AT_ONCE = 500  # tables that are stored in one go
TELL_EVERY = 2_000  # tables


class Wanted(NamedTuple):
    """A table as it is to be: how many moves it has had, and who sits there."""

    name: str
    moves: int
    clock: Clock | None = None
    with_bot: bool = False
    """Whether the last seat is a bot's, which makes no move: it is what the table waits for."""


def header(game: AnyGame, wanted: Wanted, at: Instant) -> Header:
    settings = Settings(clock=wanted.clock)
    return Header(LogId(wanted.name), game.name, game.version, Raw(b"{}"), ADMIN, at, settings)


def history(game: AnyGame, state: Table, wanted: Wanted) -> Iterator[tuple[TableEvent, Table]]:
    """What happens at the table, and where that leads: the smallest company, random moves, acknowledged at once."""
    event: TableEvent
    for event in _seating(game, state.now, wanted):
        state = _after(state, event)
        yield event, state
    rng, moves = Random(7), 0
    while is_open(state):
        if state.phase is Phase.PLAYING:
            able = [player for player in thinking(game, state) if not bot_of(state, player)]
            if moves == wanted.moves or not able:
                return
            moves += 1
            move = Raw(encode(rng.choice(game.actions(state.match, able[0]))))
            event = Act(able[0], f"move {moves}", state.now, move, state.told[able[0]])
        else:
            event = Acknowledge(state.now, state.told)
        state = _after(state, event)
        yield event, state


def _seating(game: AnyGame, now: Instant, wanted: Wanted) -> Iterator[TableEvent]:
    *others, last = [PlayerId(f"player {seat}") for seat in range(1, game.seats[0] + 1)]
    for player in others:
        yield Join(player, "join", now)
    yield AddBot(ADMIN, "bot", now, last, PlayerId("random")) if wanted.with_bot else Join(last, "join", now)
    yield Start(ADMIN, "start", now, Seed("the seed of a bench"))


def _after(state: Table, event: TableEvent) -> Table:
    after = table.apply(state, event)
    assert not isinstance(after, Rejection), after
    return after


class Log(NamedTuple):
    """All that is stored of a table, from its header on."""

    header: Entry
    row: Row
    commits: list[Commit]


def log_of(game: AnyGame, wanted: Wanted, at: Instant) -> Log:
    settled = header(game, wanted, at)
    made, kept = begin(TABLES, settled.table, encode(settled), settled.at)
    row, commits = TABLES.row(kept.state), list[Commit]()
    for event, after in history(game, kept.state, wanted):
        commit, kept = draft(TABLES, settled.table, kept, event, event.at, after)
        commits.append(commit)
    return Log(made, row, commits)


async def store_log(store: Store, name: str, log: Log) -> None:
    assert await store.create(LogId(name), log.header, log.row)
    for commit in log.commits:
        assert await store.commit(commit)


async def store_all(store: Store, game: AnyGame, wanted: Sequence[Wanted]) -> None:
    """These tables with their whole logs. Where there are many, it says how far it is."""
    for done in range(0, len(wanted), AT_ONCE):
        if done and done % TELL_EVERY == 0:
            click.echo(f"  {done:,} of {len(wanted):,} tables of {game.title} are stored ...", err=True)
        some = wanted[done : done + AT_ONCE]
        await asyncio.gather(*(store_log(store, one.name, log_of(game, one, store.now())) for one in some))
