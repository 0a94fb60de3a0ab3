"""A machine at work in an agent: what only the agent can know of it, and who waits for its answers."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Generic

from turnstile.agents.process.journal import Level
from turnstile.agents.process.keeper import MachineKeeper
from turnstile.agents.process.outbox import Turns
from turnstile.agents.wire.replies import ANSWERS, Answered
from turnstile.agents.wire.rpc import Fault
from turnstile.kernel.effects import Send
from turnstile.kernel.machine import Rejection, S, Step
from turnstile.kernel.values import Event
from turnstile.league.protocol.messages import LeagueMessage

Answer = LeagueMessage | Fault
"""What an exchange ends with."""


Key = tuple[type[LeagueMessage], str | None]
"""What is waited for: an answer of this type, about this match."""


class RunningMachine(Generic[S]):
    """One machine. Each kind of agent says in a class of its own whom it calls, and how its host takes part."""

    errors: Mapping[Any, int] = {}
    """The JSON-RPC errors of refusals; any other is answered with ACK, IGNORED."""
    later: tuple[type[LeagueMessage], ...] = ()
    """Requests whose exchange stays open when the step that takes them has no answer yet."""

    def __init__(self, keeper: MachineKeeper[S]) -> None:
        self.keeper = keeper
        self.turns = Turns()
        self._waiting: dict[Key, list[tuple[int | None, asyncio.Future[Answer]]]] = {}

    @property
    def state(self) -> S:
        return self.keeper.state

    @property
    def machine(self) -> str:
        return self.keeper.machine

    def match_of(self, state: S) -> str | None:
        """The match that it is about, with which its lines in the journal begin."""
        return None

    def level_of(self, refused: Rejection, state: S) -> Level:
        """How much it matters that a message was turned down in a state."""
        return Level.WARNING

    # whom it calls

    def endpoint_of(self, state: S, to: str) -> str | None:
        """Where somebody can be reached; `None` where nobody knows."""
        raise NotImplementedError

    def conversation_of(self, state: S, send: Send) -> str:
        """The conversation that a call belongs to."""
        raise NotImplementedError

    def token_of(self, state: S, send: Send) -> str | None:
        """The token that a call shows, where it is not the usual one."""
        return None

    def failure_of(self, state: S, send: Send) -> Event | None:
        """What to tell the machine when a call could not be delivered; `state` is the one that made it."""
        raise NotImplementedError

    def faulted(self, state: S, send: Send) -> Event | None:
        """What to tell the machine when a call was answered with an error: usually nothing, its timer runs."""
        return None

    def call_begins(self, state: S, send: Send) -> None:
        """A call is being made; `state` is the one that made it."""

    def call_ends(self, state: S, send: Send, answer: Answered | None) -> None:
        """The exchange of a call is over, with this answer or without one. The machine has not heard of it yet."""

    # how its host takes part

    def after(self, event: Event, result: Step[S] | Rejection) -> None:
        """Something has happened, and is durable."""

    def reply_to(self, message: LeagueMessage, step: Step[S]) -> Answer | None:
        """The answer to a message that stands in the step which it led to."""
        wanted = ANSWERS.get(type(message))
        sent = [effect.message for effect in step.effects if isinstance(effect, Send)]
        return next((each for each in sent if type(each) is wanted and isinstance(each, LeagueMessage)), None)

    # who waits for its answers

    @contextmanager
    def awaiting(self, message: LeagueMessage) -> Iterator[asyncio.Future[Answer]]:
        """An answer that may be made later, as long as somebody waits for it."""
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
        """An answer was made: everyone who waits for it has it now."""
        number = getattr(reply, "move_number", None)
        for asked, answer in self._waiting.get((type(reply), getattr(reply, "match_id", None)), ()):
            if asked in (None, number) and not answer.done():
                answer.set_result(reply)
