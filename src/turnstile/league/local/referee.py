"""A referee of a league within one process: it registers, takes matches as rounds are announced, and runs them.

Each match has its own machine. The referee runs as many matches at a time as it may; the others wait, in the order in
which they were given to it. It does not begin a match again that it is given again: if it is over, it is reported once
more, because the manager has not heard of it. But it begins a match anew that another referee has had meanwhile. After
a restart it first asks the manager which matches are still its own.
"""

from functools import partial

from turnstile.kernel.chance import Seed, derive
from turnstile.kernel.effects import Send
from turnstile.kernel.timers import Log
from turnstile.kernel.values import Event, Instant
from turnstile.league.local.machine import LocalMachine, sends_of
from turnstile.league.local.network import Envelope, Network, envelope_of
from turnstile.league.protocol.management import Ping, RefereeRegisterResponse
from turnstile.league.protocol.messages import (
    LeagueCompleted,
    LeagueQueryResponse,
    RoundAnnouncement,
    RoundAnnouncementAck,
)
from turnstile.league.protocol.values import GET_SCHEDULE, AnnouncedMatch, RefereeMeta
from turnstile.league.protocol.words import (
    LEAGUE_MANAGER,
    MANAGER_SECONDS,
    Address,
    MatchId,
    RefereeId,
    referee_address,
)
from turnstile.league.referee import registrar
from turnstile.league.referee.calls import report_of, resumed
from turnstile.league.referee.machine import new, referee
from turnstile.league.referee.ownership import may_go_on, schedule_query
from turnstile.league.referee.state import Assignment, MatchAssigned, Phase, State


