"""A referee as a process: its registration, what it is given by the manager, and what players post to it."""

import asyncio
from collections.abc import Sequence
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from turnstile.agents.launch.defaults import DEFAULT_CAPACITY
from turnstile.agents.process.logs import REGISTRARS
from turnstile.agents.process.manager_auth import (
    BAD_TOKEN,
    comes_within,
    is_by_manager,
    is_from_this_machine,
)
from turnstile.agents.process.process import AgentProcess, Settings
from turnstile.agents.process.running import RunningMachine
from turnstile.agents.process.runtime import DONE
from turnstile.agents.referee.matches import Matches, as_announced, unplayable
from turnstile.agents.referee.posts import Standing
from turnstile.agents.referee.running import RunningMatch
from turnstile.agents.strategies.games import games_for_two
from turnstile.agents.wire.envelope import POSTED, Ack, ignored
from turnstile.agents.wire.exchange import Reply
from turnstile.agents.wire.incoming import Incoming
from turnstile.agents.wire.replies import Answered
from turnstile.agents.wire.rpc import TOO_BUSY, Fault
from turnstile.durable.timed_keeper import TimedKeeper
from turnstile.kernel.chance import new_seed
from turnstile.kernel.machine import Rejection, Step
from turnstile.kernel.values import Event
from turnstile.league.protocol.management import LeagueError, RefereeRegisterRequest, RunMatch, RunMatchAck
from turnstile.league.protocol.messages import (
    ChooseParityResponse,
    GameErrorAck,
    GameJoinAck,
    GameMoveResponse,
    GameOverAck,
    LeagueCompleted,
    LeagueCompletedAck,
    LeagueMessage,
    LeagueStandingsUpdate,
    MatchResultAck,
    RoundAnnouncement,
    RoundAnnouncementAck,
    RoundCompleted,
)
from turnstile.league.protocol.values import AnnouncedMatch, RefereeMeta
from turnstile.league.protocol.words import (
    DEFAULT_LEAGUE,
    LEAGUE_MANAGER,
    MANAGER_SECONDS,
    LeagueId,
    RefereeId,
    player_address,
    referee_address,
)
from turnstile.league.referee import registrar
from turnstile.league.referee.ownership import is_for, may_go_on, schedule_query
from turnstile.league.referee.posts import PostedAnswer
from turnstile.league.trust import FROM_MANAGER
from turnstile.net.addresses import THIS_MACHINE
from turnstile.store.protocol import Store

NO_MATCH = Fault(4003, "MATCH_NOT_FOUND")
NOT_UNDER_WAY = ignored("This match is not under way.")
NOT_ASKED = Fault(4002, "This answer belongs to no question that this player was asked")
WAITS = Ack(status=POSTED.status, reason="It counts if its player answers the call with a receipt.")
NOT_SURE = Fault(TOO_BUSY, "This referee is asking which matches are its own")
NOT_REGISTERED = Fault(4005, "This referee is not registered yet")
TOO_MANY = Fault(TOO_BUSY, "Too many matches wait for this referee already")


