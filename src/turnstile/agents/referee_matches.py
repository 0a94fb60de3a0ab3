"""The matches of a referee: those under way, those that wait for their turn, and those that are asked for again.

Every match has a log of its own, begun when the match is assigned: what waits is not forgotten, and what was under way
goes on after a restart. A match that is over is known by its log.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import partial
from itertools import count
from typing import Any, NamedTuple

from turnstile.agents.host import Settings
from turnstile.agents.keeper import Keeper, stored
from turnstile.agents.ledger import read_about, read_header, table_of
from turnstile.agents.referee_work import MatchWork
from turnstile.agents.runtime import Agent
from turnstile.agents.transcript import Transcript, match_path, own_place
from turnstile.kernel.chance import Seed, new_seed
from turnstile.kernel.effects import Send
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import Malformed, PlayerId
from turnstile.league.messages import AnnouncedMatch, LeagueMessage, MatchResultAck
from turnstile.league.referee import new, referee
from turnstile.league.referee_calls import reported, resumed
from turnstile.league.referee_posts import PostedAnswer
from turnstile.league.referee_state import CleanupComplete, MatchAssigned, Phase, State
from turnstile.league.words import (
    GAME_TYPE,
    LEAGUE_MANAGER,
    MANAGER_SECONDS,
    LeagueId,
    MatchId,
    RefereeId,
    Registration,
    player_address,
)
from turnstile.store.log import Damaged, TableId
from turnstile.store.protocol import Row, Store

MATCHES = "match"
NOTHING_TOLD = (Phase.WAITING_FOR_PLAYERS, Phase.COLLECTING_CHOICES)
"""Phases in which no player knows a result yet. A match of Even/Odd whose log is damaged then is begun again, with the
same seed: what the players have answered they answer again. Any other is the manager's to give to another referee."""
MOST_WAITING = 10_000  # matches: twice as many as the largest league has in a round
PAGE = 100


class _Found(NamedTuple):
    table: TableId
    is_begun: bool
    damaged: TableId | None
    """The log before this one, which cannot be read any more."""


