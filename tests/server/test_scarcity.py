"""What the system runs out of: file descriptors, memory, and the patience with a game whose step never ends."""

import asyncio
import resource
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import aiohttp
import pytest

from tests.agents.loops import run
from tests.server.play.test_matches import play
from tests.server.servers import Guest, Site, Wire

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits are those of Linux")

MOST_FILES = 80
MOST_MORE_BYTES = 150_000_000


SERVE_HEAVY = """
from tests.host.test_limits import HEAVY
from turnstile.__main__ import main
from turnstile.registry import lent
with lent(HEAVY):
    main()
"""


@contextmanager
def server_process(
    folder: Path, *flags: str, files: tuple[int, int] | None = None, program: tuple[str, ...] = ("-m", "turnstile")
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server as a process of its own, and its address. `files`: its soft and its hard limit."""

    def lower() -> None:
        if files is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, files)

    command = [sys.executable, *program, "serve", "--port", "0", "--operations-port", "0", *flags]
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(
            [*command, "--store", str(folder / "tables.db")],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            preexec_fn=lower,
        ) as process,
    ):
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().split()[2]
            assert process.poll() is None, (folder / "log").read_text()
        finally:
            process.terminate()
            process.wait()


class Visitor(Site):
    """A client of a server in another process."""

    def __init__(self, url: str, client: aiohttp.ClientSession) -> None:
        self.url, self.client, self.wires = url, client, []


@asynccontextmanager
async def visiting(url: str) -> AsyncIterator[Visitor]:
    connector = aiohttp.TCPConnector(force_close=True, limit=0)
    async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=20)) as client:
        yield Visitor(url, client)


async def say(wire: Wire, number: int) -> None:
    """A command that is answered, though it may be refused."""
    await wire.send("addWords", id=f"words {number}", words="x")
    async with asyncio.timeout(10):
        await wire.until("answer")


def test_R2_a_server_raises_its_limit_of_files_or_takes_fewer_connections(tmp_path: Path) -> None:
    def limits(process: subprocess.Popen[str]) -> str:
        lines = Path(f"/proc/{process.pid}/limits").read_text().splitlines()
        return next(line for line in lines if line.startswith("Max open files"))

    with server_process(tmp_path, "--most-connections", "300", files=(100, 1_000)) as (process, _):
        assert limits(process).split()[3] == "364"
    assert (tmp_path / "log").read_text() == ""
    with server_process(tmp_path, "--most-connections", "300", files=(100, 200)) as (process, _):
        assert limits(process).split()[3] == "200"
    told = (tmp_path / "log").read_text()
    assert "The system permits 200 open files, so this server takes 136 connections at once instead of 300." in told


def test_R2_a_server_without_file_descriptors_serves_those_who_are_there_and_recovers(tmp_path: Path) -> None:
    async def main(process: subprocess.Popen[str], url: str) -> None:
        async with visiting(url) as here:
            ana = await here.register("Ana")
            table = await here.table(ana)
            wire = await ana.hello(table)
            port = int(url.rpartition(":")[2])
            crowd = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2 * MOST_FILES)]
            for number in range(20):
                await say(wire, number)
                await asyncio.sleep(0.05)
            assert process.poll() is None
            assert len(list(Path(f"/proc/{process.pid}/fd").iterdir())) >= MOST_FILES - 2, "There are none left."
            assert any(reader.at_eof() for reader, _ in crowd), "Those who come too many are sent away."
            for _, writer in crowd:
                writer.close()
            with suppress(OSError):
                await asyncio.gather(*(writer.wait_closed() for _, writer in crowd), return_exceptions=True)
            await say(wire, 20)
            bo = await _eventually_register(here)
            await bo.command(table, "join")
            await wire.close()

    with server_process(tmp_path, files=(MOST_FILES, MOST_FILES)) as (process, url):
        run(main(process, url))
    assert (tmp_path / "log").stat().st_size < 100_000, "One fault is not told again and again."


async def _eventually_register(here: Site) -> Guest:
    """Connections that were refused may need a moment to be gone."""
    async with asyncio.timeout(20):
        while True:
            with suppress(aiohttp.ClientError, AssertionError):
                return await here.register("Bo")
            await asyncio.sleep(0.1)


def test_R3_slow_readers_and_an_abuser_do_not_exhaust_the_memory(tmp_path: Path) -> None:
    async def main(process: subprocess.Popen[str], url: str) -> None:
        async with visiting(url) as here:
            ana = await here.register("Ana")
            pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[0])
            most = pages * resource.getpagesize() + MOST_MORE_BYTES
            resource.prlimit(process.pid, resource.RLIMIT_AS, (most, most))
            abusing = [asyncio.create_task(abuse(here)) for _ in range(4)]
            for _ in range(3):
                table = await here.table(ana, game="up-down", bots=["random"])
                for _ in range(40):
                    await (await here.socket()).send("hello", v=1, table=table)
                await ana.command(table, "start")
                seqs = await play(await ana.hello(table))
                assert seqs == list(range(1, len(seqs) + 1))
            for task in abusing:
                task.cancel()
            await asyncio.gather(*abusing, return_exceptions=True)
            await here.register("Bo")

    flags = ("--limit-factor", "1000", "--most-connections-per-address", "1000")
    with server_process(tmp_path, *flags) as (process, url):
        run(main(process, url))


async def abuse(here: Site) -> None:
    """Send large frames and large bodies as fast as the server takes them, and read nothing."""
    while True:
        with suppress(aiohttp.ClientError, OSError):
            wire = await here.socket()
            for _ in range(50):
                await wire.drop('{"type":"hello","junk":"' + "x" * 15_000)
            async with here.client.post(here.url + "/api/players", data=b"x" * 1_000_000):
                pass
            await wire.close()


def test_K14_a_game_whose_step_never_ends_loses_its_match_and_all_other_tables_go_on(tmp_path: Path) -> None:
    async def main(url: str) -> None:
        async with visiting(url) as here:
            ana, bo, cy = [await here.register(name) for name in ("Ana", "Bo", "Cy")]
            endless, other = await here.table(ana, game="heavy"), await here.table(bo, cy)
            await ana.command(endless, "start")
            await (await ana.hello(endless)).until("update")
            await ana.ask("POST", f"/api/tables/{endless}/ack", {"upto": 1})
            await bo.command(other, "start")
            wires = [await bo.hello(other), await cy.hello(other)]
            playing = asyncio.gather(*map(play, wires))
            think = {"type": "act", "id": "1", "move": {"type": "Think", "player": ana.player}}
            address = f"/api/tables/{endless}/commands"
            assert await ana.refusal("POST", address, think) == (500, "GameFailed")
            assert await ana.refusal("POST", address, think) == (409, "WrongPhase")
            page = await ana.ask("GET", f"/api/tables/{endless}")
            assert page["status"]["result"]["how"] == "halted"
            for seqs in await playing:
                assert seqs == list(range(1, len(seqs) + 1))

    with server_process(tmp_path, "--step-seconds", "0.3", program=("-c", SERVE_HEAVY)) as (_, url):
        run(main(url))
