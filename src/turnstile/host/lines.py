"""Lines: how one player, or one spectator, hears of a table. A line keeps nothing but how far it has got.

Whoever reads a line slowly slows nobody else: updates are taken from the table as the reader asks for them, from memory
while they are recent and from the log when they are not.
"""

from collections.abc import AsyncIterator

import msgspec

from turnstile.host.answers import Code, Refused
from turnstile.host.live import Live
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import PlayerId, encode
from turnstile.table.sight import status


class Update(msgspec.Struct, frozen=True, gc=False):
    """One update of the stream, as it goes over the wire."""

    seq: int
    body: bytes


class Status(msgspec.Struct, frozen=True, gc=False):
    """The table as anyone may see it now. It is not part of the stream: only the newest one counts."""

    body: bytes


class Line:
    """One reader of one stream, after the update `sent`. It ends when it is closed, and says why."""

    def __init__(self, live: Live, player: PlayerId | None, sent: int) -> None:
        self.live = live
        self.player = player
        self.sent = sent
        self.closed: str | None = None
        self._shown = b""

    async def __aiter__(self) -> AsyncIterator[Update | Status]:
        """Everything there is to hear: where the table stands, then what was told, and so on as it changes."""
        while not self.is_closed:
            version = self.live.version
            body = encode(status(self.live.state))
            if body != self._shown:
                self._shown = body
                yield Status(body)
            async for update in self._updates():
                yield update
            if not self.is_closed:
                await self.live.changed_since(version)

    async def _updates(self) -> AsyncIterator[Update]:
        """What was told and not sent yet, as long as anybody wants it."""
        while not self.is_closed and self.sent < self.newest():
            updates = await self.live.updates(self.player, self.sent)
            assert updates, f"update {self.sent + 1} was told, and cannot be found"
            for seq, body in updates:
                if self.sent < seq <= self.newest():
                    self.sent = seq
                    self.live.hand(self.player, seq)
                    yield Update(seq, body)

    @property
    def is_closed(self) -> bool:
        return self.closed is not None

    def newest(self) -> int:
        """The newest update that this reader may have. Spectators may be some behind, until the match is over."""
        state = self.live.state
        if self.player is not None:
            return state.told.get(self.player, 0)
        return max(0, state.watched - state.header.settings.delay) if state.result is None else state.watched

    def close(self, why: str) -> None:
        """End the line; whoever reads it finds out."""
        self.closed = why
        self.live.notify()


def refuse_line(live: Live, player: PlayerId | None, after: int) -> Refused | None:
    """Why nobody can have such a line."""
    if player is None and not live.state.header.settings.spectators:
        return Refused(Rejection(Code.NO_SPECTATORS, "Nobody may look on at this table."))
    if player is not None and live.state.seat_of(player) is None:
        return Refused(Rejection(Code.NOT_SEATED, "There is no such seat at this table."))
    if not 0 <= after <= Line(live, player, after).newest():
        known = 0 if player is None else live.cursors.get(player, 0)
        return Refused(Rejection(Code.FUTURE_UPDATE, f"There is no update {after}; ask from {known} on."), known)
    return None
