"""Players who make random legal moves over the network and keep a history, whatever breaks."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from random import Random

from msgspec import UNSET

from tools.history import History, Sent
from turnstile.client import Notice, Player, Seat
from turnstile.client.player import AnyTable, table_id
from turnstile.kernel.values import LogId, PlayerId

TOO_SOON = frozenset({"AcksMissing"})
GATE_WAIT = 0.02  # seconds until a move is tried again that came before the other players' acknowledgements

Pace = Callable[[], Awaitable[None]]
"""Waits until the next move may be made."""


async def at_once() -> None:
    """Every player moves as soon as it may."""


class RandomPlayer:
    """One player at one table. `stop` ends it before the match does."""

    def __init__(self, player: Player, table: AnyTable, seed: object, pace: Pace = at_once) -> None:
        self.player, self.table = player, table_id(table)
        self.history = History(LogId(self.table), PlayerId(player.id))
        self.refusals: list[str] = []
        self.connections = 0
        self.is_over = False
        self._chance = Random(str(seed))
        self._pace = pace
        self._stop = asyncio.Event()

    def stop(self) -> None:
        """Make no more moves, and leave."""
        self._stop.set()

    async def play(self) -> None:
        """Until the match is over, or until it is stopped."""
        async with self.player.play(self.table, self._hear) as seat:
            playing = asyncio.create_task(self._play(seat))
            stopping = asyncio.create_task(self._stop.wait())
            try:
                await asyncio.wait({playing, stopping}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                stopping.cancel()
                if not playing.done():
                    playing.cancel()
                with suppress(asyncio.CancelledError):
                    await playing

    def _hear(self, seat: Seat, notice: Notice) -> None:
        if notice is Notice.TURN:
            assert seat.turn is not None
            self.history.turns.append(seat.turn)
            self.history.arrived.append(time.perf_counter())
        elif notice is Notice.CONNECTED:
            self.connections += 1

    async def _play(self, seat: Seat) -> None:
        async for turn in seat:
            if turn.actions and turn is seat.turn:
                await self._pace()
                await self._move(seat, turn.seq, self._chance.choice(turn.actions))
        self.is_over = True

    async def _move(self, seat: Seat, seen: int, move: object) -> None:
        """Make a move, unless something newer arrives first: then the next turn has what may be done."""
        while seat.seq == seen:
            sent, resent = Sent("", time.perf_counter()), seat.resent
            self.history.sent.append(sent)
            answer = await seat.ask("act", move=move, seen=seen)
            sent.id = answer.id
            if answer.error is UNSET:
                sent.seq = answer.seq
                return
            code = answer.error.code
            self.refusals.append(code)
            if resent == seat.resent:  # else a process that is slow to die may still be at work on the first sending
                sent.code = code
            if code not in TOO_SOON:
                return
            await asyncio.sleep(self._chance.uniform(GATE_WAIT / 2, GATE_WAIT))