class LocalReferee:
    """A referee. With the `log` of its registration and the `logs` of its matches it goes on from there.

    It keeps the final states of the matches of the latest round: they may have to be reported again.
    """

    def __init__(
        self,
        network: Network,
        meta: RefereeMeta,
        seed: Seed,
        *,
        time_scale: float = 1.0,
        log: Log | None = None,
        logs: dict[MatchId, Log] | None = None,
    ) -> None:
        self.network = network
        self.home = Address(meta.contact_endpoint)
        self.meta = meta
        self.seed = seed
        self.time_scale = time_scale
        self.logs = logs
        self.wakes_at: Instant | None = None
        unknown = registrar.new(meta, derive(seed, "name"))
        self.registrar = LocalMachine(self, network, registrar.registrar, unknown, time_scale=time_scale, log=log)
        self.asks_at: Instant | None = None
        """When it asks again which of the interrupted matches are still its own. Until then it has no timers."""
        self.round_id = 0
        self.waiting: dict[MatchId, MatchAssigned] = {}
        self.matches: dict[MatchId, LocalMachine[State]] = {}
        self.finished: dict[MatchId, State] = {}
        self.interrupted: dict[MatchId, LocalMachine[State]] = {}
        """Matches that were running before a restart, until the manager has said which referee has them now."""
        self.given_away: dict[MatchId, State] = {}
        """Matches of this round that another referee has now, in their last state here."""

    def start(self) -> None:
        """Begin, or go on after a restart."""
        self.network.agents[self.home] = self
        self.registrar.resume(registrar.resumed(self.registrar.state), self.post)
        want = registrar.wanted(self.registrar.state)
        if want is not None:
            self.take(None, want)
        for match, log in (self.logs or {}).items():
            self._restore(match, self._machine(log))
        if self.interrupted:
            self._ask_whose()

    def _machine(self, log: Log | None) -> LocalMachine[State]:
        """The machine of one match."""
        return LocalMachine(self, self.network, referee, new(self.id), time_scale=self.time_scale, log=log)

    def _restore(self, match: MatchId, work: LocalMachine[State]) -> None:
        """A match after a restart."""
        self.round_id = max(self.round_id, work.state.given.round_id)
        if work.state.phase is Phase.MATCH_COMPLETE:
            self.finished[match] = work.state
        else:
            self.interrupted[match] = work

    def _go_on(self, match: MatchId, work: LocalMachine[State]) -> None:
        """A match that is still our own after a restart."""
        self.matches[match] = work
        work.resume(resumed(work.state), partial(self.post, match=match))

    @property
    def referee_id(self) -> RefereeId | None:
        return self.registrar.state.referee_id

    @property
    def id(self) -> RefereeId:
        assert self.referee_id is not None, "only a referee that is registered has matches"
        return self.referee_id

    def _ask_whose(self) -> None:
        """Ask which of the interrupted matches are still our own, until there is an answer."""
        league = next(iter(self.interrupted.values())).state.given.league_id
        self.post(Send(LEAGUE_MANAGER, schedule_query(league)))
        self.asks_at = Instant(self.network.now + round(MANAGER_SECONDS * self.time_scale * 1000))
        self.network.wake_at(self.asks_at, self)

    # what comes

    def receive(self, envelope: Envelope) -> None:
        said = envelope.message
        if isinstance(said, RefereeRegisterResponse | LeagueCompleted):
            self.take(None, said)
        elif self.referee_id is None:
            pass  # the manager repeats what it says to a referee that does not know its id yet
        elif isinstance(said, LeagueQueryResponse) and said.query_type == GET_SCHEDULE:
            self._hear_whose(said)
        elif isinstance(said, RoundAnnouncement) and self.interrupted:
            pass  # and to a referee that does not know its matches yet
        elif isinstance(said, RoundAnnouncement):
            self._hear_of_round(said)
        elif isinstance(said, Ping):
            self._acknowledge(said.round_id)
        else:
            self.take(envelope.match_id or getattr(said, "match_id", None), said)

    def fail(self, envelope: Envelope) -> None:
        if envelope.on_failure is not None:
            self.take(envelope.match_id, envelope.on_failure)

    def wake(self) -> None:
        if self.asks_at is not None and self.asks_at <= self.network.now:
            self._ask_whose()
        self.registrar.expire(partial(self.take, None))
        for match, work in tuple(self.matches.items()):
            work.expire(partial(self.take, match))

    # rounds

    def _hear_whose(self, answer: LeagueQueryResponse) -> None:
        """Go on with the matches that are still our own."""
        interrupted, self.interrupted, self.asks_at = self.interrupted, {}, None
        for match, work in interrupted.items():
            if may_go_on(work.state.given, work.state.phase, answer, self.id, self.home):
                self._go_on(match, work)
            else:
                self.given_away[match] = work.state

    def _hear_of_round(self, event: RoundAnnouncement) -> None:
        """Take the matches of this round that are new, and report again those that are over. Forget earlier rounds."""
        self._acknowledge(event.round_id)
        if event.round_id < self.round_id:
            return
        if event.round_id > self.round_id:
            self.round_id = event.round_id
            self._forget()
        for match in event.matches:
            if match.referee_id == self.referee_id:
                self._be_given(event, match)
        self._begin()

    def _acknowledge(self, round_id: int) -> None:
        """Tell the manager that the announcement, or the ping, has come."""
        ack = RoundAnnouncementAck(referee_id=self.id, round_id=round_id)
        self.post(Send(LEAGUE_MANAGER, ack))

    def _be_given(self, event: RoundAnnouncement, match: AnnouncedMatch) -> None:
        known = self._known(match.match_id)
        if known is None or known.match.times_reassigned < match.times_reassigned:
            self._take_anew(event, match)
        elif (done := self.finished.get(match.match_id)) is not None:
            self.post(report_of(done), match.match_id)

    def _known(self, match: MatchId) -> Assignment | MatchAssigned | None:
        """A match as it was given to this referee the last time; `None` if it never was."""
        if match in self.waiting:
            return self.waiting[match]
        state = self._standing(match)
        return None if state is None else state.given

    def _standing(self, match: MatchId) -> State | None:
        """The state of a match, or its last state here if it is over or was given away."""
        work = self.matches.get(match)
        return (self.finished.get(match) or self.given_away.get(match)) if work is None else work.state

    def _take_anew(self, event: RoundAnnouncement, match: AnnouncedMatch) -> None:
        """Take a match, for the first time or once more. It has another seed when its players know the old one."""
        name, before = match.match_id, self._standing(match.match_id)
        if before is None:
            seed = derive(self.seed, f"match {name}")
        else:
            is_told = before.result is not None
            seed = derive(before.given.seed, f"again {match.times_reassigned}") if is_told else before.given.seed
        for course in (self.matches, self.finished, self.given_away):
            course.pop(name, None)
        self.waiting[name] = MatchAssigned(league_id=event.league_id, round_id=event.round_id, match=match, seed=seed)

    def _forget(self) -> None:
        for match in (*self.finished, *self.given_away):
            if self.logs is not None:
                del self.logs[match]
        self.finished, self.given_away = {}, {}
        self.waiting = {}

    def _begin(self) -> None:
        """Begin as many matches as may be run at a time."""
        while self.waiting and len(self.matches) < self.meta.max_concurrent_matches:
            match = next(iter(self.waiting))
            assigned = self.waiting.pop(match)
            log: Log | None = None
            if self.logs is not None:
                log = self.logs[match] = []
            self.matches[match] = self._machine(log)
            self.take(match, assigned)

    # matches

    def take(self, match: MatchId | None, event: Event) -> None:
        """Let an event happen in a match that the referee runs, or to its registration, and send what comes of it."""
        if match is None:
            for send in sends_of(self.registrar.take(event)):
                self.post(send)
        elif (work := self.matches.get(match)) is not None:
            for send in sends_of(work.take(event)):
                self.post(send, match)
            if work.state.phase is Phase.MATCH_COMPLETE:
                self.finished[match] = work.state
                del self.matches[match]
                self._begin()

    def post(self, send: Send, match: MatchId | None = None) -> None:
        sender = self.home if self.referee_id is None else referee_address(self.referee_id)
        self.network.send(envelope_of(sender, send, match))
