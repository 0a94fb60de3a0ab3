"""Processes and the network between them and the players.

A process is a real host on a store that fails, in a home of its own: it can be paused and killed between any two steps.
Requests and answers are lost, late, doubled and overtake each other; a connection keeps its order until it breaks.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any

from tests.reading import LineReader, NoView
from tests.world.simulated.store import FaultyStore
from turnstile.host import Ending, Host, Line, Refused, Status, Update
from turnstile.host.drive import Think
from turnstile.kernel.values import LogId, Move, PlayerId
from turnstile.store.protocol import StoreFault

if TYPE_CHECKING:
    from tests.world.world import World

Call = Callable[[Host], Awaitable[Any]]
Reply = Callable[[Any], None]


class Closed:
    """The end of a connection, as its reader hears of it."""

    def __init__(self, why: str) -> None:
        self.why = why


class Process:
    """One life of a server: from its start to its death. The next one has the same place and nothing else."""

    def __init__(self, world: "World", place: int, life: int) -> None:
        self.world = world
        self.place = place
        self.name = f"server {place}.{life}"
        self.is_alive = True
        self.is_ready = False
        self.started = world.loop.time()
        self.home, self.context = world.loop.home(self.name)
        self.store = FaultyStore(world, self, is_shared=world.plan.processes > 1)
        self.asked: list[tuple[LogId, str]] = []
        """Commands that came and were not answered yet: their table and their key in the log."""
        self.connections: dict[Connection, None] = {}  # in the order they came
        self.host: Host
        self._stop: asyncio.Event
        self.running: asyncio.Task[None] | None = None
        world.loop.call_soon(self._start, context=self.context)

    def _start(self) -> None:
        self.host = Host(self.store, think=_at_once(self.world), chance=self.world.chance)
        self._stop = asyncio.Event()
        self.running = self.world.loop.create_task(self._run())

    async def _run(self) -> None:
        ready = asyncio.Event()
        watch = self.world.loop.create_task(self._when(ready))
        try:
            await self.host.run(ready, self._stop)
        except* StoreFault as faults:
            self.world.trace(self.name, "ended by", repr(faults.exceptions))
            if self.is_ready:
                self.world.fail("exception", f"{self.name} was ended by {faults.exceptions!r}")
            watch.cancel()
            self.world.elsewhere(0, self.world.crash, self)

    async def _when(self, ready: asyncio.Event) -> None:
        await ready.wait()
        self.is_ready = True

    def stop(self) -> None:
        self.world.loop.call_soon(self._stop.set, context=self.context)

    def seats(self) -> Iterator[tuple[LogId, PlayerId]]:
        """The seats that have a line here, once for each line that other processes can replace."""
        if self.is_alive and self.is_ready:
            for name, live in self.host.tables.live.items():
                for line in live.lines:
                    if line.player is not None and line.number is not None and not line.is_closed:
                        yield name, line.player

    def serve(self, call: Call, reply: Reply, asked: tuple[LogId, str] | None) -> None:
        """A request has arrived."""
        if self.is_alive and self.is_ready:
            self.world.loop.call_soon(self._begin, call, reply, asked, context=self.context)

    def _begin(self, call: Call, reply: Reply, asked: tuple[LogId, str] | None) -> None:
        self.world.loop.create_task(self._serve(call, reply, asked))

    async def _serve(self, call: Call, reply: Reply, asked: tuple[LogId, str] | None) -> None:
        if asked is not None:
            self.asked.append(asked)
        answer = await call(self.host)
        if asked is not None:
            self.asked.remove(asked)
        for delay in self.world.fates():
            self.world.elsewhere(delay, reply, answer)


def _at_once(world: "World") -> Think:
    """Bots think for a moment of simulated time."""

    async def think(choose: Callable[[], Move]) -> Move:
        await world.pause(world.delay(10))
        return choose()

    return think


class Connection:
    """One reader's line over the network. It breaks at both ends, though not at the same time."""

    def __init__(
        self, world: "World", process: Process, table: LogId, player: PlayerId | None, after: int, hear: Reply
    ) -> None:
        self.world = world
        self.process = process
        self.table = table
        self.player = player
        self.after = after
        self.is_broken = False
        self._hear = hear
        self._under_way: deque[Any] = deque()
        self._task: asyncio.Task[None] | None = None
        world.elsewhere(world.delay(world.weather.net_delay), self._arrive)

    def _arrive(self) -> None:
        if self.is_broken:
            return
        if not (self.process.is_alive and self.process.is_ready):
            self.hang_up("no server there")
            return
        self.process.connections[self] = None
        self.world.loop.call_soon(self._begin, context=self.process.context)

    def _begin(self) -> None:
        self._task = self.world.loop.create_task(self._serve())

    async def _serve(self) -> None:
        host = self.process.host
        line = await host.attach(self.table, self.player, self.after)
        if isinstance(line, Refused):
            self._send(line)
            self._send(Closed("refused"))
            return
        lines = [other for other in line.live.lines if other.player == self.player is not None]
        if len(lines) > 1:
            self.world.fail("one line", f"{self.process.name} has {len(lines)} lines for {self.player}")
        try:
            await self._read(line)
        except StoreFault as fault:
            self._send(Closed(str(fault)))
        finally:
            host.detach(line)
            self.process.connections.pop(self, None)

    async def _read(self, line: Line) -> None:
        weather, reader = self.world.weather, LineReader()
        async for item in line:
            if self.is_broken:
                return
            self.world.handed(self.table, self.player, self._as_read(item, reader))
            if isinstance(item, Update) and self.world.faults.random() < weather.hang_up:
                self.hang_up("the connection broke")
                return
            self._send(item)
            if weather.net_delay > 50:
                await self.world.pause(self.world.delay(20))
        if line.closed is Ending.REPLACED:
            self.world.reach("two lines for one seat")
        self._send(Closed("" if line.closed is None else line.closed.name))

    def _as_read(self, item: Update | Status, reader: LineReader) -> Update | Status:
        """An update with its whole view, which its reader puts together."""
        if isinstance(item, Status):
            return item
        try:
            return Update(item.seq, reader.read(item.body))
        except NoView as fault:
            self.world.fail("handed", f"{self.table}: for {self.player}: {fault}")
            return item

    def _send(self, item: Update | Status | Refused | Closed) -> None:
        self._under_way.append(item)
        self.world.elsewhere(self.world.delay(self.world.weather.net_delay), self._deliver)

    def _deliver(self) -> None:
        """The next thing that was sent, whichever delay was over first: a connection keeps its order."""
        if not self.is_broken:
            self._hear((self, self._under_way.popleft()))

    def hang_up(self, why: str) -> None:
        """Nothing more arrives. The reader notices after a while, the server when it is told."""
        if self.is_broken:
            return
        self.is_broken = True
        self.world.elsewhere(self.world.delay(100), self._hear, (self, Closed(why)))
        self.world.elsewhere(self.world.delay(500), self._server_notices)

    def _server_notices(self) -> None:
        if self._task is not None and not self._task.done() and self.process.is_alive:
            self._task.cancel()
