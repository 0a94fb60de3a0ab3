"""The clients' side of a run: tables full of random players, who play match after match until the time is up."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import cycle
from random import Random

from tools.history import History
from tools.random_players import Pace, RandomPlayer, Witness, at_once
from turnstile.client import Client, NewTable, Notice, Player, Seat

PLAYERS_PER_ADDRESS = 16  # the limits count by address: each group of clients has one of its own
AT_ONCE = 32  # tables that are set up at the same time


class FixedRate:
    """A pace for all players together: so many moves a second."""

    def __init__(self, rate: float) -> None:
        self._gap, self._next = 1 / rate, 0.0

    async def __call__(self) -> None:
        now = time.perf_counter()
        slot = self._next = max(now, self._next + self._gap)
        if slot > now:
            await asyncio.sleep(slot - now)


class SeatedPlayer:
    """A player with a table, who plays rematch after rematch over one connection."""

    def __init__(self, player: Player, table: NewTable, seed: object, load: "Load", *, is_admin: bool) -> None:
        self.player, self.seed, self.is_admin = player, seed, is_admin
        self._load = load
        self.matches: list[RandomPlayer] = []
        self._add_match(table.table)

    def _add_match(self, table: str) -> None:
        load, seed = self._load, (self.seed, len(self.matches))
        self.matches.append(RandomPlayer(self.player, table, seed, load.pace, self._go_on, load.witness))

    async def play(self) -> None:
        async with self.player.play(self.matches[0].table, self._hear) as seat:
            while not self._load.is_stopping:
                await self.matches[-1].play_at(seat)

    def _hear(self, seat: Seat, notice: Notice) -> None:
        self.matches[-1].hear(seat, notice)

    async def _go_on(self, seat: Seat) -> None:
        """Play again at the next table. The player who opened the first one starts the match there."""
        self._load.finished += 1
        successor = await seat.rematch()
        self._add_match(successor)
        await seat.move_to(successor)
        if self.is_admin:
            await seat.command("start")

    def stop(self) -> None:
        self.matches[-1].stop()


class Load:
    """All clients of one run."""

    def __init__(self, urls: Sequence[str], pace: Pace = at_once, witness: Witness | None = None) -> None:
        self._urls = cycle(urls)
        self._pace, self.witness = pace, witness
        self._may_move = asyncio.Event()
        self.players: list[SeatedPlayer] = []
        self.is_stopping = False
        self.finished = 0
        """Seats whose match has ended."""
        self._clients: dict[tuple[str, str], Client] = {}
        self._playing: asyncio.Future[list[None]] | None = None

    async def seat(self, game: str, tables: int, players: int, stack: AsyncExitStack) -> None:
        """So many tables, everyone seated, and the matches started."""
        groups = [
            min(PLAYERS_PER_ADDRESS // players, tables - at) for at in range(0, tables, PLAYERS_PER_ADDRESS // players)
        ]
        gate = asyncio.Semaphore(max(1, AT_ONCE * players // PLAYERS_PER_ADDRESS))

        async def seat_group(number: int, count: int) -> None:
            async with gate:
                for _ in range(count):
                    await self._seat_table(game, [await self._client(number, seat, stack) for seat in range(players)])

        await asyncio.gather(*(seat_group(number, count) for number, count in enumerate(groups)))

    async def _client(self, group: int, seat: int, stack: AsyncExitStack) -> Client:
        """A client of this group for the process whose turn it is: opponents may sit at different processes."""
        key = next(self._urls), f"10.{seat}.{group // 256}.{group % 256}"
        if key not in self._clients:
            self._clients[key] = Client(key[0], {"X-Forwarded-For": key[1]})
            await stack.enter_async_context(self._clients[key])
        return self._clients[key]

    async def _seat_table(self, game: str, clients: Sequence[Client]) -> None:
        admin, *others = [await client.register(f"Player {number}") for number, client in enumerate(clients)]
        table = await admin.create_table(game)
        for other in others:
            await other.join(table)
        await admin.start(table)
        number = len(self.players)
        self.players += [
            SeatedPlayer(player, table, number + at, self, is_admin=player is admin)
            for at, player in enumerate((admin, *others))
        ]

    async def pace(self) -> None:
        """Wait until the next move may be made."""
        await self._may_move.wait()
        await self._pace()

    def let_move(self) -> None:
        """Let the matches go on. Until then everyone is connected, and waits."""
        self._may_move.set()

    def begin(self) -> None:
        """Let everyone connect."""
        self._playing = asyncio.gather(*(player.play() for player in self.players))

    async def until_connected(self) -> None:
        while sum(match.connections for player in self.players for match in player.matches) < len(self.players):
            assert self._playing is not None
            if self._playing.done():
                self._playing.result()
            await asyncio.sleep(0.01)

    async def stop(self) -> None:
        """Everyone leaves."""
        self.is_stopping = True
        for player in self.players:
            player.stop()
        assert self._playing is not None
        await self._playing

    @property
    def accepted(self) -> int:
        """Moves that were accepted so far."""
        return sum(sent.seq is not None for history in self.histories for sent in history.sent)

    @property
    def histories(self) -> list[History]:
        return [match.history for player in self.players for match in player.matches]

    @property
    def refusals(self) -> Counter[str]:
        return Counter(code for player in self.players for match in player.matches for code in match.refusals)


def some_of(histories: Sequence[History], tables: int) -> list[History]:
    """All histories of at most so many tables, drawn at random."""
    names = sorted({history.table for history in histories})
    chosen = set(Random(1).sample(names, min(tables, len(names))))
    return [history for history in histories if history.table in chosen]


@asynccontextmanager
async def loaded(load: Load) -> AsyncIterator[Load]:
    """Everyone is connected within this context."""
    load.begin()
    await load.until_connected()
    try:
        yield load
    finally:
        await load.stop()
