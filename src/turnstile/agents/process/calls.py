"""What an agent asks of others: each call in its turn, and what comes of it is an event again.

A manager tells everybody everything in order, one after the other for each; what is told to one who could just now be
reached is told again. All others make their calls side by side: there a question is asked again by the machine, whose
timer has run out, and the answer to the first still counts when it comes.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from turnstile.agents.process.contacts import Contacts
from turnstile.agents.process.journal import Journal, short
from turnstile.agents.process.meter import CallOutcome, Meter
from turnstile.agents.process.outbox import Outbox, Turn
from turnstile.agents.process.running import RunningMachine
from turnstile.agents.wire.caller import Caller, Silent, Unreached
from turnstile.agents.wire.envelope import Identity, new_conversation
from turnstile.agents.wire.replies import NOTIFICATIONS, Answered, acknowledgement, detail_of, is_refusal, summary_of
from turnstile.agents.wire.rpc import Fault
from turnstile.kernel.effects import Send
from turnstile.kernel.machine import Rejection, S, Step
from turnstile.kernel.values import Event, wire_name
from turnstile.league.protocol.management import Ping
from turnstile.league.protocol.messages import (
    ChooseParityCall,
    GameErrorAck,
    GameInvitation,
    GameMoveCall,
    LeagueMessage,
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
UNHEEDED = (StandingsUpdateAck, RoundCompletedAck, GameErrorAck)
"""Acknowledgements that no machine waits for, in any state."""


def seconds_for(message: LeagueMessage) -> float:
    """How long somebody has to answer a call."""
    return SECONDS.get(type(message), MANAGER_SECONDS)


class Asking(Protocol):
    """Who makes the calls."""

    who: Identity
    journal: Journal
    meter: Meter
    contacts: Contacts

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None] | None: ...

    async def bring(self, work: RunningMachine[S], event: Event) -> Step[S] | Rejection: ...


class Calls:
    """The calls of one agent."""

    def __init__(self, agent: Asking, caller: Caller, *, is_orderly: bool) -> None:
        """Who `is_orderly` calls each recipient in the order in which things happened."""
        self._agent = agent
        self._caller = caller
        self._outbox = Outbox(agent.start) if is_orderly else None
        self._patience = 1 if is_orderly else ALL_TRIES
        """For how many of its time limits a call waits: what is asked again meanwhile may still be answered."""

    def make(self, work: RunningMachine[S], state: S, send: Send) -> None:
        """Say this to whom it is for, beside all else, when it is its turn."""
        if self._outbox is None:
            self._agent.start(self._call_in_turn(work, state, send, work.turns.take(send.to)))
        elif not self._outbox.put(send.to, lambda: self._call(work, state, send)):
            self._agent.start(self._lost(work, state, send, "too much is waiting for it"))

    async def _call_in_turn(self, work: RunningMachine[S], state: S, send: Send, turn: Turn) -> None:
        """A complaint is to arrive before the question that is asked again, and must not hold it up."""
        try:
            await turn.come()
            await self._call(work, state, send, turn.pass_on)
        finally:
            turn.pass_on()

    async def _call(
        self, work: RunningMachine[S], state: S, send: Send, written: Callable[[], None] | None = None
    ) -> None:
        """Call somebody, and let happen what comes of it. What is told to everybody is told again."""
        reached = await self._called(work, state, send, written)
        tries = MAX_RETRIES if self._is_told_again(send) else 0
        for number in range(tries):
            if reached:
                return
            await asyncio.sleep(pause(number) * work.keeper.time_scale)
            reached = await self._called(work, state, send, is_first=False)

    def _is_told_again(self, send: Send) -> bool:
        """A broadcast to somebody who could just now be reached is repeated; to one who is gone it is not."""
        is_broadcast = isinstance(send.message, NOTIFICATIONS) and not isinstance(send.message, Ping)
        return self._outbox is not None and is_broadcast and self._agent.contacts[send.to].failures <= 1

    async def _called(
        self,
        work: RunningMachine[S],
        state: S,
        send: Send,
        written: Callable[[], None] | None = None,
        *,
        is_first: bool = True,
    ) -> bool:
        """Call somebody once; false if it could not be reached, and may be tried again. Who is silent was reached."""
        message = send.message
        assert isinstance(message, LeagueMessage)
        endpoint = work.endpoint_of(state, send.to)
        if endpoint is None:
            await self._lost(work, state, send, "its address is not known")
            return True
        self._agent.journal.sent(work.match_of(state), message, send.to)
        seconds = seconds_for(message) * work.keeper.time_scale
        work.call_begins(state, send)
        try:
            answer = await self._caller.call(
                endpoint,
                message,
                who=self._agent.who,
                to=Address(send.to),
                conversation=work.conversation_of(state, send),
                seconds=seconds,
                patience=seconds * self._patience,
                token=work.token_of(state, send),
                on_written=written,
            )
        except Unreached as fault:
            work.call_ends(state, send, None)
            self._agent.contacts.failed(send.to)
            is_silent = isinstance(fault, Silent)
            await self._lost(work, state, send, str(fault), is_news=is_first and not is_silent)
            return is_silent
        work.call_ends(state, send, answer)
        self._agent.contacts.answered(send.to)
        await self._answered(work, state, send, answer)
        return True

    async def ask(
        self, endpoint: str, to: str, message: LeagueMessage, seconds: float, token: str | None = None
    ) -> Answered | None:
        """Call somebody on behalf of no machine. Nothing comes of it but what the caller makes of the answer."""
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
            self._agent.meter.count_call(wire_name(type(message)), CallOutcome.UNREACHED)
            self._agent.journal.failed(match, message, to, str(fault))
            return None
        self._note(match, message, to, answer)
        return answer

    async def challenge(self, endpoint: str, claim: Claim, seconds: float) -> bool:
        """Whether whoever registers with this claim is the one that answers there."""
        return await self._caller.challenge(endpoint, claim, who=self._agent.who, seconds=seconds)

    async def listens(self, endpoint: str, seconds: float) -> bool:
        """Whether the port of an endpoint is open, or is opened within so many seconds."""
        return await listens(endpoint, self._caller.resolver, seconds)

    async def all_made(self) -> None:
        """Wait until an orderly agent has made all its calls."""
        assert self._outbox is not None
        await self._outbox.empty()

    async def _lost(self, work: RunningMachine[S], state: S, send: Send, why: str, *, is_news: bool = True) -> None:
        """A call was not answered. Silence is for the machine's own timer to judge; anything else it is told once."""
        assert isinstance(send.message, LeagueMessage)
        self._agent.meter.count_call(wire_name(type(send.message)), CallOutcome.UNREACHED)
        self._agent.journal.failed(work.match_of(state), send.message, send.to, why)
        event = work.failure_of(state, send) if is_news else None
        if event is not None:
            await self._agent.bring(work, event)

    async def _answered(self, work: RunningMachine[S], state: S, send: Send, answer: Answered) -> None:
        """A reply is an event. Of what is only told any answer makes the acknowledgement that is one."""
        message = send.message
        assert isinstance(message, LeagueMessage)
        self._note(work.match_of(state), message, send.to, answer)
        event: Event | None
        if isinstance(message, NOTIFICATIONS):
            event = acknowledgement(message, Address(send.to), answer)
            if isinstance(message, RoundAnnouncement) and send.to.startswith("referee:"):
                self._see_matches_taken(send.to, answer, is_taken=event is not None)
        elif isinstance(answer, LeagueMessage):
            event = answer
        else:  # after a receipt, what was asked for may still be posted
            event = work.faulted(state, send) if isinstance(answer, Fault) else None
        if event is not None:
            result = await self._agent.bring(work, event)
            if isinstance(answer, LeagueMessage):
                self._warn_of_refusal(work.match_of(state), answer, send.to, result)

    def _see_matches_taken(self, referee: str, answer: Answered, *, is_taken: bool) -> None:
        """Warn of a referee that refuses its matches, once: the log and the board show it until it takes them."""
        refusal = None if is_taken or isinstance(answer, LeagueMessage) else summary_of(answer)
        if refusal is not None and self._agent.contacts[referee].refusal is None:
            self._agent.journal.warning(f"{short(referee)} refuses its matches in every form ({refusal}).")
        self._agent.contacts.refused(referee, refusal)

    def _note(self, match: str | None, message: LeagueMessage, by: str, answer: Answered) -> None:
        """The journal has what really came: only a message is called one."""
        if isinstance(answer, LeagueMessage):
            self._agent.journal.received(match, answer, by)
        else:
            self._agent.journal.answered(match, message, by, summary_of(answer), detail_of(answer))
        self._agent.meter.count_call(wire_name(type(message)), _outcome(answer))

    def _warn_of_refusal(self, match: str | None, reply: LeagueMessage, by: str, result: Step[S] | Rejection) -> None:
        """Log a reply that the machine did not expect. Of some acknowledgements no machine wants to hear."""
        if isinstance(result, Rejection) and not isinstance(reply, UNHEEDED):
            self._agent.journal.refused(match, wire_name(type(reply)), by, result.code)


def _outcome(answer: Answered) -> CallOutcome:
    if isinstance(answer, LeagueMessage):
        return CallOutcome.ANSWERED
    return CallOutcome.FAULT if is_refusal(answer) else CallOutcome.RECEIPT
