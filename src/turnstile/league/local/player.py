"""A player of a league within one process: its machine, its strategy, and the envelopes between it and the others."""

from collections.abc import Callable

from msgspec import Raw

from turnstile.kernel.chance import Seed
from turnstile.kernel.effects import Arm, Send
from turnstile.kernel.machine import Rejection, Step
from turnstile.kernel.timers import Log, replay_timed
from turnstile.kernel.values import Event, Instant, PlayerId
from turnstile.league.local.network import Envelope, Network, envelope_of
from turnstile.league.player.machine import new, player
from turnstile.league.player.play import decided, failure_of, resumed, wanted
from turnstile.league.player.state import Options, PlayerStartup, Question, ReadyToJoin, State
from turnstile.league.protocol.messages import RoundAnnouncement, RoundAnnouncementAck
from turnstile.league.protocol.words import Address, player_address

Strategy = Callable[[Question], str | Raw | None]
"""Who chooses, of all that a player may know: "even" or "odd"; in another game one of its moves. `None`: no answer."""


class LocalPlayer:
    """A player at its place. With a `log` it keeps all that happens to it, and goes on from there when made anew."""

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
        self.log = log
        self.wakes_at: Instant | None = None
        self.work = replay_timed(player, new(options, seed), log or (), time_scale)

    @property
    def state(self) -> State:
        return self.work.state

    def start(self) -> None:
        """Begin, or go on after a restart."""
        self.network.agents[self.home] = self
        for call in resumed(self.state):
            self.post(call)
        self._look_at_timers()
        want = wanted(self.state)
        if want is not None:
            self.give(want)

    # what comes

    def receive(self, envelope: Envelope) -> None:
        step = self.take(envelope.message)
        if type(envelope.message) is RoundAnnouncement and not _has_answered(step):
            self._give_receipt(envelope, envelope.message)

    def _give_receipt(self, envelope: Envelope, announcement: RoundAnnouncement) -> None:
        """Whatever a player thinks of an announcement, the manager learns that it has come."""
        called = PlayerId(envelope.to.partition(":")[2])
        receipt = RoundAnnouncementAck(player_id=called, round_id=announcement.round_id)
        self.network.send(Envelope(Address(envelope.to), envelope.sender, receipt))

    def fail(self, envelope: Envelope) -> None:
        event = failure_of(envelope.since, Send(envelope.to, envelope.message))
        if event is not None:
            self.take(event)

    def wake(self) -> None:
        for event in self.work.run_out(self.network.now):
            self.take(event)
        self._look_at_timers()

    # what comes of it

    def take(self, event: Event) -> Step[State] | Rejection:
        """Let something happen, write it down, and do what comes of it."""
        step = self.work.take(event, self.network.now)
        if isinstance(step, Rejection):
            return step
        if self.log is not None:
            self.log.append((self.network.now, event))
        for effect in step.effects:
            if type(effect) is Send:
                self.post(effect)
            elif type(effect) is Arm:
                self.network.wake_at(self.work.due_of(effect.timer), self)
        want = wanted(step.state)
        if want is not None and step.state.failure is None:  # who has given up begins again when it is started again
            self.give(want)
        return step

    def post(self, call: Send) -> None:
        state = self.state
        sender = self.home if state.player_id is None else player_address(state.player_id)
        self.network.send(envelope_of(sender, call, since=state))

    def give(self, want: PlayerStartup | ReadyToJoin | Question) -> None:
        """Give the player what it wants of its host."""
        if not isinstance(want, Question):
            self.take(want)
        elif (choice := self.strategy(want)) is not None:
            self.take(decided(want, choice))

    def _look_at_timers(self) -> None:
        timer = self.work.next_timer
        if timer is not None:
            self.network.wake_at(timer.due, self)


def _has_answered(step: Step[State] | Rejection) -> bool:
    return isinstance(step, Step) and any(isinstance(effect, Send) for effect in step.effects)
