"""A referee of a league within one process: it takes matches as rounds are announced, and runs one machine for each.

It runs as many at a time as it may and keeps the others waiting, in the order in which they were given to it. A match
that it is given again it does not begin again: what is finished it reports once more, for the manager has not heard.
But a match that another referee has had meanwhile it begins anew. After a restart it asks the manager first which
matches are still its own.
"""

from turnstile.kernel.chance import Seed, derive
from turnstile.kernel.effects import Arm, Send
from turnstile.kernel.machine import Rejection
from turnstile.kernel.timers import Log, TimedMachine, replay_timed
from turnstile.kernel.values import Event, Instant
from turnstile.league.local.network import Envelope, Network, envelope_of
from turnstile.league.protocol.answers import GET_SCHEDULE
from turnstile.league.protocol.management import Ping, RefereeMeta, RefereeRegisterRequest, RefereeRegisterResponse
from turnstile.league.protocol.messages import (
    AnnouncedMatch,
    LeagueMessage,
    LeagueQueryResponse,
    RoundAnnouncement,
    RoundAnnouncementAck,
)
from turnstile.league.protocol.words import (
    LEAGUE_MANAGER,
    MANAGER_SECONDS,
    Address,
    MatchId,
    RefereeId,
    referee_address,
)
from turnstile.league.referee.calls import failure_of, report_of, resumed
from turnstile.league.referee.machine import new, referee
from turnstile.league.referee.ownership import may_go_on, schedule_query
from turnstile.league.referee.state import Assignment, MatchAssigned, Phase, State


