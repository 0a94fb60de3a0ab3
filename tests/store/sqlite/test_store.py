"""The SQLite store alone: its file, its settings, its schema, its clock."""

import logging
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.store.making import ROW, commit_of, following, header, reading, stored
from tests.store.places import START
from tests.store.sqlite.on_disk import nothing, with_store
from turnstile.kernel.values import LogId
from turnstile.store import migrations
from turnstile.store.log import verify
from turnstile.store.protocol import CannotOpen
from turnstile.store.sqlite import SqliteStore, files
from turnstile.store.sqlite import connection as sqlite_connection
from turnstile.store.sqlite import lanes as sqlite_lanes

T = LogId("t")


def refusal(path: Path, **clocks: Any) -> str:
    with pytest.raises(CannotOpen) as refused:
        with_store(path, nothing, **clocks)
    return str(refused.value)


# settings


def test_every_setting_is_as_it_should_be(path: Path) -> None:
    async def test(store: SqliteStore) -> None:
        async def is_set(name: str) -> object:
            return await store._write.ask(lambda db: db.execute(f"PRAGMA {name}").get)

        wanted = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "trusted_schema": 0, "page_size": 4096,
                  "wal_autocheckpoint": 0, "busy_timeout": 5_000}  # fmt: skip
        assert {name: await is_set(name) for name in wanted} == wanted
        assert await store._read.ask(lambda db: db.execute("PRAGMA query_only").get) == 1

    with_store(path, test)


