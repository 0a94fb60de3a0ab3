"""A referee as a process: its registration, the matches that it is given, and those that wait for their turn.

Every match has a log of its own, begun when the match is assigned: what waits is not forgotten, and what was under way
goes on after a restart. A match that is over is known by its log, and reported again when the manager asks for it.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Any

from msgspec import UNSET

from turnstile.agents.addresses import THIS_MACHINE
from turnstile.agents.assignment import handed, is_for, lacks
from turnstile.agents.belief import BAD_TOKEN, BY_MANAGER, comes_within, is_by_manager
from turnstile.agents.defaults import DEFAULT_CAPACITY
from turnstile.agents.envelope import POSTED
from turnstile.agents.exchange import Reply
from turnstile.agents.games import games_for_two
from turnstile.agents.host import Host, Settings
from turnstile.agents.incoming import Incoming
from turnstile.agents.keeper import Keeper
from turnstile.agents.ledger import table_of
from turnstile.agents.referee_work import MatchWork, RegistrarWork, open_tables
from turnstile.agents.rpc import TOO_BUSY, Fault
from turnstile.agents.runtime import DONE
from turnstile.agents.spelling import misfit
from turnstile.agents.transcript import Transcript, match_path
from turnstile.kernel.chance import new_seed
from turnstile.kernel.effects import Send
from turnstile.league import registrar
from turnstile.league.management import RefereeMeta, RefereeRegisterRequest, RunMatch, RunMatchAck
from turnstile.league.messages import (
    AnnouncedMatch,
    ChooseParityResponse,
    GameJoinAck,
    GameMoveResponse,
    LeagueCompleted,
    LeagueCompletedAck,
    LeagueMessage,
    LeagueStandingsUpdate,
    MatchResultAck,
    RoundAnnouncement,
    RoundAnnouncementAck,
    RoundCompleted,
)
from turnstile.league.referee import new, referee
from turnstile.league.referee_calls import reported, resumed
from turnstile.league.referee_state import CleanupComplete, MatchAssigned, Phase, State
from turnstile.league.words import (
    DEFAULT_LEAGUE,
    LEAGUE_MANAGER,
    MANAGER_SECONDS,
    LeagueId,
    RefereeId,
    Registration,
    player_address,
    referee_address,
)
from turnstile.store.log import Damaged, TableId
from turnstile.store.protocol import Store

TABLE = table_of("registrar")
Posted = GameJoinAck | ChooseParityResponse | GameMoveResponse
"""What a player may send as a request of its own."""
MATCHES = "match"
MOST_WAITING = 10_000  # matches: twice as many as the largest league has in a round

NO_MATCH = Fault(4003, "MATCH_NOT_FOUND")
NOT_ASKED = Fault(4002, "This answer belongs to no question that this player was asked")
NOT_REGISTERED = Fault(4005, "This referee is not registered yet")
TOO_MANY = Fault(TOO_BUSY, "Too many matches wait for this referee already")


class RefereeHost(Host):
    """A referee. It ends when the league is over and none of its matches is under way."""

    role = "referee"
    takes = (
        RoundAnnouncement,
        RunMatch,
        GameJoinAck,
        ChooseParityResponse,
        GameMoveResponse,
        LeagueStandingsUpdate,
        RoundCompleted,
        LeagueCompleted,
    )

    def __init__(
        self,
        settings: Settings,
        *,
        capacity: int = DEFAULT_CAPACITY,
        trusts_posts: bool | None = None,
        key: str = "",
    ) -> None:
        """`trusts_posts`: take posted answers at their word, though they do not show that they were asked for.

        By default, if the league is no more than this machine. `key`: shown to the manager to be let in.
        """
        super().__init__(settings)
        self._capacity = capacity
        self._trusts_posts = settings.reach == THIS_MACHINE if trusts_posts is None else trusts_posts
        self._key = key
        self._keeper: Keeper[registrar.State] | None = None
        self._matches: dict[TableId, MatchWork] = {}
        """Those that are under way, and those that wait."""
        self._waiting: deque[MatchWork] = deque()
        self._assigning = asyncio.Lock()
        self._registered = asyncio.Event()

    # its beginning

    async def restore(self, store: Store) -> str | None:
        self._keeper = await Keeper.restore(store, TABLE, registrar.registrar, is_open=_is_registrar_open)
        return None if self._keeper is None else self._keeper.state.meta.contact_endpoint

    async def begin(self, endpoint: str) -> None:
        is_new = self._keeper is None
        keeper = self._keeper or await self._first(endpoint)
        self._own_endpoint = endpoint
        self.work = RegistrarWork(keeper, self.settings.manager, self._noticed, self._key)
        self._introduce(keeper.state)
        await self._restore_matches()
        self.agent.take_up(self.work, registrar.resumed(keeper.state))
        if keeper.state.phase is registrar.Phase.REGISTERED and not is_new:
            self.agent.start(self._come_back(keeper.state))
        wish = registrar.wanted(keeper.state)
        if wish is not None:
            await self.agent.bring(self.work, wish)
        self._end_if_over()

    async def _first(self, endpoint: str) -> Keeper[registrar.State]:
        meta = RefereeMeta(
            display_name=self.settings.name,
            version="1.0.0",
            game_types=games_for_two(),
            contact_endpoint=endpoint,
            max_concurrent_matches=self._capacity,
            registration_secret=new_seed(),
            shows_keys=True,
        )
        start = registrar.new(meta, new_seed())
        return await Keeper.begin(
            self.agent.store,
            TABLE,
            registrar.registrar,
            start,
            pace=self.settings.pace,
            is_open=_is_registrar_open,
        )

    async def _restore_matches(self) -> None:
        """Every match that was under way goes on; those that waited wait on, in their order."""
        found = [await self._readable(table) for table in await open_tables(self.agent.store) if table != TABLE]
        works = [work for work in found if work is not None]
        for work in sorted(works, key=lambda work: work.keeper.opened):
            self._matches[work.keeper.table] = work
            if work.keeper.position == 0:
                self._waiting.append(work)
            else:
                self.agent.take_up(work, resumed(work.state))
                self._keep(work)
            if work.state.phase is Phase.MATCH_COMPLETE:
                self.agent.start(self._clean_up(work))
        self._fill()

    async def _readable(self, table: TableId) -> MatchWork | None:
        """A match from its log; one that is damaged is put aside, and is the manager's to give to another."""
        try:
            return await self._restored(table)
        except Damaged as fault:
            await self.agent.store.put_aside(table, fault.why)
            self.agent.journal.note(str(fault))
            return None

    async def _restored(self, table: TableId) -> MatchWork:
        """A match from its log, with its transcript as it was."""
        happened: list[Any] = []
        keeper = await Keeper.restore(
            self.agent.store, table, referee, is_open=_is_match_open, watch=lambda *what: happened.append(what)
        )
        assert keeper is not None, "it was listed"
        transcript = Transcript(keeper.about(MatchAssigned), keeper.state.referee_id, keeper.opened)
        for at, event, came_of_it in happened:
            transcript.add(at, event, came_of_it)
        return MatchWork(keeper, self.settings.manager, transcript, self._match_noticed)

    async def _come_back(self, state: registrar.State) -> None:
        """Register once more after a restart: the manager knows us, and tells us again which matches we have."""
        request = RefereeRegisterRequest(referee_meta=state.meta)
        await self.agent.ask(self.settings.manager, LEAGUE_MANAGER, request, self._seconds, self._key)

    @property
    def _seconds(self) -> float:
        return MANAGER_SECONDS * self.work.keeper.pace

    # its life

    def _noticed(self, state: registrar.State) -> None:
        self._introduce(state)
        if state.failure is not None:
            self.end(state.failure)
        self._end_if_over()

    def _introduce(self, state: registrar.State) -> None:
        """Who the referee is, as soon as it knows."""
        if state.referee_id is not None:
            self.who.sender, self.who.auth_token = referee_address(state.referee_id), state.auth_token
            self.agent.journal.agent = state.referee_id
            self._registered.set()

    def _end_if_over(self) -> None:
        if self.work.state.phase is registrar.Phase.LEAGUE_COMPLETE and not self._matches:
            self.end()

    async def handle(self, incoming: Incoming) -> Reply:
        message, by = incoming.message, incoming.sender or incoming.peer
        if isinstance(message, BY_MANAGER):
            is_known = await comes_within(self._seconds / 2, self._registered)
            if not is_known or not is_by_manager(incoming, self.work.state.manager_proof):
                return self._turned_down(message, by, BAD_TOKEN if is_known else NOT_REGISTERED)
        match message:
            case RoundAnnouncement():
                return await self._announced(message, by)
            case RunMatch():
                return await self._handed(message, by)
            case GameJoinAck() | ChooseParityResponse() | GameMoveResponse():
                return await self._posted(message, incoming)
            case LeagueCompleted():
                reply = await self.agent.exchange(self.work, message, by)
                return LeagueCompletedAck(referee_id=self.work.state.referee_id or UNSET) if reply is DONE else reply
            case _:
                self.agent.journal.received(None, message, by)
                return DONE

    # assignment

    @property
    def _id(self) -> RefereeId:
        assert self.work.state.referee_id is not None, "nobody else is given matches"
        return self.work.state.referee_id

    async def _announced(self, message: RoundAnnouncement, by: str) -> Reply:
        """A round: the matches that are ours are taken, once each, and are ours when this is answered."""
        me = self._id
        self.agent.journal.received(None, message, by)
        ours = [match for match in message.matches if is_for(match, me, self._own_endpoint)]
        taken = await self._playable(message.league_id, ours)
        if ours and not taken:
            return self._turned_down(
                message, by, misfit(sorted({f"matches.{name}" for match in ours for name in lacks(match)}))
            )
        if not await self._assign(message.league_id, message.round_id, taken, me):
            return self._turned_down(message, by, TOO_MANY)
        return RoundAnnouncementAck(referee_id=me, round_id=message.round_id)

    async def _playable(self, league: LeagueId, matches: Sequence[AnnouncedMatch]) -> list[AnnouncedMatch]:
        """Those whose players can be called, or that are known. No player loses for what the manager left out."""
        found = []
        for match in matches:
            table = table_of(MATCHES, league, match.match_id)
            if not lacks(match) or table in self._matches or await self.agent.store.row(table) is not None:
                found.append(match)
            else:
                why = f"This match cannot be played: it was assigned without {', '.join(lacks(match))}."
                self.agent.journal.note(why, match.match_id)
        return found

    async def _handed(self, message: RunMatch, by: str) -> Reply:
        """A match on its own, as some managers hand them out."""
        self.agent.journal.received(message.match_id, message, by)
        me = self._id
        league = message.league_id or self.work.state.league_id or DEFAULT_LEAGUE
        taken = await self._playable(league, [handed(message, me, self._own_endpoint)])
        if not await self._assign(league, message.round_id, taken, me):
            return self._turned_down(message, by, TOO_MANY)
        return RunMatchAck(match_id=message.match_id, status="acknowledged" if taken else "error")

    async def _assign(self, league: LeagueId, round_id: int, matches: Sequence[AnnouncedMatch], me: RefereeId) -> bool:
        """Take matches. One under way is known; one that is over is reported again. False: they are too many."""
        async with self._assigning:
            if len(self._waiting) + len(matches) > MOST_WAITING:
                return False
            begun = [self._begun(league, round_id, match, me) for match in matches]
            for work in await asyncio.gather(*begun):
                if work is not None:
                    self._matches[work.keeper.table] = work
                    self._waiting.append(work)
        self._fill()
        return True

    async def _begun(self, league: LeagueId, round_id: int, match: AnnouncedMatch, me: RefereeId) -> MatchWork | None:
        table = table_of(MATCHES, league, match.match_id)
        if table in self._matches:
            return None
        if await self.agent.store.row(table) is not None:
            self.agent.start(self._report_again(table))
            return None
        given = MatchAssigned(league_id=league, round_id=round_id, match=match, seed=new_seed())
        keeper = await Keeper.begin(
            self.agent.store,
            table,
            referee,
            new(me),
            pace=self.work.keeper.pace,
            is_open=_is_match_open,
            about=given,
        )
        transcript = Transcript(given, me, keeper.opened)
        return MatchWork(keeper, self.settings.manager, transcript, self._match_noticed)

    def _fill(self) -> None:
        """Begin with matches that wait, in the order of their assignment, while there is room."""
        while self._waiting and len(self._matches) - len(self._waiting) < self._capacity:
            self.agent.start(self._play(self._waiting.popleft()))

    async def _play(self, work: MatchWork) -> None:
        self.agent.take_up(work, [])
        await self.agent.bring(work, work.given)

    # matches

    def _match_noticed(self, work: MatchWork) -> None:
        self._keep(work)
        if work.state.phase is Phase.MATCH_COMPLETE:
            self.agent.start(self._clean_up(work))
        elif work.state.phase is Phase.IDLE:
            self._over(work)

    def _keep(self, work: MatchWork) -> "asyncio.Future[None] | None":
        """The file of a match is written anew whenever something has happened in it, the last time to last."""
        path = match_path(self.settings.data, work.transcript)
        if path is None:
            self.agent.journal.note(
                "No file is kept of this match: its ids are no names of files.", work.given.match.match_id
            )
            return None
        transcript = work.transcript
        return self.agent.scribe.put(path, transcript.rendered, is_passing=transcript.finished is None)

    async def _clean_up(self, work: MatchWork) -> None:
        """All there is to keep is kept, and then the referee is done with the match."""
        written = self._keep(work)
        if written is not None:
            await written
        await self.agent.bring(work, CleanupComplete())

    def _over(self, work: MatchWork) -> None:
        self.agent.let_go(work)
        self._matches.pop(work.keeper.table, None)
        self._fill()
        self._end_if_over()

    async def _report_again(self, table: TableId) -> None:
        """The manager asks for a match that is over: it has not heard how it ended, and is told once more."""
        work = await self._readable(table)
        state = None if work is None else work.transcript.last
        if work is None or state is None:
            return
        report = next(effect.message for effect in reported(state) if isinstance(effect, Send))
        assert isinstance(report, LeagueMessage)
        answer = await self.agent.ask(self.settings.manager, LEAGUE_MANAGER, report, self._seconds)
        if isinstance(answer, MatchResultAck) and answer.status == Registration.ACCEPTED:
            work.transcript.is_reported = True
            self._keep(work)

    async def _posted(self, message: Posted, incoming: Incoming) -> Reply:
        """An answer that comes as a request of its own. It is believed if it shows that it was asked for."""
        work, player = self._match_of(message), player_address(message.player_id)
        if work is None:
            return self._turned_down(message, player, NO_MATCH)
        if not work.is_believed(incoming, player, is_trusting=self._trusts_posts):
            return self._turned_down(message, player, NOT_ASKED)
        reply = await self.agent.exchange(work, message, player)
        return POSTED if reply is DONE else reply

    def _turned_down(self, message: LeagueMessage, by: str, fault: Fault) -> Fault:
        self.agent.turned_down(message, by, fault, getattr(message, "match_id", None))
        return fault

    def _match_of(self, message: Posted) -> MatchWork | None:
        """The match that a player speaks of; else the one it is in, where it is told that it speaks of another."""
        works = [work for work in self._matches.values() if work.keeper.position > 0]
        for work in works:
            if work.given.match.match_id == message.match_id:
                return work
        return next((work for work in works if work.state.seat_of(message.player_id) is not None), None)

    def health(self) -> dict[str, Any]:
        return {
            "state": self.work.state.phase,
            "matches_under_way": len(self._matches) - len(self._waiting),
            "matches_waiting": len(self._waiting),
            "capacity": self._capacity,
        }


def _is_registrar_open(state: registrar.State) -> bool:
    return state.phase is not registrar.Phase.LEAGUE_COMPLETE


def _is_match_open(state: State) -> bool:
    return state.phase is not Phase.IDLE
