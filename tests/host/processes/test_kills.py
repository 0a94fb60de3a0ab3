"""The real thing: hosts killed with SIGKILL under load. Every match ends, and no history contradicts the log."""

import asyncio
import signal
from pathlib import Path
from random import Random

from tests.host.processes.clients import Client
from tests.host.processes.history import check
from tests.host.processes.hosts import HostProcess, set_up
from turnstile.kernel.values import LogId, PlayerId
from turnstile.registry import names
from turnstile.store.sqlite.store import SqliteStore

KILLS = 8
PLAYERS = [PlayerId("ana"), PlayerId("bo")]


def tables_of_every_game(count: int) -> dict[LogId, str]:
    return {LogId(f"{game} {number}"): game for game in names() for number in range(count)}


def test_a_host_killed_again_and_again_loses_nothing_on_sqlite(tmp_path: Path) -> None:
    asyncio.run(_killed_again_and_again(tmp_path))


async def _killed_again_and_again(folder: Path) -> None:
    async with HostProcess(str(folder / "turnstile.db"), folder / "host.sock") as host:
        tables = tables_of_every_game(2)
        for table, game in tables.items():
            await set_up(host.socket, table, game, PLAYERS)
        clients = [
            Client(table, player, [host.socket], number) for number, table in enumerate(tables) for player in PLAYERS
        ]
        playing = asyncio.gather(*(client.play() for client in clients))
        chance = Random(7)
        for _ in range(KILLS):
            await until_told(clients, chance.randrange(1, 60), playing)
            await host.kill()
            await host.start()
        await playing
        await host.stop()
    store = await SqliteStore.open(folder / "turnstile.db")
    await check(store, [client.history for client in clients])
    await store.close()


def test_C14_a_host_that_is_asked_to_stop_finishes_what_was_begun(tmp_path: Path) -> None:
    asyncio.run(_asked_to_stop(tmp_path))


async def _asked_to_stop(folder: Path) -> None:
    async with HostProcess(str(folder / "turnstile.db"), folder / "host.sock") as host:
        await set_up(host.socket, LogId("one"), "up-down", PLAYERS)
        clients = [Client(LogId("one"), player, [host.socket], 1) for player in PLAYERS]
        playing = asyncio.gather(*(client.play() for client in clients))
        for _ in range(3):
            await until_told(clients, 40, playing)
            await host.stop()
            await host.start()
        await playing
        host.signal(signal.SIGTERM)
        await host.stop()
    store = await SqliteStore.open(folder / "turnstile.db")
    await check(store, [client.history for client in clients])
    await store.close()


async def until_told(clients: list[Client], more: int, playing: "asyncio.Future[list[None]]") -> None:
    """Until so many more updates have been taken in, or nobody plays any more."""
    count = sum(client.seen for client in clients) + more
    while sum(client.seen for client in clients) < count and not playing.done():
        await asyncio.sleep(0.001)
