"""Hosts in processes of their own, to be killed, paused and started again; none of them outlives its test."""

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import TracebackType

from tests.host.processes.clients import Connection
from turnstile.kernel.values import LogId, PlayerId, encode
from turnstile.registry import find_game


class HostProcess:
    """One host on a store, reachable at a socket: `async with HostProcess(...) as host`. It is gone at the end."""

    def __init__(self, store: str, socket: Path) -> None:
        self.store, self.socket = store, str(socket)
        self._process: Process | None = None

    async def __aenter__(self) -> "HostProcess":
        try:
            await self.start()
        except BaseException:
            await self.kill()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.kill()

    async def start(self) -> None:
        Path(self.socket).unlink(missing_ok=True)
        command = [sys.executable, "-W", "error", "-m", "tests.host.processes.child", self.store, self.socket]
        self._process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE)
        assert self._process.stdout is not None
        if await self._process.stdout.readline() != b"ready\n":
            raise AssertionError(f"The host did not start: {await self._errors()}")

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    async def kill(self) -> None:
        """As the kernel does when there is no memory left: at once, also when it is paused; once is enough."""
        if self._process is None:
            return
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()

    async def stop(self) -> None:
        """Cleanly: it must finish what was begun and say nothing of errors."""
        assert self._process is not None
        self._process.terminate()
        status = await self._process.wait()
        assert status == 0, f"The host ended with {status}: {await self._errors()}"

    async def _errors(self) -> str:
        assert self._process is not None
        assert self._process.stderr is not None
        return (await self._process.stderr.read()).decode()


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
