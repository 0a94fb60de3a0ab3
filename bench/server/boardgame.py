"""The same game in boardgame.io, in memory and with its file store: its server on one core, its clients on the other.

Its `package.json` pins koa-compose: with 4.2 the routes that boardgame.io adds after the start are not found.
"""

import asyncio
import json
import os
import shutil
import socket
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.server.figures import Delays, Figures
from bench.server.processes import CLIENT_CORE, SERVER_CORE, cpu_seconds, on_core, resident_bytes
from bench.server.run import WARM_UP, Plan

HERE = Path(__file__).parent.parent / "boardgame"
BUILD = Path(__file__).parent.parent.parent / "build" / "boardgame"
IN_MEMORY, IN_FILES = "boardgame.io in memory", "boardgame.io in files"


class Missing(Exception):
    """boardgame.io cannot be measured here, and why."""


async def install() -> None:
    """Install boardgame.io into the build folder, once. Raises `Missing`."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise Missing(f"There is no {program} here, so boardgame.io was not measured.")
    if (BUILD / "node_modules" / "boardgame.io").is_dir():
        return
    BUILD.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "package.json", BUILD)
    npm = await asyncio.create_subprocess_exec("npm", "install", "--silent", cwd=BUILD, stdout=PIPE, stderr=PIPE)
    _, errors = await npm.communicate()
    if npm.returncode:
        raise Missing(f"boardgame.io cannot be installed: {errors.decode().strip()[:200]}")


async def run(plan: Plan, contestant: str) -> Figures:
    """The figures of one run."""
    await install()
    os.sched_setaffinity(0, {CLIENT_CORE})
    with TemporaryDirectory() as folder:
        async with _server(folder if contestant == IN_FILES else None) as (server, url):
            return await _measure(plan, contestant, server.pid, url)


@asynccontextmanager
async def _server(folder: str | None) -> AsyncIterator[tuple[Process, str]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with on_core(SERVER_CORE):
        process = await _node("server.js", str(port), *([folder] if folder else []))
    try:
        assert process.stdout is not None
        assert (await process.stdout.readline()).strip() == b"ready", "boardgame.io did not start"
        reading = asyncio.create_task(process.stdout.read())  # it logs every request
        yield process, f"http://127.0.0.1:{port}"
        reading.cancel()
    finally:
        process.kill()
        await process.wait()


async def _node(script: str, *arguments: str) -> Process:
    environment = {**os.environ, "NODE_PATH": str(BUILD / "node_modules"), "NODE_ENV": "production"}
    return await asyncio.create_subprocess_exec(
        "node",
        str(HERE / script),
        *arguments,
        stdout=PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=environment,
        limit=1 << 26,
    )


async def _measure(plan: Plan, contestant: str, server: int, url: str) -> Figures:
    empty = resident_bytes([server])
    client = await _node("client.js", url, str(plan.tables), str(plan.seconds), str(plan.rate), str(WARM_UP))
    try:
        await _heard(client, "ready")
        connected = resident_bytes([server])
        await _heard(client, "begin")
        start, before, clients_before = time.perf_counter(), cpu_seconds([server]), cpu_seconds([client.pid])
        await _heard(client, "end")
        seconds, used = time.perf_counter() - start, cpu_seconds([server]) - before
        clients = cpu_seconds([client.pid]) - clients_before
        seen = await _heard(client, "seen")
    finally:
        if client.returncode is None:
            client.kill()
        await client.wait()
    return Figures(
        contestant=contestant,
        processes=1,
        tables=plan.tables,
        players=2,
        seconds=seconds,
        moves=seen["moves"],
        moves_per_second=seen["moves"] / seconds,
        to_mover=Delays.of([delay / 1000 for delay in seen["mover"]]),
        to_others=Delays.of([delay / 1000 for delay in seen["others"]]),
        server_cpu=1000 * used / max(1, seen["moves"]),
        server_load=used / seconds,
        client_load=clients / seconds,
        memory_per_table=(connected - empty) / plan.tables / 1000,
        matches=seen["matches"],
    )


async def _heard(client: Process, event: str) -> dict[str, Any]:
    assert client.stdout is not None
    line = await client.stdout.readline()
    assert line, f"the players of boardgame.io ended before {event}"
    found: dict[str, Any] = json.loads(line)
    assert found["event"] == event, found
    return found
