"""Calls to other agents: each is made in its turn, and its answer or its failure comes back to the machine as an event.

A manager calls each recipient in order: the next call waits for the answer to the one before. A broadcast that fails is
repeated, if its recipient was reached by the call before. All other agents make their calls side by side: the timer of
the machine repeats a question, and a late answer to the first one still counts.
"""

import asyncio
from collections.abc import Callable, Coroutine
from itertools import count
from typing import Any, Protocol

from turnstile.agents.process.contacts import Contacts
from turnstile.agents.process.journal import Journal, short
from turnstile.agents.process.meter import CallOutcome, Meter
from turnstile.agents.process.outbox import Outbox, Turn
from turnstile.agents.process.running import OutgoingCall, RunningMachine
from turnstile.agents.wire.caller import Caller, Silent, Unreached
from turnstile.agents.wire.envelope import Identity, new_conversation
from turnstile.agents.wire.replies import NOTIFICATIONS, Answered, acknowledgement, detail_of, is_refusal, summary_of
from turnstile.agents.wire.rpc import Fault
from turnstile.kernel.machine import Rejection, S, Step
from turnstile.kernel.values import Event, wire_name
from turnstile.league.protocol.management import Ping
from turnstile.league.protocol.messages import (
    ChooseParityCall,
    GameErrorAck,
    GameInvitation,
    GameMoveCall,
    LeagueMessage,
    LeagueQuery,
    RoundAnnouncement,
    RoundCompletedAck,
    StandingsUpdateAck,
)
from turnstile.league.protocol.words import CHOICE_SECONDS, JOIN_SECONDS, MANAGER_SECONDS, MAX_RETRIES, Address
from turnstile.league.registering import pause
from turnstile.league.trust import Claim
from turnstile.net.probe import listens

SECONDS: dict[type[Any], float] = {
    GameInvitation: JOIN_SECONDS,
    ChooseParityCall: CHOICE_SECONDS,
    GameMoveCall: CHOICE_SECONDS,
}
ALL_TRIES = MAX_RETRIES + 1
FAILED_BY_ERROR = (LeagueQuery,)
"""Calls that have failed when they are answered with an error. After an error to any other call its timer decides."""
UNHEEDED = (StandingsUpdateAck, RoundCompletedAck, GameErrorAck)
"""Acknowledgements that no machine waits for, in any state."""


def seconds_for(message: LeagueMessage) -> float:
    """How long the recipient has to answer a call."""
    return SECONDS.get(type(message), MANAGER_SECONDS)


class Asking(Protocol):
    """The agent that makes the calls."""

    who: Identity
    journal: Journal
    meter: Meter
    contacts: Contacts

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None] | None: ...

    async def bring(self, work: RunningMachine[S], event: Event) -> Step[S] | Rejection: ...


