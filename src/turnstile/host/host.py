"""The host: tables in memory, their logs in a store, and everyone who plays at them. It decides nothing itself.

Every change of a table goes one way: read what is kept, let the machine decide, commit, tell. An event that comes
second finds its position taken, reads on and is decided anew, with one process as with many. What must outlive a crash
is in the log: a host that starts again needs nothing else.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from random import Random, SystemRandom
from typing import Any, TypeVar

from msgspec.structs import replace

from turnstile.host.answers import PASSING, STOPPING, Answer, Code, Refused, passing
from turnstile.host.drive import Think, drive, in_a_thread, refuse_bot
from turnstile.host.ledger import (
    BadSnapshot,
    Outdated,
    asked,
    canonical,
    command_of,
    first,
    outdated,
    read_event,
    read_header,
    replayed,
)
from turnstile.host.lines import Line, refuse_line
from turnstile.host.live import CommandTaken, EventAt, GameFailed, Gone, Live
from turnstile.host.watch import Watch
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import ByPlayer, PlayerId, decode
from turnstile.registry import find_game
from turnstile.store.log import Damaged, Entry, Instant, TableId
from turnstile.store.protocol import Row, Saved, Store
from turnstile.table.machine import Table, refuse_acks
from turnstile.table.sight import bot_of, is_open, needs_server
from turnstile.table.values import (
    Accepted,
    Acknowledge,
    Act,
    AddBot,
    Command,
    Halt,
    Header,
    Phase,
    Return,
)
from turnstile.table.values import Code as TableCode

T = TypeVar("T")

log = logging.getLogger("turnstile.host")

GAME_FAILED = "The game has failed, through no fault of its players."
MOST_WAITING = 100  # commands at one table
TIDY_EVERY = 1.0  # seconds
MOST_LIVE = 10_000  # tables in memory, where some of them are idle


class Host:
    """Many tables, one store. `run` keeps it alive; everything else may be called while it runs."""

    def __init__(self, store: Store, *, think: Think = in_a_thread, chance: Random | None = None) -> None:
        """`think` is where bots think, `chance` what they draw from."""
        self.store = store
        self.think = think
        self.chance = chance or SystemRandom()
        self.counts: Counter[str] = Counter()
        self._live: dict[TableId, Live] = {}
        self._loading: dict[TableId, asyncio.Task[Live | Rejection]] = {}
        self._group: asyncio.TaskGroup | None = None
        self._watch = Watch(self)
        self.is_stopping = False

    # its life

    async def run(self, ready: asyncio.Event, stop: asyncio.Event) -> None:
        """Serve until `stop` is set, then finish what was begun. What escapes from any task ends it all."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            await self.unless_passing(self._watch.beat())  # until one succeeds, nothing is done at any table
            chores = [self._watch.keep_beating(), self._watch.keep_looking(), self._keep_tidy()]
            if self.store.is_shared:
                chores += [self._keep_hearing()]
            tasks = [self._spawn(chore) for chore in chores]
            ready.set()
            await stop.wait()
            self.is_stopping = True
            for task in tasks:
                task.cancel()
            for live in tuple(self._live.values()):
                for line in tuple(live.lines):
                    self.detach(line, "the server stops")
        await self.unless_passing(self._save_cursors())  # what is not kept is only sent again
        self._group = None

    async def _do(self, name: TableId, work: Callable[[Live], Awaitable[T]]) -> T | Rejection:
        """Something done at a table to its end, even when whoever wanted it has gone."""
        return STOPPING if self.is_stopping else await asyncio.shield(self._spawn(self.at(name, work)))

    def _spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        assert self._group is not None, "a host runs while it is used"
        task = self._group.create_task(work)
        task.add_done_callback(self._mind)
        return task

    def _mind(self, task: asyncio.Task[Any]) -> None:
        """What escapes from a task ends the host: whoever comes in that very moment is told that it stops."""
        if not task.cancelled() and task.exception() is not None:
            self.is_stopping = True

    # what players want

    async def open(self, header: Header) -> TableId | Refused:
        """A new table. The same one may be asked for again: it is opened once."""
        made = STOPPING if self.is_stopping else first(replace(header, at=self.store.now()))
        if isinstance(made, Rejection):
            return Refused(made)
        refused = await asyncio.shield(self._spawn(self._contained(header.table, lambda: self._created(header, *made))))
        return header.table if refused is None else Refused(refused)

    async def _created(self, header: Header, made: Entry, row: Row) -> Rejection | None:
        if await self.store.create(header.table, made, row):
            return None
        found = await self.store.entries(header.table, -1, 1)
        if found and replace(read_header(header.table, found[0]), at=header.at) == header:
            return None
        return Rejection(Code.TABLE_EXISTS, "There is another table of this id.")

    async def submit(self, name: TableId, command: Command) -> Answer:
        """What a player asks for. Its time is the server's; repeating it gives the first answer again."""
        answer = await self._do(name, lambda live: self._asked_by_player(live, command))
        self.counts["refused" if isinstance(answer, Rejection | Refused) else "accepted"] += 1
        return Refused(answer) if isinstance(answer, Rejection) else answer

    async def move(self, name: TableId, command: Act) -> None:
        """A bot's move. One that stands in for a player who is away does not bring the player back."""
        await self._do(name, lambda live: self._answer(live, command))

    async def acknowledge(self, name: TableId, player: PlayerId, seq: int) -> Refused | None:
        """A player has its stream up to `seq`."""
        done = await self._do(name, lambda live: self._heard(live, player, seq))
        return Refused(done) if isinstance(done, Rejection) else done

    async def attach(self, name: TableId, player: PlayerId | None, after: int = 0) -> Line | Refused:
        """A line to a seat (`None`: for a spectator) that goes on after the update its reader has seen last.

        The newest line of a seat is the one that counts. To say what one has seen is to acknowledge it. Who claims to
        have seen what was never told is refused, and learns how far it has acknowledged.
        """
        if self.is_stopping:
            return Refused(STOPPING)
        work = self._spawn(self._line(name, player, after))
        try:
            line = await asyncio.shield(work)
        except asyncio.CancelledError:
            work.add_done_callback(self._unwanted)
            raise
        return Refused(line) if isinstance(line, Rejection) else line

    def _unwanted(self, work: asyncio.Task[Line | Refused | Rejection]) -> None:
        """Whoever wanted this line has gone before it was there."""
        if not work.cancelled() and work.exception() is None and isinstance(line := work.result(), Line):
            self.detach(line)

    def detach(self, line: Line, why: str = "closed") -> None:
        """End a line. The seat's stream is kept."""
        line.live.lines.discard(line)
        line.close(why)

    async def notice(self, name: TableId, event_at: EventAt) -> Rejection | None:
        """What the server has noticed about a table."""
        return await self._do(name, lambda live: live.take(event_at))

    async def pass_gate(self, name: TableId) -> Rejection | None:
        """Go on, if everyone who is waited for has acknowledged everything; else why not."""
        return await self._do(name, _pass_gate)

    # at a table

    async def at(self, name: TableId, work: Callable[[Live], Awaitable[T]]) -> T | Rejection:
        """Something done at a table, by one at a time, and what the table then needs. Faults stay at the table."""
        return await self._contained(name, lambda: self._done_at(name, work))

    async def _done_at(self, name: TableId, work: Callable[[Live], Awaitable[T]]) -> T | Rejection:
        live = await self._find(name)
        if isinstance(live, Rejection):
            return live
        if live.waiting >= MOST_WAITING:
            return Rejection(Code.BUSY, "Too much waits at this table; try again.")
        live.waiting += 1
        try:
            async with live.lock:
                await live.settle_doubt()
                await self._watch.resume(live)
                return await work(live)
        finally:
            live.waiting -= 1
            self._look_after(live)

    async def _contained(self, name: TableId, work: Callable[[], Awaitable[T | Rejection]]) -> T | Rejection:
        """What comes of some work at a table; its faults stay there."""
        try:
            try:
                return await work()
            except GameFailed as fault:
                return await self._halt(fault)
            except Damaged as fault:
                log.exception("Table %s is put aside", name)
                return await self._put_aside(name, str(fault))
            except Gone:
                self._let_go(name, "the table is gone")
                return await self._missing(name)
        except PASSING as fault:
            self.counts[type(fault).__name__] += 1
            return passing(fault)

    async def _asked_by_player(self, live: Live, command: Command) -> Answer:
        if _is_away(live, command.player):
            await live.take(lambda now: Return(now, command.player))
        return await self._answer(live, command)

    async def _answer(self, live: Live, command: Command) -> Answer:
        """The table's answer to a command; or, where the command was given before, the answer to that."""
        try:
            command = canonical(live.state, command)
            refused = _refuse(live.state, command) or await live.take(lambda now: replace(command, at=now))
        except CommandTaken:
            refused = Rejection(Code.ID_REUSED, "This id was used for another command; take a new one.")
        seq = live.state.told.get(command.player, 0)
        if refused is None:
            return Accepted(seq)
        before = await self.store.find(live.name, command_of(command))
        if before is None:
            return Refused(refused, seq)
        if asked(read_event(live.name, before)) != asked(command):
            return Refused(Rejection(Code.ID_REUSED, "This id was used for another command; take a new one."), seq)
        assert before.answer is not None, "every command is stored with its answer"
        return decode(before.answer, Accepted)

    async def _heard(self, live: Live, player: PlayerId, seq: int) -> Refused | None:
        """A cursor moves; a seat that was away is back; a gate that waited for this opens."""
        refused = refuse_acks(live.state, {player: seq})
        if refused is None and seq > live.handed.get(player, 0):
            refused = Rejection(TableCode.FUTURE_ACK, f"Update {seq} was not handed to you yet.")
        if refused is not None:
            return Refused(refused, live.handed.get(player, 0))
        live.acknowledge(player, seq)
        if _is_away(live, player):
            await live.take(lambda now: Return(now, player))
        if await _pass_gate(live) and live.state.phase in (Phase.STARTING, Phase.GATHERING):
            await live.save_cursors()
            if self.store.is_shared:
                await _pass_gate(live)  # another process may have had the rest
        return None

    async def _line(self, name: TableId, player: PlayerId | None, after: int) -> Line | Refused | Rejection:
        """A line; while nothing can be written, one that acknowledges nothing, for reading goes on."""
        line = await self.at(name, lambda live: self._attached(live, player, after))
        if not isinstance(line, Rejection) or line.code not in (Code.STORAGE_FULL, Code.READ_ONLY):
            return line
        live = await self._find(name)
        return (
            live
            if isinstance(live, Rejection)
            else refuse_line(live, player, after) or self._added(live, player, after)
        )

    async def _attached(self, live: Live, player: PlayerId | None, after: int) -> Line | Refused:
        if self.store.is_shared:
            await live.read_on()
        if refused := refuse_line(live, player, after):
            return refused
        if player is not None:
            live.hand(player, after)
            await self._heard(live, player, after)
        return self._added(live, player, after)

    def _added(self, live: Live, player: PlayerId | None, after: int) -> Line:
        line = Line(live, player, after)
        for other in tuple(live.lines):
            if player is not None and other.player == player:
                self.detach(other, "another connection has taken this seat")
        live.lines.add(line)
        return line

    # tables in memory

    async def _find(self, name: TableId) -> Live | Rejection:
        if live := self._live.get(name):
            return live
        if name not in self._loading:
            self._loading[name] = self._spawn(self._contained(name, lambda: self._load(name)))
            self._loading[name].add_done_callback(lambda _: self._loading.pop(name))
        return await asyncio.shield(self._loading[name])

    async def _load(self, name: TableId) -> Live | Rejection:
        """The table from its log; one that this release cannot play on is ended by an entry that says so."""
        row, saved = await self.store.row(name), await self.store.load(name)
        if row is None or saved is None or row.note:
            return await self._missing(name)
        try:
            kept = replayed(name, saved)
        except BadSnapshot as fault:
            log.warning("%s Its log is read from the beginning.", fault)
            kept = replayed(name, Saved(saved.header, None, await self.store.entries(name, 0)))
        except Outdated as reason:
            if not row.is_open:
                return Rejection(TableCode.OTHER_VERSION, str(reason))
            last = saved.entries[-1] if saved.entries else saved.snapshot or saved.header
            await self.store.commit(outdated(name, saved.header, last, str(reason), self.store.now()))
            return await self._load(name)
        live = self._live[name] = Live(name, kept, await self.store.cursors(name), self.store)
        if len(self._live) > MOST_LIVE:
            self._forget_idle()
        return live

    def _forget_idle(self) -> None:
        for name in [name for name, live in self._live.items() if live.is_idle]:
            del self._live[name]

    async def _halt(self, failure: GameFailed) -> Rejection:
        """A game that failed is over, and its players are told so; what exactly failed is for the log alone."""
        log.error("Table %s is halted", failure.live.name, exc_info=failure.__cause__)
        self.counts["halted"] += 1
        try:
            async with failure.live.lock:
                await failure.live.take(lambda now: Halt(now, GAME_FAILED))
        except GameFailed as again:
            return await self._put_aside(failure.live.name, str(again))
        return Rejection(Code.GAME_FAILED, GAME_FAILED)

    async def _put_aside(self, name: TableId, why: str) -> Rejection:
        """A table that cannot be trusted is stopped, in full view; its log stays as it is, and all others go on."""
        self.counts["put aside"] += 1
        self._let_go(name, "the table was put aside")
        await self.store.put_aside(name, why)
        return await self._missing(name)

    def _let_go(self, name: TableId, why: str) -> None:
        """Forget a table that is not played any more, and tell those who listen."""
        live = self._live.pop(name, None)
        for line in tuple(live.lines) if live else ():
            self.detach(line, why)

    async def _missing(self, name: TableId) -> Rejection:
        """Why a table cannot be had."""
        row = await self.store.row(name)
        if row is None:
            return Rejection(Code.NO_TABLE, "There is no such table.")
        return Rejection(Code.PUT_ASIDE, "This table was put aside; its operator knows why.")

    def _look_after(self, live: Live) -> None:
        """Plan for the table's next deadline, and do what it needs a server for."""
        if live.due is not None:
            self._watch.plan(live.due)
        is_idle = not (live.is_driven or self.is_stopping) and self._live.get(live.name) is live
        if is_idle and needs_server(live.state):
            live.is_driven = True
            self._spawn(self._drive(live))

    async def _drive(self, live: Live) -> None:
        try:
            await drive(self, live)
        finally:
            live.is_driven = False

    # chores

    async def _keep_hearing(self) -> None:
        """Other processes' commits, as soon as they are known."""
        async for name in self.store.changes():
            if name in self._live:
                self._spawn(self.at(name, Live.read_on))

    async def _keep_tidy(self) -> None:
        """Keep cursors, read on where a wake-up was missed, forget finished tables that nobody looks at."""
        while True:
            await asyncio.sleep(TIDY_EVERY)
            await self.unless_passing(self._save_cursors())
            await self._settle_doubts()
            if self.store.is_shared:
                await self.unless_passing(self._read_on())
            for name in [name for name, live in self._live.items() if live.is_idle and not is_open(live.state)]:
                del self._live[name]

    async def _save_cursors(self) -> None:
        for live in [live for live in self._live.values() if live.unsaved]:
            await live.save_cursors()

    async def _settle_doubts(self) -> None:
        """What was being written when the store broke off: if it is there, everyone is told."""
        for name in [name for name, live in self._live.items() if live.is_in_doubt]:
            await self.at(name, Live.settle_doubt)

    async def _read_on(self) -> None:
        for name, position in (await self.store.positions(tuple(self._live))).items():
            if (live := self._live.get(name)) and live.kept.position < position:
                await self.at(name, Live.read_on)

    async def unless_passing(self, work: Awaitable[T]) -> T | None:
        """A chore that can wait, where the store cannot do it now."""
        try:
            return await work
        except PASSING as fault:
            self.counts[type(fault).__name__] += 1
            log.warning("The store: %s", fault)
            return None


async def _pass_gate(live: Live) -> Rejection | None:
    """Bots have always heard what they were told; everyone else says so."""

    def heard(now: Instant) -> Acknowledge:
        """As things stand when it is decided: a bot may have stopped standing in for somebody meanwhile."""
        told = {player: seq if bot_of(live.state, player) else 0 for player, seq in live.state.told.items()}
        return Acknowledge(now, ByPlayer({name: max(seq, live.cursors.get(name, 0)) for name, seq in told.items()}))

    return await live.take(heard)


def _refuse(state: Table, command: Command) -> Rejection | None:
    """What only a host can know: whether there is such a bot."""
    game = find_game(state.header.game)
    return refuse_bot(game, command.bot) if game and isinstance(command, AddBot) else None


def _is_away(live: Live, player: PlayerId) -> bool:
    seat = live.state.seat_of(player)
    return seat is not None and seat.is_away
