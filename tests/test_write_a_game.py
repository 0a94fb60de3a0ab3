"""docs/write-a-game.md, word for word: in a fresh environment its files are written, installed, played and tested."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "write-a-game.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+) (\S+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = [
    line for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL) for line in block.splitlines()
]
FILES = {
    name: "\n\n".join(text for _, other, text in BLOCKS if other == name)
    for name in dict.fromkeys(b[1] for b in BLOCKS)
}
TESTING = "turnstile[testing]"
INTO_ENVIRONMENT = ["python -m venv .venv", ". .venv/bin/activate", f"pip install '{TESTING}'", "pip install ."]
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
OFFLINE = ("--no-index", "--no-build-isolation")


def needed_by(requirement: Requirement, seen: set[str]) -> Iterator[Distribution]:
    """The packages that a requirement brings along, itself included, each once."""
    found = distribution(requirement.name)
    for extra in ("", *requirement.extras):
        if (key := f"{found.name}[{extra}]") not in seen:
            seen.add(key)
            yield found
            for line in found.requires or ():
                needs = Requirement(line)
                if needs.marker is None or needs.marker.evaluate({"extra": extra}):
                    yield from needed_by(needs, seen)


class Author:
    """A folder with the files of the page, and an environment made as the page says, without a network.

    It has what `turnstile[testing]` asks for, linked from the environment of the tests, and nothing else.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bin = path / ".venv" / "bin"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", path / ".venv"], check=True)
        (packages,) = (path / ".venv").glob("lib/python*/site-packages")
        for package in needed_by(Requirement(TESTING), set()):
            if package.name != "turnstile":
                link(package, packages)
        self.install(ROOT, extra="[testing]")
        for name, text in FILES.items():
            (path / name).write_text(text, "utf-8")
        self.install(path)
        for name in FILES:
            if not name.startswith("test_"):
                (path / name).unlink()  # from here on it is the installed game that is found

    def install(self, source: Path, extra: str = "") -> None:
        """Build what is in a folder and install it; pip refuses where something that it needs is missing."""
        wheels = self.path / "wheels" / source.name
        subprocess.run([*PIP, "wheel", *OFFLINE, "--no-deps", "--wheel-dir", wheels, source], check=True)
        (wheel,) = wheels.iterdir()
        into = (*PIP, "--python", self.bin / "python")
        subprocess.run([*into, "install", "--no-index", f"{wheel}{extra}"], check=True)

    def run(self, command: str, given: str = "") -> str:
        program, *words = shlex.split(command)
        start = [self.bin / "python", "-m", "pytest"] if program == "pytest" else [self.bin / program]
        done = subprocess.run(
            [*start, *words],
            cwd=self.path,
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout


def link(package: Distribution, packages: Path) -> None:
    for name in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
        source, target = Path(str(package.locate_file(name))), packages / name
        if source.exists() and not target.is_symlink():
            target.symlink_to(source)


@pytest.fixture(scope="module")
def author(tmp_path_factory: pytest.TempPathFactory) -> Author:
    return Author(tmp_path_factory.mktemp("undercut"))


def test_the_game_has_fewer_than_150_lines_of_python() -> None:
    assert "fewer than 150 lines of\nPython" in PAGE
    lines = [line for name, text in FILES.items() if re.match(r"undercut\w*\.py", name) for line in text.splitlines()]
    assert sum(bool(line.strip()) for line in lines) < 150


def test_the_page_names_its_files() -> None:
    folder, *named = re.findall(r"^```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[0].split()
    assert (folder, sorted(named)) == ("undercut/", sorted(FILES))


def test_a_game_installed_from_a_folder_is_found_with_its_rules_and_the_bots_that_can_play_it(author: Author) -> None:
    told = author.run("turnstile games undercut")
    assert told.startswith("Undercut, for 2 players.")
    assert "The higher wins" in told
    assert re.search(r"^  search .*\n(.*\n)?  random ", told, re.MULTILINE)


def test_every_command_of_the_page_does_what_it_should(author: Author) -> None:
    assert [command for command in COMMANDS if command in INTO_ENVIRONMENT] == INTO_ENVIRONMENT
    numbers = "".join(f"{number}\n" for number in range(1, 11)) * 4
    said = {command: author.run(command, numbers) for command in COMMANDS if command not in INTO_ENVIRONMENT}
    played = said["turnstile play undercut"]
    assert re.search(r"You are dealt \d+, \d+, \d+, \d+\.", played)
    assert re.search(r"\d+ of you and \d+ of bot: the point goes to (you|bot)\.", played)
    assert re.search(r"(You win|bot wins|You and bot win): you \d, bot \d\.", played)
    assert said["turnstile verify match.jsonl"].count("passed") == 3
    assert "the point goes to" in said["turnstile replay match.jsonl"]
    assert "no match goes on for ever: the longest has 9 events" in said["turnstile check undercut"]
    assert "failed" not in said["turnstile check undercut"]
    assert "1,000 matches" in said["turnstile simulate undercut --bots random --matches 1000"]
    assert "search 1 wins" in said["turnstile simulate undercut --bots search,random --matches 20"]
    assert said["turnstile diagram undercut"].startswith("stateDiagram-v2")
    assert re.search(r"\d+ passed", said["pytest"])


def test_without_it_the_game_is_gone() -> None:
    done = subprocess.run([sys.executable, "-m", "turnstile", "games"], capture_output=True, text=True, check=True)
    assert "Undercut" not in done.stdout
