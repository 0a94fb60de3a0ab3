"""The players of an evening, and all that they know: what they asked for, what they were answered, what they were told.

What they know outlives the process that serves them: it is said aloud as soon as it is known (`Said`), and players
that have heard it all can take the evening up again. The clockwork of the host is turned by hand, so that everything
happens in the same order each time.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec
from msgspec import Raw

from tests.crash.judging import Time, Wrong
from tests.host.processes.history import History
from tests.reading import LineReader
from turnstile.host import Host, Line, Refused, Status, Update
from turnstile.host.answers import is_passing
from turnstile.kernel.values import Instant, LogId, PlayerId, encode
from turnstile.registry import find_game
from turnstile.table.machine import table as machine
from turnstile.table.values import Accepted, Act, Command, Header, Join, Phase, Result, Settings

T = TypeVar("T")
OpenLine = tuple[Line, AsyncIterator[Update | Status], LineReader]

ANA, BO = PlayerId("ana"), PlayerId("bo")
NOW = Instant(0)  # the host puts in when a command came
TURNS = 60  # of the clockwork, after which nothing will come any more


class Opened(msgspec.Struct, frozen=True, tag=True):
    table: LogId


class Sent(msgspec.Struct, frozen=True, tag=True):
    """A command is on its way; it may arrive or not."""

    table: LogId
    command: Raw


class Answered(msgspec.Struct, frozen=True, tag=True):
    table: LogId
    player: PlayerId
    id: str
    seq: int


class Heard(msgspec.Struct, frozen=True, tag=True):
    table: LogId
    player: PlayerId
    seq: int
    body: bytes


Said = Opened | Sent | Answered | Heard
SAID: msgspec.json.Decoder[Said] = msgspec.json.Decoder(Said)


@dataclass
class Memory:
    """All that the players know."""

    opened: set[LogId] = field(default_factory=set)
    sent: dict[tuple[LogId, PlayerId, str], Command] = field(default_factory=dict)
    histories: dict[tuple[LogId, PlayerId], History] = field(default_factory=dict)

    def take(self, said: Said) -> None:
        if isinstance(said, Opened):
            self.opened.add(said.table)
        elif isinstance(said, Sent):
            command = machine.read_event(bytes(said.command))
            assert isinstance(command, Command), command
            self.sent[said.table, command.player, command.id] = command
        elif isinstance(said, Answered):
            self.history(said.table, said.player).accepted.append((said.id, said.seq))
        else:
            self.history(said.table, said.player).updates.append((said.seq, said.body))

    def history(self, table: LogId, player: PlayerId) -> History:
        return self.histories.setdefault((table, player), History(table, player))


class EveningPlayers:
    """The players at one host, who ask and hear one after the other."""

    def __init__(self, host: Host, time: Time, memory: Memory, say: Callable[[Said], object]) -> None:
        self.host, self.time, self.memory, self._say_aloud = host, time, memory, say
        self._lines: dict[tuple[LogId, PlayerId], OpenLine] = {}

    # asking

    async def open(self, table: LogId, game: str, settings: Settings, options: bytes = b"{}") -> None:
        found = find_game(game)
        assert found is not None
        header = Header(table, game, found.version, Raw(options), ANA, NOW, settings)
        _require(await _insist(lambda: self.host.open(header)))
        self._say(Opened(table))

    async def sit_down(self, table: LogId, game: str, settings: Settings) -> None:
        await self.open(table, game, settings)
        for player in (ANA, BO):
            await self.join(table, player)

    async def join(self, table: LogId, player: PlayerId) -> None:
        await self.ask(table, Join(player, "join", NOW))

    async def ask(self, table: LogId, command: Command) -> None:
        """Send a command, as it was sent before if it was, until it is answered."""
        command = self.memory.sent.get((table, command.player, command.id), command)
        self._say(Sent(table, Raw(encode(command))))
        answer = await _insist(lambda: self.host.submit(table, command))
        _require(answer)
        assert isinstance(answer, Accepted)
        self._say(Answered(table, command.player, command.id, answer.seq))

    async def move(self, table: LogId, count: int) -> None:
        """So many moves, each by the first who may move, once everyone has heard everything."""
        for number in range(1, count + 1):
            await self.ask(table, self._sent_as(table, f"move {number}") or await self._chosen(table, number))

    def _sent_as(self, table: LogId, name: str) -> Command | None:
        return next((command for key, command in self.memory.sent.items() if key[::2] == (table, name)), None)

    async def _chosen(self, table: LogId, number: int) -> Command:
        players = [player for player in (ANA, BO) if self.memory.sent.get((table, player, "join"))]
        await self.hear(table, *players)
        for player in players:
            history = self.memory.history(table, player)
            offered = msgspec.json.decode(history.updates[-1][1])["actions"]
            if offered:
                move = Raw(encode(offered[number % len(offered)]))
                return Act(player, f"move {number}", NOW, move)
        raise Wrong(f"nobody can make move {number} at table {table}")

    # hearing

    async def hear(self, table: LogId, *players: PlayerId) -> None:
        """Take in and acknowledge all there is, until no acknowledgement brings anything new."""
        lines = [await self._line(table, player) for player in players]
        is_first = True
        while is_first or any(line.sent < line.newest() for line, _, _ in lines):
            is_first = False
            for each in lines:
                await self._hear(table, *each)
            await self._settled(table, players[0])

    async def _hear(self, table: LogId, line: Line, items: AsyncIterator[Update | Status], reader: LineReader) -> None:
        assert line.player is not None
        while line.sent < line.newest():
            item = await anext(items)
            if isinstance(item, Update):
                self._say(Heard(table, line.player, item.seq, reader.read(item.body)))
        player, seq = line.player, line.sent
        _require(await _insist(lambda: self.host.acknowledge(table, player, seq)))

    async def _line(self, table: LogId, player: PlayerId) -> OpenLine:
        if (table, player) not in self._lines:
            seen = len(self.memory.history(table, player).updates)
            line = await _insist(lambda: self.host.attach(table, player, seen))
            _require(line)
            assert isinstance(line, Line)
            self._lines[table, player] = line, aiter(line), LineReader()
        return self._lines[table, player]

    def hang_up(self, table: LogId, player: PlayerId) -> None:
        """End a player's connection; the next time it wants to hear something, it makes a new one."""
        self.host.detach(self._lines.pop((table, player))[0])

    # time

    async def until(self, table: LogId, phase: Phase) -> Result | None:
        """Let time pass until the table is in this phase; its result then, if it has one."""
        line, *_ = await self._line(table, ANA)
        for _ in range(TURNS):
            await self._settled(table, ANA)
            if line.live.state.phase is phase:
                return line.live.state.result
            self.time.milliseconds += 1_000
            await self.host.unless_passing(self.host.heartbeat.beat())
            await self.host.unless_passing(self.host._watch._look(0))
        raise Wrong(f"table {table} stays {line.live.state.phase}, and should be {phase}")

    async def _settled(self, table: LogId, player: PlayerId) -> None:
        """Once the host has done for the table whatever it is at."""
        line, *_ = await self._line(table, player)
        while line.live.is_driven:
            await asyncio.sleep(0)

    def _say(self, said: Said) -> None:
        self.memory.take(said)
        self._say_aloud(said)


async def _insist(work: Callable[[], Awaitable[T]]) -> T:
    """The answer, once it is more than: try again."""
    while is_passing(answer := await work()):
        await asyncio.sleep(0)  # it may be about to end
    return answer


def _require(answer: object) -> None:
    if isinstance(answer, Refused):
        raise Wrong(f"the host refused: {answer.error}")


def told(lines: Sequence[str]) -> list[Said]:
    """What the players of a dead process had said."""
    return [SAID.decode(line) for line in lines]
