"""The cases of faults that are tried: tests carry their ids in their names, as in `test_C3_N1_a_command_whose_...`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
LETTERS = {
    "C": "Crash points",
    "N": "Network",
    "S": "Storage",
    "T": "Clocks and timers",
    "K": "Concurrency",
    "P": "Players who cheat",
    "V": "Spectators",
    "A": "Agents of a league",
    "R": "Resources",
    "U": "Upgrades and operation",
}
NAME = re.compile(r"^ *(?:async )?def test_((?:[A-Z][0-9]+_)+)(\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Test:
    path: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Case:
    id: str
    tests: tuple[Test, ...]


def tried(root: Path = ROOT) -> list[Case]:
    """Every case that some test has in its name, in the order of the ids."""
    found: dict[str, list[Test]] = {}
    for name, test in _tests(root):
        found.setdefault(name, []).append(test)
    return [Case(name, tuple(tests)) for name, tests in sorted(found.items(), key=lambda item: _order(item[0]))]


def _tests(root: Path) -> Iterator[tuple[str, Test]]:
    for path in sorted(root.glob("tests/**/test_*.py")):
        for names, sentence in NAME.findall(path.read_text("utf-8")):
            for name in names.strip("_").split("_"):
                yield name, Test(path.relative_to(root).as_posix(), sentence.replace("_", " "))


def _order(name: str) -> tuple[int, int]:
    return list(LETTERS).index(name[0]), int(name[1:])
