"""Players and spectators: each a small program that knows its own stream and what it was answered, and nothing else."""

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw

from tests.world.plan import Manners, TablePlan
from tests.world.simulated.server import Closed, Connection
from turnstile.host import Refused, Status, Update
from turnstile.host.answers import Answer
from turnstile.host.answers import Code as HostCode
from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.table.values import Act, AddWords, Close, Code, Command, Phase, Rematch, Resign

if TYPE_CHECKING:
    from tests.world.world import World

NOW = Instant(0)  # the host says when a command came
PASSING = {HostCode.STOPPING, HostCode.BUSY, HostCode.STORAGE_FULL, HostCode.READ_ONLY, HostCode.OUTCOME_UNKNOWN}
FIRST_WAIT, LONGEST_WAIT = 0.3, 2.0  # seconds for an answer


class Wire(msgspec.Struct):
    """An update, as far as a client must understand it."""

    seq: int
    messages: list[Raw]
    actions: list[Raw]


class Shown(msgspec.Struct, rename="camel"):
    """A table's status, as far as a client must understand it."""

    phase: Phase
    clocks: dict[str, int]
    acks_due: int | None
    agreed: list[str]
    successor: str | None


class Reader:
    """The reader of a stream: stays connected, drops what it has, wants the rest without a gap."""

    player: PlayerId | None = None

    def __init__(self, world: "World", plan: TablePlan, name: str) -> None:
        self.world = world
        self.plan = plan
        self.name = name
        self.have = 0
        self.newest: Wire | None = None
        self.status: Shown | None = None
        self.connection: Connection | None = None
        self.connections: list[Connection] = []
        self.news = asyncio.Event()
        self.is_done = False

    async def stay_connected(self) -> None:
        while not self.is_done:
            if self.connection is None or self.connection.is_broken:
                self.connect(self.have)
            await self._anything(1.0)

    def connect(self, after: int) -> None:
        """A new connection, to any process; the old one may still be open."""
        process = self.world.any_process()
        if process is not None:
            self.world.trace(self.name, "connects to", process.name, "after", after)
            self.connection = Connection(self.world, process, self.plan.name, self.player, after, self._hear)
            self.connections.append(self.connection)

    async def _anything(self, seconds: float) -> None:
        """Wait for news, or for so long."""
        try:
            await asyncio.wait_for(self.news.wait(), seconds)
        except TimeoutError:
            return
        self.news.clear()

    def _hear(self, heard: tuple[Connection, Any]) -> None:
        connection, item = heard
        match item:
            case Update():
                self._take(connection, item)
            case Status():
                if connection is self.connection:
                    self._see(msgspec.json.decode(item.body, type=Shown))
            case Refused():
                self.world.mail.refused(self.name, "attach", item)
                self.is_done |= item.error.code == HostCode.NO_SPECTATORS
            case Closed():
                connection.is_broken = True
        self.news.set()

    def _see(self, status: Shown) -> None:
        if status.successor is not None and status.successor not in self.world.audits:
            self.world.fail("rematch", f"{self.name} is sent on to {status.successor}, which is not there")
        self.status = status

    def _take(self, connection: Connection, update: Update) -> None:
        if update.seq <= self.have:
            return
        if update.seq > self.have + 1:
            self.world.fail("gapless", f"{self.name} has {self.have} and was sent {update.seq}")
            return
        self.have = update.seq
        self.newest = msgspec.json.decode(update.body, type=Wire)
        self.world.trace(self.name, "has", update.seq)
        self.taken(connection)

    def taken(self, connection: Connection) -> None:
        """Something new has come."""

    def heal(self) -> None:
        """From now on it is honest."""

    def leave(self) -> None:
        self.is_done = True
        self.news.set()
        for connection in self.connections:
            connection.hang_up("left")


