"""The player that docs/write-a-player.md prints: it plays a league as it stands there."""

import asyncio
import json
import re
import socket
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

from tests.agents.agents_in_process import run
from tests.agents.processes import AgentProcess

PAGE = Path(__file__).parents[3] / "docs" / "write-a-player.md"
MOST_LINES = 40


def template() -> str:
    """The one program of the page that is complete."""
    programs: list[str] = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    [found] = [each for each in programs if "serve_forever" in each]
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_the_player_on_the_page_is_short() -> None:
    """Blank lines are not counted; the pages that say how long it is are right."""
    lines = sum(bool(line.strip()) for line in template().splitlines())
    assert lines < MOST_LINES
    for page in (PAGE, PAGE.parent / "README.md", PAGE.parents[1] / "README.md"):
        assert f" in {lines} lines" in page.read_text()


def test_the_player_on_the_page_plays_a_league_with_our_agents(tmp_path: Path) -> None:
    (tmp_path / "player.py").write_text(template())

    async def play() -> None:
        time_scale = ("--time-scale", "0.3")
        async with AgentProcess(tmp_path, "manager", "--players", "2", *time_scale) as manager:
            at = ("--manager", manager.ready["endpoint"], *time_scale)
            async with (
                AgentProcess(tmp_path, "referee", "--name", "Whistle", *at) as whistle,
                AgentProcess(tmp_path, "player", "--name", "Sorrel", *at) as sorrel,
            ):
                words = (str(tmp_path / "player.py"), "Juniper", str(free_port()), manager.ready["endpoint"])
                juniper = await asyncio.create_subprocess_exec(sys.executable, *words, stderr=PIPE)
                try:
                    _, said = await juniper.communicate()
                finally:
                    if juniper.returncode is None:
                        juniper.kill()
                assert juniper.returncode == 0, said.decode()
                assert [await whistle.ended(), await sorrel.ended()] == [0, 0]

    run(play())
    [match] = [json.loads(path.read_text()) for path in tmp_path.glob("data/matches/*/*.json")]
    assert match["result"]["status"] in ("WIN", "DRAW"), "nobody was late or silent"
