"""The real thing: servers killed with SIGKILL, or paused, under load. No client's history contradicts the log."""

import asyncio
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

import pytest

from tests import postgres
from tests.server.processes import ServerProcess, round_robin, several
from tools.history import check
from tools.random_players import RandomPlayer
from turnstile.client import Client, Player
from turnstile.registry import names
from turnstile.store.opening import open_store

FEW_KILLS, MANY_KILLS = 4, 20
PROCESSES = 3
TABLES = 2  # of every game

Trouble = Callable[[ServerProcess], Awaitable[None]]


async def register(client: Client) -> list[tuple[Player, Player]]:
    """Two players for each table."""
    return [(await client.register("Ana"), await client.register("Bo")) for _ in range(TABLES * len(names()))]


async def seat_players(pairs: list[tuple[Player, Player]], round_: int) -> list[RandomPlayer]:
    """Every pair at a table of its own, several tables for every game, and the matches have started."""
    players = []
    for (ana, bo), game in zip(pairs, names() * TABLES, strict=True):
        table = await ana.create_table(game)
        await bo.join(table)
        await ana.start(table)
        players += [RandomPlayer(each, table, (round_, each.name, game)) for each in (ana, bo)]
    return players


async def until_told(players: list[RandomPlayer], more: int, playing: "asyncio.Future[list[None]]") -> None:
    """Until so many more updates have arrived, or all matches are over."""
    wanted = sum(len(player.history.turns) for player in players) + more
    while sum(len(player.history.turns) for player in players) < wanted and not playing.done():
        await asyncio.sleep(0.001)


async def play_through(url: str, store: str, kills: int, trouble: Trouble, servers: list[ServerProcess]) -> None:
    """Play while there is trouble, play on to the end, stop cleanly, and check every history."""
    chance, left, everyone = Random(kills), kills, list[RandomPlayer]()
    async with Client(url) as client:
        pairs = await register(client)
        while left:
            players = await seat_players(pairs, left)
            everyone += players
            playing = asyncio.gather(*(player.play() for player in players))
            while left and not playing.done():
                await until_told(players, chance.randrange(1, 120), playing)
                if not playing.done():
                    await trouble(chance.choice(servers))
                    left -= 1
            await playing
    assert all(player.is_over for player in everyone)
    assert sum(player.connections for player in everyone) > len(everyone), "nothing has broken"
    for server in servers:
        await server.stop()
    kept = await open_store(store)
    moves = await check(kept, [player.history for player in everyone])
    await kept.close()
    assert moves.accepted > 100


async def kill(server: ServerProcess) -> None:
    await server.kill()
    await server.start()


@pytest.fixture
def kills(torture: bool) -> int:
    return MANY_KILLS if torture else FEW_KILLS


def test_a_server_killed_again_and_again_under_load_loses_nothing_on_sqlite(tmp_path: Path, kills: int) -> None:
    async def main() -> None:
        store = str(tmp_path / "turnstile.db")
        async with ServerProcess(store) as server:
            await play_through(server.url, store, kills, kill, [server])

    asyncio.run(main())


def test_a_server_killed_again_and_again_under_load_loses_nothing_on_postgresql(kills: int) -> None:
    async def main(store: str) -> None:
        async with ServerProcess(store) as server:
            await play_through(server.url, store, kills, kill, [server])

    with postgres.running() as database:
        asyncio.run(main(database.dsn))


def test_C17_three_servers_behind_a_proxy_are_killed_and_paused_and_lose_nothing(kills: int) -> None:
    async def main(store: str) -> None:
        troubles = 0

        async def trouble(server: ServerProcess) -> None:
            nonlocal troubles
            troubles += 1
            if troubles % 2:
                return await kill(server)
            server.signal(signal.SIGSTOP)  # T8: it wakes with everything it knows out of date
            await asyncio.sleep(3.0)
            server.signal(signal.SIGCONT)
            return None

        async with several(PROCESSES, store) as servers, round_robin(servers) as url:
            await play_through(url, store, kills, trouble, servers)

    with postgres.running() as database:
        asyncio.run(main(database.dsn))