class LocalReferee:
    """A referee at its place. With `logs` it keeps all that happens in its matches, and goes on from there.

    Of matches that are over the states of the latest round are left, for they may have to be reported again.
    """

    def __init__(
        self,
        network: Network,
        meta: RefereeMeta,
        seed: Seed,
        *,
        time_scale: float = 1.0,
        referee_id: RefereeId | None = None,
        logs: dict[MatchId, Log] | None = None,
    ) -> None:
        self.network = network
        self.home = Address(meta.contact_endpoint)
        self.meta = meta
        self.seed = seed
        self.time_scale = time_scale
        self.referee_id = referee_id
        self.logs = logs
        self.wakes_at: Instant | None = None
        self.asks_at: Instant | None = None
        self.round_id = 0
        self.waiting: dict[MatchId, MatchAssigned] = {}
        self.matches: dict[MatchId, TimedMachine[State]] = {}
        self.finished: dict[MatchId, State] = {}
        self.interrupted: dict[MatchId, TimedMachine[State]] = {}
        """Matches that were under way before a restart, until the manager has said whose they are."""
        self.given_away: dict[MatchId, State] = {}
        """Matches of this round that another referee has been given, as they stood."""

    def start(self) -> None:
        """Begin, or go on after a restart."""
        self.network.agents[self.home] = self
        for match, log in (self.logs or {}).items():
            self._restore(match, replay_timed(referee, new(self.id), log, self.time_scale))
        if self.referee_id is None:
            self._register()
        elif self.interrupted:
            self._ask_whose()

    def _restore(self, match: MatchId, work: TimedMachine[State]) -> None:
        """A match after a restart."""
        self.round_id = max(self.round_id, work.state.given.round_id)
        if work.state.phase is Phase.MATCH_COMPLETE:
            self.finished[match] = work.state
        else:
            self.interrupted[match] = work

    def _go_on(self, match: MatchId, work: TimedMachine[State]) -> None:
        """A match that is still our own after a restart."""
        self.matches[match] = work
        for call in resumed(work.state):
            self.post(work.state, call)

    @property
    def id(self) -> RefereeId:
        assert self.referee_id is not None, "only a referee that is registered has matches"
        return self.referee_id

    def _register(self) -> None:
        """Ask for a place, until there is an answer."""
        self._ask(self.home, RefereeRegisterRequest(referee_meta=self.meta))

    def _ask_whose(self) -> None:
        """Ask whose the matches are that were under way, until there is an answer."""
        league = next(iter(self.interrupted.values())).state.given.league_id
        self._ask(referee_address(self.id), schedule_query(league))

    def _ask(self, sender: Address, question: LeagueMessage) -> None:
        self.network.send(Envelope(sender, LEAGUE_MANAGER, question))
        self.asks_at = Instant(self.network.now + round(MANAGER_SECONDS * self.time_scale * 1000))
        self.network.wake_at(self.asks_at, self)

    # what comes

    def receive(self, envelope: Envelope) -> None:
        said = envelope.message
        if isinstance(said, RefereeRegisterResponse):
            if self.referee_id is None:
                self.referee_id, self.asks_at = said.referee_id, None
        elif self.referee_id is None:
            pass  # what is said to a referee that does not know itself yet is said again
        elif isinstance(said, LeagueQueryResponse) and said.query_type == GET_SCHEDULE:
            self._hear_whose(said)
        elif isinstance(said, RoundAnnouncement) and self.interrupted:
            pass  # as is what is said to one that does not know which matches it has
        elif isinstance(said, RoundAnnouncement):
            self._hear_of_round(said)
        elif isinstance(said, Ping):
            self._acknowledge(said.round_id)
        else:
            self.take(envelope.match_id or getattr(said, "match_id", None), said)

    def fail(self, envelope: Envelope) -> None:
        if envelope.match_id in self.matches:
            event = failure_of(envelope.since, Send(envelope.to, envelope.message))
            if event is not None:
                self.take(envelope.match_id, event)

    def wake(self) -> None:
        if self.asks_at is not None and self.asks_at <= self.network.now:
            if self.referee_id is None:
                self._register()
            else:
                self._ask_whose()
        for match, work in tuple(self.matches.items()):
            for event in work.run_out(self.network.now):
                self.take(match, event)
        self._look_at_timers()

    # rounds

    def _hear_whose(self, answer: LeagueQueryResponse) -> None:
        """Go on with the matches that are still our own."""
        interrupted, self.interrupted, self.asks_at = self.interrupted, {}, None
        for match, work in interrupted.items():
            if may_go_on(work.state.given, work.state.phase, answer, self.id, self.home):
                self._go_on(match, work)
            else:
                self.given_away[match] = work.state
        self._look_at_timers()

    def _hear_of_round(self, event: RoundAnnouncement) -> None:
        """Take what is new in this round, and report again what is over. Earlier rounds are forgotten."""
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
        """The manager is called back by whoever it has registered."""
        ack = RoundAnnouncementAck(referee_id=self.id, round_id=round_id)
        self.network.send(Envelope(referee_address(self.id), LEAGUE_MANAGER, ack))

    def _be_given(self, event: RoundAnnouncement, match: AnnouncedMatch) -> None:
        known = self._known(match.match_id)
        if known is None or known.match.times_reassigned < match.times_reassigned:
            self._take_anew(event, match)
        elif (done := self.finished.get(match.match_id)) is not None:
            self.post(done, report_of(done))

    def _known(self, match: MatchId) -> Assignment | MatchAssigned | None:
        """A match as it was given to this referee the last time."""
        if match in self.waiting:
            return self.waiting[match]
        state = self._standing(match)
        return None if state is None else state.given

    def _standing(self, match: MatchId) -> State | None:
        """Where a match stands, or stood when it was over or was given away."""
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
            self.matches[match] = TimedMachine(referee, new(self.id), self.time_scale)
            if self.logs is not None:
                self.logs[match] = []
            self.take(match, assigned)

    # matches

    def take(self, match: MatchId | None, event: Event) -> None:
        """Let something happen in a match, write it down, and do what comes of it."""
        work = self.matches.get(match) if match is not None else None
        if match is None or work is None:
            return
        step = work.take(event, self.network.now)
        if isinstance(step, Rejection):
            return
        if self.logs is not None:
            self.logs[match].append((self.network.now, event))
        for effect in step.effects:
            if type(effect) is Send:
                self.post(step.state, effect)
            elif type(effect) is Arm:
                self.network.wake_at(work.due_of(effect.timer), self)
        if step.state.phase is Phase.MATCH_COMPLETE:
            self.finished[match] = step.state
            del self.matches[match]
            self._begin()

    def post(self, state: State, call: Send) -> None:
        self.network.send(envelope_of(state.address, call, state.match_id, state))

    def _look_at_timers(self) -> None:
        timers = [timer.due for work in self.matches.values() if (timer := work.next_timer) is not None]
        if self.asks_at is not None:
            timers.append(self.asks_at)
        if timers:
            self.network.wake_at(min(timers), self)
