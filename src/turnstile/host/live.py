"""A table in memory: a keeper with lines. It knows who listens, what they were told and acknowledged."""

import logging
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from turnstile.durable.keeper import EventAt, Keeper
from turnstile.host.heartbeat import Heartbeat
from turnstile.host.logs import TABLES, KeptTable, TableEvent, linked_news
from turnstile.host.streams.ending import Ending
from turnstile.host.streams.news import News
from turnstile.host.streams.resend import made_anew
from turnstile.kernel.machine import Rejection, Step
from turnstile.kernel.values import ByPlayer, Instant, LogId, PlayerId, encode
from turnstile.store.log import Link
from turnstile.store.protocol import Store
from turnstile.table.machine import Table
from turnstile.table.messages import Told
from turnstile.table.presence import acks_awaited, players_awaited
from turnstile.table.sight import GATES, bot_of, delayed_status, parts_of_status, status, without_wait
from turnstile.table.values import Phase, Resume

if TYPE_CHECKING:
    from turnstile.host.streams.lines import Line

log = logging.getLogger("turnstile.host")

LASTING = 1_000  # milliseconds that the table has waited for acknowledgements before its readers are told so
RECENT = 64  # updates of each stream that are at hand without reading the log
FIRST = 4  # updates of a new stream that wait at hand for the first line of its reader

TableEventAt = EventAt[TableEvent]
MatchEnd = Callable[[Table], None]
"""Called with the table as it is when its match has just ended, in every process that has the table in memory."""


def ignore_end(state: Table) -> None:
    """Nothing is to be done when a match ends."""


