"""The post office of a league within one process: it has the time, and it takes every letter where it belongs.

Time is virtual: it stands still while there are letters to hand out, and jumps to whatever comes next. What becomes of
a letter on its way is for the `Network` to say.
"""

from collections import deque
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any, Protocol, cast

from turnstile.kernel.effects import Send
from turnstile.kernel.timers import Instant
from turnstile.kernel.values import Value
from turnstile.league.protocol.messages import LeagueMessage
from turnstile.league.protocol.words import Address, MatchId


class Letter(Value, frozen=True):
    """One message on its way. A reply belongs to the same match as its request, whether it says so itself or not."""

    sender: Address
    to: Address
    message: LeagueMessage
    match_id: MatchId | None = None
    since: Any = None
    """The state that its sending led to, for whoever has to be told that it did not arrive."""


def letter_of(sender: Address, call: Send, match: MatchId | None = None, since: object = None) -> Letter:
    """What a machine sends, as a letter. A machine of the league speaks league.v2 and nothing else."""
    return Letter(sender, Address(call.to), cast(LeagueMessage, call.message), match, since)


class Agent(Protocol):
    """Somebody who gets letters, and wants to be woken."""

    wakes_at: Instant | None
    """When the office will wake it: at the latest when its first timer is due."""

    def start(self) -> None:
        """Begin, or go on after a restart."""

    def receive(self, letter: Letter) -> None: ...

    def fail(self, letter: Letter) -> None:
        """A letter of this agent could not be delivered."""

    def wake(self) -> None:
        """It is time: whatever is due happens."""


class Network(Protocol):
    """What becomes of letters."""

    def carry(self, letter: Letter) -> Sequence[int]:
        """After how many milliseconds each copy of a letter arrives. Without any it is lost, and nobody knows."""


class PerfectNetwork:
    """Every letter arrives once, at once, and in order."""

    def carry(self, letter: Letter) -> Sequence[int]:
        return AT_ONCE


AT_ONCE = (0,)


class Office:
    """Everybody's address, the time, and all that is under way."""

    def __init__(self, network: Network) -> None:
        self.now: Instant = 0
        self.network = network
        self.agents: dict[Address, Agent] = {}
        self.homes: dict[Address, Address] = {}
        """Where those live that the manager has given an address."""
        self._here: deque[Letter] = deque()
        self._later: list[tuple[Instant, int, Letter | Agent]] = []
        self._count = 0

    def send(self, letter: Letter) -> None:
        for delay in self.network.carry(letter):
            if delay:
                self._remember(self.now + delay, letter)
            else:
                self._here.append(letter)

    def wake_at(self, due: Instant, agent: Agent) -> None:
        """Wake an agent then, if it would not be woken before: it then looks itself what it waits for next."""
        if agent.wakes_at is None or due < agent.wakes_at:
            agent.wakes_at = due
            self._remember(due, agent)

    def _remember(self, due: Instant, what: Letter | Agent) -> None:
        self._count += 1
        heappush(self._later, (due, self._count, what))

    def turn(self) -> bool:
        """Let the next thing happen; false if there is nothing any more."""
        if self._here:
            self.deliver(self._here.popleft())
            return True
        if not self._later:
            return False
        due, _, what = heappop(self._later)
        self.now = max(self.now, due)
        if isinstance(what, Letter):
            self.deliver(what)
        elif what.wakes_at is not None and what.wakes_at <= self.now:  # otherwise it was woken since
            what.wakes_at = None
            what.wake()
        return True

    def deliver(self, letter: Letter) -> None:
        """Hand a letter over. If there is nobody at its address, its sender is told."""
        receiver = self.agent_at(letter.to)
        if receiver is not None:
            receiver.receive(letter)
        elif (sender := self.agent_at(letter.sender)) is not None:
            sender.fail(letter)

    def agent_at(self, address: Address) -> Agent | None:
        return self.agents.get(self.homes.get(address, address))
