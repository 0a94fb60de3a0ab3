"""Players who make random legal moves over the network and keep a history, whatever breaks."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from random import Random

from msgspec import UNSET

from tools.history import History, Sent
from turnstile.client import Notice, Player, Seat, Turn
from turnstile.client.player import AnyTable, table_id
from turnstile.kernel.values import LogId, PlayerId

TOO_SOON = frozenset({"AcksMissing"})
GATE_WAIT = 0.02  # seconds until a move is tried again that came before the other players' acknowledgements

Pace = Callable[[], Awaitable[None]]
"""Waits until the next move may be made."""

Witness = Callable[[History, int], None]
"""Looks into the store when this update has just arrived, and adds a sample to the history, now or soon."""


async def at_once() -> None:
    """Every player moves as soon as it may."""


class RandomPlayer:
    """One player at one table. `stop` ends it before the match does."""

    def __init__(
        self,
        player: Player,
        table: AnyTable,
        seed: object,
        pace: Pace = at_once,
        at_end: Callable[[Seat], Awaitable[None]] | None = None,
        witness: Witness | None = None,
    ) -> None:
        """`at_end` is called after the last turn, while the player is still connected."""
        self.player, self.table = player, table_id(table)
        self.history = History(LogId(self.table), PlayerId(player.id))
        self.refusals: list[str] = []
        self.connections = 0
        self.is_over = False
        self._chance = Random(str(seed))
        self._pace = pace
        self._at_end = at_end
        self._witness = witness
        self._answered = 0
        """The newest update when the last move took effect: what earlier ones offer is used up."""
        self._stop = asyncio.Event()

    def stop(self) -> None:
        """Make no more moves, and leave."""
        self._stop.set()

    async def play(self) -> None:
        """Until the match is over, or until it is stopped."""
        async with self.player.play(self.table, self.hear) as seat:
            await self.play_at(seat)

    async def play_at(self, seat: Seat) -> None:
        """The same at a seat that is connected already. It passes what it hears on to `hear`."""
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

    def hear(self, seat: Seat, notice: Notice) -> None:
        if notice is Notice.TURN:
            assert seat.turn is not None
            self.history.turns.append(seat.turn)
            self.history.arrived.append(time.perf_counter())
            if self._witness is not None:
                self._witness(self.history, seat.turn.seq)
        elif notice is Notice.CONNECTED:
            self.connections += 1

    async def _play(self, seat: Seat) -> None:
        async for turn in seat:
            if self._may_act(seat, turn):
                await self._pace()
                newest = seat.turn
                if newest is not None and self._may_act(seat, newest):
                    await self._move(seat, newest.seq, self._chance.choice(newest.actions))
        self.is_over = True
        if self._at_end is not None:
            await self._at_end(seat)

    def _may_act(self, seat: Seat, turn: Turn) -> bool:
        """Whether it is worth a try: there is nothing newer to decide on."""
        return turn is seat.turn and bool(turn.actions) and turn.seq >= self._answered

    async def _move(self, seat: Seat, seen: int, move: object) -> None:
        """Make a move, unless something newer arrives first: then the next turn has what may be done."""
        while seat.seq == seen:
            sent, resent = Sent("", time.perf_counter()), seat.resent
            self.history.sent.append(sent)
            answer = await seat.ask("act", move=move, seen=seen)
            sent.id = answer.id
            if answer.error is UNSET:
                sent.seq = self._answered = answer.seq
                return
            code = answer.error.code
            self.refusals.append(code)
            if resent == seat.resent:  # else a process that is slow to die may still be at work on the first sending
                sent.code = code
            if code not in TOO_SOON:
                return
            await asyncio.sleep(self._chance.uniform(GATE_WAIT / 2, GATE_WAIT))
