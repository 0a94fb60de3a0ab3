"""The matches of a referee: those under way, those that wait for their turn, and those that are asked for again.

Every match has a log of its own, begun when the match is assigned: what waits is not forgotten, and what was under way
goes on after a restart. A match that is over is known by its log.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from turnstile.agents.process.logs import MATCHES
from turnstile.agents.process.process import Settings
from turnstile.agents.process.runtime import Agent
from turnstile.agents.referee.match_logs import MatchLog, MatchLogs
from turnstile.agents.referee.running import RunningMatch
from turnstile.agents.referee.transcript import Transcript, match_path, own_place, stale_files
from turnstile.agents.wire.lenient import invalid_fields
from turnstile.agents.wire.rpc import INVALID_PARAMS, Fault
from turnstile.durable.storing import ask_until_done
from turnstile.durable.timed_keeper import TimedKeeper
from turnstile.kernel.chance import Seed, new_seed
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import LogId, PlayerId
from turnstile.league.protocol.management import RunMatch
from turnstile.league.protocol.messages import LeagueMessage, MatchResultAck
from turnstile.league.protocol.values import AnnouncedMatch
from turnstile.league.protocol.words import (
    GAME_TYPE,
    LEAGUE_MANAGER,
    MANAGER_SECONDS,
    LeagueId,
    MatchId,
    RefereeId,
    Registration,
    player_address,
)
from turnstile.league.referee.calls import report_of, resumed
from turnstile.league.referee.machine import new
from turnstile.league.referee.play import refuse_assignment
from turnstile.league.referee.posts import PostedAnswer
from turnstile.league.referee.state import CleanupComplete, MatchAssigned, MatchWithdrawn, Phase, State
from turnstile.store.log import Damaged

MOST_WAITING = 10_000  # matches: twice as many as the largest league has in a round
REPORT_PAUSE_SECONDS = 5.0  # before a manager that does not answer is told a result once more
GIVEN_AWAY = "This match was given to another referee."

MayGoOn = Callable[[MatchAssigned, Phase], bool]
"""Whether a match that was under way, in this phase, is still the referee's own."""


