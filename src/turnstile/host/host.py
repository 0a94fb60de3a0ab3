"""The host: tables in memory, their logs in a store, and the players at them. It decides nothing itself.

Every change of a table goes one way: read the state, let the machine decide, commit, tell. If another event was
committed first, it is read and the later one is decided again, with one process as with many. Everything that must
survive a crash is in the log: a host that restarts needs nothing else.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from random import Random, SystemRandom
from typing import Any, TypeVar

from msgspec.structs import replace

from turnstile.durable.keeper import MachineFailed
from turnstile.durable.log import CannotGoOn, Gone, begin
from turnstile.host.answers import PASSING, STOPPING, Answer, Code, Refused, passing
from turnstile.host.chores import Chores
from turnstile.host.commands import answer_command
from turnstile.host.drive import PrepareRematch, Think, drive, in_a_thread, new_turns, prepare_nothing
from turnstile.host.heartbeat import Heartbeat
from turnstile.host.live import Live, TableEventAt
from turnstile.host.logs import TABLES, read_header
from turnstile.host.step_limit import StepLimit
from turnstile.host.streams.ending import Ending
from turnstile.host.streams.lines import Line
from turnstile.host.streams.seats import open_line
from turnstile.host.tables import Tables
from turnstile.host.watch import Watch
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import LogId, PlayerId, encode
from turnstile.store.log import Damaged, Entry
from turnstile.store.protocol import Row, Store
from turnstile.table.machine import refuse_acks
from turnstile.table.sight import GATES, bot_of, needs_server
from turnstile.table.values import Acknowledge, Act, Command, Halt, Header, Return
from turnstile.table.values import Code as TableCode

T = TypeVar("T")

log = logging.getLogger("turnstile.host")

GAME_FAILED = "The game has failed, through no fault of its players."
FAULTS = (*PASSING, MachineFailed, Damaged, Gone)  # at a table: each leads to what must be done about it
MOST_WAITING = 16  # things that one player, or all spectators, may let wait at one table


class Host:
    """Many tables, one store. `run` keeps it alive; everything else may be called while it runs."""

    def __init__(
        self,
        store: Store,
        *,
        think: Think = in_a_thread,
        chance: Random | None = None,
        longest_step: float | None = None,
    ) -> None:
        """`think` is where bots think, `chance` what they draw from.

        `longest_step`: seconds of CPU after which a game that does not answer has failed.
        """
        self.store = store
        self.think = think
        self.turns = new_turns()
        self.chance = chance or SystemRandom()
        self.prepare_rematch: PrepareRematch = prepare_nothing
        self.counts: Counter[str] = Counter()
        self.heartbeat = Heartbeat(store)
        self._step_limit = StepLimit(longest_step)
        self.tables = Tables(store, self.heartbeat, self._step_limit)
        self._group: asyncio.TaskGroup | None = None
        self._under_way = 0
        """Requests that are at work in the tasks of their senders."""
        self._all_done = asyncio.Event()
        self._watch = Watch(self)
        self.is_stopping = False

    # its life

    async def run(self, ready: asyncio.Event, stop: asyncio.Event) -> None:
        """Serve until `stop` is set, then finish what was begun. What escapes from any task ends the host."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            self._step_limit.start()
            await self.unless_passing(self.heartbeat.beat())
            chores = Chores(self)
            works = [self._watch.keep_beating(), self._watch.keep_looking(), chores.keep_tidy()]
            if self.store.is_shared:
                works += [chores.keep_hearing()]
            tasks = [self.spawn(work) for work in works]
            ready.set()
            await stop.wait()
            self.is_stopping = True
            for task in tasks:
                task.cancel()
            for live in tuple(self.tables.live.values()):
                for line in tuple(live.lines):
                    self.detach(line, Ending.STOPPING)
            while self._under_way:
                self._all_done.clear()
                await self._all_done.wait()
        await chores.save_cursors()
        self._step_limit.stop()
        self._group = None

    @asynccontextmanager
    async def serving(self) -> AsyncIterator["Host"]:
        """Serve within this context."""
        ready, stop = asyncio.Event(), asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(self.run(ready, stop))
            await ready.wait()
            try:
                yield self
            finally:
                stop.set()

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """A task of the host. What escapes from it ends the host; requests are then told that it stops."""
        assert self._group is not None, "a host runs while it is used"
        task = self._group.create_task(work)
        task.add_done_callback(self._end_if_failed)
        return task

    def _end_if_failed(self, task: asyncio.Task[Any]) -> None:
        if not task.cancelled() and task.exception() is not None:
            self.is_stopping = True

    def _end_with(self, fault: Exception) -> None:
        """End the host with a fault that has escaped from a request, unless it is ending already."""
        if not self.is_stopping:
            self.is_stopping = True
            self.spawn(_fail(fault))

    # work at a table

    async def do(self, name: LogId, work: Callable[[Live], Awaitable[T]], who: str = "") -> T | Rejection:
        """Do something at a table, in the task of its sender, which may be cancelled.

        What is being written then is written all the same: the table is in doubt until it has been read on. `who` wants
        it: no sender may let too much wait. The server's own work has no sender, and is always done.
        """
        if self.is_stopping:
            return STOPPING
        self._under_way += 1
        try:
            return await self.at(name, work, who)
        except Exception as fault:
            self._end_with(fault)
            raise
        finally:
            self._under_way -= 1
            if self._under_way == 0:
                self._all_done.set()

    async def at(self, name: LogId, work: Callable[[Live], Awaitable[T]], who: str = "") -> T | Rejection:
        """Do something at a table when it is its turn. What goes wrong stays at the table."""
        try:
            return await self._take_turn(name, work, who)
        except FAULTS as fault:
            return await self._mend(name, fault)

    async def guard(self, name: LogId, work: Awaitable[T | Rejection]) -> T | Rejection:
        """The result of some work at a table. What goes wrong stays at the table."""
        try:
            return await work
        except FAULTS as fault:
            return await self._mend(name, fault)

    async def _mend(self, name: LogId, fault: Exception, *, has_failed: bool = False) -> Rejection:
        """Do what must be done about a fault at a table, also about one that comes of this."""
        try:
            match fault:
                case MachineFailed() if not has_failed:
                    has_failed = True
                    return await self._halt(fault)
                case MachineFailed():
                    return await self._put_aside(name, str(fault))
                case Damaged():
                    log.error("Table %s is put aside", name, exc_info=fault)
                    return await self._put_aside(name, str(fault))
                case Gone():
                    return await self._let_go(name)
                case _:
                    assert isinstance(fault, PASSING), "there are no other faults"
                    self.counts[type(fault).__name__] += 1
                    return passing(fault)
        except FAULTS as next_fault:
            return await self._mend(name, next_fault, has_failed=has_failed)

    async def _take_turn(self, name: LogId, work: Callable[[Live], Awaitable[T]], who: str) -> T | Rejection:
        """Do something at a table alone, and then what the table needs."""
        while True:
            live = self.tables.live.get(name) or await self.tables.find(name)
            if isinstance(live, Rejection):
                return live
            waiting = live.waiting.get(who, 0)
            if who and waiting >= MOST_WAITING:
                return Rejection(Code.BUSY, "Too many of your requests wait at this table; try again.")
            live.waiting[who] = waiting + 1
            try:
                async with live.lock:
                    if self.tables.live.get(name) is not live:
                        continue  # it was forgotten meanwhile
                    if live.is_in_doubt:
                        await live.settle_doubt()
                    if live.may_have_lost_time():
                        await live.resume()
                    return await work(live)
            finally:
                live.leave_queue(who)
                self._look_after(live)

    async def _halt(self, failure: MachineFailed) -> Rejection:
        """End a match whose game failed, and tell its players so; what exactly failed is for the log alone."""
        log.error("Table %s is halted", failure.name, exc_info=failure.__cause__)
        self.counts["halted"] += 1
        await self._take_turn(failure.name, lambda live: live.take(lambda now: Halt(now, GAME_FAILED)), "")
        return Rejection(Code.GAME_FAILED, GAME_FAILED)

    async def _put_aside(self, name: LogId, why: str) -> Rejection:
        """Stop a table that cannot be trusted, in full view; its log stays as it is, and all others go on."""
        self.counts["put aside"] += 1
        self.tables.let_go(name, Ending.PUT_ASIDE)
        await self.store.put_aside(name, why)
        return await self.tables.missing(name)

    async def _let_go(self, name: LogId) -> Rejection:
        self.tables.let_go(name, Ending.GONE)
        return await self.tables.missing(name)

    def _look_after(self, live: Live) -> None:
        """Plan for the table's next deadline, and do what it needs a server for."""
        self._watch.alarm.plan(live.name, live.due)
        is_idle = not (live.is_driven or self.is_stopping) and self.tables.live.get(live.name) is live
        if is_idle and needs_server(live.state):
            live.is_driven = True
            self.spawn(self._drive(live))

    async def _drive(self, live: Live) -> None:
        try:
            await drive(self, live)
        finally:
            live.is_driven = False

    async def unless_passing(self, work: Awaitable[T]) -> T | None:
        """The result of a chore; `None` where the store cannot do it now, and the chore can wait."""
        try:
            return await work
        except PASSING as fault:
            self.counts[type(fault).__name__] += 1
            log.warning("The store: %s", fault)
            return None

    # what players want

    async def open(self, header: Header) -> LogId | Refused:
        """A new table. The same one may be asked for again: it is opened once."""
        if self.is_stopping:
            return Refused(STOPPING)
        dated = replace(header, at=self.store.now())
        try:
            made, kept = begin(TABLES, header.table, encode(dated), dated.at)
        except CannotGoOn as fault:
            return Refused(fault.refused)
        row = TABLES.row(kept.state)
        creating = self.guard(header.table, self._create(header, made, row))
        refused = await asyncio.shield(self.spawn(creating))
        return header.table if refused is None else Refused(refused)

    async def _create(self, header: Header, made: Entry, row: Row) -> Rejection | None:
        if await self.store.create(header.table, made, row):
            return None
        found = await self.store.entries(header.table, -1, 1)
        if found and replace(read_header(header.table, found[0].event), at=header.at) == header:
            return None
        return Rejection(Code.TABLE_EXISTS, "There is another table of this id.")

    async def submit(self, name: LogId, command: Command) -> Answer:
        """Take a player's command at the server's time. A repeated command gets its first answer again."""
        answer = await self.do(name, lambda live: answer_command(live, command, self.store), command.player)
        if isinstance(answer, Rejection):
            answer = Refused(answer)
        self.counts["refused" if isinstance(answer, Refused) else "accepted"] += 1
        return answer

    async def move(self, name: LogId, command: Act) -> None:
        """A bot's move, if it is still a bot that is to move there: a player may have come back meanwhile."""

        async def moved(live: Live) -> Rejection | None:
            return await live.take(lambda now: replace(command, at=now) if bot_of(live.state, command.player) else None)

        await self.do(name, moved)

    async def fail(self, live: Live, bug: Exception) -> None:
        """A game has failed outside its table's steps."""
        failure = MachineFailed(live.name, live.state.header.game, bug)
        failure.__cause__ = bug
        await self.guard(live.name, self._halt(failure))

    async def acknowledge(self, name: LogId, player: PlayerId, seq: int) -> Refused | None:
        """A player has its stream up to `seq`. Most acknowledgements move a cursor, and nothing else."""
        live = self.tables.live.get(name)
        if live is not None and not self.is_stopping and live.is_plain_ack(player, seq):
            live.acknowledge(player, seq)
            if not live.is_gate_open():
                return None
            done: Refused | Rejection | None = await self.do(name, self.pass_gate_at, player)
        else:
            done = await self.do(name, lambda live: self.hear_ack(live, player, seq), player)
        return Refused(done) if isinstance(done, Rejection) else done

    async def attach(
        self, name: LogId, player: PlayerId | None, after: int = 0, history: str | None = None
    ) -> Line | Refused:
        """A line to a seat (`None`: for a spectator) that goes on after the update its reader has seen last.

        The newest line of a seat is the one that counts, in all processes. To say what one has seen is to acknowledge
        it. A claim to have seen what was never told is refused, and its sender learns how far it has acknowledged.
        `history`: that of the update `after`, as its reader has it. If the log has another one, because an older store
        was restored, the line is refused.
        """
        if self.is_stopping:
            return Refused(STOPPING)
        work = self.spawn(open_line(self, name, player, after, history))
        try:
            line = await asyncio.shield(work)
        except asyncio.CancelledError:
            self._give_up(work)
            raise
        return Refused(line) if isinstance(line, Rejection) else line

    def _give_up(self, work: asyncio.Task[Line | Refused | Rejection]) -> None:
        """Make no line for a reader that has left: it would end that of a reader who came later.

        If the line was made in this very moment, end it.
        """
        work.cancel()
        work.add_done_callback(self._end_unwanted)

    def _end_unwanted(self, work: asyncio.Task[Line | Refused | Rejection]) -> None:
        if not work.cancelled() and work.exception() is None and isinstance(line := work.result(), Line):
            self.detach(line)

    def detach(self, line: Line, why: Ending = Ending.CLOSED) -> None:
        """End a line. The seat's stream is kept."""
        line.end(why)

    async def notice(self, name: LogId, event_at: TableEventAt) -> Rejection | None:
        """Take an event that the server has noticed about a table."""
        return await self.do(name, lambda live: live.take(event_at))

    async def pass_gate(self, name: LogId) -> None:
        """Open the gate if all awaited acknowledgements are there."""
        await self.do(name, self.pass_gate_at)

    # at a table

    async def hear_ack(self, live: Live, player: PlayerId, seq: int) -> Refused | None:
        """A cursor moves; a seat that was away is back; a gate that waited for this opens."""
        refused = _refuse_ack(live, player, seq)
        if refused is not None and self.store.is_shared and await live.read_on():
            refused = _refuse_ack(live, player, seq)  # another process may have told and handed it out
        if refused is not None:
            return Refused(refused, live.newest_handed(player))
        live.acknowledge(player, seq)
        if live.is_away(player):
            await live.take(lambda now: Return(now, player))
        if self.store.is_shared and live.state.phase in GATES and not live.is_gate_open():
            await live.save_cursors()  # and learn of those that other processes have
        await self.pass_gate_at(live)
        return None

    @staticmethod
    async def pass_gate_at(live: Live) -> None:
        """Open the gate if all awaited acknowledgements are there."""
        if live.is_gate_open():
            await live.take(lambda now: Acknowledge(now, live.heard()))


def _refuse_ack(live: Live, player: PlayerId, seq: int) -> Rejection | None:
    """Why a player cannot acknowledge this update."""
    refused = refuse_acks(live.state, {player: seq})
    if refused is None and seq > live.newest_handed(player):
        refused = Rejection(TableCode.FUTURE_ACK, f"Update {seq} was not handed to you yet.")
    return refused


async def _fail(fault: Exception) -> None:
    raise fault
