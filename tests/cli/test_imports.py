"""Each command imports what it uses and nothing else: shown by the modules that it leaves behind, not by time."""

import json
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from turnstile.cli.lazy import LazyGroup
from turnstile.cli.main import run, turnstile

HTTP = {"aiohttp", "httptools", "starlette", "uvicorn", "uvloop"}
STORES = {"apsw", "asyncpg"}
SERVERS = HTTP | STORES | {"asyncio", "jinja2"}
PROCESSES = {"concurrent.futures", "multiprocessing"}
ALWAYS_HEAVY = {"matplotlib", "numpy", "pyarrow", "pygraphviz", "hypothesis", "pytest"}
LEAST = SERVERS | PROCESSES | {"rich"}


def agents(*roles: str) -> set[str]:
    """The modules of agents in these roles."""
    return {f"turnstile.agents.{role}.process" for role in roles}


UNUSED: dict[tuple[str, ...], set[str]] = {
    (): LEAST | {"msgspec", "turnstile.kernel"},
    ("--version",): LEAST | {"msgspec", "turnstile.kernel"},
    ("games", "--schema", "e-card"): SERVERS | {"rich"},
    ("games", "--json"): SERVERS | {"rich"},
    ("games",): SERVERS | {"rich.markdown"},
    ("diagram", "e-card"): LEAST | {"turnstile.bots"},
    ("step", "e-card"): LEAST | {"turnstile.bots"},
    ("check", "e-card", "--most-states", "1"): SERVERS | PROCESSES | {"turnstile.bots"},
    ("play", "e-card"): SERVERS | {"rich.markdown"},
    ("simulate", "e-card", "-n", "1", "--processes", "1"): SERVERS | {"ray", "openskill"},
    ("tournament", "e-card", "--bots", "random,equilibrium", "-n", "2", "--processes", "1"): SERVERS | {"ray"},
    ("arena", "e-card", "--bots", "random,equilibrium", "-n", "2", "--processes", "1"): SERVERS | {"ray", "openskill"},
    ("report", "/no/such/file"): SERVERS,
    ("solve", "e-card"): SERVERS,
    ("replay", "MATCH"): SERVERS | PROCESSES | {"turnstile.bots"},
    ("verify", "MATCH"): SERVERS | PROCESSES | {"turnstile.bots"},
    ("serve", "--port", "many"): LEAST,
    ("matches", "list", "--store", "STORE"): HTTP | {"asyncpg", "rich"},
    ("matches", "check", "--store", "STORE"): HTTP | {"asyncpg", "rich"},
    ("league", "manager", "--admin-token", "", "--data", "FOLDER"): {"asyncpg", "rich", *agents("referee", "player")},
    ("league", "referee", "--store", "/no/such/store.db", "--data", "FOLDER"): {
        "asyncpg",
        "rich",
        *agents("manager", "player"),
    },
    ("league", "player", "--strategy", "guess", "--data", "FOLDER"): {"asyncpg", "rich", *agents("manager", "referee")},
    ("league", "run", "--in-process", "--players", "2"): {"asyncpg", "starlette", "uvicorn"},
    ("league", "status", "--manager", "http://127.0.0.1:1/mcp"): {"starlette", "uvicorn", "asyncpg", "apsw"},
}
"""The libraries that a command must not import. `MATCH` is a record, `STORE` a store without tables.

The agents of the league fail at once, because they get invalid arguments, but have imported all that they use.
"""

PROGRAM = """
import json, sys
from turnstile.cli.main import run
try:
    run(json.loads(sys.argv[1]))
except SystemExit:
    pass
sys.stdout.flush()
print("\\n" + json.dumps(sorted(sys.modules)))
"""


def modules_after(*arguments: str) -> set[str]:
    """The modules that a command has imported when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(arguments)], input="q\n", capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("files")
    run(["simulate", "e-card", "-n", "1", "--processes", "1", "--records", str(folder)])
    (record,) = folder.glob("*.jsonl")
    (folder / "empty.db").touch()
    return {"MATCH": str(record), "STORE": str(folder / "empty.db"), "FOLDER": str(folder / "data")}


@pytest.mark.parametrize("arguments", UNUSED, ids=" ".join)
def test_a_command_imports_no_library_that_it_does_not_use(files: dict[str, str], arguments: tuple[str, ...]) -> None:
    imported = modules_after(*[files.get(word, word) for word in arguments])
    assert imported & (UNUSED[arguments] | ALWAYS_HEAVY) == set()


def commands_of(group: click.Group, *path: str) -> Iterator[tuple[str, ...]]:
    """The paths of all commands, such as `("matches", "list")`."""
    for name, command in group.commands.items():
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from commands_of(command, *path, name)


HELP = """
import json, sys
from turnstile.cli.main import run
for path in json.loads(sys.argv[1]):
    run([*path, "--help"])
print("\\n" + json.dumps(sorted(sys.modules)))
"""


def test_no_help_imports_a_server() -> None:
    """The commands on stored tables are left out: their options come with the store."""
    paths = [(), *(path for path in commands_of(turnstile) if path[0] != "matches"), ("matches",)]
    done = subprocess.run([sys.executable, "-c", HELP, json.dumps(paths)], capture_output=True, text=True, check=True)
    assert done.stdout.count("Usage: turnstile") == len(paths)
    imported = set(json.loads(done.stdout.splitlines()[-1]))
    assert imported & (SERVERS | ALWAYS_HEAVY | {"rich.markdown"}) == set()


@pytest.mark.parametrize("path", [(), ("matches",), ("league",)], ids=" ".join)
def test_a_group_describes_each_command_with_the_first_sentence_of_its_help(path: tuple[str, ...]) -> None:
    group: click.Command = turnstile
    for name in path:
        assert isinstance(group, click.Group)
        group = group.commands[name]
    assert isinstance(group, LazyGroup)
    for name, place in group.places.items():
        told = group.commands[name].get_short_help_str(limit=1_000)
        assert told.rstrip(".").removesuffix(" (league.v2)") == place.short_help