def test_a_setting_that_is_not_obeyed_refuses_to_open(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(f"PRAGMA page_size = 8192; PRAGMA application_id = {sqlite_connection.APPLICATION_ID}")
    connection.execute("CREATE TABLE other (x)")
    connection.close()
    assert "page_size should be 4096 and is [(8192,)]" in refusal(path)


def test_S12_an_sqlite_that_may_damage_its_files_is_refused() -> None:
    sqlite_connection.require_version("3.51.3")
    sqlite_connection.require_version("4.0.0")
    with pytest.raises(CannotOpen, match=r"3\.51\.3 or newer is needed"):
        sqlite_connection.require_version("3.51.2")


def test_a_new_file_is_its_owners_alone(path: Path) -> None:
    """It holds the seeds of matches that are being played."""

    async def test(store: SqliteStore) -> None:
        await stored(store, T, 1)
        for file in path.parent.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file

    with_store(path, test)


def test_after_a_clean_end_the_file_is_all_there_is(path: Path) -> None:
    async def test(store: SqliteStore) -> None:
        await stored(store, T, 1)

    with_store(path, test)
    assert {file.name for file in path.parent.iterdir()} == {"tables.db", "tables.db.lock"}


# whose file it is


def test_S10_a_second_process_is_refused_with_a_sentence(path: Path) -> None:
    program = f"""
import asyncio
from turnstile.store.protocol import CannotOpen
from turnstile.store.sqlite import SqliteStore
try:
    asyncio.run(SqliteStore.open({str(path)!r}))
except CannotOpen as refused:
    print(refused)
"""

    async def test(store: SqliteStore) -> None:
        await stored(store, T, 1)
        told = subprocess.run([sys.executable, "-c", program], check=True, text=True, capture_output=True)
        assert "is in use by another server (process " in told.stdout
        assert len((await reading(store, T)).entries) == 1

    with_store(path, test)


def test_S10_a_second_store_in_this_process_is_refused_whatever_it_calls_the_file(path: Path) -> None:
    alias = path.parent / "alias.db"
    alias.symlink_to(path)

    async def test(_store: SqliteStore) -> None:
        for name in (path, alias):
            with pytest.raises(CannotOpen, match="is in use by another server"):
                await SqliteStore.open(name)

    with_store(path, test)
    with_store(alias, nothing)


def test_S5_a_file_that_cannot_be_made_is_refused_with_a_sentence(tmp_path: Path) -> None:
    assert "No such file or directory" in refusal(tmp_path / "nowhere" / "tables.db")
    (tmp_path / "folder").mkdir()
    assert "Is a directory" in refusal(tmp_path / "folder")


def test_a_database_of_another_program_is_refused_and_left_as_it_is(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE other (x)")
    connection.close()
    before = path.read_bytes()
    assert "It is a database of another program." in refusal(path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(path: Path) -> None:
    path.write_bytes(b"Dear diary" * 1_000)
    assert "not a database" in refusal(path)
    assert path.read_bytes() == b"Dear diary" * 1_000


MOUNTS = """\
/dev/root / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
/dev/sdb /home/games\\040here ext4 rw 0 0
share /mnt/share cifs rw 0 0
"""


@pytest.mark.parametrize(
    ("file", "kind"),
    [("/var/tables.db", None), ("/home/tables.db", "nfs4"), ("/home/games here/tables.db", None),
     ("/home/games/tables.db", "nfs4"), ("/mnt/share/a/b/tables.db", "cifs"), ("/mnt/shared/tables.db", None)],
)  # fmt: skip
def test_S11_a_network_file_system_is_known_by_its_mount(file: str, kind: str | None) -> None:
    assert files.network_file_system(Path(file), MOUNTS) == kind


def test_S11_a_network_file_system_is_warned_of(
    path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = {line.split()[2] for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines()}
    monkeypatch.setattr(files, "NETWORKED", frozenset(here))
    with caplog.at_level(logging.WARNING):
        with_store(path, nothing)
    assert "is on a network file system" in caplog.text


# schema


def test_U4_a_newer_schema_is_refused_and_left_as_it_is(path: Path) -> None:
    with_store(path, nothing)
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = path.read_bytes()
    assert "Its schema has version 99" in refusal(path)
    assert path.read_bytes() == before


def test_C12_U5_a_step_that_fails_half_way_leaves_nothing_and_can_be_taken_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = migrations.all_migrations("sqlite")
    half = migrations.Migration(len(first) + 1, "CREATE TABLE extra (x); INSERT INTO nowhere VALUES (1)")
    whole = migrations.Migration(len(first) + 1, "CREATE TABLE extra (x); INSERT INTO extra VALUES (1)")

    async def put(store: SqliteStore) -> None:
        await stored(store, T, 3)

    async def look(store: SqliteStore) -> None:
        assert len((await reading(store, T)).entries) == 3
        assert await store._read.ask(lambda db: db.execute("SELECT x FROM extra").get) == 1

    with_store(path, put)
    monkeypatch.setattr(migrations, "all_migrations", lambda _dialect: (*first, half))
    assert "nowhere" in refusal(path)
    monkeypatch.setattr(migrations, "all_migrations", lambda _dialect: (*first, whole))
    with_store(path, look)
    with_store(path, look)


def test_migrations_are_taken_in_order_from_where_a_store_is() -> None:
    steps = tuple(migrations.Migration(number, "") for number in (1, 2, 3))
    assert migrations.pending_migrations(0, steps) == steps
    assert migrations.pending_migrations(2, steps) == steps[2:]
    assert migrations.pending_migrations(3, steps) == ()


# copies


def test_S9_a_copy_without_its_write_ahead_log_is_older_but_whole(path: Path) -> None:
    """Documented: it is the operator's mistake. What it holds is what some earlier moment held."""
    copy = path.parent / "copy.db"

    async def test(store: SqliteStore) -> None:
        entries = await stored(store, T, 20)
        await store._write.ask(lambda _db: setattr(store._write, "_pages", sqlite_lanes.CHECKPOINT_AFTER))
        await store.acknowledge(T, {"alice": 1})
        entries.append(following(entries[-1]))
        assert await store.commit(commit_of(T, entries[-1]))
        shutil.copyfile(path, copy)

    async def look(store: SqliteStore) -> None:
        saved = await store.load(T)
        assert saved is not None
        verify(T, saved.header.link, 0, saved.entries)
        assert len(saved.entries) == 20

    with_store(path, test)
    with_store(copy, look)


# clock


def test_T1_T2_a_wall_clock_that_jumps_while_we_run_changes_nothing(path: Path) -> None:
    wall, monotonic = [START * 1_000_000], [0]

    async def test(store: SqliteStore) -> None:
        assert store.now() == START
        wall[0] += 3_600_000_000_000
        assert store.now() == START
        wall[0] -= 7_200_000_000_000
        monotonic[0] += 1_500_000_000
        assert store.now() == START + 1_500

    with_store(path, test, wall=lambda: wall[0], monotonic=lambda: monotonic[0])


@pytest.mark.parametrize("what", ["beat", "entry"])
def test_U8_a_clock_a_little_behind_waits_and_one_far_behind_is_refused(path: Path, what: str) -> None:
    async def write(store: SqliteStore) -> None:
        if what == "beat":
            await store.beat()
        else:
            await store.create(T, header(at=START), ROW)

    async def look(store: SqliteStore) -> None:
        assert store.now() == START
        assert await store.beat() is None

    def clocks(milliseconds: int) -> dict[str, Any]:
        return {"wall": lambda: milliseconds * 1_000_000, "monotonic": lambda: 0}

    with_store(path, write, **clocks(START))
    with_store(path, look, **clocks(START - 300_000))
    assert "The clock says 2027-01-15 07:54:59 UTC, but something was written at 2027-01-15 08:00:00 UTC" in refusal(
        path, **clocks(START - 300_001)
    )
