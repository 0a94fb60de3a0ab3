"""docs/bots-over-the-network.md: every example is run as it stands, against a real server."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.processes import served
from turnstile.registry import names

pytestmark = pytest.mark.uncounted

PAGE = (Path(__file__).parents[2] / "docs" / "bots-over-the-network.md").read_text("utf-8")
SOCKETS_IN_NODE = 22
"""The first version of node with WebSockets; version 20 has them behind a flag."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running server."""
    with served(tmp_path_factory.mktemp("server")) as url:
        yield url


def example(language: str, number: int = 0) -> str:
    """An example of the page in this language."""
    found: list[str] = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return found[number]


def needed(program: str) -> str:
    """The path of a program. Where it is missing, the test is skipped."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"There is no {program} here, so its example was not run.")
    return found


def run(*words: str, **environment: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, **environment}, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


@pytest.mark.parametrize("game", names())
@pytest.mark.parametrize("number", [0, 1])
def test_the_bots_in_python_play_a_whole_match(server: str, tmp_path: Path, game: str, number: int) -> None:
    path = tmp_path / "bot.py"
    path.write_text(example("python", number))
    assert "The match is over: {" in run(sys.executable, str(path), server, game)


def test_the_first_bot_in_python_needs_the_standard_library_only() -> None:
    imported = re.findall(r"^(?:import|from) (.*?)(?: import .*)?$", example("python"), re.MULTILINE)
    modules = {name.strip().partition(".")[0] for line in imported for name in line.split(",")}
    assert modules <= set(sys.stdlib_module_names)


@pytest.mark.parametrize("game", names())
def test_the_bot_in_javascript_plays_a_whole_match_and_makes_no_move_twice(
    server: str, tmp_path: Path, game: str
) -> None:
    node = needed("node")
    path = tmp_path / "bot.mjs"
    reading = "const frame = JSON.parse(data);"
    noticing = 'if (frame.type === "error" || frame.error?.code === "StaleVersion") console.log("Refused:", data);'
    assert reading in example("js")
    path.write_text(example("js").replace(reading, reading + noticing))
    version = int(run(node, "--version").lstrip("v").partition(".")[0])
    flags = [] if version >= SOCKETS_IN_NODE else ["--experimental-websocket"]
    told = run(node, *flags, str(path), server, game)
    assert "The match is over: {" in told
    assert "Refused:" not in told


def test_the_commands_with_curl_make_a_move_and_resign(server: str) -> None:
    bash, _, _ = needed("bash"), needed("curl"), needed("jq")
    answers = re.findall(r'\{"seq":(\d+)\}', run(bash, "-c", example("bash"), SERVER=server))
    assert len(answers) == 3, "started, moved, resigned"