class RefereeProcess(AgentProcess):
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
        GameOverAck,
        GameErrorAck,
        MatchResultAck,
        LeagueError,
    )

    def __init__(
        self,
        settings: Settings,
        *,
        capacity: int = DEFAULT_CAPACITY,
        trusts_posts: bool | None = None,
        key: str = "",
    ) -> None:
        """`trusts_posts`: take posted answers that do not show that they were asked for, after a receipt.

        By default those from this machine are taken, if the whole league is on this machine. `key`: shown to the
        manager to be let in.
        """
        super().__init__(settings)
        self._capacity = capacity
        self._trusts_posts = trusts_posts
        self._key = key
        self._keeper: TimedKeeper[registrar.State] | None = None
        self._registered = asyncio.Event()
        self._matches_known = asyncio.Event()
        """It is known which of the matches that were under way are still our own."""

    # its beginning

    async def restore(self, store: Store) -> str | None:
        self._keeper = await TimedKeeper.restore(store, self._log, REGISTRARS)
        return None if self._keeper is None else self._keeper.state.meta.contact_endpoint

    async def begin(self, endpoint: str) -> None:
        is_new = self._keeper is None
        keeper = self._keeper or await self._first(endpoint)
        self.work = RunningMachine(keeper, self._after, manager=self.settings.manager, token=self._key or None)
        self._introduce(keeper.state)
        self._matches = Matches(self.agent, self.settings, self._capacity, keeper.time_scale, self._end_if_over)
        self.agent.take_up(self.work, registrar.resumed(keeper.state))
        if keeper.state.phase is registrar.Phase.REGISTERED and not is_new:
            self.agent.start(self._come_back(keeper.state))
        else:
            await self._restore_matches(None)
        wish = registrar.wanted(keeper.state)
        if wish is not None:
            await self.agent.bring(self.work, wish)
        self._end_if_over()

    async def _first(self, endpoint: str) -> TimedKeeper[registrar.State]:
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
        return await TimedKeeper.begin(
            self.agent.store, self._log, REGISTRARS, start, time_scale=self.settings.time_scale
        )

    async def _come_back(self, state: registrar.State) -> None:
        """Ask after a restart which matches are still our own, and go on with those; then register once more.

        The manager knows us, and tells us again which matches we have.
        """
        is_unsure = await self._matches.is_any_open()
        answer = await self._answer_to(schedule_query(self._league)) if is_unsure else None
        await self._restore_matches(answer)
        await self._answer_to(RefereeRegisterRequest(referee_meta=state.meta), self._key)

    async def _answer_to(self, question: LeagueMessage, token: str | None = None) -> Answered | None:
        """What the manager answers, however long it is away."""
        ask, time_scale = self.agent.calls.ask_until_answered, self.work.keeper.time_scale
        return await ask(self.settings.manager, LEAGUE_MANAGER, question, time_scale, token=token)

    async def _restore_matches(self, answer: Answered | None) -> None:
        """Go on with the matches that are still our own, as the manager answers."""
        said = answer if isinstance(answer, LeagueMessage) else None
        me = self.work.state.referee_id
        await self._matches.restore(lambda given, phase: me is None or may_go_on(given, phase, said, me, self.endpoint))
        self._matches_known.set()
        self._end_if_over()

    # its life

    def _after(self, event: Event, result: Step[registrar.State] | Rejection) -> None:
        if isinstance(result, Step):
            self._introduce(result.state)
            if result.state.failure is not None:
                self.end(result.state.failure)
            self._end_if_over()

    def _introduce(self, state: registrar.State) -> None:
        """Who the referee is, as soon as it knows."""
        if state.referee_id is not None:
            self.who.sender, self.who.auth_token = referee_address(state.referee_id), state.auth_token
            self.agent.journal.agent = state.referee_id
            self._registered.set()

    def _end_if_over(self) -> None:
        is_done = self._matches_known.is_set() and not self._matches
        if self.work.state.phase is registrar.Phase.LEAGUE_COMPLETE and is_done:
            self.end()

    def is_from_its_manager(self, incoming: Incoming) -> bool:
        state = self.work.state
        return state.referee_id is not None and is_by_manager(incoming, state.manager_proof)

    async def handle(self, incoming: Incoming) -> Reply:
        message, by = incoming.message, incoming.origin
        seconds = MANAGER_SECONDS * self.work.keeper.time_scale / 2
        if isinstance(message, FROM_MANAGER):
            is_known = await comes_within(seconds, self._registered)
            if not is_known or not is_by_manager(incoming, self.work.state.manager_proof):
                return self.agent.turn_down(message, by, BAD_TOKEN if is_known else NOT_REGISTERED)
        if isinstance(message, RoundAnnouncement | RunMatch):
            is_sure = await comes_within(seconds, self._matches_known)
            if not is_sure:
                return self.agent.turn_down(message, by, NOT_SURE)
        match message:
            case RoundAnnouncement():
                return await self._take_round(message, by)
            case RunMatch():
                return await self._take_match(message, by)
            case GameJoinAck() | ChooseParityResponse() | GameMoveResponse() | GameOverAck() | GameErrorAck():
                return await self._answer_post(message, incoming)
            case MatchResultAck():
                return await self._take_result_ack(message, by)
            case LeagueCompleted():
                reply = await self.agent.exchange(self.work, message, by)
                return LeagueCompletedAck(referee_id=self.work.state.referee_id or UNSET) if reply is DONE else reply
            case _:
                self.agent.journal.received(None, message, by)
                return DONE

    # assignment

    @property
    def _id(self) -> RefereeId:
        assert self.work.state.referee_id is not None, "only a registered referee is given matches"
        return self.work.state.referee_id

    @property
    def _league(self) -> LeagueId:
        return self.work.state.league_id or DEFAULT_LEAGUE

    async def _take_round(self, message: RoundAnnouncement, by: str) -> Reply:
        """A round: the matches that are ours are taken, once each, and are ours when this is answered."""
        me = self._id
        self.agent.journal.received(None, message, by)
        ours = [match for match in message.matches if is_for(match, me, self.endpoint)]
        taken = await self._playable(message.league_id, ours)
        why = unplayable(ours[0]) if ours and not taken else None
        if why is not None:
            return self.agent.turn_down(message, by, why)
        if not await self._matches.assign(message.league_id, message.round_id, taken, me):
            return self.agent.turn_down(message, by, TOO_MANY)
        return RoundAnnouncementAck(referee_id=me, round_id=message.round_id)

    async def _playable(self, league: LeagueId, matches: Sequence[AnnouncedMatch]) -> list[AnnouncedMatch]:
        """Those that can be led, or that are known. No player loses for what the manager left out or got wrong."""
        found = []
        for match in matches:
            why = unplayable(match)
            if why is None or await self._matches.has(league, match.match_id):
                found.append(match)
            else:
                fields = why.data.get("fields", ()) if isinstance(why.data, dict) else ()
                told = f"This match cannot be played. {', '.join((why.message, *fields))}"
                self.agent.journal.note(told, match.match_id)
        return found

    async def _take_match(self, message: RunMatch, by: str) -> Reply:
        """A match on its own, as some managers hand them out."""
        self.agent.journal.received(message.match_id, message, by)
        me = self._id
        league = message.league_id or self._league
        taken = await self._playable(league, [as_announced(message, me, self.endpoint)])
        if not await self._matches.assign(league, message.round_id, taken, me):
            return self.agent.turn_down(message, by, TOO_MANY)
        return RunMatchAck(match_id=message.match_id, status="acknowledged" if taken else "error")

    async def _answer_post(self, message: PostedAnswer | GameErrorAck, incoming: Incoming) -> Reply:
        """An answer that comes as a request of its own. It is believed if it shows that it was asked for.

        If the match is not known, the match that the player is in answers with the error.
        """
        named, work = player_address(message.player_id), self._matches.find(message.match_id)
        if work is None and await self._matches.knows(self._league, message.match_id):
            return self.agent.turn_down(message, named, NOT_UNDER_WAY)
        work = work or self._matches.find_with(message.player_id)
        if work is None:
            return self.agent.turn_down(message, named, NO_MATCH)
        proven = work.proven_player(incoming)
        if proven is None:
            is_believed = self._trusts(incoming)
        else:
            is_believed = proven == message.player_id or work.state.seat_of(message.player_id) is None
        if not is_believed:
            return self.agent.turn_down(message, named, NOT_ASKED)
        if isinstance(message, GameErrorAck):
            self.agent.journal.received(message.match_id, message, player_address(proven or message.player_id))
            return POSTED
        if proven is None:
            return await self._answer_unproven(work, message)
        reply = await self.agent.exchange(work, replace(message, player_id=proven), player_address(proven))
        return POSTED if reply is DONE else reply

    def _trusts(self, incoming: Incoming) -> bool:
        """Whether a post that does not show that it was asked for may count at all."""
        if self._trusts_posts is not None:
            return self._trusts_posts
        return self.settings.reach == THIS_MACHINE and is_from_this_machine(incoming)

    async def _answer_unproven(self, work: RunningMatch, message: PostedAnswer) -> Reply:
        """A post that does not show that it was asked for counts after a receipt; until then it waits."""
        player = work.posts.speaker_of(work.state, message.player_id)
        by, post = player_address(player), replace(message, player_id=player)
        if player != message.player_id:
            self.agent.journal.note(f"{message.player_id} is taken for {player}, who owes an answer", message.match_id)
        if (complaint := work.reply_to_unproven(post)) is not None:
            return self.agent.turn_down(message, by, complaint)
        match work.posts.standing_of(work.state, player):
            case Standing.CLOSED:
                return self.agent.turn_down(message, by, NOT_ASKED)
            case Standing.OPEN:
                work.posts.hold(post)
                self.agent.journal.note(f"A posted answer waits for the receipt of {player}", message.match_id)
                return WAITS
            case Standing.RECEIPT:
                reply = await self.agent.exchange(work, post, by, work.refuse_unproven(post))
                return POSTED if reply is DONE else reply

    async def _take_result_ack(self, message: MatchResultAck, by: str) -> Reply:
        """The manager has a result, and says so in a request of its own."""
        work = self._matches.find(message.match_id)
        if work is None:
            is_known = await self._matches.knows(self._league, message.match_id)
            return self.agent.turn_down(message, by, NOT_UNDER_WAY if is_known else NO_MATCH)
        reply = await self.agent.exchange(work, message, by)
        return POSTED if reply is DONE else reply

    def health(self) -> dict[str, Any]:
        return {
            "state": self.work.state.phase,
            "matches_under_way": self._matches.under_way,
            "matches_waiting": self._matches.waiting,
            "capacity": self._capacity,
        }
