"""`turnstile matches`, on stores in which real matches were played."""

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

from tests.cli.conftest import Turnstile
from tests.host.matches import ANA, BO, NOW, begun, done, hear, hosting, opened, played
from tests.host.test_damage import flip
from tests.host.test_upgrades import written_by_an_older_release
from turnstile.host import Refused
from turnstile.kernel.values import LogId, PlayerId
from turnstile.registry import names
from turnstile.store.postgres import PostgresStore
from turnstile.store.sqlite.store import SqliteStore
from turnstile.table.values import Close, Phase, Resign

OPEN = ("playing", "starting")
OVER = (*(f"{game} match" for game in names()), "resigned")
COMMANDS = ("list", "show", "export", "prune", "check", "rebuild")


async def _fill(path: Path) -> None:
    """Whole matches of every game, one that was resigned, one being played, one that starts, one closed unplayed."""
    store = await SqliteStore.open(path)
    async with hosting(store) as host:
        for game in names():
            await played(host, f"{game} match", game)
        for name in ("playing", "resigned"):
            await begun(host, name, "66", ANA, BO)
            for player in (ANA, BO):
                line = await host.attach(LogId(name), player)
                assert not isinstance(line, Refused)
                host.detach(line)
            await asyncio.gather(*(hear(host, LogId(name), player, Phase.PLAYING) for player in (ANA, BO)))
        await done(host, LogId("resigned"), Resign(BO, "enough", NOW))
        await begun(host, "starting", "e-card", ANA, BO)
        await done(host, await opened(host, "closed", "e-card"), Close(ANA, "close", NOW))
    await store.close()


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "tables.db"
    asyncio.run(_fill(path))
    return path


@pytest.fixture
def store(filled: Path, tmp_path: Path) -> Path:
    """A store of one's own; it was closed well, so that the file is whole without a `-wal`."""
    return Path(copy(filled, tmp_path / "tables.db"))


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


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
    assert _caches(copied) == _caches(store)


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


# check and rebuild


def test_check_finds_a_sound_store_sound(turnstile: Turnstile, store: Path) -> None:
    ran = turnstile("matches", "check", "--store", store)
    assert (ran.status, ran.err) == (0, "")
    assert f"{len(OVER) + len(OPEN) + 1} checked, 0 faulty." in ran.out


def test_S6_U9_a_damaged_table_is_reported_put_aside_by_the_host_and_back_when_it_is_mended(
    turnstile: Turnstile, store: Path
) -> None:
    flip(store, "playing", 3)
    ran = turnstile("matches", "check", "--store", store)
    assert ran.status == 1
    assert "playing: Log playing is damaged: the hash of entry 3 does not match its content" in ran.err
    assert turnstile("matches", "show", "playing", "--store", store).status == 1
    asyncio.run(_look_at(store, "playing", is_sound=False))
    (aside,) = lines(turnstile("matches", "list", "--put-aside", "--store", store, "--json").out)
    assert (aside["table"], aside["isOpen"]) == ("playing", False)
    assert "entry 3" in aside["note"]
    assert turnstile("matches", "prune", "playing", "--store", store, "--yes").status == 2
    assert turnstile("matches", "rebuild", "playing", "--store", store).status == 1
    flip(store, "playing", 3)
    assert "rebuild brings it back" in turnstile("matches", "check", "--store", store).err
    assert turnstile("matches", "rebuild", "--store", store).status == 0
    assert turnstile("matches", "check", "--store", store).status == 0
    asyncio.run(_look_at(store, "playing", is_sound=True))


async def _look_at(path: Path, name: str, *, is_sound: bool) -> None:
    store = await SqliteStore.open(path)
    async with hosting(store) as host:
        answer = await host.submit(LogId(name), Resign(PlayerId("ana"), f"enough {is_sound}", NOW))
        assert isinstance(answer, Refused) is not is_sound
        await played(host, f"another {is_sound}", "even-odd")
    await store.close()