class Player(Reader):
    """A player on a seat, with its own manners."""

    def __init__(self, world: "World", plan: TablePlan, player: PlayerId, manners: Manners) -> None:
        super().__init__(world, plan, f"{player}@{plan.name}")
        self.player = player
        self.manners = manners
        self.acked = 0
        """The newest update it has said it has, whether that arrived or not."""
        self.sent: list[Command] = []
        self.moves = 0
        self._ids = 0

    def heal(self) -> None:
        self.manners = Manners(words=self.manners.words, is_careless=self.manners.is_careless)

    # what it asks for

    def new_id(self) -> str:
        self._ids += 1
        return f"{self.player} {self._ids}"

    async def ask(self, command: Command, table: LogId | None = None) -> Answer:
        """Send a command, with the same id again and again, until there is an answer for good."""
        wait = FIRST_WAIT
        while True:
            answer = await self.once(command, table or self.plan.name, wait)
            if answer is not None and not (isinstance(answer, Refused) and answer.error.code in PASSING):
                return answer
            if answer is not None:
                await self.world.pause(self.world.delay(100))
            wait = min(wait * 2, LONGEST_WAIT)

    async def once(self, command: Command, table: LogId, wait: float) -> Answer | None:
        answered: asyncio.Future[Answer] = self.world.loop.create_future()

        def reply(answer: Answer) -> None:
            if not answered.done():
                answered.set_result(answer)

        self.world.mail.send(self.name, table, command, reply)
        try:
            return await asyncio.wait_for(answered, wait)
        except TimeoutError:
            return None

    # what it does

    async def play(self) -> None:
        """Its part in the match, from the first update to the last."""
        if self.manners.words:
            await self.ask(AddWords(self.player, self.new_id(), NOW, self.manners.words))  # type: ignore[arg-type]
        known = 0
        while not self.is_over:
            newest = self.newest
            if newest is not None and newest.actions and self.have >= known:
                await self._think()
                known = await self._decide()
            else:
                await self._anything(1.0)
        if self.plan.is_rematched and not self.is_done:
            await self._play_again()

    @property
    def is_over(self) -> bool:
        return self.is_done or (self.status is not None and self.status.phase in (Phase.FINISHED, Phase.CLOSED))

    async def _think(self) -> None:
        due = self.status and self.status.clocks.get(str(self.player))
        if due and self.world.people.random() < self.manners.brink:
            early = self.world.people.choice((0, 0, 1, 2)) + 2 * self.world.weather.store_delay // 4
            await self.world.pause(min(3.0, max(0.0, (due - self.world.now() - early) / 1000)))
        else:
            await self.world.pause(self.world.delay(self.manners.think))

    async def _decide(self) -> int:
        """Make a move, or give up; the update to wait for before the next one."""
        assert self.player is not None
        newest, people = self.newest, self.world.people
        if newest is None or not newest.actions or self.is_over:
            return 0
        if self.moves >= self.plan.enough or people.random() < self.manners.resigns:
            answer = await self.ask(Resign(self.player, self.new_id(), NOW))
            await self.world.pause(0.05)
            return answer.seq
        self.moves += 1
        move = Act(
            self.player,
            self.new_id(),
            NOW,
            people.choice(newest.actions),
            None if self.manners.is_careless else self.have,
        )
        self.sent.append(move)
        answer = await self.ask(move)
        if isinstance(answer, Refused) and answer.error.code != Code.STALE_VERSION:
            await self.world.pause(0.05)
        return answer.seq

    async def _play_again(self) -> None:
        assert self.player is not None
        wish = LogId(f"{self.plan.name}, as {self.player} wished")
        await self.ask(Rematch(self.player, self.new_id(), NOW, wish))
        while not (self.is_done or (self.status and self.status.phase is Phase.CLOSED)):
            await self._anything(1.0)
        if self.status and self.status.successor and self.player == self.plan.header.admin:
            await self.ask(Close(self.player, self.new_id(), NOW), LogId(self.status.successor))

    # what it acknowledges

    def connect(self, after: int) -> None:
        super().connect(after)
        if after <= self.have:
            self.acked = max(after, self.acked)  # to say what one has seen is to acknowledge it

    def taken(self, connection: Connection) -> None:
        self.world.elsewhere(self.world.delay(self.manners.ack_delay), self._acknowledge)
        if self.world.people.random() < self.manners.moves_house:
            old = self.connection
            self.connect(self.have)
            if old is not None and old is not self.connection and self.world.people.random() < 0.5:
                old.hang_up("moved")

    def _acknowledge(self) -> None:
        limit = self.manners.acks
        seq = self.have if limit is None else min(limit, self.have)
        connection = self.connection
        if self.is_done or seq == 0 or connection is None or connection.is_broken:
            return
        self.acked = max(seq, self.acked)
        self.world.mail.acknowledge(self, connection.process, seq)

    async def keep_acknowledging(self) -> None:
        """Say it again while the table waits for it: any of it may have been lost."""
        while not self.is_done:
            await self.world.pause(0.4)
            if self.status is not None and self.status.acks_due is not None:
                self._acknowledge()