class Matches:
    """All that a referee has been given, as many at a time as it may run."""

    def __init__(
        self, agent: Agent, settings: Settings, capacity: int, time_scale: float, one_is_over: Callable[[], None]
    ) -> None:
        self._agent = agent
        self._settings = settings
        self._logs = MatchLogs(agent.store, settings.name)
        self._capacity = capacity
        self._time_scale = time_scale
        self._one_is_over = one_is_over
        self._all: dict[LogId, RunningMatch] = {}
        """Those that are under way, and those that wait."""
        self._waiting: deque[RunningMatch] = deque()
        self._latest: LeagueId | None = None
        """The league of the latest match; not every manager names one when a referee registers."""
        self._assigning = asyncio.Lock()
        self._unbooked: dict[LogId, RunningMatch] = {}
        """Matches that are complete, but whose results the manager has not acknowledged. It is told them again."""

    def __bool__(self) -> bool:
        """Whether there is anything to do."""
        return bool(self._all)

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @property
    def under_way(self) -> int:
        return len(self._all) - len(self._waiting)

    def find(self, match: MatchId) -> RunningMatch | None:
        """A match that is under way."""
        return next((work for work in self._begun_ones() if work.given.match.match_id == match), None)

    def find_with(self, player: PlayerId) -> RunningMatch | None:
        """The match under way that a player is in."""
        return next((work for work in self._begun_ones() if work.state.seat_of(player) is not None), None)

    def _begun_ones(self) -> Iterator[RunningMatch]:
        return (work for work in self._all.values() if work.keeper.position > 0)

    async def has(self, league: LeagueId, match: MatchId) -> bool:
        """Whether a match was given to this referee before, be it over or not."""
        return await self._logs.has(league, match)

    async def knows(self, league: LeagueId, match: MatchId) -> bool:
        """Whether there was such a match in the referee's league, or in the one that it was last given a match of."""
        return any([await self.has(each, match) for each in {league, self._latest or league}])

    # after a restart

    async def is_any_open(self) -> bool:
        """Whether a match was under way, or waited, when the referee stopped."""
        return any([page async for page in self._logs.every_open()])

    async def restore(self, may_go_on: MayGoOn) -> None:
        """Every match goes on that may; those that waited wait on, in their order. The others are another referee's."""
        works: list[RunningMatch] = []
        async for page in self._logs.every_open():
            found = await asyncio.gather(*map(self._readable, page))
            works += [work for work in found if work is not None]
        for work in sorted(works, key=lambda work: work.keeper.opened):
            self._all[work.keeper.name] = work
            if not may_go_on(work.given, work.state.phase):
                await self._withdraw(work)
            elif work.keeper.position == 0:
                self._waiting.append(work)
            else:
                self._agent.take_up(work, resumed(work.state))
                self._noticed(work)
        self._fill()

    async def _withdraw(self, work: RunningMatch) -> None:
        """Forget a match that was given to another referee, without a message to its players."""
        self._agent.journal.note(GIVEN_AWAY, work.given.match.match_id)
        if work.keeper.position > 0:
            await self._agent.bring(work, MatchWithdrawn(match_id=work.given.match.match_id))
            return
        await self._put_aside(work.keeper.name, GIVEN_AWAY)
        if work in self._waiting:
            self._waiting.remove(work)
        self._over(work)

    async def _readable(self, name: LogId) -> RunningMatch | None:
        """A match from its log; one that is damaged is put aside, and is the manager's to give to another."""
        try:
            keeper, transcript = await self._logs.restore(name)
        except Damaged as fault:
            await self._put_aside(name, fault.why)
            self._agent.journal.note(str(fault))
            return None
        return self._work(keeper, transcript)

    async def _put_aside(self, name: LogId, why: str) -> None:
        await ask_until_done(self._agent.store.put_aside, name, why)

    def _work(self, keeper: TimedKeeper[State], transcript: Transcript) -> RunningMatch:
        self._latest = transcript.given.league_id
        return RunningMatch(keeper, self._settings.manager, transcript, self._noticed, self._take_post)

    # assignment

    async def assign(self, league: LeagueId, round_id: int, matches: Sequence[AnnouncedMatch], me: RefereeId) -> bool:
        """Take matches. One under way is known; one that is over is reported again. False: they are too many.

        One that another referee has had since is begun anew. Of entries with the same id the first counts.
        """
        entries = {match.match_id: match for match in reversed(matches)}
        async with self._assigning:
            if len(self._waiting) + len(entries) > MOST_WAITING:
                return False
            begun = [self._begun(league, round_id, match, me) for match in reversed(entries.values())]
            for work in await asyncio.gather(*begun):
                if work is not None:
                    self._all[work.keeper.name] = work
                    self._waiting.append(work)
        self._fill()
        return True

    async def _begun(
        self, league: LeagueId, round_id: int, match: AnnouncedMatch, me: RefereeId
    ) -> RunningMatch | None:
        name, seed = self._logs.first_name(league, match.match_id), None
        log = await self._logs.latest(league, match.match_id)
        if log is None:
            seed = new_seed()
        elif match.times_reassigned > log.times_reassigned:
            name, seed = log.next_name, await self._seed_anew(log)
        elif log.name in self._all:
            return None
        elif log.is_damaged_untold:
            name, seed = log.next_name, log.given.seed if log.given and match.game_type == GAME_TYPE else None
        else:
            self._agent.start(self._report_again(log.name))
        if seed is None:
            return None
        given = MatchAssigned(league_id=league, round_id=round_id, match=match, seed=seed)
        keeper = await TimedKeeper.begin(
            self._agent.store, name, MATCHES, new(me), time_scale=self._time_scale, about=given
        )
        return self._work(keeper, Transcript(given, me, keeper.opened))

    async def _seed_anew(self, log: MatchLog) -> Seed:
        """The seed of a match that was given to another referee and back: another, if its players know the old one."""
        self._unbooked.pop(log.name, None)
        work = self._all.get(log.name) or (None if log.is_damaged else await self._readable(log.name))
        is_told = not log.is_damaged_untold if work is None else work.transcript.result is not None
        if work is not None and log.name in self._all:
            await self._withdraw(work)
        return new_seed() if is_told or log.given is None else log.given.seed

    def _fill(self) -> None:
        """Begin with matches that wait, in the order of their assignment, while there is room."""
        while self._waiting and self.under_way < self._capacity:
            self._agent.start(self._play(self._waiting.popleft()))

    async def _play(self, work: RunningMatch) -> None:
        """Begin with a match. A game that is not there any more, after a restart, cannot be begun."""
        self._agent.take_up(work, [])
        result = await self._agent.bring(work, work.given)
        if isinstance(result, Rejection):
            await self._put_aside(work.keeper.name, result.sentence)
            self._agent.journal.note(f"This match cannot be played. {result.sentence}", work.given.match.match_id)
            self._over(work)

    # results that the manager has not acknowledged

    async def _report_again(self, name: LogId) -> None:
        """The manager asks for a match that is over: it has not heard how it ended, and is told once more."""
        work = await self._readable(name)
        if work is not None and work.transcript.last is not None:
            await self._report(work, work.transcript.last)

    async def _report(self, work: RunningMatch, ended: State) -> bool:
        """Tell the manager how a match ended; false if it does not answer."""
        report = report_of(ended).message
        assert isinstance(report, LeagueMessage)
        seconds = MANAGER_SECONDS * self._time_scale
        answer = await self._agent.calls.ask(self._settings.manager, LEAGUE_MANAGER, report, seconds)
        if isinstance(answer, MatchResultAck) and answer.status == Registration.ACCEPTED:
            work.transcript.is_reported = True
            self._keep(work)
        return answer is not None

    async def _report_until_answered(self) -> None:
        """Tell the manager the results that it has not acknowledged, until it answers: it may be away for long."""
        while self._unbooked:
            name, work = next(iter(self._unbooked.items()))
            if work.transcript.last is None or await self._report(work, work.transcript.last):
                self._unbooked.pop(name, None)
            else:
                await asyncio.sleep(REPORT_PAUSE_SECONDS * self._time_scale)

    # their course

    def _noticed(self, work: RunningMatch) -> None:
        self._keep(work)
        if work.state.phase is Phase.MATCH_COMPLETE:
            self._agent.start(self._clean_up(work))
            self._see_booked(work)
        elif work.state.phase is Phase.IDLE:
            self._over(work)

    def _take_post(self, work: RunningMatch, post: PostedAnswer) -> None:
        """A post without proof has waited for the exchange of its player to end, and was answered long ago."""
        by = player_address(post.player_id)
        self._agent.start(self._agent.exchange(work, post, by, work.refuse_unproven(post)))

    def _see_booked(self, work: RunningMatch) -> None:
        """A match is complete, though the manager may not have acknowledged its result."""
        if work.transcript.is_reported:
            return
        self._unbooked[work.keeper.name] = work
        if len(self._unbooked) == 1:
            self._agent.start(self._report_until_answered())

    def _keep(self, work: RunningMatch) -> "asyncio.Future[None] | None":
        """The file of a match is written anew whenever something has happened in it, the last time to last.

        Of a match that was given to another referee, or whose result was booked for another, no file is kept.
        """
        transcript = work.transcript
        path = match_path(self._settings.data, transcript)
        if path is None:
            why = "No file is kept of this match: its ids are not valid file names."
            self._agent.journal.note(why, work.given.match.match_id)
            return None
        return self._agent.files.put(
            path,
            transcript.rendered,
            is_passing=transcript.finished is None,
            place=partial(own_place, transcript),
            stale=partial(stale_files, transcript),
        )

    async def _clean_up(self, work: RunningMatch) -> None:
        """All there is to keep is kept, and then the referee is done with the match."""
        written = self._keep(work)
        if written is not None:
            await written
        await self._agent.bring(work, CleanupComplete())

    def _over(self, work: RunningMatch) -> None:
        self._agent.let_go(work)
        self._all.pop(work.keeper.name, None)
        self._fill()
        self._one_is_over()


# what a referee is given


def as_announced(message: RunMatch, me: RefereeId, endpoint: str) -> AnnouncedMatch:
    """A match that was handed out on its own, as it would stand in the announcement of its round."""
    return AnnouncedMatch(
        match_id=message.match_id,
        player_a_id=message.player_a_id,
        player_b_id=message.player_b_id,
        referee_endpoint=endpoint,
        game_type=message.game_type,
        referee_id=me,
        player_a_endpoint=message.player_a_endpoint,
        player_b_endpoint=message.player_b_endpoint,
    )


def unplayable(match: AnnouncedMatch) -> Fault | None:
    """Why a match cannot be led here: it does not say where its players are, or its game is not known."""
    ends = {"player_A_endpoint": match.player_a_endpoint, "player_B_endpoint": match.player_b_endpoint}
    missing = [f"matches.{name}" for name, end in ends.items() if not end]
    if missing:
        return invalid_fields(missing)
    refused = refuse_assignment(match, Seed("any"))
    return None if refused is None else Fault(INVALID_PARAMS, refused.sentence)
