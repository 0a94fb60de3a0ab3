"""`turnstile matches`, on stores in which real matches were played."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Turnstile
from tests.cli.matches.filled import COMMANDS, OPEN, OVER, caches_in, lines
from turnstile.store.postgres import PostgresStore

# what all of them have in common


@pytest.mark.parametrize("command", COMMANDS)
def test_help_gives_an_example(turnstile: Turnstile, command: str) -> None:
    ran = turnstile("matches", command, "--help")
    assert ran.status == 0
    assert f"turnstile matches {command}" in ran.out.split("Example")[1]


def test_without_a_command_it_says_what_there_is(turnstile: Turnstile) -> None:
    ran = turnstile("matches")
    assert ran.status == 0
    assert all(f"  {command} " in ran.out for command in COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["list", "--store", "/no/such/file.db"], "There is no store in /no/such/file.db"),
        (["list", "--store", "/etc/passwd"], "cannot be"),
        (["list", "--store", "postgresql://nobody@127.0.0.1:1/none"], "PostgreSQL"),
        (["list", "--limit", "0"], "--limit"),
        (["show"], "Missing argument"),
        (["export"], "Name the tables to export, or use --all-finished."),
        (["export", "x", "--all-finished"], "Name the tables to export, or use --all-finished."),
        (["export", "x", "y", "--to", "-"], "the record of a single table"),
        (["prune"], "Name the tables to prune, or use --finished-before AGE."),
        (["prune", "--finished-before", "a while"], "Invalid age 'a while'"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_sentence(
    turnstile: Turnstile, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.setattr(PostgresStore, "open", partial(PostgresStore.open, patience=0.5))
    ran = turnstile("matches", *arguments)
    assert ran.status == 2
    assert ran.out == ""
    assert words in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("command", ["show", "export", "prune", "check", "rebuild"])
def test_a_table_that_does_not_exist_is_refused(turnstile: Turnstile, store: Path, command: str) -> None:
    ran = turnstile("matches", command, "nowhere", "--store", store, *(["--yes"] if command == "prune" else []))
    assert ran.status == 2
    assert "There is no log nowhere." in ran.err


def test_the_store_can_be_named_once_for_all_commands(
    turnstile: Turnstile, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TURNSTILE_STORE", str(store))
    assert turnstile("matches", "check").status == 0


@pytest.fixture
def in_use(store: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that has the store open until it is told to end."""
    code = (
        "import asyncio, sys; from turnstile.store.sqlite.store import SqliteStore\n"
        "async def main():\n"
        "    store = await SqliteStore.open(sys.argv[1])\n"
        "    print('open', flush=True); sys.stdin.read(); await store.close()\n"
        "asyncio.run(main())"
    )
    with subprocess.Popen([sys.executable, "-c", code, store], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"open\n"
        yield server
        server.communicate(b"")


@pytest.mark.parametrize("command", ["list", "check", "rebuild"])
def test_S10_a_store_in_use_by_a_server_is_refused(
    turnstile: Turnstile, store: Path, in_use: subprocess.Popen[bytes], command: str
) -> None:
    ran = turnstile("matches", command, "--store", store)
    assert (ran.status, ran.out) == (2, "")
    assert f"is in use by another server (process {in_use.pid})" in ran.err


def test_U7_a_backup_that_was_taken_while_a_server_runs_is_whole(
    turnstile: Turnstile, store: Path, in_use: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    copied = tmp_path / "copy.db"
    with sqlite3.connect(store) as source, sqlite3.connect(copied) as target:
        source.backup(target)
    source.close()
    target.close()
    assert turnstile("matches", "check", "--store", copied).status == 0
    assert caches_in(copied) == caches_in(store)


# list


def test_list_shows_every_table(turnstile: Turnstile, store: Path) -> None:
    ran = turnstile("matches", "list", "--store", store)
    assert ran.status == 0
    listed = lines(turnstile("matches", "list", "--store", store, "--json").out)
    assert [table["table"] for table in listed] == sorted([*OPEN, *OVER, "closed"])
    assert [line[:24].rstrip() for line in ran.out.splitlines()] == [table["table"] for table in listed]
    assert next(table for table in listed if table["table"] == "playing")["players"] == ["ana", "bo"]


def test_list_shows_what_it_is_asked_for(turnstile: Turnstile, store: Path) -> None:
    def found(*arguments: object) -> list[str]:
        return [
            table["table"] for table in lines(turnstile("matches", "list", "--store", store, "--json", *arguments).out)
        ]

    assert found("--open") == ["playing", "starting"]
    assert found("--finished") == sorted([*OVER, "closed"])
    assert found("--put-aside") == []
    assert found("--game", "66") == ["66 match", "playing", "resigned"]
    assert found("--open", "--game", "66", "--limit", 1) == ["playing"]
    assert found("--limit", 3) == sorted([*OPEN, *OVER, "closed"])[:3]


# show


def test_show_gives_no_secret_of_an_open_match_away(turnstile: Turnstile, store: Path) -> None:
    told = turnstile("matches", "show", "playing", "--store", store)
    shown = turnstile("matches", "show", "playing", "--store", store, "--json")
    assert told.status == shown.status == 0
    facts = json.loads(shown.out)
    assert facts["fairness"] is None
    assert len(facts["commitment"]) == 64
    assert facts["commitment"] in told.out
    with sqlite3.connect(store) as db:
        (start,) = db.execute("SELECT event FROM log WHERE CAST(event AS TEXT) LIKE '%the seed of playing%'").fetchone()
    db.close()
    assert b"the seed of playing" in start
    for text in (told.out, shown.out):
        assert "the seed of" not in text
    hands = {json.dumps(value) for value in _find("hand", facts["view"]) if value}
    assert hands == set()


def _find(name: str, value: Any) -> Iterator[Any]:
    """Everything of this name inside a value."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key == name:
                yield item
            yield from _find(name, item)
    elif isinstance(value, list):
        for item in value:
            yield from _find(name, item)


def test_show_tells_how_a_match_ended_and_what_proves_the_deal(turnstile: Turnstile, store: Path) -> None:
    ran = turnstile("matches", "show", "resigned", "--store", store)
    assert "seat            ana (person)" in ran.out
    assert "result          resigned (bo): ana won" in ran.out
    assert "seed            the seed of resigned" in ran.out
    facts = json.loads(turnstile("matches", "show", "e-card match", "--store", store, "--json").out)
    assert facts["fairness"] == {"seed": "the seed of e-card match", "words": {}}
    assert facts["status"]["result"]["how"] == "played"
    assert facts["events"] > 12


# export


@pytest.mark.parametrize("name", OVER)
def test_an_exported_record_verifies_and_replays(turnstile: Turnstile, store: Path, tmp_path: Path, name: str) -> None:
    ran = turnstile("matches", "export", name, "--store", store, "--to", tmp_path / "out")
    assert ran.status == 0
    (path,) = (tmp_path / "out").iterdir()
    assert str(path) in ran.out
    assert turnstile("verify", path).status == 0
    replayed = turnstile("replay", path, "--json")
    assert replayed.status == 0
    events = json.loads(turnstile("matches", "show", name, "--store", store, "--json").out)["events"]
    assert len(replayed.out.splitlines()) == events
    printed = turnstile("matches", "export", name, "--store", store, "--to", "-")
    assert printed.out.encode() == path.read_bytes()


def test_all_finished_matches_are_exported_and_nothing_else(turnstile: Turnstile, store: Path, tmp_path: Path) -> None:
    for _ in ("once", "and again"):
        ran = turnstile("matches", "export", "--all-finished", "--store", store, "--to", tmp_path / "out", "--json")
        assert ran.status == 0
        assert {line["table"] for line in lines(ran.out) if line["file"]} == set(OVER)
        assert {line["error"]["code"] for line in lines(ran.out) if line["error"]} == {"NoMatch"}
    assert len(list((tmp_path / "out").iterdir())) == len(OVER)


@pytest.mark.parametrize("name", [*OPEN, "closed"])
def test_what_is_not_over_is_not_exported(turnstile: Turnstile, store: Path, tmp_path: Path, name: str) -> None:
    ran = turnstile("matches", "export", name, "--store", store, "--to", tmp_path / "out")
    assert (ran.status, ran.out) == (2, "")
    assert not (tmp_path / "out").exists()
    assert turnstile("matches", "export", name, "--store", store, "--to", "-").status == 2


def test_a_file_with_something_else_in_it_is_left_alone(turnstile: Turnstile, store: Path, tmp_path: Path) -> None:
    path = tmp_path / "resigned.jsonl"
    path.write_text("mine")
    ran = turnstile("matches", "export", "resigned", "--store", store, "--to", tmp_path)
    assert ran.status == 2
    assert "exists with different content; move it away first." in ran.err
    assert path.read_text() == "mine"


# prune


def test_only_tables_that_are_over_are_pruned(turnstile: Turnstile, store: Path) -> None:
    for name in OPEN:
        ran = turnstile("matches", "prune", name, "--store", store, "--yes")
        assert ran.status == 2
        assert "This is not over: only finished tables and league agents can be pruned." in ran.err
    assert turnstile("matches", "prune", "resigned", "closed", "--store", store, "--yes").status == 0
    left = [table["table"] for table in lines(turnstile("matches", "list", "--store", store, "--json").out)]
    assert left == sorted({*OPEN, *OVER} - {"resigned"})
    assert turnstile("matches", "check", "--store", store).status == 0


def test_nothing_is_pruned_unless_somebody_says_so(turnstile: Turnstile, store: Path) -> None:
    before = turnstile("matches", "list", "--store", store, "--json").out
    for answer, status in (("n\n", 2), ("", 130)):
        ran = turnstile("matches", "prune", "--finished-before", "0s", "--store", store, given=answer)
        assert (ran.status, ran.out) == (status, "")
        assert f"Delete {len(OVER) + 1} tables, finished 0s ago or earlier, for good?" in ran.err
        assert "Nothing was pruned." in ran.err
    assert turnstile("matches", "list", "--store", store, "--json").out == before
    assert turnstile("matches", "prune", "closed", "--store", store, given="y\n").status == 0


def test_old_tables_are_pruned_once_their_records_are_safe(turnstile: Turnstile, store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    arguments = ("--store", store, "--export", folder, "--yes")
    assert turnstile("matches", "prune", "--finished-before", "1d", *arguments).out == ""
    ran = turnstile("matches", "prune", "--finished-before", "0s", *arguments)
    assert ran.status == 0
    assert len(ran.out.splitlines()) == len(OVER) + 1
    assert len(list(folder.iterdir())) == len(OVER)
    assert all(turnstile("verify", path).status == 0 for path in folder.iterdir())
    assert lines(turnstile("matches", "list", "--finished", "--store", store, "--json").out) == []


def test_a_table_whose_record_cannot_be_written_is_not_pruned(
    turnstile: Turnstile, store: Path, tmp_path: Path
) -> None:
    (tmp_path / "resigned.jsonl").write_text("mine")
    ran = turnstile("matches", "prune", "resigned", "--store", store, "--export", tmp_path, "--yes")
    assert ran.status == 2
    ran = turnstile("matches", "prune", "66 match", "--store", store, "--export", "/dev/null/none", "--yes")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.count("\n") == 1
    left = lines(turnstile("matches", "list", "--game", "66", "--finished", "--store", store, "--json").out)
    assert [table["table"] for table in left] == ["66 match", "resigned"]


def test_the_result_of_a_match_is_stored_before_its_table_is_pruned(turnstile: Turnstile, store: Path) -> None:
    with sqlite3.connect(store) as db:
        db.execute("UPDATE log SET event = x'7b7d' WHERE table_key = (SELECT key FROM tables WHERE id = 'resigned')")
    db.close()
    ran = turnstile("matches", "prune", "--finished-before", "0s", "--store", store, "--yes")
    assert ran.status == 2
    assert "resigned: The result of this match is not stored yet, and cannot be read here: Log resigned is" in ran.err
    left = lines(turnstile("matches", "list", "--finished", "--store", store, "--json").out)
    assert [table["table"] for table in left] == ["resigned"]
    with sqlite3.connect(store) as db:
        booked = [table for (table,) in db.execute("SELECT table_id FROM results ORDER BY table_id")]
    db.close()
    assert booked == sorted({*OVER} - {"resigned"})
    assert turnstile("matches", "prune", "resigned", "--without-result", "--store", store, "--yes").status == 0
