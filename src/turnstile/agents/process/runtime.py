"""An agent at work: its machines, the exchanges it answers, and the calls it makes.

An event comes from an exchange, a timer, a reply, a failed call or the process itself. A keeper takes it. When it is
durable, its effects are carried out: a reply goes back in the exchange that waits for it; any other message is a call
in a task of its own, whose result is an event again. An exception that escapes from a task ends the process, which
then restarts from its log.
"""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeVar

from turnstile.agents.process.calls import ALL_TRIES, Calls, seconds_for
from turnstile.agents.process.contacts import Contacts
from turnstile.agents.process.journal import Journal
from turnstile.agents.process.meter import Meter
from turnstile.agents.process.running import Answer, RunningMachine
from turnstile.agents.wire.caller import Caller
from turnstile.agents.wire.envelope import Ack, Identity, ignored
from turnstile.agents.wire.replies import ANSWERS
from turnstile.agents.wire.rpc import Fault
from turnstile.durable.alarm import Alarm
from turnstile.durable.files import FileWriter
from turnstile.durable.timed_keeper import Refuse
from turnstile.kernel.effects import Send
from turnstile.kernel.machine import Rejection, S, Step
from turnstile.kernel.values import Event, wire_name
from turnstile.league.protocol.management import LeagueError
from turnstile.league.protocol.messages import (
    ACKNOWLEDGED,
    LeagueMessage,
)
from turnstile.store.protocol import Store

T = TypeVar("T")

REPLIES: tuple[type[LeagueMessage], ...] = (*set(ANSWERS.values()), LeagueError)
DONE = Ack(status=ACKNOWLEDGED)
LATE = "The answer was not made in time."
STOPPING = "This agent is stopping."
LAST_SECONDS = 2.0  # for what is being stored when the agent stops
PENDING = "Pending"


class Stopped(Exception):
    """The agent has stopped: the request was not carried out."""


