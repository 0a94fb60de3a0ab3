"""Hosts in processes of their own, to be killed, paused and started again; none of them outlives its test."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from tests.child_process import ChildProcess
from tests.host.processes.clients import Connection
from turnstile.kernel.values import LogId, PlayerId, encode
from turnstile.registry import find_game


class HostProcess(ChildProcess):
    """One host on a store, reachable at a socket: `async with HostProcess(...) as host`."""

    def __init__(self, store: str, socket: Path) -> None:
        super().__init__("-m", "tests.host.processes.child", store, str(socket))
        self.socket = str(socket)

    async def start(self) -> None:
        Path(self.socket).unlink(missing_ok=True)
        await super().start()

    def take_ready(self, line: str) -> None:
        assert line == "ready\n", line


@asynccontextmanager
async def several(count: int, store: str, folder: Path) -> AsyncIterator[list[HostProcess]]:
    """So many hosts on one store."""
    async with AsyncExitStack() as stack:
        hosts = [HostProcess(store, folder / f"host{number}.sock") for number in range(count)]
        yield [await stack.enter_async_context(host) for host in hosts]


async def set_up(socket: str, table: LogId, game: str, players: list[PlayerId], settings: object = None) -> None:
    """A table with these players, and the match started."""
    connection = await Connection.to(socket)
    found = find_game(game)
    assert found is not None
    header = {
        "table": table,
        "game": game,
        "gameVersion": found.version,
        "options": {},
        "admin": players[0],
        "at": 0,
        **({} if settings is None else {"settings": settings}),
    }
    wanted: list[dict[str, object]] = [{"do": "open", "header": header}]
    wanted += [{"do": "submit", "table": table, "command": _command("Join", player)} for player in players]
    wanted.append(
        {"do": "submit", "table": table, "command": {**_command("Start", players[0]), "seed": "drawn by the host"}}
    )
    for request in wanted:
        answer = await connection.ask(**request)
        assert "ok" in answer, f"{encode(request)!r} was answered {answer}"
    await connection.close()


def _command(kind: str, player: PlayerId) -> dict[str, object]:
    return {"type": kind, "player": player, "id": kind, "at": 0}
