"""The network of a league within one process: it keeps the time, delivers envelopes and wakes agents.

Time is virtual: it stands still while there are envelopes to deliver, and then jumps to the next event. `Delivery` says
whether and when an envelope arrives.
"""

from collections import deque
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Protocol, cast

from turnstile.kernel.effects import Send
from turnstile.kernel.values import Event, Instant, Value
from turnstile.league.protocol.messages import LeagueMessage
from turnstile.league.protocol.words import Address, MatchId


class Envelope(Value, frozen=True):
    """One message on its way. A reply belongs to the same match as its request, even if it does not name the match."""

    sender: Address
    to: Address
    message: LeagueMessage
    match_id: MatchId | None = None
    on_failure: Event | None = None
    """The event for the machine that sent it, if it cannot be delivered."""


def envelope_of(sender: Address, send: Send, match: MatchId | None = None) -> Envelope:
    """What a machine sends, as an envelope. A machine of the league speaks league.v2 and nothing else."""
    return Envelope(sender, Address(send.to), cast(LeagueMessage, send.message), match, send.on_failure)


class Agent(Protocol):
    """An agent receives envelopes, and is woken when its timers are due."""

    wakes_at: Instant | None
    """When the network wakes it: at the latest when its first timer is due."""

    def start(self) -> None:
        """Begin, or go on after a restart."""

    def receive(self, envelope: Envelope) -> None: ...

    def fail(self, envelope: Envelope) -> None:
        """An envelope of this agent could not be delivered."""

    def wake(self) -> None:
        """Take the events of all timers that are due."""


class Delivery(Protocol):
    """Decides what happens to envelopes."""

    def carry(self, envelope: Envelope) -> Sequence[int]:
        """After how many milliseconds each copy of an envelope arrives. If there is none, the envelope is lost."""


class PerfectDelivery:
    """Every envelope arrives once, at once, and in order."""

    def carry(self, envelope: Envelope) -> Sequence[int]:
        return AT_ONCE


AT_ONCE = (0,)


class Network:
    """The agents and their addresses, the time, and everything that is under way."""

    def __init__(self, delivery: Delivery) -> None:
        self.now = Instant(0)
        self.delivery = delivery
        self.agents: dict[Address, Agent] = {}
        self.addresses: dict[Address, Address] = {}
        """From the addresses that the manager has given to agents to those where the agents are found."""
        self._here: deque[Envelope] = deque()
        self._later: list[tuple[Instant, int, Envelope | Agent]] = []
        self._count = 0

    def send(self, envelope: Envelope) -> None:
        for delay in self.delivery.carry(envelope):
            if delay:
                self._remember(Instant(self.now + delay), envelope)
            else:
                self._here.append(envelope)

    def wake_at(self, due: Instant, agent: Agent) -> None:
        """Wake an agent at this time, unless it is woken earlier: then it asks again for the next time."""
        if agent.wakes_at is None or due < agent.wakes_at:
            agent.wakes_at = due
            self._remember(due, agent)

    def _remember(self, due: Instant, what: Envelope | Agent) -> None:
        self._count += 1
        heappush(self._later, (due, self._count, what))

    def turn(self) -> bool:
        """Deliver the next envelope, or wake the next agent; false if nothing is left to do."""
        if self._here:
            self.deliver(self._here.popleft())
            return True
        if not self._later:
            return False
        due, _, what = heappop(self._later)
        self.now = max(self.now, due)
        if isinstance(what, Envelope):
            self.deliver(what)
        elif what.wakes_at is not None and what.wakes_at <= self.now:  # otherwise it has been woken since
            what.wakes_at = None
            what.wake()
        return True

    def deliver(self, envelope: Envelope) -> None:
        """Give an envelope to its receiver. If there is no agent at its address, its sender is told."""
        receiver = self.agent_at(envelope.to)
        if receiver is not None:
            receiver.receive(envelope)
        elif (sender := self.agent_at(envelope.sender)) is not None:
            sender.fail(envelope)

    def agent_at(self, address: Address) -> Agent | None:
        return self.agents.get(self.addresses.get(address, address))
