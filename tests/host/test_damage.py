"""Tables that cannot be trusted are put aside, in full view; all others go on."""

import asyncio
import sqlite3
from pathlib import Path

from tests.host.matches import ANA, BO, BOTS, NOW, begun, header, hosting, opened, played
from turnstile.host import Refused
from turnstile.kernel.chance import Seed
from turnstile.kernel.values import LogId
from turnstile.store.memory import Disk, MemoryStore
from turnstile.store.protocol import Busy
from turnstile.store.sqlite.store import SqliteStore
from turnstile.table.values import Halt, Join, Rematch, Resign, Start


def flip(path: Path, table: str, position: int) -> None:
    """Change one bit of an entry behind the store's back."""
    with sqlite3.connect(path) as db:
        its = "table_key = (SELECT key FROM tables WHERE id = ?) AND position = ?"
        (old,) = db.execute(f"SELECT event FROM log WHERE {its}", (table, position)).fetchone()  # noqa: S608
        new = bytes([old[0] ^ 1]) + old[1:]
        db.execute(f"UPDATE log SET event = ? WHERE {its}", (new, table, position))  # noqa: S608
    db.close()


async def on_disk(path: Path) -> None:
    """Two tables whose matches go on."""
    store = await SqliteStore.open(path)
    async with hosting(store) as host:
        await begun(host, "bad", "e-card", ANA, BO)
        await begun(host, "good", "e-card", ANA, BO)
    await store.close()


def test_S6_U9_a_table_with_a_flipped_bit_is_put_aside_and_others_go_on(tmp_path: Path) -> None:
    async def run() -> None:
        path = tmp_path / "tables.db"
        await on_disk(path)
        flip(path, "bad", 2)
        store = await SqliteStore.open(path)
        async with hosting(store) as host:
            for attempt in ("once", "twice"):
                answer = await host.submit(LogId("bad"), Resign(ANA, attempt, NOW))
                assert isinstance(answer, Refused)
                assert answer.error.code == "TablePutAside"
                assert "entry" not in answer.error.sentence, "what is in a log is for the operator alone"
            assert not isinstance(await host.submit(LogId("good"), Resign(ANA, "enough", NOW)), Refused)
            await played(host, "new", "even-odd")
        row = await store.row(LogId("bad"))
        assert row is not None
        assert not row.is_open
        assert "the hash of entry 2 does not match its content" in row.note
        await store.close()

    asyncio.run(run())


def test_U9_a_table_whose_newest_entry_was_taken_out_is_put_aside(tmp_path: Path) -> None:
    async def run() -> None:
        path = tmp_path / "tables.db"
        await on_disk(path)
        with sqlite3.connect(path) as db:
            db.execute("DELETE FROM log WHERE rowid = (SELECT max(rowid) FROM log WHERE table_key = 1)")
        db.close()
        store = await SqliteStore.open(path)
        async with hosting(store) as host:
            answer = await host.submit(LogId("bad"), Start(ANA, "again", NOW, Seed("x")))
            assert isinstance(answer, Refused)
            assert answer.error.code == "TablePutAside"
            assert not isinstance(await host.submit(LogId("good"), Resign(ANA, "enough", NOW)), Refused)
        await store.close()

    asyncio.run(run())


class Moody(MemoryStore):
    """A store that has no time now, as often as we say."""

    moods = 0

    def _logs(self):  # type: ignore[no-untyped-def]
        if self.moods:
            self.moods -= 1
            raise Busy("There is no time.")
        return super()._logs()


def test_S4_a_table_that_cannot_be_opened_or_read_now_is_refused_and_can_be_later() -> None:
    async def run() -> None:
        store = Moody(lambda: 1_800_000_000_000, is_shared=False)
        async with hosting(store) as host:
            store.moods = 1
            refused = await host.open(header(store, "t", "e-card"))
            assert isinstance(refused, Refused)
            assert refused.error.code == "Busy"
            name = await opened(host, "t", "e-card")
            store.moods = 1
            answer = await host.submit(name, Join(ANA, "join", NOW))
            assert isinstance(answer, Refused)
            assert answer.error.code == "Busy"
            assert not isinstance(await host.submit(name, Join(ANA, "join", NOW)), Refused)

    asyncio.run(run())


def test_a_table_that_another_server_has_put_aside_or_pruned_is_gone_here_too() -> None:
    async def run() -> None:
        disk = Disk()
        ours, theirs = (MemoryStore(lambda: 1_800_000_000_000, disk) for _ in range(2))
        async with hosting(ours) as host:
            aside = await begun(host, "aside", "e-card", ANA, BO)
            pruned = await played(host, "pruned", "even-odd")
            line = await host.attach(aside, ANA)
            assert not isinstance(line, Refused)
            await theirs.put_aside(aside, "the other one did not like it")
            assert await theirs.prune(pruned)
            answer = await host.notice(aside, lambda now: Halt(now, "x"))
            assert answer is not None
            assert answer.code == "TablePutAside"
            assert line.is_closed
            later = await host.submit(pruned, Rematch(BOTS[0], "again", NOW, LogId("n")))
            assert isinstance(later, Refused)
            assert later.error.code == "NoSuchTable"

    asyncio.run(run())
