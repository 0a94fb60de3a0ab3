"""A store in which real matches were played."""

import asyncio
import json
import sqlite3
from pathlib import Path
from typing import Any

from tests.host.matches import ANA, BO, NOW, begun, done, hear, hosting, opened, played
from turnstile.host import Refused
from turnstile.kernel.values import LogId
from turnstile.registry import names
from turnstile.store.sqlite.store import SqliteStore
from turnstile.table.values import Close, Phase, Resign

OPEN = ("playing", "starting")
OVER = (*(f"{game} match" for game in names()), "resigned")
COMMANDS = ("list", "show", "export", "prune", "check", "rebuild")


async def fill(path: Path) -> None:
    """Whole matches of every game, one that was resigned, one being played, one that starts, one closed unplayed."""
    store = await SqliteStore.open(path)
    async with hosting(store) as host:
        for game in names():
            await played(host, f"{game} match", game)
        for name in ("playing", "resigned"):
            await begun(host, name, "66", ANA, BO)
            for player in (ANA, BO):
                line = await host.attach(LogId(name), player)
                assert not isinstance(line, Refused)
                host.detach(line)
            await asyncio.gather(*(hear(host, LogId(name), player, Phase.PLAYING) for player in (ANA, BO)))
        await done(host, LogId("resigned"), Resign(BO, "enough", NOW))
        await begun(host, "starting", "e-card", ANA, BO)
        await done(host, await opened(host, "closed", "e-card"), Close(ANA, "close", NOW))
    await store.close()


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def caches_in(path: Path) -> list[Any]:
    with sqlite3.connect(path) as db:
        found = db.execute(
            "SELECT id, position, game, phase, players, is_open, is_listed, opened, changed, due, note "
            "FROM tables ORDER BY id"
        ).fetchall()
    db.close()
    return found
