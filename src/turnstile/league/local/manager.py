"""The manager of a league within one process: its machine, and the envelopes between it and the others."""

from collections import deque

from msgspec.structs import replace

from turnstile.kernel.chance import Commitment, Seed
from turnstile.kernel.effects import Arm, Send
from turnstile.kernel.machine import Rejection
from turnstile.kernel.timers import Log, replay_timed
from turnstile.kernel.values import Event, Instant, Value
from turnstile.league.local.network import Envelope, Network, envelope_of
from turnstile.league.manager.calls import failure_of, resumed
from turnstile.league.manager.machine import manager, new
from turnstile.league.manager.queries import commitment_of
from turnstile.league.manager.rounds import wanted
from turnstile.league.manager.standings import standings
from turnstile.league.manager.state import Options, State
from turnstile.league.protocol.management import ALL_REPLIES, RefereeRegisterResponse
from turnstile.league.protocol.messages import (
    LeagueQuery,
    LeagueRegisterResponse,
    MatchResultReport,
    StandingsRow,
)
from turnstile.league.protocol.words import LEAGUE_MANAGER, player_address, referee_address


class RoundPlayed(Value, frozen=True, rename=None):
    """A round that is over: the results as they were booked, and the whole table after it."""

    round_id: int
    results: tuple[MatchResultReport, ...]
    standings: tuple[StandingsRow, ...]
    commitments: tuple[Commitment | None, ...]
    """What the referee of each of the results had committed to before."""


class LocalManager:
    """The manager at its place. With a `log` it keeps all that happens to it, and goes on from there when made anew."""

    def __init__(
        self, network: Network, options: Options, secret: Seed, *, time_scale: float = 1.0, log: Log | None = None
    ) -> None:
        self.network = network
        self.log = log
        self.wakes_at: Instant | None = None
        self.work = replay_timed(manager, new(options, secret), log or (), time_scale)
        self.results: list[MatchResultReport] = []
        self.commitments: list[Commitment | None] = []
        self.rounds: deque[RoundPlayed] = deque()
        """Rounds that are over, and that nobody has looked at yet."""

    @property
    def state(self) -> State:
        return self.work.state

    def start(self) -> None:
        """Begin, or go on after a restart."""
        self.network.agents[LEAGUE_MANAGER] = self
        for call in resumed(self.state):
            self.post(call)
        self._look_at_timers()
        self._begin_if_all_are_here()

    # what comes

    def receive(self, envelope: Envelope) -> None:
        said = envelope.message
        if isinstance(said, MatchResultReport | LeagueQuery):
            said = replace(said, sender=envelope.sender)
        self.take(said, envelope)

    def fail(self, envelope: Envelope) -> None:
        event = failure_of(envelope.since, Send(envelope.to, envelope.message))
        if event is not None:
            self.take(event)

    def wake(self) -> None:
        for event in self.work.run_out(self.network.now):
            self.take(event)
        self._look_at_timers()

    # what comes of it

    def take(self, event: Event, request: Envelope | None = None) -> None:
        """Let something happen, write it down, and do what comes of it; a reply goes to whoever has asked."""
        before, timed = self.state, self.work.timed
        step = self.work.take(event, self.network.now)
        if isinstance(step, Rejection):
            return
        if self.log is not None and self.work.timed is not timed:
            self.log.append((self.network.now, event))
        if step.state is not before:
            self._keep_book(before, event)
        reply = None if request is None else ALL_REPLIES.get(type(request.message))
        for effect in step.effects:
            if type(effect) is Send:
                if request is not None and type(effect.message) is reply:
                    self._answer(request, effect)
                else:
                    self.post(effect)
            elif type(effect) is Arm:
                self.network.wake_at(self.work.due_of(effect.timer), self)
        self._begin_if_all_are_here()

    def _begin_if_all_are_here(self) -> None:
        """Within one process everybody listens."""
        event = wanted(self.state)
        if event is not None:
            self.take(event)

    def _answer(self, request: Envelope, call: Send) -> None:
        """A reply goes back to whoever has asked, and who is given an address is found there from now on."""
        reply = call.message
        if isinstance(reply, LeagueRegisterResponse) and reply.player_id is not None:
            self.network.addresses[player_address(reply.player_id)] = request.sender
        elif isinstance(reply, RefereeRegisterResponse) and reply.referee_id is not None:
            self.network.addresses[referee_address(reply.referee_id)] = request.sender
        self.network.send(envelope_of(LEAGUE_MANAGER, Send(request.sender, reply), request.match_id))

    def post(self, call: Send) -> None:
        self.network.send(envelope_of(LEAGUE_MANAGER, call, since=self.state))

    def _keep_book(self, before: State, event: Event) -> None:
        """For whoever looks on: what is new in the league."""
        after = self.state
        if isinstance(event, MatchResultReport):
            self.results.append(event)
            self.commitments.append(commitment_of(before, event.match_id))
        if len(after.finished) > len(before.finished):
            round_id = len(after.finished)
            results, commitments = tuple(self.results), tuple(self.commitments)
            self.rounds.append(RoundPlayed(round_id, results, standings(after), commitments))
            self.results, self.commitments = [], []

    def _look_at_timers(self) -> None:
        timer = self.work.next_timer
        if timer is not None:
            self.network.wake_at(timer.due, self)