class Calls:
    """The calls of one agent."""

    def __init__(self, agent: Asking, caller: Caller, *, is_orderly: bool) -> None:
        """An agent that `is_orderly` calls each recipient in the order in which things happened."""
        self._agent = agent
        self._caller = caller
        self._outbox = Outbox(agent.start) if is_orderly else None
        self._patience = 1 if is_orderly else ALL_TRIES
        """For how many of its time limits a call waits: the answer may come while the question is being repeated."""

    def make(self, call: OutgoingCall[S]) -> None:
        """Make a call in a task, when it is its turn."""
        to = call.send.to
        if self._outbox is None:
            self._agent.start(self._call_in_turn(call, call.work.turns.take(to)))
        elif not self._outbox.put(to, lambda: self._call(call)):
            self._agent.start(self._fail(call, "too much is waiting for it"))

    async def _call_in_turn(self, call: OutgoingCall[S], turn: Turn) -> None:
        """Make a call once the one before it was written: a GAME_ERROR arrives before the repeated question."""
        try:
            await turn.come()
            await self._call(call, turn.pass_on)
        finally:
            turn.pass_on()

    async def _call(self, call: OutgoingCall[S], written: Callable[[], None] | None = None) -> None:
        """Make a call, and repeat it if it is a broadcast that fails."""
        is_reached = await self._try(call, written)
        tries = MAX_RETRIES if self._is_repeated(call) else 0
        for number in range(tries):
            if is_reached:
                return
            await asyncio.sleep(pause(number) * call.work.keeper.time_scale)
            is_reached = await self._try(call, is_first=False)

    def _is_repeated(self, call: OutgoingCall[S]) -> bool:
        """Whether a call that fails is repeated: a broadcast is, unless its recipient has failed before."""
        is_broadcast = isinstance(call.message, NOTIFICATIONS) and not isinstance(call.message, Ping)
        return self._outbox is not None and is_broadcast and self._agent.contacts[call.send.to].failures <= 1

    async def _try(
        self, call: OutgoingCall[S], written: Callable[[], None] | None = None, *, is_first: bool = True
    ) -> bool:
        """Make a call once; false if its recipient was not reached, and may be tried again. Silence is no reason to."""
        to, work = call.send.to, call.work
        if call.endpoint is None:
            await self._fail(call, "its address is not known")
            return True
        self._agent.journal.sent(call.match_id, call.message, to)
        seconds = seconds_for(call.message) * work.keeper.time_scale
        work.call_begins(call)
        try:
            answer = await self._caller.call(
                call.endpoint,
                call.message,
                who=self._agent.who,
                to=Address(to),
                conversation=call.conversation,
                seconds=seconds,
                patience=seconds * self._patience,
                token=call.token,
                on_written=written,
            )
        except Unreached as fault:
            work.call_ends(call, None)
            self._agent.contacts.failed(to)
            is_silent = isinstance(fault, Silent)
            await self._fail(call, str(fault), is_news=is_first and not is_silent)
            return is_silent
        work.call_ends(call, answer)
        self._agent.contacts.answered(to)
        await self._take_answer(call, answer)
        return True

    async def ask(
        self, endpoint: str, to: str, message: LeagueMessage, seconds: float, token: str | None = None
    ) -> Answered | None:
        """Call another agent for the host itself: no machine hears of the answer."""
        match = getattr(message, "match_id", None)
        self._agent.journal.sent(match, message, to)
        try:
            answer = await self._caller.call(
                endpoint,
                message,
                who=self._agent.who,
                to=Address(to),
                conversation=new_conversation(),
                seconds=seconds,
                token=token,
            )
        except Unreached as fault:
            self._note_failure(match, message, to, str(fault))
            return None
        self._note(match, message, to, answer)
        return answer

    async def ask_until_answered(
        self,
        endpoint: str,
        to: str,
        message: LeagueMessage,
        time_scale: float,
        *,
        token: str | None = None,
        tries: int | None = None,
    ) -> Answered | None:
        """Call another agent for the host itself, again after pauses, until it answers or the tries are used up."""
        for number in count() if tries is None else range(tries):
            answer = await self.ask(endpoint, to, message, seconds_for(message) * time_scale, token)
            if answer is not None:
                return answer
            await asyncio.sleep(pause(min(number, MAX_RETRIES)) * time_scale)
        return None

    async def challenge(self, endpoint: str, claim: Claim, seconds: float) -> bool:
        """Whether the agent at this endpoint confirms the claim with which it registers."""
        return await self._caller.challenge(endpoint, claim, who=self._agent.who, seconds=seconds)

    async def listens(self, endpoint: str, seconds: float) -> bool:
        """Whether the port of an endpoint is open, or is opened within so many seconds."""
        return await listens(endpoint, self._caller.resolver, seconds)

    async def all_made(self) -> None:
        """Wait until an orderly agent has made all its calls."""
        assert self._outbox is not None
        await self._outbox.empty()

    async def _fail(self, call: OutgoingCall[S], why: str, *, is_news: bool = True) -> None:
        """A call was not answered. The machine is told once; of silence it is not told, because its own timer runs."""
        self._note_failure(call.match_id, call.message, call.send.to, why)
        if is_news and call.send.on_failure is not None:
            await self._agent.bring(call.work, call.send.on_failure)

    async def _take_answer(self, call: OutgoingCall[S], answer: Answered) -> None:
        """Bring the machine the event that an answer is. Any answer to a broadcast counts as its acknowledgement."""
        message, to = call.message, call.send.to
        self._note(call.match_id, message, to, answer)
        event: Event | None
        if isinstance(message, NOTIFICATIONS):
            event = acknowledgement(message, Address(to), answer)
            if isinstance(message, RoundAnnouncement) and to.startswith("referee:"):
                self._see_matches_taken(to, answer, is_taken=event is not None)
        elif isinstance(answer, LeagueMessage):
            event = answer
        else:  # after a receipt, what was asked for may still be posted
            is_failure = isinstance(answer, Fault) and isinstance(message, FAILED_BY_ERROR)
            event = call.send.on_failure if is_failure else None
        if event is not None:
            result = await self._agent.bring(call.work, event)
            if isinstance(answer, LeagueMessage):
                self._warn_of_refusal(call.match_id, answer, to, result)

    def _see_matches_taken(self, referee: str, answer: Answered, *, is_taken: bool) -> None:
        """Warn of a referee that refuses its matches, once: the log and the board show it until it takes them."""
        refusal = None if is_taken or isinstance(answer, LeagueMessage) else summary_of(answer)
        if refusal is not None and self._agent.contacts[referee].refusal is None:
            self._agent.journal.warning(f"{short(referee)} refuses its matches in every form ({refusal}).")
        self._agent.contacts.refused(referee, refusal)

    def _note(self, match: str | None, message: LeagueMessage, by: str, answer: Answered) -> None:
        """Log and count an answer. Only a message is logged as one."""
        if isinstance(answer, LeagueMessage):
            self._agent.journal.received(match, answer, by)
        else:
            self._agent.journal.answered(match, message, by, summary_of(answer), detail_of(answer))
        self._agent.meter.count_call(wire_name(type(message)), _outcome(answer))

    def _note_failure(self, match: str | None, message: LeagueMessage, to: str, why: str) -> None:
        self._agent.meter.count_call(wire_name(type(message)), CallOutcome.UNREACHED)
        self._agent.journal.failed(match, message, to, why)

    def _warn_of_refusal(self, match: str | None, reply: LeagueMessage, by: str, result: Step[S] | Rejection) -> None:
        """Log a reply that the machine did not expect, unless it is an acknowledgement that no machine waits for."""
        if isinstance(result, Rejection) and not isinstance(reply, UNHEEDED):
            self._agent.journal.refused(match, wire_name(type(reply)), by, result.code)


def _outcome(answer: Answered) -> CallOutcome:
    if isinstance(answer, LeagueMessage):
        return CallOutcome.ANSWERED
    return CallOutcome.FAULT if is_refusal(answer) else CallOutcome.RECEIPT
