"""docs/write-a-game.md, word for word: its files are written to a folder, installed from there, played and tested."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parent.parent / "docs" / "write-a-game.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+) (\S+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = [
    line for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL) for line in block.splitlines()
]
FILES = {
    name: "\n\n".join(text for _, other, text in BLOCKS if other == name)
    for name in dict.fromkeys(b[1] for b in BLOCKS)
}
INSTALL = (
    "pip install --quiet --no-deps --no-build-isolation --no-index --disable-pip-version-check --target installed ."
)


class Folder:
    """The author's folder, with the game installed from it for the commands that are run there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        for name, text in FILES.items():
            (path / name).write_text(text, "utf-8")
        self.run(f"python -m {INSTALL}")
        for name in FILES:
            if not name.startswith("test_"):
                (path / name).unlink()  # from here on it is the installed game that is found

    def run(self, command: str, given: str = "") -> str:
        program, *words = shlex.split(command)
        start = {"python": [sys.executable], "pytest": [sys.executable, "-m", "pytest"]}
        line = [*start.get(program, [sys.executable, "-m", program]), *words]
        environment = {**os.environ, "PYTHONPATH": str(self.path / "installed")}
        done = subprocess.run(
            line, cwd=self.path, env=environment, input=given, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder(tmp_path_factory.mktemp("undercut"))


def test_the_game_has_fewer_than_a_hundred_lines_of_python() -> None:
    lines = [line for name in ("undercut.py", "undercut_study.py") for line in FILES[name].splitlines()]
    assert sum(bool(line.strip()) for line in lines) < 100


def test_the_page_names_its_files() -> None:
    folder, *named = re.findall(r"^```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[0].split()
    assert (folder, named) == ("undercut/", list(FILES))


def test_a_game_installed_from_a_folder_is_found_with_the_bots_that_can_play_it(folder: Folder) -> None:
    listed = folder.run("turnstile games undercut")
    assert "Undercut" in listed
    assert "search, random" in listed


def test_every_command_of_the_page_does_what_it_should(folder: Folder) -> None:
    assert COMMANDS[0] == "pip install ."
    said = {command: folder.run(command, given="1\n2\n3\n4\n5\n") for command in COMMANDS[1:]}
    assert "Undercut" in said["turnstile games"]
    assert "The seed was" in said["turnstile play undercut"]
    assert said["turnstile verify match.jsonl"].count("passed") == 3
    assert "no match goes on for ever: the longest has 10 events" in said["turnstile check undercut"]
    assert "failed" not in said["turnstile check undercut"]
    assert "1,000 matches" in said["turnstile simulate undercut --bots random --matches 1000"]
    assert "search 1 wins" in said["turnstile simulate undercut --bots search,random --matches 20"]
    assert said["turnstile diagram undercut"].startswith("stateDiagram-v2")
    assert re.search(r"\d+ passed", said["pytest"])


def test_without_it_the_game_is_gone() -> None:
    done = subprocess.run([sys.executable, "-m", "turnstile", "games"], capture_output=True, text=True, check=True)
    assert "Undercut" not in done.stdout
