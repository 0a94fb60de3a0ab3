"""A machine that runs in an agent: how its messages are sent, how its host takes part, and which answers are due."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic

from turnstile.agents.process.journal import Level
from turnstile.agents.process.outbox import Turns
from turnstile.agents.wire.envelope import new_conversation
from turnstile.agents.wire.replies import ANSWERS, Answered
from turnstile.agents.wire.rpc import Fault
from turnstile.durable.timed_keeper import Then, TimedKeeper
from turnstile.kernel.effects import Send
from turnstile.kernel.machine import Rejection, S, Step
from turnstile.league.protocol.messages import LeagueMessage
from turnstile.league.protocol.words import LEAGUE_MANAGER

Answer = LeagueMessage | Fault
"""What an exchange ends with."""

Key = tuple[type[LeagueMessage], str | None]
"""What an exchange waits for: an answer of this type, about this match."""


@dataclass(frozen=True, slots=True)
class OutgoingCall(Generic[S]):
    """A message of a machine to another agent, with everything that is needed to send it."""

    work: "RunningMachine[S]"
    send: Send
    message: LeagueMessage
    endpoint: str | None
    """Where the other agent listens; `None` if that is not known."""
    conversation: str
    token: str | None
    """The token that the call shows, where it is not the agent's own."""
    match_id: str | None
    """The match that the call is about: its lines in the journal begin with it."""


class RunningMachine(Generic[S]):
    """One machine. The subclass for each kind of agent says whom it calls, and how its host takes part."""

    errors: Mapping[Any, int] = {}
    """The JSON-RPC errors for rejections by their codes; any other rejection is answered with ACK, IGNORED."""
    later: tuple[type[LeagueMessage], ...] = ()
    """Requests whose exchange stays open if the step that takes them has no answer yet."""

    def __init__(
        self, keeper: TimedKeeper[S], after: Then[S], *, manager: str | None = None, token: str | None = None
    ) -> None:
        """`after` is told what an event has led to, once that is durable, or that it was rejected.

        `manager`: where the league manager listens. `token`: what it is shown, where that is not the agent's own token.
        """
        self.keeper = keeper
        self.after = after
        self._manager = manager
        self._token = token
        self.turns = Turns()
        self._waiting: dict[Key, list[tuple[int | None, asyncio.Future[Answer]]]] = {}

    @property
    def state(self) -> S:
        return self.keeper.state

    @property
    def match_id(self) -> str | None:
        """The match that it is about now: its lines in the journal begin with it."""
        return None

    def level_of(self, refused: Rejection) -> Level:
        """How serious it is that the machine has just rejected a message."""
        return Level.WARNING

    # whom it calls

    def call_of(self, send: Send) -> OutgoingCall[S]:
        """How to send what the machine has just decided to say."""
        assert isinstance(send.message, LeagueMessage), "a machine of the league speaks league.v2"
        return OutgoingCall(
            work=self,
            send=send,
            message=send.message,
            endpoint=self.endpoint_of(send.to),
            conversation=self.conversation_with(send.to),
            token=self.token_for(send.to),
            match_id=self.match_id,
        )

    def endpoint_of(self, to: str) -> str | None:
        """Where another agent listens; `None` if that is not known."""
        return self._manager if to == LEAGUE_MANAGER else None

    def conversation_with(self, to: str) -> str:
        """The conversation that a call to another agent belongs to."""
        return new_conversation()

    def token_for(self, to: str) -> str | None:
        """The token that another agent is shown, where it is not the agent's own."""
        return self._token

    def call_begins(self, call: OutgoingCall[S]) -> None:
        """A call is being made."""

    def call_ends(self, call: OutgoingCall[S], answer: Answered | None) -> None:
        """The exchange of a call is over, with this answer or without one. The machine has not heard of it yet."""

    # how its host takes part

    def reply_to(self, message: LeagueMessage, step: Step[S]) -> Answer | None:
        """The answer to a message, if the step that it led to has one."""
        wanted = ANSWERS.get(type(message))
        sent = [effect.message for effect in step.effects if isinstance(effect, Send)]
        return next((each for each in sent if type(each) is wanted and isinstance(each, LeagueMessage)), None)

    # answers that are waited for

    @contextmanager
    def awaiting(self, message: LeagueMessage) -> Iterator[asyncio.Future[Answer]]:
        """The answer to a message, which may be made later; it is kept for as long as this context is open."""
        key = ANSWERS.get(type(message), LeagueMessage), getattr(message, "match_id", None)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        waiting = getattr(message, "move_number", None), answer
        self._waiting.setdefault(key, []).append(waiting)
        try:
            yield answer
        finally:
            self._waiting[key].remove(waiting)
            if not self._waiting[key]:
                del self._waiting[key]

    def resolve(self, reply: LeagueMessage) -> None:
        """An answer was made: give it to all exchanges that wait for it."""
        number = getattr(reply, "move_number", None)
        for asked, answer in self._waiting.get((type(reply), getattr(reply, "match_id", None)), ()):
            if asked in (None, number) and not answer.done():
                answer.set_result(reply)
