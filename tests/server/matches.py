"""Tables and matches of two players, as tests of the server need them."""

import asyncio

import pytest

from tests.agents.loops import until
from tests.server.servers import Guest, Site, Wire
from turnstile.host.live import Live
from turnstile.host.streams.lines import Line
from turnstile.host.streams.news import News
from turnstile.kernel.values import LogId

PICK = {"type": "Pick", "player": "x", "card": "C"}


async def started(here: Site) -> tuple[Guest, Guest, str]:
    ana, bo = await here.register("Ana"), await here.register("Bo")
    table = await here.table(ana, bo)
    await ana.command(table, "start")
    return ana, bo, table


async def playing(here: Site) -> tuple[Guest, Guest, str, Wire, Wire]:
    """Two players whose first move is due."""
    ana, bo, table = await started(here)
    mine, other = await ana.hello(table), await bo.hello(table)
    await asyncio.gather(mine.until_actions(), other.until_actions())
    live = here.server.host.tables.live[LogId(table)]
    await until(lambda: live.state.phase.value == "Playing")
    return ana, bo, table, mine, other


async def seated(here: Site) -> tuple[Guest, Guest, str, Wire, Wire]:
    """Two players at a table, both connected."""
    ana, bo = await here.register("Ana"), await here.register("Bo")
    table = await here.table(ana, bo)
    return ana, bo, table, await ana.hello(table), await bo.hello(table)


async def still_plays(wire: Wire, command: str = "still here") -> None:
    """The connection goes on."""
    await wire.send("addWords", id=command, words="?")
    assert (await wire.until("answer"))["id"] == command


async def status(here: Site, table: str, guest: Guest | None = None) -> dict[str, object]:
    page = await here.ask("GET", f"/api/tables/{table}", token=None if guest is None else guest.token)
    found: dict[str, object] = page["status"]
    return found


def resign_while_read(monkeypatch: pytest.MonkeyPatch, player: Guest, table: str) -> None:
    """Let the match end while the first reader reads older updates from the log."""
    read, is_first = Line._read, iter([True])

    async def resign_and_read(line: Line) -> list[News]:
        if next(is_first, False):
            await player.command(table, "resign")
        return await read(line)

    monkeypatch.setattr(Line, "_read", resign_and_read)
    monkeypatch.setattr(Live, "at_hand", lambda *_: [])
