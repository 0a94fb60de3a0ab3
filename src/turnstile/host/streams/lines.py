"""Lines: how one player, or one spectator, hears of a table. A line keeps nothing but how far it has got.

A slow reader slows no other: updates are taken from the table as the reader asks for them, from memory
while they are recent and from the log when they are not.
"""

import asyncio
import logging
from collections.abc import AsyncIterator

import msgspec

from turnstile.durable.log import Gone
from turnstile.host.answers import PASSING, Code, Refused
from turnstile.host.live import Live
from turnstile.host.streams.ending import Ending
from turnstile.host.streams.news import News
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import PlayerId
from turnstile.store.log import Damaged
from turnstile.store.protocol import SeatLine
from turnstile.table.presence import NOT_SEATED
from turnstile.table.sight import is_shown_later

log = logging.getLogger("turnstile.host")


class Update(msgspec.Struct, frozen=True, gc=False):
    """One update of the stream, as it goes over the wire. The first one on a line has the whole view."""

    seq: int
    body: bytes
    history: str = ""
    """Stands for all that led to this update. It tells apart two histories that reached the same number."""


class Status(msgspec.Struct, frozen=True, gc=False):
    """The table as anyone may see it now. It is not part of the stream: only the newest one counts."""

    body: bytes


class Line:
    """One reader of one stream, after the update `sent`. It ends when it is closed, and says why."""

    def __init__(self, live: Live, player: PlayerId | None, sent: int, number: SeatLine | None = None) -> None:
        """`number`: its number among the lines of its seat in all processes; `None` if it has none."""
        self.live = live
        self.player = player
        self.sent = sent
        self.number = number
        self.watcher: PlayerId | None = None
        """The player who reads what spectators see, for want of a seat."""
        self.is_beside = False
        """Whether it is beside the other lines of its seat: it ends none of them, and none of them ends it."""
        self.closed: Ending | None = None
        self._shown = b""
        self._is_fresh = True
        """Whether nothing was sent yet, so that the reader may not have a view."""
        self._has_news = False
        self._sleeping: asyncio.Future[None] | None = None
        """What its reader waits for, while there is nothing to read."""

    async def __aiter__(self) -> AsyncIterator[Update | Status]:
        """The status of the table, then its updates, and so on as they change."""
        loop = asyncio.get_running_loop()  # looked up once: in Python 3.11 each time is a call of the system
        while self.closed is None:
            self._has_news = False
            body = self.status()
            if body != self._shown:
                self._shown = body
                yield Status(body)
            while self.sent < self.newest() and not self.is_closed:
                for news in self.live.at_hand(self.player, self.sent) or await self._read():
                    if self.sent < news.seq <= self.newest():
                        yield self._send(news)
            if not self._has_news:
                self._sleeping = loop.create_future()
                await self._sleeping

    def _send(self, news: News) -> Update:
        """An update on its way. A reader that has the one before it is sent what has changed since."""
        body = news.body(is_whole=self._is_fresh)
        self.sent, self._is_fresh = news.seq, False
        self.live.hand(self.player, news.seq)
        return Update(news.seq, body, news.history)

    async def _read(self) -> list[News]:
        """The next updates, from the log; where they cannot be had, the line ends, and its reader may come back."""
        try:
            news = await self.live.news(self.player, self.sent)
        except (Damaged, Gone, *PASSING) as fault:
            log.warning("Table %s: a line ends: %s", self.live.name, fault)
            self.end(Ending.UNREADABLE)
            return []
        assert news, f"update {self.sent + 1} was told, and cannot be found"
        return news

    @property
    def is_closed(self) -> bool:
        return self.closed is not None

    def status(self) -> bytes:
        """The status of the table now, as this reader may see it."""
        return self.live.status(is_delayed=self._is_delayed)

    def newest(self) -> int:
        """The newest update that this reader may have. Spectators may be some behind, until the match is over."""
        state = self.live.kept.state
        if self.player is not None:
            return state.told.get(self.player, 0)
        return max(0, state.watched - state.header.settings.delay) if self._is_delayed else state.watched

    @property
    def _is_delayed(self) -> bool:
        """Whether this reader is shown the match with a delay."""
        return self.player is None and is_shown_later(self.live.kept.state)

    def has_other_stream(self) -> bool:
        """Whether the player has lost the seat of this line, or watches although it has a seat by now."""
        if self.player is None:
            return self.watcher is not None and self.live.state.seat_of(self.watcher) is not None
        return self.live.state.seat_of(self.player) is None

    def wake(self) -> None:
        """Something has changed."""
        self._has_news = True
        if self._sleeping is not None and not self._sleeping.done():
            self._sleeping.set_result(None)

    def end(self, why: Ending) -> None:
        """End the line; its reader learns why. The seat's stream is kept."""
        self.live.lines.pop(self, None)
        self.closed = why
        self.wake()


def refuse_line(live: Live, player: PlayerId | None, after: int) -> Refused | None:
    """Why such a line is refused."""
    if player is None and not live.state.header.settings.spectators:
        return Refused(Rejection(Code.NO_SPECTATORS, "This table takes no spectators."))
    if player is not None and live.state.seat_of(player) is None:
        return Refused(NOT_SEATED)
    if not 0 <= after <= Line(live, player, after).newest():
        known = 0 if player is None else live.cursors.get(player, 0)
        return Refused(Rejection(Code.FUTURE_UPDATE, f"There is no update {after}; ask from {known} on."), known)
    return None
