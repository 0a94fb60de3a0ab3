"""The official Firebase client for JavaScript plays a match, unchanged, with the queries as the specification has them.

It needs node and npm: without them the tests fail and say so.
"""

import asyncio
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.agents.loops import be_patient, run
from tests.server.callable.calls import callers
from tests.server.servers import site
from tools import node as node_tool
from tools.node import NoNode, node, npm_modules

HERE = Path(__file__).parent
FIREBASE = ("firebase", "12.19.0")
TYPES = r": (?:GameState|string|boolean|Card\[\]|Card \| null|Suit \| null|Card)(?=[,)]| \{)"
SLOW = 240.0  # seconds, where npm must first install the client


def queries() -> str:
    """The queries of the specification as JavaScript: without their types."""
    written, count = re.subn(TYPES, "", (HERE / "queries.ts").read_text())
    assert count == 14
    return written + "\nmodule.exports = {isMyTurn, getMyHand, getMesa, getPinta, canPlayCard};\n"


async def run_node(script: str, folder: Path, *arguments: str) -> Any:
    """What a script prints, as JSON. The queries are in a module beside it."""
    modules = await asyncio.to_thread(npm_modules, *FIREBASE)
    (folder / "queries.js").write_text(queries())
    process = await asyncio.create_subprocess_exec(
        node(),
        str(HERE / script),
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "NODE_PATH": f"{modules}{os.pathsep}{folder}"},
    )
    printed, complaints = await process.communicate()
    assert process.returncode == 0, complaints.decode()
    return json.loads(printed)


def test_the_firebase_client_plays_a_whole_match_with_the_queries_of_the_specification(tmp_path: Path) -> None:
    async def main() -> None:
        be_patient(SLOW)
        async with site() as here:
            room, players = await callers(here, "Ana", "Bo", maxRoundSize=3)
            tokens = [caller.guest.token for caller in players]
            told = await run_node("firebase_match.js", tmp_path, here.url, room, *tokens)
            assert told["players"] == [caller.player for caller in players]
            assert told["names"] == ["Ana", "Bo"]
            assert told["statuses"][0] == "waiting"
            assert told["statuses"][-1] == "game_complete"
            assert told["rounds"] == [1, 2, 3, 2, 1]
            assert told["notAdmin"] == ["functions/permission-denied", "Only admin can start game"]
            assert told["notYourTurn"] == ["functions/failed-precondition", "Not your turn to bet"]
            assert told["streamed"] == {"roomId": room}
            assert told["streamError"] == ["functions/failed-precondition", "Not your turn to bet"]
            assert told["signedOut"][0] == "functions/unauthenticated"
            assert told["renewed"] is True
            assert told["anonymous"].startswith("p-")
            assert told["badToken"] == "auth/invalid-custom-token"

    run(main())


def test_the_client_calls_under_an_address_of_its_own(tmp_path: Path) -> None:
    async def main() -> None:
        be_patient(SLOW)
        async with site() as here:
            room, players = await callers(here, "Ana", "Bo")
            told = await run_node("firebase_domain.js", tmp_path, here.url, room, players[0].guest.token)
            assert told["started"]["roomId"] == room

    run(main())


def test_without_node_or_npm_the_reason_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(node_tool, "FOLDER", tmp_path / "npm")
    with pytest.raises(NoNode, match="No node was found: install"):
        node()
    with pytest.raises(NoNode, match="No npm was found: install"):
        npm_modules(*FIREBASE)
