"""One run: start a server, seat players, let them play for a while, stop, and check what they saw."""

import asyncio
import gc
import os
import time
from contextlib import AsyncExitStack

import msgspec

from bench.server.disturbance import disturbing
from bench.server.figures import Delays, Figures
from bench.server.load import FixedRate, Load, loaded, some_of
from bench.server.processes import CLIENT_CORE, UNLIMITED, Servers, cpu_seconds, serving, store_of
from bench.server.witness import witness_of
from tools.history import check
from turnstile.store.opening import open_store

WARM_UP = 1.0  # seconds of play before anything is measured
FEWEST_MOVES = 20  # that are measured: on a slow machine this may take longer than was asked for
LONGEST_WAIT = 60.0  # seconds for those


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What a run does. `rate`: moves a second; 0 is as fast as it goes."""

    store: str = "sqlite"
    processes: int = 1
    game: str = "e-card"
    tables: int = 50
    players: int = 2
    seconds: float = 10.0
    rate: float = 0.0
    abuser_rate: float = 0.0
    watchers: int = 0
    most_checked: int = 200

    @property
    def disturbance(self) -> str:
        parts = [f"abuser {self.abuser_rate:g}/s"] if self.abuser_rate else []
        parts += [f"{self.watchers} slow watchers"] if self.watchers else []
        return f"({', '.join(parts)})" if parts else ""


class Window(msgspec.Struct):
    """What has been used between two moments."""

    seconds: float
    moves: int
    server: float
    database: float
    clients: float


async def run(plan: Plan) -> Figures:
    """The figures of a run. Raises `Contradiction` if a client saw what the log does not say."""
    os.sched_setaffinity(0, {CLIENT_CORE})
    async with store_of(plan.store) as (store, database):
        limits = () if plan.abuser_rate else UNLIMITED
        async with serving(store, plan.processes, database, *limits) as servers:
            load, figures, since = await _measure(plan, servers, store)
        histories = some_of(load.histories, plan.most_checked)
        kept = await open_store(store)
        moves = await check(kept, histories, since)
        await kept.close()
    figures.to_mover, figures.to_others = Delays.of(moves.to_mover), Delays.of(moves.to_others)
    figures.checked_tables = len({history.table for history in histories})
    figures.checked_updates = moves.updates
    figures.checked_samples = sum(len(history.samples) for history in histories)
    return figures


async def _measure(plan: Plan, servers: Servers, store: str) -> tuple[Load, Figures, float]:
    pace = {"pace": FixedRate(plan.rate)} if plan.rate else {}
    async with AsyncExitStack() as stack:
        load = Load(servers.urls, **pace, witness=await stack.enter_async_context(witness_of(plan.store, store)))
        empty = servers.memory()
        await load.seat(plan.game, plan.tables, plan.players, stack)
        seated = servers.memory()
        gc.collect()
        gc.freeze()
        gc.disable()
        async with loaded(load):
            connected = servers.memory()
            tables = [player.matches[-1].table for player in load.players]
            async with disturbing(servers.urls[0], tables, plan.abuser_rate, plan.watchers) as abuser:
                load.let_move()
                await asyncio.sleep(WARM_UP)
                since = time.perf_counter()
                window = await _window(plan, servers, load)
            played = servers.memory()
        gc.enable()
    connections = plan.tables * plan.players
    moves = max(1, window.moves)
    figures = Figures(
        contestant=plan.store,
        processes=plan.processes,
        tables=plan.tables,
        players=plan.players,
        seconds=window.seconds,
        moves=window.moves,
        moves_per_second=window.moves / window.seconds,
        to_mover=None,
        to_others=None,
        server_cpu=1000 * window.server / moves,
        database_cpu=1000 * window.database / moves,
        server_load=(window.server + window.database) / window.seconds,
        client_load=window.clients / window.seconds,
        memory_per_table=(connected - empty) / plan.tables / 1000,
        memory_per_table_in_play=(played - empty) / plan.tables / 1000,
        memory_per_connection=(connected - seated) / connections / 1000,
        matches=load.finished // plan.players,
        refusals=dict(load.refusals),
        disturbance=plan.disturbance,
        abuser_sent=0 if abuser is None else abuser.sent,
        abuser_closed=0 if abuser is None else abuser.closed,
    )
    return load, figures, since


async def _window(plan: Plan, servers: Servers, load: Load) -> Window:
    def now() -> Window:
        own = cpu_seconds([os.getpid()])
        return Window(time.perf_counter(), load.accepted, servers.cpu(), servers.database_cpu(), own)

    before = now()
    await asyncio.sleep(plan.seconds)
    async with asyncio.timeout(LONGEST_WAIT):
        while load.accepted < before.moves + FEWEST_MOVES:
            await asyncio.sleep(0.1)
    after = now()
    pairs = [getattr(after, name) - getattr(before, name) for name in Window.__struct_fields__]
    return Window(*pairs)
