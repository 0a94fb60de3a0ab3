"""A player of a league within one process: its machine, its strategy, and the envelopes between it and the others."""

from collections.abc import Callable

from msgspec import Raw

from turnstile.kernel.chance import Seed
from turnstile.kernel.effects import Send
from turnstile.kernel.machine import Rejection, Step
from turnstile.kernel.timers import Log
from turnstile.kernel.values import Event, Instant, PlayerId
from turnstile.league.local.machine import LocalMachine, sends_of
from turnstile.league.local.network import Envelope, Network, envelope_of
from turnstile.league.player.machine import decision_event, new, player, resumed, wanted
from turnstile.league.player.state import Options, PlayerStartup, Question, ReadyToJoin, State
from turnstile.league.protocol.messages import RoundAnnouncement, RoundAnnouncementAck
from turnstile.league.protocol.words import Address, player_address

Strategy = Callable[[Question], str | Raw | None]
"""Chooses from all that a player may know: "even" or "odd", or a move of another game. `None` is no answer."""


class LocalPlayer:
    """A player. With a `log` it goes on from there when it is made again."""

    def __init__(
        self,
        network: Network,
        options: Options,
        strategy: Strategy,
        seed: Seed,
        *,
        time_scale: float = 1.0,
        log: Log | None = None,
    ) -> None:
        self.network = network
        self.home = Address(options.contact_endpoint)
        self.strategy = strategy
        self.wakes_at: Instant | None = None
        self.machine = LocalMachine(self, network, player, new(options, seed), time_scale=time_scale, log=log)

    @property
    def state(self) -> State:
        return self.machine.state

    def start(self) -> None:
        """Begin, or go on after a restart."""
        self.network.agents[self.home] = self
        self.machine.resume(resumed(self.state), self.post)
        want = wanted(self.state)
        if want is not None:
            self.give(want)

    # what comes

    def receive(self, envelope: Envelope) -> None:
        result = self.take(envelope.message)
        if type(envelope.message) is RoundAnnouncement and not sends_of(result):
            self._give_receipt(envelope, envelope.message)

    def _give_receipt(self, envelope: Envelope, announcement: RoundAnnouncement) -> None:
        """Acknowledge an announcement that the player has not answered: the manager learns that it has come."""
        called = PlayerId(envelope.to.partition(":")[2])
        receipt = RoundAnnouncementAck(player_id=called, round_id=announcement.round_id)
        self.network.send(Envelope(Address(envelope.to), envelope.sender, receipt))

    def fail(self, envelope: Envelope) -> None:
        if envelope.on_failure is not None:
            self.take(envelope.on_failure)

    def wake(self) -> None:
        self.machine.expire(self.take)

    # what comes of it

    def take(self, event: Event) -> Step[State] | Rejection:
        """Let an event happen, send what comes of it, and give the player what it wants of its host."""
        step = self.machine.take(event)
        if isinstance(step, Rejection):
            return step
        for send in sends_of(step):
            self.post(send)
        want = wanted(step.state)
        if want is not None and step.state.failure is None:  # a player that has given up waits until it is started
            self.give(want)
        return step

    def post(self, send: Send) -> None:
        state = self.state
        sender = self.home if state.player_id is None else player_address(state.player_id)
        self.network.send(envelope_of(sender, send))

    def give(self, want: PlayerStartup | ReadyToJoin | Question) -> None:
        """Give the player what it wants of its host."""
        if not isinstance(want, Question):
            self.take(want)
        elif (choice := self.strategy(want)) is not None:
            self.take(decision_event(want, choice))
