"""Agents whose store is in trouble: they wait, they can be stopped, and they say why they end."""

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.agents.agents_in_process import InProcessAgents, Running, in_process_agents, run
from tests.agents.loops import pass_time, until
from tests.agents.manager.test_process import register
from tests.agents.wire.wired import Said, post
from turnstile.agents.manager.process import ManagerProcess
from turnstile.agents.player.process import PlayerProcess
from turnstile.agents.process.process import AgentProcess, Ready
from turnstile.league.manager.state import Options
from turnstile.store.protocol import Broken, StorageFull, StoreFault
from turnstile.store.sqlite.store import SqliteStore


class Trouble:
    """Nothing can be written from now on."""

    def __init__(self, fault: StoreFault, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tries = 0
        self._fault = fault
        for name in ("create", "commit"):
            monkeypatch.setattr(SqliteStore, name, self._fail)

    async def _fail(self, *what: object) -> bool:
        self.tries += 1
        raise self._fault


async def ends(stopping: "asyncio.Task[Any]") -> None:
    """Whatever it waits for, that is over soon."""
    while not stopping.done():
        pass_time(1)
        await asyncio.sleep(0.001)


def test_S3_an_agent_whose_disk_is_full_can_be_stopped_and_has_told_nobody_what_is_not_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            manager = await here.manager()
            full = Trouble(StorageFull("There is no room."), monkeypatch)
            asked = asyncio.create_task(register(manager, "Juniper"))
            await until(lambda: full.tries > 1)
            await ends(asyncio.create_task(manager.stop()))
            await asyncio.wait([asked])
            assert asked.exception() is not None or asked.result().get("status") == "IGNORED"
            monkeypatch.undo()
            again = await here.manager(port=manager.port)
            assert again.host.work.state.players == ()

    run(play())


@pytest.mark.parametrize("role", ["manager", "player"])
def test_S3_an_agent_whose_disk_is_full_when_it_begins_can_be_stopped(
    tmp_path: Path, role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            full = Trouble(StorageFull("There is no room."), monkeypatch)
            stop, ready = asyncio.Event(), list[Ready]()
            task = asyncio.create_task(made(here, role).run(stop, ready.append))
            await until(lambda: full.tries > 1)
            stop.set()
            await ends(task)
            assert (task.exception(), ready) == (None, [])

    run(play())


def made(here: InProcessAgents, role: str) -> AgentProcess:
    settings = here.settings("Juniper", manager="http://127.0.0.1:1/mcp")
    return ManagerProcess(settings, Options()) if role == "manager" else PlayerProcess(settings)


def test_who_waits_at_the_door_of_an_agent_that_is_stopped_before_it_has_begun_is_sent_away(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Slow(ManagerProcess):
        """It listens, and does not get to its beginning."""

        asking: "asyncio.Task[Said]"

        async def begin(self, endpoint: str) -> None:
            self.asking = asyncio.create_task(post(urlsplit(endpoint).port or 0, b"", "/health", "GET"))
            await asyncio.Event().wait()

    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            host, stop = Slow(here.settings("Juniper"), Options()), asyncio.Event()
            task = asyncio.create_task(host.run(stop, lambda ready: None))
            await until(lambda: bool(host._is_open._waiters))
            stop.set()
            assert (await host.asking).status == 503
            await task

    run(play())
    assert caplog.records == []


def test_an_agent_whose_disk_is_broken_ends_with_that_very_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            ready: asyncio.Future[Ready] = asyncio.get_running_loop().create_future()
            host, stop = made(here, "manager"), asyncio.Event()
            task = asyncio.create_task(host.run(stop, ready.set_result))
            manager = Running(host, task, stop, await ready)
            Trouble(Broken("The disk did not keep what it was given."), monkeypatch)
            asked = asyncio.create_task(register(manager, "Juniper"))
            await asyncio.wait([task, asked])
            assert isinstance(task.exception(), Broken)

    run(play())
