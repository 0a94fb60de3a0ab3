"""Any store, beside the one in memory: whatever is done to both, in any order, they answer and hold the same."""

import asyncio
from random import Random

import pytest
from msgspec.structs import replace

from tests.crash.judging import contents
from tests.store.making import FINISHED, LONG, ROW, following, header, state
from tests.store.places import Place
from turnstile.kernel.values import Instant, LogId
from turnstile.store.directory import DirectoryStore
from turnstile.store.log import Command, Entry
from turnstile.store.memory import MemoryStore
from turnstile.store.protocol import Commit, Store

TABLES = [LogId(name) for name in ("a", "b", "c", "d")]
STEPS = 80


class Player:
    """Somebody who does random things to two stores at once, and sees that they agree."""

    def __init__(self, one: DirectoryStore, other: DirectoryStore, chance: Random) -> None:
        self.stores = (one, other)
        self.chance = chance
        self.doings = (
            self.create, self.commit, self.commit, self.commit, self.acknowledge, self.claim, self.load,
            self.find, self.page, self.put_aside, self.prune, self.rebuild,
        )  # fmt: skip

    async def play(self) -> None:
        for number in range(STEPS):
            doing = self.chance.choice(self.doings)
            memory = self.chance.getstate()
            answers = []
            for store in self.stores:
                self.chance.setstate(memory)  # the same again
                answers.append(await doing(store))
            assert answers[0] == answers[1], f"step {number}, {doing.__name__}"
        (logs, _, people), (other_logs, _, other_people) = [await contents(store) for store in self.stores]
        assert (logs, people) == (other_logs, other_people)

    def table(self) -> LogId:
        return self.chance.choice(TABLES)

    async def create(self, store: Store) -> object:
        return await store.create(self.table(), header(about=b"%d" % self.chance.randrange(100)), ROW)

    async def commit(self, store: Store) -> object:
        table = self.table()
        seen = await store.entries(table, -1)
        last = self.chance.choice([*seen[-1:] * 5, *seen[-2:-1]] or [header()])
        command = self.chance.choice([None, f"alice {self.chance.randrange(6)}"])
        made = following(last, command, event=b"%d" % self.chance.randrange(9))
        row = self.chance.choice([ROW, ROW, ROW, FINISHED, replace(ROW, due=Instant(self.chance.randrange(1_000)))])
        snapshot = self.chance.choice([None, state(made.position)])
        return await store.commit(Commit(table, made, last.link, row, snapshot))

    async def acknowledge(self, store: Store) -> object:
        return await store.acknowledge(self.table(), {self.chance.choice("xyz"): self.chance.randrange(20)})

    async def claim(self, store: Store) -> object:
        until, hold = Instant(self.chance.randrange(1_200)), self.chance.choice([0, LONG])
        return await store.claim(until, hold, self.chance.randrange(4))

    async def load(self, store: Store) -> object:
        table = self.table()
        is_over = (row := await store.row(table)) is not None and not row.is_open  # then old snapshots may be gone
        return [
            await store.load(table),
            await store.snapshot(table, 99 if is_over else self.chance.choice([0, 1, 2, 3, 5])),
            await store.entries(table, self.chance.choice([-1, 0, 2]), self.chance.choice([None, 0, 1, 3])),
            await store.positions([table, LogId("nowhere")]),
        ]

    async def find(self, store: Store) -> Entry | None:
        return await store.find(self.table(), Command(f"alice {self.chance.randrange(6)}"))

    async def page(self, store: Store) -> object:
        is_open = self.chance.choice([None, True, False])
        return await store.logs(is_open=is_open, after=self.chance.choice([None, *TABLES]), limit=2)

    async def put_aside(self, store: Store) -> None:
        await store.put_aside(self.table(), "for no reason")

    async def prune(self, store: Store) -> object:
        return await store.prune(self.table())

    async def rebuild(self, store: Store) -> None:
        await store.rebuild([(self.table(), ROW), (self.table(), FINISHED)])


def test_every_store_is_like_the_one_in_memory(place: Place, torture: bool) -> None:
    async def play(seed: int) -> None:
        store = await place.open()
        try:
            for table in TABLES:  # what the seed before left
                await store.put_aside(table, "to be pruned")
                await store.prune(table)
            await Player(store, MemoryStore(store.now), Random(seed)).play()
        except BaseException as failure:
            failure.add_note(f"seed {seed}")
            raise
        finally:
            await store.close()

    for seed in range(300 if torture else 12):
        asyncio.run(play(seed))


def test_this_test_can_see(place: Place) -> None:
    """A store that forgets to end claims is found out."""

    class Forgetful(MemoryStore):
        async def commit(self, commit: Commit) -> bool:
            before = {table: kept.claimed_until for table, kept in self._disk.logs.items()}
            is_made = await super().commit(commit)
            if is_made:
                self._disk.logs[commit.log].claimed_until = before[commit.log]
            return is_made

    async def play() -> None:
        store = await place.open()
        try:
            for seed in range(50):
                for table in TABLES:
                    await store.put_aside(table, "to be pruned")
                    await store.prune(table)
                await Player(store, Forgetful(store.now), Random(seed)).play()
        finally:
            await store.close()

    with pytest.raises(AssertionError, match="claim"):
        asyncio.run(play())
