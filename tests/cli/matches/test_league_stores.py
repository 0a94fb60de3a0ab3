"""`turnstile matches` is for stores of tables. The store of a league's agent is refused, and stays as it is."""

import asyncio
import sqlite3
from pathlib import Path
from shutil import copy

import pytest
from msgspec.structs import replace

from tests.agents.process.kept import MACHINES
from tests.cli.conftest import Turnstile
from tests.host.matches import hosting, played
from tests.host.test_damage import flip
from turnstile.agents.process.keeper import Keeper
from turnstile.kernel.values import LogId
from turnstile.store.sqlite.store import SqliteStore

COMMANDS = (
    ("list",),
    ("show", "machine"),
    ("export", "--all-finished"),
    ("export", "machine", "--to", "-"),
    ("prune", "machine", "--put-aside", "--yes"),
    ("prune", "--finished-before", "0s", "--yes"),
    ("check",),
    ("check", "machine"),
    ("rebuild",),
    ("rebuild", "machine"),
)


async def _agent(path: Path, name: str) -> None:
    """The log of an agent that has nothing more to do: a finished table could be pruned in this state."""
    machine, start, _ = MACHINES[name]
    table = LogId("machine")
    store = await SqliteStore.open(path)
    await Keeper.begin(store, table, machine, start(), time_scale=1.0, is_open=lambda state: True)
    row = await store.row(table)
    assert row is not None
    await store.rebuild([(table, replace(row, is_open=False))])
    await store.close()


async def _table(path: Path) -> None:
    store = await SqliteStore.open(path)
    async with hosting(store) as host:
        await played(host, "a table", "e-card")
    await store.close()


@pytest.fixture(scope="session", params=sorted(MACHINES))
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("league") / f"{request.param}.db"
    asyncio.run(_agent(path, request.param))
    return path


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    return Path(copy(made, tmp_path / made.name))


def kept(path: Path) -> list[str]:
    """Everything in a store, as SQL."""
    db = sqlite3.connect(path)
    lines = list(db.iterdump())
    db.close()
    return lines


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_store_of_an_agent_is_refused_with_a_sentence_that_names_the_right_command_and_stays_as_it_is(
    turnstile: Turnstile, store: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    before = kept(store)
    ran = turnstile("matches", *command, "--store", store)
    assert ran.status == 2
    assert ran.out == ""
    assert f"{store} holds the log of a league {store.stem}" in ran.err
    assert f"turnstile league {store.stem}" in ran.err
    assert "turnstile league status" in ran.err
    assert ran.err.count("\n") == 1
    assert kept(store) == before


def test_the_store_of_an_agent_whose_log_is_damaged_is_refused_all_the_same(turnstile: Turnstile, store: Path) -> None:
    flip(store, "machine", 0)
    before = kept(store)
    ran = turnstile("matches", "prune", "machine", "--yes", "--store", store)
    assert ran.status == 2
    assert f"holds the log of a league {store.stem}" in ran.err
    assert kept(store) == before


def test_a_store_of_tables_with_the_log_of_an_agent_in_it_is_refused_too(turnstile: Turnstile, tmp_path: Path) -> None:
    store = tmp_path / "both.db"
    asyncio.run(_table(store))
    assert turnstile("matches", "check", "--store", store).status == 0
    asyncio.run(_agent(store, "manager"))
    before = kept(store)
    ran = turnstile("matches", "prune", "a table", "--yes", "--store", store)
    assert ran.status == 2
    assert "holds the log of a league manager" in ran.err
    assert kept(store) == before
