"""A smoke test of each command as users run it: the installed entry point, in its own process."""

import asyncio

import pytest

from tests.cli.conftest import Turnstile
from tests.cli.test_imports import commands_of
from tests.host.matches import hosting, opened
from turnstile.cli.main import run
from turnstile.cli.main import turnstile as commands
from turnstile.store.sqlite.store import SqliteStore

NOBODY = "http://127.0.0.1:1/mcp"
START = '{"state":null,"players":["ana","bo"],"event":{"type":"Start","seed":"7"}}\n'

SMOKE: dict[str, tuple[tuple[str, ...], str, int, str]] = {
    "serve": (("--host", "0.0.0.0"), "", 2, "Unsafe settings"),  # noqa: S104  # the rest is in test_serve.py
    "play": (("e-card", "--seed", "3"), "q\n", 0, "You leave the table."),
    "games": ((), "", 0, "E-Card"),
    "diagram": (("e-card",), "", 0, "stateDiagram-v2\n"),
    "check": (("e-card", "--most-states", "50"), "", 0, "proved"),
    "step": (("e-card",), START, 0, '"phase":"RoundSetup"'),
    "simulate": (("e-card", "-n", "20", "--processes", "2"), "", 0, "E-Card: 20 matches"),
    "tournament": (
        ("e-card", "--bots", "equilibrium,random", "-n", "2", "--processes", "1"),
        "",
        0,
        "What the seats are worth",
    ),
    "arena": (("e-card", "--bots", "equilibrium,random", "-n", "2", "--processes", "1"), "", 0, "E-Card: equilibrium,"),
    "actions": (("e-card",), "", 0, "Pick card=E"),
    "report": (("RESULTS", "--json"), "", 0, '"kind":"simulation"'),
    "solve": (("e-card",), "", 0, "wins 4/5 on average"),
    "replay": (("RECORD",), "", 0, "E-Card: equilibrium 1, equilibrium 2."),
    "verify": (("RECORD",), "", 0, "passed"),
    "matches list": (("--store", "STORE"), "", 0, "e-card"),
    "matches show": (("lobby", "--store", "STORE"), "", 0, "lobby"),
    "matches export": (("lobby", "--store", "STORE", "--to", "-"), "", 2, "lobby: "),
    "matches prune": (("lobby", "--store", "STORE", "--yes"), "", 2, "lobby: "),
    "matches check": (("--store", "STORE"), "", 0, "1 checked, 0 faulty."),
    "matches rebuild": (("--store", "STORE"), "", 0, "lobby: rebuilt"),
    "league run": (("--in-process", "--players", "2"), "", 0, "1 of 1 matches"),
    "league start": (("--manager", NOBODY), "", 1, "does not answer"),
    "league status": (("--manager", NOBODY), "", 1, "does not answer"),
}
"""Arguments, standard input, exit status and a part of the output. The league's agents have their own tests."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A record, a file of results, and a store with one table that has not started."""
    folder = tmp_path_factory.mktemp("files")
    results = str(folder / "results" / "matches.jsonl")
    run(["simulate", "e-card", "-n", "1", "--records", str(folder), "--out", results])
    (record,) = folder.glob("*.jsonl")

    async def fill() -> None:
        store = await SqliteStore.open(folder / "tables.db")
        async with hosting(store) as host:
            await opened(host, "lobby", "e-card")
        await store.close()

    asyncio.run(fill())
    return {"RECORD": str(record), "RESULTS": results, "STORE": str(folder / "tables.db")}


def test_every_command_has_a_smoke_test() -> None:
    agents = {"league manager", "league referee", "league player"}  # see tests/cli/league/test_agents.py
    assert {*SMOKE, *agents, "matches", "league"} == set(map(" ".join, commands_of(commands)))


@pytest.mark.parametrize("command", SMOKE)
def test_the_program_runs_the_command(program: Turnstile, files: dict[str, str], command: str) -> None:
    arguments, given, status, words = SMOKE[command]
    ran = program(*command.split(), *[files.get(word, word) for word in arguments], given=given)
    assert (ran.status, "Traceback" in ran.err) == (status, False), ran.err
    assert words in (ran.err if status else ran.out)


@pytest.mark.parametrize("group", ["", "matches", "league"])
def test_the_program_shows_its_help(program: Turnstile, group: str) -> None:
    ran = program(*group.split())
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: turnstile {group}".rstrip())