class Live(Keeper[Table, TableEvent]):
    """One table, for its life in memory."""

    def __init__(
        self, name: LogId, kept: KeptTable, cursors: Mapping[str, int], store: Store, heartbeat: Heartbeat
    ) -> None:
        super().__init__(TABLES, name, kept, store)
        self.cursors = dict(cursors)
        """How far each seat has acknowledged its stream."""
        self.unsaved: dict[str, int] = {}
        """Cursors that have moved since they were last stored."""
        self.handed: dict[PlayerId, int] = dict(kept.state.told)
        """The newest update of each seat that was handed to a reader, or that one said it had.

        What was told before the table was loaded may have been handed out then.
        """
        self.waiting: dict[str, int] = {}
        """How many requests of each sender wait for their turn."""
        self.lines: dict[Line, None] = {}
        """The open lines, oldest first."""
        self.is_wait_shown = False
        """Whether readers see that the table waits for acknowledgements: only a wait that lasts is worth a status."""
        self.is_driven = False
        """Whether a task does what the table needs a server for."""
        self.on_end: MatchEnd = ignore_end
        self._is_over = kept.state.result is not None
        self._heartbeat = heartbeat
        self._status_of: Table | None = None
        self._parts: object = None
        self._status: dict[bool, bytes] = {}
        self._gate_of: Table | None = None
        self._gate: dict[PlayerId, int] = {}
        """The acknowledgements for which the table waits in the state `_gate_of`."""
        self._recent: dict[PlayerId | None, deque[News]] = {}

    @property
    def state(self) -> Table:
        return self.kept.state

    @property
    def is_idle(self) -> bool:
        """Whether the table can be forgotten: it is read again when it is wanted."""
        return not (self.lines or self.waiting or self.is_driven or self.unsaved)

    def leave_queue(self, who: str) -> None:
        """A request of this sender waits no more."""
        if self.waiting[who] > 1:
            self.waiting[who] -= 1
        else:
            del self.waiting[who]

    def is_away(self, player: PlayerId) -> bool:
        seat = self.state.seat_of(player)
        return seat is not None and seat.is_away

    # how it changes

    async def now(self) -> Instant:
        return await self._heartbeat.now()

    async def give_back(self, now: Instant) -> Resume | None:
        """Time in which no server was there is given back before anything else happens.

        So no event makes the table later than an outage that still counts.
        """
        lost = await self._heartbeat.lost(self.state.now, now)
        return Resume(now, lost) if lost else None

    async def take(self, event_at: TableEventAt) -> Rejection | None:
        """Why an event is refused; `None` once it is durable and told."""
        result = await super().take(event_at)
        return result if type(result) is Rejection else None

    async def resume(self) -> None:
        """Give back the time that was lost to outages, so that everyone sees the deadlines as they are now."""
        await self.take(lambda _: None)

    def may_have_lost_time(self) -> bool:
        state = self.kept.state
        return bool(state.timers) and not self._heartbeat.is_current(state.now)

    def tell(self, steps: Sequence[tuple[TableEvent, Step[Table], Link]]) -> None:
        self.is_wait_shown = False
        listening = {line.player for line in self.lines}
        streams: set[PlayerId | None] = set()
        for told, link in linked_news((step, link) for _, step, link in steps):
            streams.add(told.player)
            if told.player in listening or told.seq <= FIRST:
                self._keep_at_hand(told, link)
            else:
                self._recent.pop(told.player, None)  # a reader who comes back to it reads the log
        self.notify(streams)
        if not self._is_over and self.state.result is not None:
            self._is_over = True
            self.on_end(next(step.state for _, step, _ in steps if step.state.result is not None))

    def _keep_at_hand(self, told: Told, link: Link) -> None:
        """Keep an update for its readers. What its player has acknowledged is not wanted any more."""
        recent = self._recent.get(told.player)
        if recent is None:
            recent = self._recent[told.player] = deque(maxlen=RECENT)
        recent.append(News(told, recent[-1] if recent else None, link))
        acknowledged = 0 if told.player is None else self.cursors.get(told.player, 0)
        while len(recent) > 1 and recent[0].seq <= acknowledged:
            recent.popleft()

    async def load_anew(self) -> None:
        """After an older store was restored, readers may have seen more than is stored: they must connect again."""
        seen = self.kept.position
        await super().load_anew()
        log.warning(
            "Table %s: the store has lost entries up to %d, and goes on from %d", self.name, seen, self.kept.position
        )
        self.cursors = await self._store.cursors(self.name)
        self.unsaved = {}
        self._recent.clear()
        self.handed.clear()
        for line in tuple(self.lines):
            line.end(Ending.RESTORED)

    # who listens

    def show_wait(self, now: Instant) -> None:
        """Tell readers for whom the table waits, once that has lasted a while."""
        if self.state.phase is Phase.GATHERING and not self.is_wait_shown and now - self.state.now >= LASTING:
            self.is_wait_shown = True
            self._status_of = None
            self.notify()

    def notify(self, streams: Collection[PlayerId | None] = ()) -> None:
        """Wake the readers of these streams; all readers, if the status of the table has changed."""
        concerns_all = self._refresh_status()
        if concerns_all:
            self._end_lines_of_changed_seats()
        for line in self.lines:
            if concerns_all or line.player in streams:
                line.wake()

    def _end_lines_of_changed_seats(self) -> None:
        """End the lines whose reader has another stream now: of a player without its seat, of a watcher with one."""
        for line in [line for line in self.lines if line.has_other_stream()]:
            line.end(Ending.SEAT_CHANGED)

    def _refresh_status(self) -> bool:
        """Forget the status that was written if it has changed. Returns whether it has."""
        if self._status_of is self.kept.state:
            return False
        self._status_of = self.kept.state
        parts = parts_of_status(self._shown_state)
        if parts == self._parts:
            return False
        self._parts = parts
        self._status.clear()
        return True

    def status(self, *, is_delayed: bool) -> bytes:
        """The public status of the table, or the delayed one, written once for all readers when it has changed."""
        self._refresh_status()
        if is_delayed not in self._status:
            shown = status(self._shown_state)
            self._status[is_delayed] = encode(delayed_status(shown) if is_delayed else shown)
        return self._status[is_delayed]

    @property
    def _shown_state(self) -> Table:
        """The table as its status shows it."""
        return self.state if self.is_wait_shown else without_wait(self.state)

    def at_hand(self, stream: PlayerId | None, after: int) -> list[News]:
        """The updates of a stream after `after`, without a gap; none, where the log must be read."""
        recent = self._recent.get(stream)
        if not recent or recent[0].seq > after + 1:
            return []
        missing = recent[-1].seq - after
        return [recent[-1]] if missing == 1 else [recent[at] for at in range(-missing, 0)]

    async def news(self, stream: PlayerId | None, after: int) -> list[News]:
        """The next updates of a stream after `after`, without a gap: some at least, where there are any."""
        return self.at_hand(stream, after) or await made_anew(self._store, self.kept, stream, after)

    async def history(self, stream: PlayerId | None, seq: int) -> str:
        """What stands for all that led to an update that the stream has."""
        return (await self.news(stream, seq - 1))[0].history

    # what was received

    def heard(self) -> ByPlayer[int]:
        """How far everyone has acknowledged. Bots have always heard what they were told."""
        state, cursors = self.kept.state, self.cursors
        return ByPlayer(
            {
                who: newest
                if bot_of(state, who)
                else min(newest, cursors.get(who, 0))  # a restored store may know more
                for who, newest in state.told.items()
            }
        )

    def hand(self, player: PlayerId | None, seq: int) -> None:
        """This update is on its way to its reader, who may now acknowledge it."""
        if player is not None and seq > self.handed.get(player, 0):
            self.handed[player] = seq

    def newest_handed(self, player: PlayerId) -> int:
        """The newest update that the player may have: where processes share the store, any that it was told."""
        return (self.state.told if self._store.is_shared else self.handed).get(player, 0)

    def is_plain_ack(self, player: PlayerId, seq: int) -> bool:
        """Whether an acknowledgement moves a cursor, and at most opens a gate: it is valid, and its player is here.

        While something is being decided at the table, this cannot be known.
        """
        state = self.kept.state
        if not 0 <= seq <= self.handed.get(player, 0) <= state.told.get(player, 0):
            return False
        seat = state.seat_of(player)
        if seat is None or seat.is_away or self.lock.locked() or self.is_in_doubt:
            return False
        return not (self._store.is_shared and state.phase in GATES and self._has_awaited_elsewhere())

    def is_gate_open(self) -> bool:
        """Whether the table waits, and has all acknowledgements that it waits for, as far as is known here."""
        state = self.kept.state
        if state.phase not in GATES:
            return False
        if self._gate_of is not state:
            self._gate_of, self._gate = state, acks_awaited(state)
        for player, seq in self._gate.items():  # noqa: SIM110  a generator would take twice as long
            if self.cursors.get(player, 0) < seq:
                return False
        return True

    def _has_awaited_elsewhere(self) -> bool:
        """Whether another process may hear the acknowledgement of a player for whom the table waits."""
        listening = {line.player for line in self.lines}
        return not listening.issuperset(players_awaited(self.state))

    def acknowledge(self, player: PlayerId, seq: int) -> None:
        """Move a seat's cursor, never back."""
        if seq > self.cursors.get(player, 0):
            self.cursors[player] = self.unsaved[player] = seq

    async def save_cursors(self) -> None:
        """Store the cursors that have moved, and learn of those that moved elsewhere."""
        moved = dict(self.unsaved)
        for player, seq in (await self._store.acknowledge(self.name, moved)).items():
            self.cursors[player] = max(seq, self.cursors.get(player, 0))
        self.unsaved = {player: seq for player, seq in self.unsaved.items() if seq > moved.get(player, 0)}
