"""The league manager as a process: who may register, who may ask and report, and who may start the league."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace
from starlette.routing import BaseRoute

from turnstile.agents.manager.beginning import (
    LISTEN_SECONDS,
    all_agents,
    refuse_listed,
    refuse_other_league,
    silent_among_last,
)
from turnstile.agents.manager.running import ManagerIdentity, RunningManager, faulted_by
from turnstile.agents.page.change_signal import ChangeSignal
from turnstile.agents.page.projection import health_of, scoreboard_of
from turnstile.agents.page.render import MOST_IN_CROSS_TABLE
from turnstile.agents.page.routes import page_routes
from turnstile.agents.page.scoreboard import Health, Round, Scoreboard
from turnstile.agents.process.keeper import MachineKeeper
from turnstile.agents.process.logs import LEAGUES
from turnstile.agents.process.manager_auth import is_from_this_machine
from turnstile.agents.process.process import AgentProcess, CannotStart, Settings
from turnstile.agents.process.running import Answer
from turnstile.agents.process.runtime import DONE
from turnstile.agents.wire.door import REGISTRATION
from turnstile.agents.wire.envelope import POSTED, json_value
from turnstile.agents.wire.exchange import Reply
from turnstile.agents.wire.incoming import Incoming
from turnstile.agents.wire.replies import UNAWAITED_ACKS, PostedAck, sign_ack
from turnstile.kernel.chance import Commitment, new_seed
from turnstile.kernel.effects import Send
from turnstile.kernel.machine import Step
from turnstile.kernel.values import Event, Instant
from turnstile.league.manager.calls import resumed
from turnstile.league.manager.machine import manager, new
from turnstile.league.manager.queries import commitment_of, status_of
from turnstile.league.manager.register import (
    authenticate,
    is_member,
)
from turnstile.league.manager.rounds import wanted
from turnstile.league.manager.schedule import matches
from turnstile.league.manager.state import Options, Phase, State, player_id
from turnstile.league.protocol.errors import LeagueErrorName, league_error
from turnstile.league.protocol.management import (
    LeagueError,
    RefereeRegisterRequest,
    RefereeRegisterResponse,
    ShutdownCommand,
    StartLeague,
)
from turnstile.league.protocol.messages import (
    LeagueCompletedAck,
    LeagueMessage,
    LeagueQuery,
    LeagueRegisterRequest,
    LeagueRegisterResponse,
    MatchResultReport,
    PlayerMeta,
    RoundAnnouncementAck,
    RoundCompletedAck,
    StandingsUpdateAck,
)
from turnstile.league.protocol.words import LEAGUE_MANAGER, Address, MatchId, Registration, player_address
from turnstile.league.trust import claim_of, default_referee_key, is_equal, manager_proof
from turnstile.net.addresses import THIS_MACHINE, refusal, refusal_at_registration
from turnstile.store.protocol import Store

CHALLENGE_SECONDS = 3.0
SHUTDOWN_SECONDS = 5.0
STOPPED = "The league manager is stopped."
MOST_REPORTED = 20_000  # matches in a report: 200 players
UNREACHABLE = "Endpoint unreachable"
KEY_MISSING = "A referee of this league shows its key."
FOR_ANOTHER = "Nobody acknowledges anything for another."
NOT_ALLOWED = "The league is started from its own machine, or with the token of who runs it."


class NotAdmitted(msgspec.Struct, frozen=True):
    """Somebody is not let through, and what it is told."""

    reply: Answer


class ManagerProcess(AgentProcess):
    """A league manager. When the league is over it goes on answering questions, unless it `ends_with_league`."""

    role = "manager"
    takes = (
        LeagueRegisterRequest,
        RefereeRegisterRequest,
        StartLeague,
        LeagueQuery,
        MatchResultReport,
        RoundAnnouncementAck,
        StandingsUpdateAck,
        RoundCompletedAck,
        LeagueCompletedAck,
        LeagueError,
    )
    is_orderly = True
    posts = REGISTRATION
    quota = (2_000, 10_000)
    """One referee may have all matches of a league, and asks and reports for each."""

    def __init__(
        self,
        settings: Settings,
        options: Options,
        *,
        players: Sequence[tuple[str, str]] = (),
        verifies_endpoints: bool | None = None,
        admin_token: str | None = None,
        referee_key: str | None = None,
        is_open_to_referees: bool | None = None,
        tell: Callable[[str], None] = lambda line: None,
        ends_with_league: bool = False,
        shuts_down_agents: bool = False,
    ) -> None:
        """`players`: names and endpoints of those that cannot register themselves.

        `verifies_endpoints`: whether whoever registers must answer at its address; by default, if the league is more
        than local. `admin_token`: who shows it may start the league from anywhere. `referee_key`: what a referee must
        show; without one it is made, and `tell` is told it, unless the league `is_open_to_referees`, as by default one
        is that is only local. `shuts_down_agents`: tell all agents to end when the manager is stopped before its league
        is over. Raises `CannotStart`.
        """
        super().__init__(settings)
        if "" in (admin_token, referee_key):
            raise CannotStart("An empty token or key would let anybody in: give one with characters in it, or none.")
        for name, endpoint in players:
            if why := refusal(endpoint, settings.reach):
                raise CannotStart(f"The player {name} cannot be called at {endpoint}: {why}.")
        self.who = ManagerIdentity(self._proof_for)
        self._options = replace(options, trusts_repeats=options.trusts_repeats and settings.reach == THIS_MACHINE)
        self._listed = [
            PlayerMeta(display_name=name, version="0.0.0", game_types=(options.game_type,), contact_endpoint=endpoint)
            for name, endpoint in players
        ]
        refuse_listed(new(options, new_seed()), self._listed)
        self._verifies = settings.reach != THIS_MACHINE if verifies_endpoints is None else verifies_endpoints
        self._admin_token = admin_token
        self._referee_key = referee_key
        is_local = settings.reach == THIS_MACHINE
        self._makes_key = referee_key is None and not (is_local if is_open_to_referees is None else is_open_to_referees)
        self._tell = tell
        self._ends_with_league = ends_with_league
        self._shuts_down_agents = shuts_down_agents
        self._keeper: MachineKeeper[State] | None = None
        self._reports: dict[MatchId, MatchResultReport] = {}
        self._commitments: dict[MatchId, Commitment] = {}
        self._rounds: dict[int, Round] = {}
        """Rounds that are over, as they are shown."""
        self._before: State | None = None
        """The league before the latest event: the last result of a round is the end of what was known of it."""
        self._bulletin = ChangeSignal()
        self._beginning: asyncio.Task[None] | None = None
        """Waits for the last agent to listen, and then begins the league."""

    # its beginning

    async def restore(self, store: Store) -> str | None:
        self._keeper = await MachineKeeper.restore(store, self._log, LEAGUES, self._watched)
        if self._keeper is None:
            return None
        refuse_other_league(self._keeper.state, self._options)
        refuse_listed(self._keeper.state, self._listed)
        return self._keeper.about(str)

    async def begin(self, endpoint: str) -> None:
        self.agent.journal.agent = LEAGUE_MANAGER
        keeper = self._keeper or await MachineKeeper.begin(
            self.agent.store,
            self._log,
            LEAGUES,
            new(self._options, new_seed()),
            time_scale=self.settings.time_scale,
            about=endpoint,
        )
        if self._makes_key:
            self._referee_key = default_referee_key(keeper.state.secret)
            self._tell(f"A referee is let in with this key: {self._referee_key}")
        self.work = RunningManager(keeper, self._happened)
        self.agent.take_up(self.work, resumed(keeper.state))
        if keeper.state.phase is Phase.ACCEPTING_REGISTRATIONS:
            await self._enter_players()
        self._noticed(keeper.state)

    async def _enter_players(self) -> None:
        """Those that are listed take part without asking for it."""
        for meta in self._listed:
            await self.agent.bring(self.work, LeagueRegisterRequest(player_meta=meta))

    # its life

    def _watched(self, at: Instant, event: Event, step: Step[State]) -> None:
        """The log is read again: what was reported is not in the state any more."""
        self._file(event, step.state)

    def _happened(self, event: Event, state: State) -> None:
        self._file(event, state)
        self._bulletin.notify()
        self._noticed(state)

    def _file(self, event: Event, state: State) -> None:
        """Of what was reported of a match the first counts: a repeat has changed nothing."""
        if isinstance(event, MatchResultReport) and event.match_id not in self._reports:
            self._reports[event.match_id] = event
            if self._before is not None and (bound := commitment_of(self._before, event.match_id)):
                self._commitments[event.match_id] = bound
        self._before = state

    def _noticed(self, state: State) -> None:
        if wanted(state) is not None and self._beginning is None:
            self._beginning = self.agent.start(self._begin_when_all_listen())
        if state.phase is Phase.LEAGUE_COMPLETE and self._ends_with_league:
            self.agent.start(self._end_when_told())

    async def _begin_when_all_listen(self) -> None:
        await self._until_last_agents_listen()
        if (event := wanted(self.work.state)) is not None:
            await self.agent.bring(self.work, event)

    async def _until_last_agents_listen(self) -> None:
        seconds = LISTEN_SECONDS * self.work.keeper.time_scale
        for who, endpoint in await silent_among_last(self.work.state, self.agent.calls, seconds):
            self.agent.journal.warning(f"{who} does not listen at {endpoint}: the league begins without it.")

    async def _end_when_told(self) -> None:
        """Everybody has been told that the league is over, as far as they can be."""
        await self.agent.calls.all_made()
        self.end()

    async def part(self) -> None:
        """Shut the agents down, if that is wanted. After the league nobody is told anything more."""
        state = self.work.state
        if not self._shuts_down_agents or state.phase is Phase.LEAGUE_COMPLETE:
            return
        command, seconds = ShutdownCommand(reason=STOPPED), SHUTDOWN_SECONDS * self.work.keeper.time_scale
        ask = self.agent.calls.ask
        await asyncio.gather(*(ask(endpoint, agent, command, seconds) for agent, endpoint in all_agents(state)))

    def _proof_for(self, agent: str) -> str | None:
        state = self.work.state
        return manager_proof(state.secret, Address(agent)) if is_member(state, agent) else None

    async def handle(self, incoming: Incoming) -> Reply:
        """First who, then what: whoever is let through is dealt with by the machine."""
        by = incoming.sender or incoming.peer
        if isinstance(incoming.message, LeagueError):
            self.agent.journal.received(None, incoming.message, by)
            return DONE
        believed = await self._believed(incoming)
        if isinstance(believed, NotAdmitted):
            self.agent.turned_down(incoming.message, by, believed.reply)
            return believed.reply
        if isinstance(believed, UNAWAITED_ACKS):
            self.agent.journal.received(None, believed, by)
            return POSTED
        reply = await self.agent.exchange(self.work, believed, by)
        return POSTED if reply is DONE else reply

    async def _believed(self, incoming: Incoming) -> LeagueMessage | NotAdmitted:
        """The message, from whom it really is; or why nobody may say this."""
        message = incoming.message
        if isinstance(message, LeagueRegisterRequest | RefereeRegisterRequest):
            wish = replace(message, known_as=self._known_as(incoming))
            why = self._refuse_key(incoming)
            if why is None and has_place(self.work.state, wish):  # whom it turns away in any case it need not call
                why = await self._refuse_endpoint(message)
            return NotAdmitted(_rejected(message, why)) if why else wish
        if isinstance(message, StartLeague):
            if self._may_start(incoming):
                if self.work.state.phase is Phase.ACCEPTING_REGISTRATIONS:
                    await self._until_last_agents_listen()
                return message
            return NotAdmitted(faulted_by(league_error(LeagueErrorName.AUTH_TOKEN_INVALID, NOT_ALLOWED), message))
        agent = authenticate(self.work.state, incoming.sender, incoming.auth_token)
        if isinstance(agent, LeagueError):
            return NotAdmitted(faulted_by(agent, message))
        if isinstance(message, PostedAck):
            other = league_error(LeagueErrorName.AUTH_TOKEN_INVALID, FOR_ANOTHER)
            return sign_ack(agent, message) or NotAdmitted(faulted_by(other, message))
        assert isinstance(message, LeagueQuery | MatchResultReport), "a manager takes nothing else"
        return replace(message, sender=agent)

    def _refuse_key(self, incoming: Incoming) -> str | None:
        """Why a referee is not let in: who comes is given matches, and so must be known to whoever runs the league."""
        if self._referee_key is None or not isinstance(incoming.message, RefereeRegisterRequest):
            return None
        return None if is_equal(incoming.auth_token, self._referee_key) else KEY_MISSING

    def _known_as(self, incoming: Incoming) -> Address | UnsetType:
        """Whose token is shown by somebody who registers, and so may have no address yet."""
        agent = authenticate(self.work.state, None, incoming.auth_token)
        return UNSET if isinstance(agent, LeagueError) else agent

    async def _refuse_endpoint(self, message: LeagueRegisterRequest | RefereeRegisterRequest) -> str | None:
        """Why whoever registers cannot be called where it says; it is called there to see, if that is wanted."""
        meta = message.player_meta if isinstance(message, LeagueRegisterRequest) else message.referee_meta
        why = await refusal_at_registration(meta.contact_endpoint, self.settings.reach)
        if why is None and self.is_own(meta.contact_endpoint):
            why = "the league manager lives there"
        if why is not None:
            return f"{UNREACHABLE}: {why}"
        seconds = CHALLENGE_SECONDS * self.work.keeper.time_scale
        if self._verifies and not await self.agent.calls.challenge(meta.contact_endpoint, claim_of(message), seconds):
            return f"{UNREACHABLE}: nobody of that name answers there"
        return None

    def _may_start(self, incoming: Incoming) -> bool:
        is_admin = self._admin_token is not None and is_equal(incoming.auth_token, self._admin_token)
        return is_admin or is_from_this_machine(incoming)

    # what everybody may see

    def board(self, round_id: int | None = None) -> Scoreboard:
        """The board with one round, or with all of a small league."""
        state = self.work.state
        some = range(1, state.total_rounds + 1) if len(state.players) <= MOST_IN_CROSS_TABLE else ()
        return self._shown(state, some or (round_id or state.round_id,))

    def whole_board(self) -> Scoreboard:
        """The board with all rounds, unless they are too many for anybody to look at."""
        state = self.work.state
        is_small = matches(len(state.players)) <= MOST_REPORTED
        return self._shown(state, range(1, state.total_rounds + 1) if is_small else ())

    def _shown(self, state: State, rounds: Iterable[int]) -> Scoreboard:
        return scoreboard_of(state, rounds, self._reports, self._agents(state), self._commitments, self._rounds)

    def _agents(self, state: State) -> tuple[Health, ...]:
        referees = (
            self._agent(each.address, each.display_name, is_up=each.is_up, load=each.load) for each in state.referees
        )
        players = (
            self._agent(player_address(player_id(number)), each.display_name)
            for number, each in enumerate(state.players, 1)
        )
        return (*referees, *players)

    def _agent(self, address: Address, name: str, *, is_up: bool = True, load: int = 0) -> Health:
        contact = self.agent.contacts[address]
        return health_of(address, name, contact, is_up=is_up, load=load)

    def routes(self) -> Sequence[BaseRoute]:
        return page_routes(self.board, self.whole_board, self._bulletin)

    def stop(self) -> None:
        super().stop()
        self._bulletin.close()

    def hint(self) -> str | None:
        state = self.work.state
        if state.phase is Phase.LEAGUE_COMPLETE:
            return f"The league {state.league_id} is over."
        if state.phase is not Phase.ACCEPTING_REGISTRATIONS:
            return None
        if (expected := state.options.expected_players) is not None:
            return f"The league begins by itself when {expected} players and a referee have registered."
        return f"The league begins when it is told to: turnstile league start --manager {self.endpoint}"

    def health(self) -> Mapping[str, Any]:
        state = self.work.state
        return {
            "state": state.phase,
            "league": json_value(status_of(state)),
            "players": len(state.players),
            "referees": sum(referee.is_up for referee in state.referees),
        }


def has_place(state: State, wish: LeagueRegisterRequest | RefereeRegisterRequest) -> bool:
    """Whether the league takes whoever registers like this, or has it already."""
    step = manager.step(state, wish)
    sent = [effect.message for effect in step.effects if isinstance(effect, Send)] if isinstance(step, Step) else []
    return not any(getattr(each, "status", None) == Registration.REJECTED for each in sent)


def _rejected(message: LeagueRegisterRequest | RefereeRegisterRequest, why: str) -> LeagueMessage:
    kind = LeagueRegisterResponse if isinstance(message, LeagueRegisterRequest) else RefereeRegisterResponse
    return kind(status=Registration.REJECTED, reason=why)
