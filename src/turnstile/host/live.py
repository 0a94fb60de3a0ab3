"""A table in memory: what is kept of it, who listens, and the one way in which it changes."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from turnstile.host.heartbeat import Heartbeat
from turnstile.host.ledger import (
    PATIENCE,
    Gone,
    Kept,
    TableEvent,
    command_of,
    drafted,
    followed_with_news,
    news_of,
    replayed,
)
from turnstile.host.resend import made_anew
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import ByPlayer, Instant, LogId, PlayerId, encode
from turnstile.store.log import Damaged
from turnstile.store.protocol import Busy, Commit, Store, Unknown
from turnstile.table.machine import Table, table
from turnstile.table.messages import Told
from turnstile.table.sight import bot_of, delayed_status, due_of, status
from turnstile.table.values import Command, Resume

if TYPE_CHECKING:
    from turnstile.host.lines import Line

RECENT = 64  # steps whose news of each stream is at hand without reading the log
MOST_TRIES = 100  # times that one event may find its position taken

EventAt = Callable[[Instant], TableEvent | None]
"""An event, once the time it happens at is known; nothing, where there is no reason for it any more."""


class GameFailed(Exception):
    """A game that raised instead of answering: a bug of its author."""

    def __init__(self, live: "Live", bug: Exception) -> None:
        super().__init__(f"{live.state.header.game} failed: {type(bug).__name__}: {bug}")
        self.live = live


class CommandTaken(Exception):
    """The id of this command is in the log already."""


class Recent:
    """News of one stream that is at hand: written out when the first reader wants it, and once for all of them."""

    __slots__ = ("_told", "_written", "first", "last")  # a table has hundreds

    def __init__(self, told: Told) -> None:
        self.first, self.last = told.seq, told.seq + len(told.messages) - 1
        self._told = told
        self._written: tuple[tuple[int, bytes], ...] = ()

    def updates(self) -> tuple[tuple[int, bytes], ...]:
        if not self._written:
            self._written = tuple(self._told.updates())
        return self._written


class Live:
    """One table, for its life in memory. Whoever changes it holds the lock."""

    def __init__(self, name: LogId, kept: Kept, cursors: Mapping[str, int], store: Store, heartbeat: Heartbeat) -> None:
        self.name = name
        self.kept = kept
        self.cursors = dict(cursors)
        """How far each seat has acknowledged its stream."""
        self.due = due_of(kept.state, PATIENCE)
        """When somebody must look at the table again."""
        self.unsaved: dict[str, int] = {}
        """Cursors that have moved since they were last stored."""
        self.handed: dict[PlayerId, int] = {}
        """The newest update of each seat that was handed to a reader, or that one said it had."""
        self.lock = asyncio.Lock()
        self.is_in_doubt = False
        """Whether something was being written when the store broke off: it may be in the log."""
        self.waiting: Counter[str] = Counter()
        """How much waits for its turn, for each who wants it."""
        self.lines: dict[Line, None] = {}
        """Who listens, in the order in which they came."""
        self.is_driven = False
        """Whether somebody is at work on what the table needs a server for."""
        self._store = store
        self._heartbeat = heartbeat
        self._status: dict[bool, bytes] = {}
        self._recent: dict[PlayerId | None, deque[Recent]] = {}

    @property
    def state(self) -> Table:
        return self.kept.state

    @property
    def is_idle(self) -> bool:
        """Whether nobody would miss the table in memory."""
        return not (self.lines or self.waiting.total() or self.is_driven or self.unsaved)

    # how it changes

    async def take(self, event_at: EventAt) -> Rejection | None:
        """Read, decide, commit, tell: why the event is refused, or `None` when it is durable and told.

        The event happens now, however long it takes to find its place. Time that was lost before it is given back
        first, whatever state the event meets: no event makes the table later than an outage that still counts.
        """
        now = await self._heartbeat.now()
        for _ in range(MOST_TRIES):
            resume = await self._resume_at(now)
            event, kept = resume or event_at(now), self.kept
            if event is None:
                return None
            decision = self._decide(kept, event)
            if isinstance(decision, Rejection):
                if self._store.is_shared and await self.read_on():
                    continue  # it was decided on what is past
                return decision
            commit, after, news = decision
            if await self._commit(commit):
                self.due = commit.row.due
                self._tell(after, news)
                if event is resume:
                    continue
                return None
            if not await self.read_on():
                await self._explain(event)
        raise Busy(f"Table {self.name} changes too often.")

    async def resume(self) -> None:
        """Give back the time that was lost to outages, so that everyone sees the deadlines as they are now."""
        await self.take(lambda _: None)

    async def _resume_at(self, now: Instant) -> Resume | None:
        """The event that gives back what was lost since the table's last event; `None` if no timer has lost time."""
        lost = await self._heartbeat.lost(self.state.now, now) if self.state.timers else 0
        return Resume(now, lost) if lost else None

    async def _commit(self, commit: Commit) -> bool:
        try:
            return await self._store.commit(commit)
        except (Unknown, asyncio.CancelledError):
            self.is_in_doubt = True
            raise

    async def settle_doubt(self) -> None:
        """Where something may be in the log that is not known here, read on before anything else is done."""
        if self.is_in_doubt:
            await self.read_on()
            self.is_in_doubt = False

    async def _explain(self, event: TableEvent) -> None:
        """Raises whatever made the store turn an entry down, though nothing came before it; else somebody just did."""
        row = await self._store.row(self.name)
        if row is None or row.note:
            raise Gone(self.name)
        if isinstance(event, Command) and await self._store.find(self.name, command_of(event)):
            raise CommandTaken(self.name)
        newest = (await self._store.positions([self.name])).get(self.name)
        if newest != self.kept.position and not await self.read_on():
            raise Damaged(self.name, f"the entries after {self.kept.position} are missing")
        ours = await self._store.entries(self.name, self.kept.position - 1, 1)
        if ours and ours[0].link != self.kept.link:
            await self._read_anew()

    def _decide(self, kept: Kept, event: TableEvent) -> tuple[Commit, Kept, list[Told]] | Rejection:
        """What the machine says: what to store, what is kept then, and what is told."""
        try:
            step = table.step(kept.state, event)
            if isinstance(step, Rejection):
                return step
            return *drafted(kept, event, step.state), news_of(step)
        except Exception as bug:
            raise GameFailed(self, bug) from bug

    def _tell(self, kept: Kept, news: Iterable[Told]) -> None:
        self.kept = kept
        listening = {line.player for line in self.lines}
        for told in news:
            if told.player in listening:
                self._recent.setdefault(told.player, deque(maxlen=RECENT)).append(Recent(told))
            else:
                self._recent.pop(told.player, None)  # whoever comes back to it reads the log
        self.notify()

    async def read_on(self) -> bool:
        """Take in what others have committed; whether there was anything."""
        entries = await self._store.entries(self.name, self.kept.position)
        if not entries:
            return False
        try:
            kept, news = followed_with_news(self.name, self.kept, entries)
        except Damaged:
            await self._read_anew()
            return True
        self.due = due_of(kept.state, PATIENCE)
        self._tell(kept, news)
        return True

    async def _read_anew(self) -> None:
        """What is in memory is not what is stored: after an older store was restored, what is stored counts.

        Whoever listens may have seen more than is stored now, and must come again. A log that is damaged itself raises.
        """
        saved = await self._store.load(self.name)
        if saved is None:
            raise Gone(self.name)
        self.kept = replayed(self.name, saved)
        self.cursors = await self._store.cursors(self.name)
        self.unsaved = {}
        self.due = due_of(self.state, PATIENCE)
        self._recent.clear()
        self.handed.clear()
        for line in tuple(self.lines):
            line.end("the store was restored; connect again")

    # who listens

    def notify(self) -> None:
        """Wake everyone who listens."""
        self._status.clear()
        for line in self.lines:
            line.wake()

    def status(self, *, is_delayed: bool) -> bytes:
        """The table as anyone may see it, or as those may who are some behind: written once for all of them."""
        if is_delayed not in self._status:
            shown = status(self.state)
            self._status[is_delayed] = encode(delayed_status(shown) if is_delayed else shown)
        return self._status[is_delayed]

    async def updates(self, stream: PlayerId | None, after: int) -> list[tuple[int, bytes]]:
        """The next updates of a stream after `after`, without a gap: some at least, where there are any."""
        recent = self._recent.get(stream)
        if recent and recent[0].first <= after + 1:
            return [update for news in recent if news.last > after for update in news.updates() if update[0] > after]
        return await made_anew(self._store, self.kept, stream, after)

    # what was received

    def heard(self) -> ByPlayer[int]:
        """How far everyone has acknowledged. Bots have always heard what they were told."""
        told = self.state.told
        said = {who: seq if bot_of(self.state, who) else self.cursors.get(who, 0) for who, seq in told.items()}
        return ByPlayer({who: min(seq, told[who]) for who, seq in said.items()})  # a restored store may know more

    def hand(self, player: PlayerId | None, seq: int) -> None:
        """This update is on its way to its reader, who may now acknowledge it."""
        if player is not None:
            self.handed[player] = max(seq, self.handed.get(player, 0))

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