def test_a_table_that_cannot_be_mended_can_be_pruned_by_name(turnstile: Turnstile, store: Path) -> None:
    flip(store, "playing", 3)
    asyncio.run(_look_at(store, "playing", is_sound=False))
    ran = turnstile("matches", "prune", "--finished-before", "0s", "--store", store, "--yes")
    assert "playing" not in ran.out
    assert turnstile("matches", "prune", "playing", "--put-aside", "--store", store, "--yes").status == 0


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        ("DELETE FROM log WHERE rowid = (SELECT max(rowid) FROM log)", "are missing"),
        ("DELETE FROM log WHERE position = 1 AND table_key = 1", "entry 1 is missing"),
        ("DELETE FROM log WHERE position = 0 AND table_key = 2", "entry 0 is missing"),
        ("UPDATE log SET at = at + 1 WHERE position = 4 AND table_key = 3", "hash of entry 4"),
        ("UPDATE tables SET phase = 'Seating' WHERE key = 4", "is not what its log says"),
        ("UPDATE snapshots SET state = CAST('{}' AS BLOB)", "is not the state that entry led to"),
    ],
)
def test_U9_what_an_operator_edits_by_hand_is_noticed(turnstile: Turnstile, store: Path, harm: str, words: str) -> None:
    with sqlite3.connect(store) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute(harm)
    db.close()
    ran = turnstile("matches", "check", "--store", store)
    assert ran.status == 1
    assert words in ran.err


def _caches(path: Path) -> list[Any]:
    with sqlite3.connect(path) as db:
        found = db.execute(
            "SELECT id, position, game, phase, players, is_open, is_listed, opened, changed, due, note "
            "FROM tables ORDER BY id"
        ).fetchall()
    db.close()
    return found


def test_rebuild_makes_the_same_rows_from_the_logs_alone(turnstile: Turnstile, store: Path) -> None:
    before = _caches(store)
    with sqlite3.connect(store) as db:
        db.execute(
            "UPDATE tables SET phase = '?', players = '[]', is_open = 1, opened = 0, changed = 0, due = 5, game = '?'"
        )
    db.close()
    assert _caches(store) != before
    assert turnstile("matches", "rebuild", "--store", store).status == 0
    assert _caches(store) == before


def test_a_wrong_position_in_a_row_is_found_and_a_rebuild_mends_it(turnstile: Turnstile, store: Path) -> None:
    with sqlite3.connect(store) as db:
        db.execute("UPDATE tables SET position = position - 1 WHERE id = 'playing'")
    db.close()
    assert "The row of playing is not what its log says" in turnstile("matches", "check", "--store", store).err
    assert turnstile("matches", "rebuild", "--store", store).status == 0
    assert turnstile("matches", "check", "--store", store).status == 0


def test_U2_tables_of_older_rules_are_listed_but_not_faulty(turnstile: Turnstile, store: Path) -> None:
    async def add() -> None:
        opened = await SqliteStore.open(store)
        await written_by_an_older_release(opened, 3)
        await opened.close()

    asyncio.run(add())
    before = _caches(store)
    ran = turnstile("matches", "check", "--store", store)
    assert ran.status == 0
    assert "old: This match began under version 0 of e-card" in ran.err
    assert turnstile("matches", "rebuild", "--store", store).status == 0
    assert _caches(store) == before
    asyncio.run(_look_at(store, "old", is_sound=False))
    assert turnstile("matches", "check", "old", "--store", store).err == ""
    assert "halted" in turnstile("matches", "show", "old", "--store", store).out
    assert turnstile("matches", "export", "old", "--store", store, "--to", "-").status == 2
    assert turnstile("matches", "prune", "old", "--store", store, "--yes").status == 0


def test_ctrl_c_ends_it_quietly_and_lets_go_of_the_store(turnstile: Turnstile, store: Path) -> None:
    code = (
        "import asyncio, os, signal, sys, turnstile.durable.upkeep as upkeep\n"
        "from turnstile.cli.main import main\n"
        "real = upkeep.check\n"
        "async def stopped(*arguments):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    return await real(*arguments)\n"
        "upkeep.check = stopped\n"
        "sys.argv = ['turnstile', 'matches', 'check', '--store', sys.argv[1]]\n"
        "main()"
    )
    ran = subprocess.run([sys.executable, "-c", code, store], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr.strip()) == (128 + signal.SIGINT, "", "")
    assert not store.with_name("tables.db-wal").exists()
    assert turnstile("matches", "check", "--store", store).status == 0
