"""The programs in docs/callable.md run word for word, and play whole matches."""

import asyncio
import re
import sys
from pathlib import Path

from tests.agents.loops import be_patient, run
from tests.server.callable.calls import Caller
from tests.server.callable.test_firebase import FIREBASE, SLOW, queries
from tests.server.servers import site
from tools.node import node, npm_modules
from turnstile.server.callable.statuses import SPECIFIED, CallStatus

PAGE = (Path(__file__).parents[3] / "docs" / "callable.md").read_text("utf-8")


def program(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(found)


async def printed(*command: str) -> str:
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    said, complaints = await process.communicate()
    assert process.returncode == 0, complaints.decode()
    return said.decode()


def test_the_python_program_plays_a_match() -> None:
    async def main() -> None:
        async with site() as here:
            assert (await printed(sys.executable, "-c", program("python"), here.url)).startswith("Scores: {")

    run(main())


def test_the_javascript_program_plays_a_match(tmp_path: Path) -> None:
    async def main() -> None:
        be_patient(SLOW)
        (tmp_path / "node_modules").symlink_to(await asyncio.to_thread(npm_modules, *FIREBASE))
        (tmp_path / "package.json").write_text('{"type": "module"}')
        (tmp_path / "queries.js").write_text(queries().replace("module.exports =", "export"))
        (tmp_path / "play.js").write_text(program("js"))
        async with site() as here:
            ana = Caller(await here.register("Ana"))
            room = await here.table(ana.guest, game="up-down", options={"maxRoundSize": 2}, bots=["random"])
            said = await printed(node(), str(tmp_path / "play.js"), here.url, ana.guest.token, room)
            assert said.startswith("Scores: [")
            assert (await ana.game(room))["status"] == "game_complete"

    run(main())


def test_the_page_has_the_errors_of_the_specification_and_statuses_that_exist() -> None:
    assert all(f"| `{rejection.sentence}` |" in PAGE for rejection in SPECIFIED)
    assert set(re.findall(r"\| `([A-Z_]+)`, \d", PAGE)) <= set(CallStatus)
