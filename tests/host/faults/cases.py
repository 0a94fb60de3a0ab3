"""What the cases of faults share: hosts that die at a chosen instant, a clock that is set by hand, and two players."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from random import Random

from msgspec import Raw

from tests.crash.judging import Time
from tests.crash.players import ANA, BO, EveningPlayers, Memory
from tests.host.matches import at_once
from tests.reading import LineReader
from turnstile.host import Host, Line, Refused, Update
from turnstile.kernel.chance import Seed
from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.store.memory import Disk, MemoryStore
from turnstile.store.protocol import Commit
from turnstile.table.values import Act, Clock, RunOut, Settings, Start

__all__ = ["ANA", "BO"]  # and all that is made here

T = LogId("t")
NOW = Instant(0)  # the host puts in when a command came
TIMED = Settings(clock=Clock(10.0, run_out=RunOut.FORFEIT), ack_seconds=5.0)


class Mortal(MemoryStore):
    """A store at which time can be made to stand still: just before a commit, or just after it."""

    def __init__(self, clock: Callable[[], int], disk: Disk, *, is_shared: bool = False) -> None:
        super().__init__(clock, disk, is_shared=is_shared)
        self.stands_before = self.stands_after = False
        self.reached, self.go_on = asyncio.Event(), asyncio.Event()

    async def commit(self, commit: Commit) -> bool:
        if self.stands_before:
            await self._stand_still()
        done = await super().commit(commit)
        if self.stands_after:
            await self._stand_still()
        return done

    async def _stand_still(self) -> None:
        self.reached.set()
        await self.go_on.wait()


class World:
    """A disk, a clock, and what two players know; hosts come and go."""

    def __init__(self) -> None:
        self.disk, self.time, self.memory = Disk(), Time(), Memory()
        self.store: Mortal

    @asynccontextmanager
    async def host(self, *, is_shared: bool = False) -> AsyncIterator[EveningPlayers]:
        """A host that is killed at the end: whatever it is at then is never done."""
        self.store = Mortal(lambda: self.time.milliseconds, self.disk, is_shared=is_shared)
        made, ready = Host(self.store, think=at_once, chance=Random(7)), asyncio.Event()
        running = asyncio.create_task(made.run(ready, asyncio.Event()))
        await asyncio.wait({running, began := asyncio.create_task(ready.wait())}, return_when="FIRST_COMPLETED")
        began.cancel()
        try:
            yield EveningPlayers(made, self.time, self.memory, lambda said: None)
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
            await self.store.close()

    async def dies(self, doing: Awaitable[object]) -> None:
        """Something is under way when time stands still; the host will not live to see the end of it."""
        task = asyncio.ensure_future(doing)
        await self.store.reached.wait()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    def events(self, kind: str) -> int:
        """How many events of a kind are in the log of the table."""
        return sum(b'"type":"%s"' % kind.encode() in entry.event for entry in self.disk.logs[T].entries[1:])


async def started(company: EveningPlayers, game: str = "e-card", settings: Settings | None = None) -> None:
    """Two players at a table, the match begun, everything heard."""
    await company.sit_down(T, game, settings or Settings())
    await company.ask(T, Start(ANA, "start", NOW, Seed("a seed")))
    await company.hear(T, ANA, BO)


def act(player: PlayerId, name: str, move: bytes, seen: int | None = None) -> Act:
    return Act(player, name, NOW, Raw(move), seen)


def pick(player: PlayerId, name: str = "pick", card: str = "C", seen: int | None = None) -> Act:
    """A card in a match of E-Card."""
    return act(player, name, b'{"type":"Pick","player":"%s","card":"%s"}' % (player.encode(), card.encode()), seen)


def code(answer: object) -> str:
    """With which code something was refused."""
    assert isinstance(answer, Refused), answer
    return answer.error.code


async def attached(host: Host, player: PlayerId | None, after: int = 0) -> Line:
    line = await host.attach(T, player, after)
    assert isinstance(line, Line), line
    return line


async def read(line: Line) -> list[tuple[int, bytes]]:
    """All that a line which has just begun has to tell now, each update with its whole view."""
    updates, items, reader = list[tuple[int, bytes]](), aiter(line), LineReader()
    while line.sent < line.newest():
        item = await anext(items)
        if isinstance(item, Update):
            updates.append((item.seq, reader.read(item.body)))
    return updates


async def stream(host: Host, player: PlayerId | None, after: int = 0) -> list[tuple[int, bytes]]:
    """A stream as a reader who connects now reads it."""
    return await read(await attached(host, player, after))


async def until(is_so: Callable[[], bool]) -> None:
    """Let everyone do what they are at, until it is so; nothing here needs time."""
    for _ in range(5_000):
        if is_so():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never came to that")
