"""The manager of a league within one process: its machine, and the envelopes between it and the others."""

from collections import deque

from msgspec.structs import replace

from turnstile.kernel.chance import Commitment, Seed
from turnstile.kernel.effects import Send
from turnstile.kernel.machine import Rejection
from turnstile.kernel.timers import Log
from turnstile.kernel.values import Event, Instant, Value
from turnstile.league.local.machine import LocalMachine, sends_of
from turnstile.league.local.network import Envelope, Network, envelope_of
from turnstile.league.manager.calls import resumed
from turnstile.league.manager.machine import manager, new
from turnstile.league.manager.queries import commitment_of
from turnstile.league.manager.rounds import wanted
from turnstile.league.manager.standings import standings
from turnstile.league.manager.state import Options, State
from turnstile.league.protocol.management import ALL_REPLIES, RefereeRegisterResponse
from turnstile.league.protocol.messages import LeagueQuery, LeagueRegisterResponse, MatchResultReport
from turnstile.league.protocol.values import StandingsRow
from turnstile.league.protocol.words import LEAGUE_MANAGER, player_address, referee_address


class RoundPlayed(Value, frozen=True, rename=None):
    """A round that is over: its results in the order in which they were booked, and the whole table after it."""

    round_id: int
    results: tuple[MatchResultReport, ...]
    standings: tuple[StandingsRow, ...]
    commitments: tuple[Commitment | None, ...]
    """For each result the commitment that its referee had made before."""


class LocalManager:
    """The manager. With a `log` it goes on from there when it is made again."""

    def __init__(
        self, network: Network, options: Options, secret: Seed, *, time_scale: float = 1.0, log: Log | None = None
    ) -> None:
        self.network = network
        self.wakes_at: Instant | None = None
        self.machine = LocalMachine(self, network, manager, new(options, secret), time_scale=time_scale, log=log)
        self.results: list[MatchResultReport] = []
        self.commitments: list[Commitment | None] = []
        self.rounds: deque[RoundPlayed] = deque()
        """Rounds that are over, and were not given to the caller yet."""

    @property
    def state(self) -> State:
        return self.machine.state

    def start(self) -> None:
        """Begin, or go on after a restart."""
        self.network.agents[LEAGUE_MANAGER] = self
        self.machine.resume(resumed(self.state), self.post)
        self._begin_if_all_are_here()

    # what comes

    def receive(self, envelope: Envelope) -> None:
        said = envelope.message
        if isinstance(said, MatchResultReport | LeagueQuery):
            said = replace(said, sender=envelope.sender)
        self.take(said, envelope)

    def fail(self, envelope: Envelope) -> None:
        if envelope.on_failure is not None:
            self.take(envelope.on_failure)

    def wake(self) -> None:
        self.machine.expire(self.take)

    # what comes of it

    def take(self, event: Event, request: Envelope | None = None) -> None:
        """Let an event happen, and send what comes of it. A reply goes to the sender of the request."""
        before = self.state
        step = self.machine.take(event)
        if isinstance(step, Rejection):
            return
        if step.state is not before:
            self._keep_book(before, event)
        reply = None if request is None else ALL_REPLIES.get(type(request.message))
        for send in sends_of(step):
            if request is not None and type(send.message) is reply:
                self._answer(request, send)
            else:
                self.post(send)
        self._begin_if_all_are_here()

    def _begin_if_all_are_here(self) -> None:
        """Start the league, when it may start: within one process all agents are ready from the beginning."""
        event = wanted(self.state)
        if event is not None:
            self.take(event)

    def _answer(self, request: Envelope, send: Send) -> None:
        """Send a reply to the sender of a request. If it gives the sender an address, the network learns that."""
        reply = send.message
        if isinstance(reply, LeagueRegisterResponse) and reply.player_id is not None:
            self.network.addresses[player_address(reply.player_id)] = request.sender
        elif isinstance(reply, RefereeRegisterResponse) and reply.referee_id is not None:
            self.network.addresses[referee_address(reply.referee_id)] = request.sender
        self.network.send(envelope_of(LEAGUE_MANAGER, Send(request.sender, reply), request.match_id))

    def post(self, send: Send) -> None:
        self.network.send(envelope_of(LEAGUE_MANAGER, send))

    def _keep_book(self, before: State, event: Event) -> None:
        """Note results and rounds, for the caller of the league."""
        after = self.state
        if isinstance(event, MatchResultReport):
            self.results.append(event)
            self.commitments.append(commitment_of(before, event.match_id))
        if len(after.finished) > len(before.finished):
            round_id = len(after.finished)
            results, commitments = tuple(self.results), tuple(self.commitments)
            self.rounds.append(RoundPlayed(round_id, results, standings(after), commitments))
            self.results, self.commitments = [], []