class Matches:
    """All that a referee has been given, as many at a time as it may run."""

    def __init__(
        self, agent: Agent, settings: Settings, capacity: int, pace: float, one_is_over: Callable[[], None]
    ) -> None:
        self._agent = agent
        self._settings = settings
        self._capacity = capacity
        self._pace = pace
        self._one_is_over = one_is_over
        self._all: dict[TableId, MatchWork] = {}
        """Those that are under way, and those that wait."""
        self._waiting: deque[MatchWork] = deque()
        self._latest: LeagueId | None = None
        """The league of the latest match; not every manager names one when a referee registers."""
        self._assigning = asyncio.Lock()

    def __bool__(self) -> bool:
        """Whether there is anything to do."""
        return bool(self._all)

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @property
    def under_way(self) -> int:
        return len(self._all) - len(self._waiting)

    def find(self, match: MatchId) -> MatchWork | None:
        """A match that is under way."""
        return next((work for work in self._begun_ones() if work.given.match.match_id == match), None)

    def find_with(self, player: PlayerId) -> MatchWork | None:
        """The match under way that a player is in."""
        return next((work for work in self._begun_ones() if work.state.seat_of(player) is not None), None)

    def _begun_ones(self) -> Iterator[MatchWork]:
        return (work for work in self._all.values() if work.keeper.position > 0)

    async def has(self, league: LeagueId, match: MatchId) -> bool:
        """Whether a match was given to this referee before, be it over or not."""
        return (await self._look_up(league, match)).is_begun

    async def _look_up(self, league: LeagueId, match: MatchId) -> "_Found":
        """The log of a match. Where one was damaged the next counts, if the match can be begun again."""
        before: TableId | None = None
        for number in count(1):
            table = table_of(MATCHES, league, match, *([str(number)] if number > 1 else []))
            row = await stored(self._agent.store.row, table)
            if row is None or not row.note or row.phase not in NOTHING_TOLD:
                return _Found(table, row is not None, before)
            before = table
        raise AssertionError("there is always a next number")

    async def knows(self, league: LeagueId, match: MatchId) -> bool:
        """Whether there was such a match in the referee's league, or in the one that it was last given a match of."""
        return any([await self.has(each, match) for each in {league, self._latest or league}])

    # after a restart

    async def restore(self) -> None:
        """Every match that was under way goes on; those that waited wait on, in their order."""
        works: list[MatchWork] = []
        async for page in _open_matches(self._agent.store):
            found = await asyncio.gather(*map(self._readable, page))
            works += [work for work in found if work is not None]
        for work in sorted(works, key=lambda work: work.keeper.opened):
            self._all[work.keeper.table] = work
            if work.keeper.position == 0:
                self._waiting.append(work)
            else:
                self._agent.take_up(work, resumed(work.state))
                self._keep(work)
            if work.state.phase is Phase.MATCH_COMPLETE:
                self._agent.start(self._clean_up(work))
        self._fill()

    async def _readable(self, table: TableId) -> MatchWork | None:
        """A match from its log; one that is damaged is put aside, and is the manager's to give to another."""
        try:
            return await self._restored(table)
        except Damaged as fault:
            await self._put_aside(table, fault.why)
            self._agent.journal.note(str(fault))
            return None

    async def _put_aside(self, table: TableId, why: str) -> None:
        await stored(self._agent.store.put_aside, table, why)

    async def _restored(self, table: TableId) -> MatchWork:
        """A match from its log, with its transcript as it was."""
        happened: list[Any] = []
        keeper = await Keeper.restore(
            self._agent.store, table, referee, is_open=_is_open, watch=lambda *what: happened.append(what)
        )
        assert keeper is not None, "it was listed"
        work = self._work(keeper, keeper.about(MatchAssigned))
        for at, event, came_of_it in happened:
            work.transcript.add(at, event, came_of_it)
        return work

    def _work(self, keeper: Keeper[State], given: MatchAssigned) -> MatchWork:
        self._latest = given.league_id
        transcript = Transcript(given, keeper.state.referee_id, keeper.opened)
        return MatchWork(keeper, self._settings.manager, transcript, self._noticed, self._take_post)

    # assignment

    async def assign(self, league: LeagueId, round_id: int, matches: Sequence[AnnouncedMatch], me: RefereeId) -> bool:
        """Take matches. One under way is known; one that is over is reported again. False: they are too many."""
        async with self._assigning:
            if len(self._waiting) + len(matches) > MOST_WAITING:
                return False
            begun = [self._begun(league, round_id, match, me) for match in matches]
            for work in await asyncio.gather(*begun):
                if work is not None:
                    self._all[work.keeper.table] = work
                    self._waiting.append(work)
        self._fill()
        return True

    async def _begun(self, league: LeagueId, round_id: int, match: AnnouncedMatch, me: RefereeId) -> MatchWork | None:
        found = await self._look_up(league, match.match_id)
        if found.table in self._all:
            return None
        if found.is_begun:
            self._agent.start(self._report_again(found.table))
            return None
        seed = new_seed() if found.damaged is None else await self._seed_in(found.damaged)
        if seed is None or (found.damaged is not None and match.game_type != GAME_TYPE):
            return None
        given = MatchAssigned(league_id=league, round_id=round_id, match=match, seed=seed)
        keeper = await Keeper.begin(
            self._agent.store, found.table, referee, new(me), pace=self._pace, is_open=_is_open, about=given
        )
        return self._work(keeper, given)

    async def _seed_in(self, damaged: TableId) -> Seed | None:
        """The seed that a match was bound to whose log is damaged, if that is still to be read."""
        saved = await stored(self._agent.store.load, damaged)
        try:
            return None if saved is None else read_about(read_header(damaged, saved.header), MatchAssigned).seed
        except (Damaged, Malformed):
            return None

    def _fill(self) -> None:
        """Begin with matches that wait, in the order of their assignment, while there is room."""
        while self._waiting and self.under_way < self._capacity:
            self._agent.start(self._play(self._waiting.popleft()))

    async def _play(self, work: MatchWork) -> None:
        """Begin with a match. A game that is not there any more, after a restart, cannot be begun."""
        self._agent.take_up(work, [])
        came_of_it = await self._agent.bring(work, work.given)
        if isinstance(came_of_it, Rejection):
            await self._put_aside(work.keeper.table, came_of_it.sentence)
            self._agent.journal.note(f"This match cannot be played. {came_of_it.sentence}", work.given.match.match_id)
            self._over(work)

    async def _report_again(self, table: TableId) -> None:
        """The manager asks for a match that is over: it has not heard how it ended, and is told once more."""
        work = await self._readable(table)
        state = None if work is None else work.transcript.last
        if work is None or state is None:
            return
        report = next(effect.message for effect in reported(state) if isinstance(effect, Send))
        assert isinstance(report, LeagueMessage)
        seconds = MANAGER_SECONDS * self._pace
        answer = await self._agent.calls.ask(self._settings.manager, LEAGUE_MANAGER, report, seconds)
        if isinstance(answer, MatchResultAck) and answer.status == Registration.ACCEPTED:
            work.transcript.is_reported = True
            self._keep(work)

    # their course

    def _noticed(self, work: MatchWork) -> None:
        self._keep(work)
        if work.state.phase is Phase.MATCH_COMPLETE:
            self._agent.start(self._clean_up(work))
        elif work.state.phase is Phase.IDLE:
            self._over(work)

    def _take_post(self, work: MatchWork, post: PostedAnswer) -> None:
        self._agent.start(self._taken(work, post))

    async def _taken(self, work: MatchWork, post: PostedAnswer) -> None:
        """A post without proof has waited for the exchange of its player to end, and was answered long ago."""
        await self._agent.exchange(work, post, player_address(post.player_id), work.refuse_unproven(post))

    def _keep(self, work: MatchWork) -> "asyncio.Future[None] | None":
        """The file of a match is written anew whenever something has happened in it, the last time to last."""
        transcript = work.transcript
        path = match_path(self._settings.data, transcript)
        if path is None:
            why = "No file is kept of this match: its ids are no names of files."
            self._agent.journal.note(why, work.given.match.match_id)
            return None
        place = partial(own_place, transcript)
        return self._agent.scribe.put(path, transcript.rendered, is_passing=transcript.finished is None, place=place)

    async def _clean_up(self, work: MatchWork) -> None:
        """All there is to keep is kept, and then the referee is done with the match."""
        written = self._keep(work)
        if written is not None:
            await written
        await self._agent.bring(work, CleanupComplete())

    def _over(self, work: MatchWork) -> None:
        self._agent.let_go(work)
        self._all.pop(work.keeper.table, None)
        self._fill()
        self._one_is_over()


async def _open_matches(store: Store) -> AsyncIterator[list[TableId]]:
    """Every log of a match that is not at its end, a page at a time."""
    page: list[tuple[TableId, Row]] = []
    is_last = False
    while not is_last:
        page = await stored(store.tables, is_open=True, after=page[-1][0] if page else None, limit=PAGE)
        is_last = len(page) < PAGE
        yield [table for table, _ in page if table.startswith(f"{MATCHES}/")]


def _is_open(state: State) -> bool:
    return state.phase is not Phase.IDLE
