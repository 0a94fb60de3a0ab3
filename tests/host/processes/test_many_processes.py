"""Three hosts on one database: killed, paused, cut off, and the database killed under them. No owner, no leader.

The thirteenth point of Up-Down's checklist is here, too: concurrent actions are handled safely.
"""

import asyncio
import signal
from pathlib import Path
from random import Random
from typing import Any

from tests import postgres
from tests.host.processes.clients import Client, Connection
from tests.host.processes.history import check
from tests.host.processes.hosts import HostProcess, set_up, several
from tests.host.processes.test_kills import PLAYERS, tables_of_every_game, until_told
from turnstile.kernel.values import LogId, PlayerId
from turnstile.store.postgres import PostgresStore

HOSTS = 3
TURNS = 25
TOO_LATE = {"NotYourTurnToBet", "NotYourTurn"}
TOO_SOON = {"AcksMissing", "StaleVersion"}  # the player had not read all that it was told
KICK_ALL = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL"
)


def test_C17_three_processes_on_one_database_are_killed_and_paused_and_lose_nothing(tmp_path: Path) -> None:
    with postgres.running() as server:
        asyncio.run(_killed_and_paused(server, tmp_path))


async def _killed_and_paused(server: postgres.Server, folder: Path) -> None:
    async with several(HOSTS, server.dsn, folder) as hosts:
        tables = tables_of_every_game(2)
        for table, game in tables.items():
            await set_up(hosts[0].socket, table, game, PLAYERS, {"ackSeconds": 600})
        sockets = [host.socket for host in hosts]
        clients = [Client(table, player, sockets, number) for number, table in enumerate(tables) for player in PLAYERS]
        playing = asyncio.gather(*(client.play() for client in clients))
        chance = Random(13)
        for trouble in (_kill, _pause, _cut_off, _kill, _kill_database, _pause, _kill):
            await until_told(clients, chance.randrange(20, 60), playing)
            await trouble(chance.choice(hosts), server, clients, playing)
        await playing
        for host in hosts:
            await host.stop()
    store = await PostgresStore.open(server.dsn)
    await check(store, [client.history for client in clients])
    await store.close()


Playing = asyncio.Future[list[None]]


async def _kill(host: HostProcess, server: postgres.Server, clients: list[Client], playing: Playing) -> None:
    """C17: others go on with its tables; it starts again and takes part."""
    await host.kill()
    await until_told(clients, 20, playing)
    await host.start()


async def _pause(host: HostProcess, server: postgres.Server, clients: list[Client], playing: Playing) -> None:
    """T8: it sleeps while others play on, and wakes with everything it knows out of date."""
    sockets = clients[0].sockets
    assert isinstance(sockets, list)
    sockets.remove(host.socket)
    host.signal(signal.SIGSTOP)
    for client in clients:
        if client.socket == host.socket:
            client.hang_up()
    await until_told(clients, 40, playing)
    host.signal(signal.SIGCONT)
    sockets.append(host.socket)


async def _cut_off(host: HostProcess, server: postgres.Server, clients: list[Client], playing: Playing) -> None:
    """C15: the database ends every session, in the middle of whatever they were doing."""
    async with postgres.shell(server.dsn) as operator:
        await operator.execute(KICK_ALL)


async def _kill_database(host: HostProcess, server: postgres.Server, clients: list[Client], playing: Playing) -> None:
    """C15: the database server dies, and comes back."""
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.start)


def test_concurrent_actions_on_one_table_from_several_processes_are_handled_safely(tmp_path: Path) -> None:
    with postgres.running() as server:
        asyncio.run(_concurrent(server, tmp_path))


async def _concurrent(server: postgres.Server, folder: Path) -> None:
    """Each time somebody is to act, every legal action is sent at once, through every process: one of them counts."""
    async with several(HOSTS, server.dsn, folder) as hosts:
        table = LogId("one")
        await set_up(hosts[0].socket, table, "up-down", PLAYERS, {"ackSeconds": 600})
        connections = [await Connection.to(host.socket) for host in hosts]
        async with asyncio.TaskGroup() as group:
            seats = [Seat(table, player) for player in PLAYERS]
            reading = [group.create_task(seat.read(host.socket)) for seat, host in zip(seats, hosts, strict=False)]
            tried = acted = 0
            while acted < TURNS:
                seat = await _to_act(seats)
                tried += 1
                answers = await asyncio.gather(*seat.every_action_everywhere(connections, tried))
                counted = [answer["ok"]["seq"] for answer in answers if "ok" in answer]
                codes = {answer["refused"]["error"]["code"] for answer in answers if "refused" in answer}
                assert codes <= TOO_LATE | TOO_SOON, codes
                assert len(counted) <= 1, f"{len(counted)} of {len(answers)} concurrent actions were accepted"
                assert counted or codes & TOO_SOON, f"none of {len(answers)} concurrent actions was accepted: {codes}"
                acted, seat.acted = acted + len(counted), max([seat.acted, *counted])
            for task in reading:
                task.cancel()
        for connection in connections:
            await connection.close()
        for host in hosts:
            await host.stop()
    store = await PostgresStore.open(server.dsn)
    acts = [entry for entry in await store.entries(table, 0) if b'"type":"Act"' in entry.event]
    assert len(acts) == TURNS
    await store.close()


class Seat:
    """A player who takes in and acknowledges everything, and leaves it to the test to act."""

    def __init__(self, table: LogId, player: PlayerId) -> None:
        self.table, self.player = table, player
        self.phase, self.seen, self.acted = "", 0, 0
        self.actions: list[Any] = []

    @property
    def is_to_act(self) -> bool:
        return self.phase == "Playing" and self.seen >= self.acted and bool(self.actions)

    async def read(self, socket: str) -> None:
        connection = await Connection.to(socket)
        try:
            await connection.ask(do="attach", table=self.table, player=self.player, after=0)
            while found := await connection.frames.get():
                await self._take(connection, found[0])
        finally:
            await connection.close()

    async def _take(self, connection: Connection, frame: dict[str, Any]) -> None:
        if "status" in frame:
            self.phase = frame["status"]["phase"]
        else:
            self.seen, self.actions = frame["update"]["seq"], frame["update"]["actions"]
            await connection.ask(do="ack", table=self.table, player=self.player, seq=self.seen)

    def every_action_everywhere(self, connections: list[Connection], turn: int) -> list[Any]:
        """Each legal action, through each process, as a command of its own."""
        about = {"type": "Act", "player": self.player, "at": 0, "seen": self.seen}
        return [
            connection.ask(
                do="submit", table=self.table, command={**about, "id": f"{turn} {where} {number}", "move": move}
            )
            for where, connection in enumerate(connections)
            for number, move in enumerate(self.actions)
        ]


async def _to_act(seats: list[Seat]) -> Seat:
    """Whoever is to act, as soon as it knows."""
    while True:
        for seat in seats:
            if seat.is_to_act:
                return seat
        await asyncio.sleep(0.001)