class Agent:
    """What the machines of one agent share. Its methods may be called within `working`."""

    def __init__(
        self,
        store: Store,
        caller: Caller,
        who: Identity,
        journal: Journal,
        *,
        is_orderly: bool = False,
    ) -> None:
        """An agent that `is_orderly` calls each recipient in the order in which things happened."""
        self.store = store
        self.who = who
        self.journal = journal
        self.meter = Meter(store.now)
        self.contacts = Contacts(store.now)
        self.files = FileWriter(self._file_failed)
        self.calls = Calls(self, caller, is_orderly=is_orderly)
        self._alarm: Alarm[RunningMachine[Any]] = Alarm(store.now)
        self._group: asyncio.TaskGroup | None = None
        self._passing: set[asyncio.Task[Any]] = set()
        self._storing: set[asyncio.Task[Any]] = set()
        self._open: set[asyncio.Future[Answer]] = set()
        """Exchanges whose answers are still being made."""
        self.is_stopping = False

    # its life

    @asynccontextmanager
    async def working(self) -> AsyncIterator["Agent"]:
        """Work within this context; at its end finish what is being stored, and drop what waits for others.

        A store that cannot write is not waited for: what is not stored was not told. Raises the exception of the first
        task that failed.
        """
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                self.start(self._watch_timers())
                group.create_task(self.files.run())
                try:
                    yield self
                finally:
                    self.stop()
                    _cancel(self._passing)
                    self.files.end()
                    giving_up = asyncio.get_running_loop().call_later(LAST_SECONDS, _cancel, self._storing)
            giving_up.cancel()
        except ExceptionGroup as faults:
            raise faults.exceptions[0] from faults
        self._group = None
        await self.files.drain()

    def stop(self) -> None:
        """Take no more requests; answer those that still wait."""
        self.is_stopping = True
        for answer in self._open:
            if not answer.done():
                answer.set_result(ignored(STOPPING))

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T] | None:
        """Run something in a task that is cancelled when the agent stops; it is done after the restart."""
        if self.is_stopping:
            work.close()
            return None
        return self._spawn(work, self._passing)

    def _store(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run something in a task that is finished even when the agent stops."""
        return self._spawn(work, self._storing)

    def _spawn(self, work: Coroutine[Any, Any, T], among: set[asyncio.Task[Any]]) -> asyncio.Task[T]:
        try:
            if self._group is None:
                raise Stopped
            task = self._group.create_task(work)
        except (Stopped, RuntimeError):  # which is how a group says that it is over
            work.close()
            raise Stopped from None
        among.add(task)
        task.add_done_callback(among.discard)
        return task

    def _file_failed(self) -> None:
        self.meter.file_failures += 1

    # machines

    def take_up(self, work: RunningMachine[S], sends: list[Send]) -> None:
        """Begin with a machine, or go on with it after a restart: its timers run, and what it had asked is asked."""
        self.meter.enter(work, work.keeper.machine, work.state.phase.value)
        for send in sends:
            self._carry_out(work, send)
        self._plan(work)

    def let_go(self, work: RunningMachine[S]) -> None:
        """A machine has nothing more to do."""
        self.meter.leave(work)

    async def bring(
        self, work: RunningMachine[S], event: Event, refuse: Refuse[S] | None = None
    ) -> Step[S] | Rejection:
        """Let an event happen to a machine, to its end, even if its sender leaves. `refuse` may refuse it first."""
        task = self._store(self._bring(work, event, refuse))
        await asyncio.wait([task])
        if task.cancelled():
            raise Stopped
        return task.result()

    async def _bring(self, work: RunningMachine[S], event: Event, refuse: Refuse[S] | None) -> Step[S] | Rejection:
        return await work.keeper.bring(event, partial(self._tell, work), refuse)

    def _plan(self, work: RunningMachine[Any]) -> None:
        timer = work.keeper.next_timer
        self._alarm.plan(work, None if timer is None else timer.due)

    async def _watch_timers(self) -> None:
        """Let timers run out. The disk is not waited for here: every machine has a task of its own."""
        while True:
            for work in self._alarm.take_due():
                self._store(work.keeper.expire(partial(self._tell, work)))
            await self._alarm.wait()

    def _tell(self, work: RunningMachine[S], event: Event, result: Step[S] | Rejection) -> None:
        """Log what has happened, now that it is durable, and carry out its effects in order."""
        if isinstance(result, Step):
            hops = result.trace if work.keeper.has_changed else ()  # an answer alone is no transition
            match = work.match_id or getattr(event, "match_id", None)
            for hop in hops:
                self.journal.transition(match, hop)
                self.meter.count_transition(work.keeper.machine, hop)
            if hops:
                self.meter.enter(work, work.keeper.machine, result.state.phase.value)
            for effect in result.effects:
                if isinstance(effect, Send):
                    self._carry_out(work, effect)
        self._plan(work)
        work.after(event, result)

    def _carry_out(self, work: RunningMachine[S], send: Send) -> None:
        """A reply goes to the exchanges that wait for it. Any other message is a call."""
        if isinstance(send.message, REPLIES):
            work.resolve(send.message)
        else:
            self.calls.make(work.call_of(send))

    # exchanges

    async def exchange(
        self, work: RunningMachine[S], message: LeagueMessage, by: str, refuse: Refuse[S] | None = None
    ) -> Answer:
        """Let a message happen to a machine, and answer it: at once, or when the answer is made.

        `refuse` says whether the machine is to hear of it at all, in the state in which it would.
        """
        if self.is_stopping:
            return ignored(STOPPING)
        self.journal.received(_match_of(message, work), message, by)
        with work.awaiting(message) as answer:
            result = await self.bring(work, message, refuse)
            if isinstance(result, Rejection):
                reply = await self._refusal(work, message, result, by, answer)
            else:
                reply = await self._reply(work, message, result, by, answer)
        self.meter.count_exchange(wire_name(type(message)), _outcome(reply))
        return reply

    def replied(self, message: LeagueMessage, reply: Answer, by: str) -> None:
        """Log the reply to a message. A refusal was logged before."""
        if isinstance(reply, LeagueMessage):
            match = getattr(message, "match_id", None) or getattr(reply, "match_id", None)
            self.journal.sent(match, reply, by)

    def turn_down(self, message: LeagueMessage, by: str, reply: Answer) -> Answer:
        """Log a message that was refused before it reached a machine."""
        self.journal.refused(getattr(message, "match_id", None), wire_name(type(message)), by, _outcome(reply))
        self.meter.count_exchange(wire_name(type(message)), _outcome(reply))
        return reply

    async def _reply(
        self, work: RunningMachine[S], message: LeagueMessage, step: Step[S], by: str, answer: asyncio.Future[Answer]
    ) -> Answer:
        found = work.reply_to(message, step)
        if isinstance(found, Fault):
            self.journal.refused(_match_of(message, work), wire_name(type(message)), by, str(found.code))
        if found is not None:
            return found
        return await self._later(work, message, answer) if isinstance(message, work.later) else DONE

    async def _refusal(
        self,
        work: RunningMachine[S],
        message: LeagueMessage,
        refused: Rejection,
        by: str,
        answer: asyncio.Future[Answer],
    ) -> Answer:
        if refused.code == PENDING:
            return await self._later(work, message, answer)
        level = work.level_of(refused)
        self.journal.refused(_match_of(message, work), wire_name(type(message)), by, refused.code, level)
        code = work.errors.get(refused.code)
        return ignored(refused.sentence) if code is None else Fault(code, refused.sentence)

    async def _later(self, work: RunningMachine[S], message: LeagueMessage, answer: asyncio.Future[Answer]) -> Answer:
        """The answer when it is made. It is waited for as long as all tries to ask for it take."""
        if self.is_stopping:  # since the message came
            return ignored(STOPPING)
        self._open.add(answer)
        try:
            async with asyncio.timeout(seconds_for(message) * ALL_TRIES * work.keeper.time_scale):
                return await answer
        except TimeoutError:
            return ignored(LATE)
        finally:
            self._open.discard(answer)


def _cancel(tasks: set[asyncio.Task[Any]]) -> None:
    for task in tuple(tasks):
        task.cancel()


def _match_of(message: LeagueMessage, work: RunningMachine[Any]) -> str | None:
    return getattr(message, "match_id", None) or work.match_id


def _outcome(reply: Answer) -> str:
    return str(reply.code) if isinstance(reply, Fault) else wire_name(type(reply))
