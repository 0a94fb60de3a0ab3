"""docs/README.md draws the tree as it is, and walks through modules and functions that exist."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "turnstile"
MAP = (ROOT / "docs" / "README.md").read_text("utf-8")
MOST_MODULES = 15  # that a walk may name


def folders_drawn() -> Iterator[str]:
    """The folders of the map. An indented line is a folder within the one above; a line may name more in brackets."""
    drawing = MAP.partition("```text\n")[2].partition("```")[0]
    parent = ""
    for line in drawing.splitlines():
        found = re.match(r"( *)(\w+)/ .*?(?:\((.*)\))?$", line)
        if found is None:
            continue
        indent, name, within = found.groups()
        parent = parent if indent else name
        path = f"{parent}/{name}" if indent else name
        yield path
        yield from (f"{path}/{each}" for each in re.findall(r"([\w/-]+)/", within or ""))


def folders() -> set[str]:
    return {str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*") if path.is_dir() and path.name != "__pycache__"}


def section(title: str) -> str:
    """What stands under a heading, up to the next one of any level."""
    return re.split(r"^#+ ", MAP.partition(f"# {title}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def walk(title: str) -> list[tuple[str, list[str]]]:
    """The modules of a walk, each with the names to look at."""
    rows = re.findall(r"^\| \d+ \| `(\S+)` \|.*\| ([^|]+) \|$", section(title), re.MULTILINE)
    return [(module, re.findall(r"`([\w.]+)`", names)) for module, names in rows]


WALKS = ("From a move to the disk and back", "A message of the league")


def test_the_map_has_every_folder_and_no_other() -> None:
    drawn = list(folders_drawn())
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == folders()


def test_every_module_that_the_map_names_exists() -> None:
    named = re.findall(r"`([\w/]+/[\w/]+\.py)`", MAP)
    assert [path for path in named if not (SOURCE / path).exists() and not (ROOT / path).exists()] == []
    kernel = re.findall(r"^\| `(\w+\.py)` \|", section("The kernel, module by module"), re.MULTILINE)
    assert sorted(kernel) == sorted(path.name for path in (SOURCE / "kernel").glob("[!_]*.py"))


@pytest.mark.parametrize("title", WALKS)
def test_a_walk_names_each_module_once_and_few_of_them(title: str) -> None:
    modules = [module for module, _ in walk(title)]
    assert len(modules) == len(set(modules))
    assert 1 < len(modules) <= MOST_MODULES


@pytest.mark.parametrize(("module", "names"), [row for title in WALKS for row in walk(title)])
def test_what_a_walk_looks_at_is_there(module: str, names: list[str]) -> None:
    loaded = import_module("turnstile." + module.removesuffix(".py").replace("/", "."))
    homes = [loaded, *(each for each in vars(loaded).values() if getattr(each, "__module__", "") == loaded.__name__)]
    assert names
    for name in names:
        *owner, last = name.split(".")
        places = [getattr(loaded, owner[0])] if owner else homes
        assert any(hasattr(place, last) for place in places), f"{module} has no {name}"


# departures


def departing_functions() -> Iterator[tuple[str, str]]:
    """Every function that the page of departures names, with the file or folder where it should be."""
    page = (ROOT / "docs" / "departures.md").read_text("utf-8")
    for part in re.split(r"^## ", page, flags=re.MULTILINE):
        yield from ((name, path) for name, path in re.findall(r"`(\w+)` in\s+`([\w/]+\.py)`", part))
        home = re.search(r"[Ff]unctions are in `([\w/.]+)`", part)
        groups = re.findall(r"\((`[a-z_]+`(?:,\s+`[a-z_]+`)*)\)", part)
        yield from ((name, home[1]) for group in groups for name in re.findall(r"\w+", group) if home)


@pytest.mark.parametrize(("name", "place"), sorted(set(departing_functions())))
def test_a_function_that_a_departure_names_is_there(name: str, place: str) -> None:
    path = SOURCE / place
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    assert files
    assert any(re.search(rf"^( *(async )?def {name}\b|{name} = )", file.read_text("utf-8"), re.M) for file in files)
