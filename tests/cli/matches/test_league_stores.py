"""`turnstile matches` understands every log: those of tables, and those of a league's agents beside them."""

import asyncio
import json
import stat
from pathlib import Path
from random import Random
from shutil import copy

import pytest

from tests.agents.process.kept import MACHINES, TABLE, begun, happening, nothing
from tests.cli.conftest import Turnstile
from tests.host.matches import hosting, played
from tests.host.test_damage import flip
from turnstile.durable.upkeep import load_entries
from turnstile.store.log import BEFORE_FIRST, verify
from turnstile.store.sqlite.store import SqliteStore


async def _agent(path: Path, name: str, *, until_closed: bool = False) -> None:
    """The log of an agent that has done a few things; or one that has nothing more to do."""
    store, chance = await SqliteStore.open(path), Random(name)
    keeper = await begun(store, name)  # type: ignore[arg-type]
    for number in range(2_000):
        if not keeper.kind.row(keeper.kept.state).is_open if until_closed else number == 12:
            break
        await keeper.bring(happening(name, keeper, chance), nothing)
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


def test_the_log_of_an_agent_is_listed_shown_checked_and_rebuilt(turnstile: Turnstile, store: Path) -> None:
    at = ("--store", store)
    listed = turnstile("matches", "list", "--json", *at)
    assert json.loads(listed.out)["game"] == store.stem
    shown = turnstile("matches", "show", "machine", "--json", *at)
    facts = json.loads(shown.out)
    assert (facts["log"], facts["machine"]) == ("machine", store.stem)
    assert facts["entries"] > 0
    assert f"{store.stem} of a league" in turnstile("matches", "show", "machine", *at).out
    assert turnstile("matches", "check", *at).out.splitlines()[-1] == "1 checked, 0 faulty."
    assert turnstile("matches", "rebuild", *at).status == 0
    assert turnstile("matches", "check", *at).status == 0


def test_what_is_shown_of_an_agent_holds_none_of_its_secrets(turnstile: Turnstile, store: Path) -> None:
    shown = turnstile("matches", "show", "machine", "--json", "--store", store).out
    assert "oken" not in shown
    assert "seed" not in shown


def test_the_log_of_an_agent_that_is_damaged_is_named_and_cannot_be_rebuilt(turnstile: Turnstile, store: Path) -> None:
    flip(store, "machine", 1)
    checked = turnstile("matches", "check", "--json", "--store", store)
    assert checked.status == 1
    assert json.loads(checked.out)["error"]["code"] == "DamagedLog"
    assert turnstile("matches", "rebuild", "machine", "--store", store).status == 1


@pytest.mark.parametrize("command", [("export", "machine"), ("prune", "machine", "--yes")], ids=lambda each: each[0])
def test_an_agent_that_still_has_something_to_do_is_neither_exported_nor_pruned(
    turnstile: Turnstile, store: Path, command: tuple[str, ...]
) -> None:
    ran = turnstile("matches", *command, "--store", store)
    assert ran.status == 2
    assert "not over" in ran.err
    assert turnstile("matches", "check", "machine", "--store", store).status == 0


def test_the_log_of_a_match_that_is_over_is_exported_whole_for_its_owner_alone_and_then_pruned(
    turnstile: Turnstile, tmp_path: Path
) -> None:
    store, target = tmp_path / "referee.db", tmp_path / "logs"
    asyncio.run(_agent(store, "referee", until_closed=True))
    at = ("--store", store)
    assert turnstile("matches", "prune", "machine", "--export", target, "--yes", *at).status == 0
    file = target / "machine.jsonl"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    entries = load_entries(file.read_bytes())
    verify(TABLE, BEFORE_FIRST, -1, entries)
    assert json.loads(entries[0].event)["log"] == "referee"
    assert turnstile("matches", "list", *at).out == ""


def test_tables_and_agents_may_share_a_store_and_a_host_does_not_take_an_agent_for_a_table(
    turnstile: Turnstile, tmp_path: Path
) -> None:
    store = tmp_path / "both.db"
    asyncio.run(_table(store))
    asyncio.run(_agent(store, "manager"))

    async def attach() -> str:
        opened = await SqliteStore.open(store)
        async with hosting(opened) as host:
            refused = await host.attach(TABLE, None)
        await opened.close()
        return refused.error.code  # type: ignore[union-attr]

    assert asyncio.run(attach()) == "NoSuchTable"
    checked = turnstile("matches", "check", "--store", store)
    assert checked.out.splitlines()[-1] == "2 checked, 0 faulty."
    assert turnstile("matches", "export", "--all-finished", "--to", tmp_path / "records", "--store", store).status == 0
    assert [file.name for file in (tmp_path / "records").iterdir()] == ["a%20table.jsonl"]
