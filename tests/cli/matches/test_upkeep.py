"""`turnstile matches check` and `rebuild`: damage is found, named and mended."""

import asyncio
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Turnstile
from tests.cli.matches.filled import OPEN, OVER, caches_in, lines
from tests.host.matches import NOW, hosting, played
from tests.host.test_damage import flip
from tests.host.test_upgrades import written_by_an_older_release
from turnstile.durable.log import FINGERPRINT_EVERY
from turnstile.host import Refused
from turnstile.kernel.values import LogId, PlayerId
from turnstile.store.log import Entry, entry
from turnstile.store.sqlite.store import SqliteStore
from turnstile.table.values import Resign


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


def forge(path: Path, table: str, position: int) -> None:
    """Let an event happen an hour later than it did, and write a chain of hashes that holds."""
    with sqlite3.connect(path) as db:
        (key,) = db.execute("SELECT key FROM tables WHERE id = ?", (table,)).fetchone()
        rows = db.execute(
            "SELECT position, at, event, state, link, command, answer FROM log WHERE table_key = ? ORDER BY position",
            (key,),
        ).fetchall()
        entries = [Entry(*row) for row in rows]
        before = entries[position - 1].link
        for old in entries[position:]:
            later = old.event.replace(b'"at":%d' % old.at, b'"at":%d' % (old.at + 3_600_000))
            event = later if old.position == position else old.event
            made = entry(before, old.position, old.at, event, old.state, old.command, old.answer)
            db.execute(
                "UPDATE log SET event = ?, link = ? WHERE table_key = ? AND position = ?",
                (made.event, made.link, key, made.position),
            )
            before = made.link
    db.close()


@pytest.mark.parametrize("position", [3, 18])
def test_U9_a_log_that_leads_elsewhere_than_it_did_is_found_at_the_next_fingerprint(
    turnstile: Turnstile, store: Path, position: int
) -> None:
    forge(store, "up-down match", position)
    ran = turnstile("matches", "check", "--store", store)
    found_at = FINGERPRINT_EVERY * (1 + position // FINGERPRINT_EVERY)
    assert ran.status == 1
    assert f"up-down match is damaged: it no longer leads to the state it led to at entry {found_at}" in ran.err


def test_U9_a_changed_bit_of_an_entry_without_a_fingerprint_is_found(turnstile: Turnstile, store: Path) -> None:
    flip(store, "up-down match", FINGERPRINT_EVERY + 1)
    assert f"the hash of entry {FINGERPRINT_EVERY + 1} does" in turnstile("matches", "check", "--store", store).err


def test_rebuild_makes_the_same_rows_from_the_logs_alone(turnstile: Turnstile, store: Path) -> None:
    before = caches_in(store)
    with sqlite3.connect(store) as db:
        db.execute(
            "UPDATE tables SET phase = '?', players = '[]', is_open = 1, opened = 0, changed = 0, due = 5, game = '?'"
        )
    db.close()
    assert caches_in(store) != before
    assert turnstile("matches", "rebuild", "--store", store).status == 0
    assert caches_in(store) == before


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
    before = caches_in(store)
    ran = turnstile("matches", "check", "--store", store)
    assert ran.status == 0
    assert "old: This match began under version 0 of e-card" in ran.err
    assert turnstile("matches", "rebuild", "--store", store).status == 0
    assert caches_in(store) == before
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
