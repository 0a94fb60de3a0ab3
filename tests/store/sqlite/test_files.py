"""The SQLite store and the system it runs on: its lock, its file's name, room that others grant or deny."""

import asyncio
import errno
import fcntl
import os
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from tests.store.making import commit_of, following, stored
from tests.store.sqlite.on_disk import nothing, with_store
from tests.store.sqlite.test_threads import Standstill
from turnstile.kernel.values import LogId
from turnstile.store.protocol import Broken, CannotOpen, StoreFault
from turnstile.store.sqlite import SqliteStore

T = LogId("t")


def test_S10_a_close_that_is_given_up_keeps_the_lock_while_the_writer_writes(path: Path) -> None:
    async def test() -> None:
        store = await SqliteStore.open(path)
        entries = await stored(store, T, 1)
        async with Standstill(store):
            sending = asyncio.ensure_future(store.commit(commit_of(T, following(entries[-1]))))
            await asyncio.sleep(0)
            closing = asyncio.create_task(store.close())
            while not store._read._ended.done():
                await asyncio.sleep(0)
            closing.cancel()
            await asyncio.wait((closing,))
            with pytest.raises(CannotOpen, match="in use"):
                await SqliteStore.open(path)
        assert await sending
        await store.close()
        again = await SqliteStore.open(path)
        assert len(await again.entries(T, 0)) == 2
        await again.close()

    asyncio.run(test())


def test_C16_when_the_reader_itself_fails_who_reads_is_told(path: Path) -> None:
    class Failing:
        def __init__(self, connection: apsw.Connection) -> None:
            self._connection = connection

        def __getattr__(self, name: str) -> object:
            return getattr(self._connection, name)

        def execute(self, statement: str, *bindings: object) -> object:
            if statement == "ROLLBACK":
                raise apsw.IOError("disk I/O error")
            return self._connection.execute(statement, *bindings)  # type: ignore[arg-type]

    async def test() -> None:
        store = await SqliteStore.open(path)
        await stored(store, T, 1)
        store._read._connection = Failing(store._read._connection)  # type: ignore[assignment]
        with pytest.raises(Broken):
            await store.row(T)
        with pytest.raises(Broken):
            await store.close()

    asyncio.run(test())


def test_S2_the_number_of_the_process_is_written_if_there_is_room(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_store(path, nothing)

    def write(_handle: int, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", write)
    with_store(path, nothing)


def test_a_lock_that_the_system_refuses_is_said_to_be_that(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(_handle: int, _how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(CannotOpen, match="cannot be locked: No locks available"):
        asyncio.run(SqliteStore.open(path))


def test_S10_a_file_of_two_names_is_refused(path: Path) -> None:
    with_store(path, nothing)
    os.link(path, path.parent / "other.db")
    with pytest.raises(CannotOpen, match="hard link"):
        asyncio.run(SqliteStore.open(path))


@pytest.mark.parametrize("suffix", ["", ".lock"])
@pytest.mark.parametrize("is_replaced", [True, False])
def test_S10_a_file_that_is_moved_away_is_noticed_at_the_next_beat(path: Path, suffix: str, is_replaced: bool) -> None:
    async def test() -> None:
        store = await SqliteStore.open(path)
        entries = await stored(store, T, 1)
        await store.beat()
        named = Path(f"{path}{suffix}")
        named.rename(path.parent / "moved")
        if is_replaced:
            named.touch()
        with pytest.raises(Broken, match="was moved"):
            await store.beat()
        with pytest.raises(Broken):
            await store.commit(commit_of(T, following(entries[-1])))
        with pytest.raises(StoreFault):
            await store.row(T)
        await store.close()

    asyncio.run(test())


LIMITED = """
import asyncio, os, resource, signal, sys
from tests.store.making import ROW, commit_of, following, header, stored
from turnstile.kernel.values import LogId
from turnstile.store.protocol import StorageFull
from turnstile.store.sqlite import SqliteStore

async def test(path):
    store = await SqliteStore.open(path)
    entries = await stored(store, LogId("t"), 1)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (os.stat(path + "-wal").st_size, limits[1]))
    made = commit_of(LogId("t"), following(entries[-1], event=b"x" * 20_000))
    try:
        await store.commit(made)
    except StorageFull:
        print("full")
    assert await store.row(LogId("t")) == ROW
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert await store.commit(made)
    await store.close()

asyncio.run(test(sys.argv[1]))
"""


def test_S1_a_file_that_may_not_grow_is_no_broken_disk(path: Path) -> None:
    """The limit is the process's, so it is one of its own."""
    ran = subprocess.run([sys.executable, "-c", LIMITED, str(path)], check=True, text=True, capture_output=True)
    assert ran.stdout == "full\n"
