"""The league manager as a process: it decides who may register, ask, report and start the league."""

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
    listed_player,
    refuse_listed,
    refuse_other_league,
    silent_among_last,
)
from turnstile.agents.manager.records import MatchRecords
from turnstile.agents.manager.running import ManagerIdentity, RunningManager, faulted_by
from turnstile.agents.page.change_signal import ChangeSignal
from turnstile.agents.page.render import MOST_IN_CROSS_TABLE
from turnstile.agents.page.routes import page_routes
from turnstile.agents.page.scoreboard import Scoreboard
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
from turnstile.durable.timed_keeper import TimedKeeper
from turnstile.kernel.chance import new_seed
from turnstile.kernel.effects import Send
from turnstile.kernel.machine import Step
from turnstile.kernel.values import Event
from turnstile.league.manager.calls import resumed
from turnstile.league.manager.machine import manager, new
from turnstile.league.manager.queries import status_of
from turnstile.league.manager.register import (
    authenticate,
    is_member,
    reject,
)
from turnstile.league.manager.rounds import wanted
from turnstile.league.manager.schedule import matches
from turnstile.league.manager.state import Options, Phase, State
from turnstile.league.protocol.errors import LeagueErrorName, league_error
from turnstile.league.protocol.management import (
    LeagueError,
    RefereeRegisterRequest,
    ShutdownCommand,
    StartLeague,
)
from turnstile.league.protocol.messages import (
    LeagueCompletedAck,
    LeagueMessage,
    LeagueQuery,
    LeagueRegisterRequest,
    MatchResultReport,
    RoundAnnouncementAck,
    RoundCompletedAck,
    StandingsUpdateAck,
)
from turnstile.league.protocol.words import LEAGUE_MANAGER, Address, Registration
from turnstile.league.trust import claim_of, default_referee_key, is_equal, manager_proof
from turnstile.net.addresses import THIS_MACHINE, refusal, refusal_at_registration
from turnstile.store.protocol import Store

CHALLENGE_SECONDS = 3.0
SHUTDOWN_SECONDS = 5.0
STOPPED = "The league manager is stopped."
MOST_REPORTED = 20_000  # matches in a report: those of 200 players
UNREACHABLE = "Endpoint unreachable"
KEY_MISSING = "Referees of this league must show its key."
FOR_ANOTHER = "An agent cannot acknowledge a message for another agent."
NOT_ALLOWED = "Only its own machine or the operator's token may start the league."


class NotAdmitted(msgspec.Struct, frozen=True):
    """A message that is not admitted, and its answer."""

    reply: Answer


class ManagerProcess(AgentProcess):
    """A league manager. After the league it still answers queries, unless it `ends_with_league`."""

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
    """One referee may have all matches of a league, and sends a query and a report for each."""

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
        """`players`: names and endpoints of players that cannot register themselves.

        `verifies_endpoints`: an agent that registers must answer at its endpoint; the default unless the league is
        local. `admin_token`: with it the league can be started from anywhere. `referee_key`: a referee must show it;
        without one a key is made and passed to `tell`, unless the league `is_open_to_referees`, the default for a
        local league. `shuts_down_agents`: tell all agents to end if the manager stops before the end of the league.
        Raises `CannotStart`.
        """
        super().__init__(settings)
        if "" in (admin_token, referee_key):
            raise CannotStart("An empty token or key would admit everyone: give one that is not empty, or none.")
        for name, endpoint in players:
            if why := refusal(endpoint, settings.reach):
                raise CannotStart(f"The player {name} cannot be called at {endpoint}: {why}.")
        self.who = ManagerIdentity(self._proof_for)
        self._options = replace(options, trusts_repeats=options.trusts_repeats and settings.reach == THIS_MACHINE)
        self._listed = [listed_player(name, endpoint, options.game_type) for name, endpoint in players]
        refuse_listed(new(options, new_seed()), self._listed)
        self._verifies = settings.reach != THIS_MACHINE if verifies_endpoints is None else verifies_endpoints
        self._admin_token = admin_token
        self._referee_key = referee_key
        is_local = settings.reach == THIS_MACHINE
        self._makes_key = referee_key is None and not (is_local if is_open_to_referees is None else is_open_to_referees)
        self._tell = tell
        self._ends_with_league = ends_with_league
        self._shuts_down_agents = shuts_down_agents
        self._keeper: TimedKeeper[State] | None = None
        self._records = MatchRecords()
        self._changes = ChangeSignal()
        self._beginning: asyncio.Task[None] | None = None
        """Waits for the last agent to listen, and then begins the league."""

    # start

    async def restore(self, store: Store) -> str | None:
        self._keeper = await TimedKeeper.restore(store, self._log, LEAGUES, self._records.replay)
        if self._keeper is None:
            return None
        refuse_other_league(self._keeper.state, self._options)
        refuse_listed(self._keeper.state, self._listed)
        return self._keeper.about(str)

    async def begin(self, endpoint: str) -> None:
        self.agent.journal.agent = LEAGUE_MANAGER
        keeper = self._keeper or await TimedKeeper.begin(
            self.agent.store,
            self._log,
            LEAGUES,
            new(self._options, new_seed()),
            time_scale=self.settings.time_scale,
            about=endpoint,
        )
        if self._makes_key:
            self._referee_key = default_referee_key(keeper.state.secret)
            self._tell(f"Referees register with this key: {self._referee_key}")
        self.work = RunningManager(keeper, self._happened)
        self.agent.take_up(self.work, resumed(keeper.state))
        if keeper.state.phase is Phase.ACCEPTING_REGISTRATIONS:
            await self._enter_players()
        self._continue(keeper.state)

    async def _enter_players(self) -> None:
        """Register the listed players."""
        for request in self._listed:
            await self.agent.bring(self.work, request)

    # life

    def _happened(self, event: Event, state: State) -> None:
        self._records.add(event, state)
        self._changes.notify()
        self._continue(state)

    def _continue(self, state: State) -> None:
        """Begin the league when all agents are here; end the process after it, if that is wanted."""
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
        """End when all agents have heard that the league is over, as far as they can be reached."""
        await self.agent.calls.all_made()
        self.end()

    async def part(self) -> None:
        """Tell the agents to shut down, if that is wanted and the league is not over."""
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
        """Admit the message, then let the machine handle it."""
        by = incoming.origin
        message = await self._admit(incoming)
        if isinstance(message, NotAdmitted):
            return self.agent.turn_down(incoming.message, by, message.reply)
        if isinstance(message, UNAWAITED_ACKS):
            self.agent.journal.received(None, message, by)
            return POSTED
        reply = await self.agent.exchange(self.work, message, by)
        return POSTED if reply is DONE else reply

    async def _admit(self, incoming: Incoming) -> LeagueMessage | NotAdmitted:
        """The message with its authenticated sender, or why it is not admitted."""
        message = incoming.message
        if isinstance(message, LeagueRegisterRequest | RefereeRegisterRequest):
            wish = replace(message, known_as=self._known_as(incoming))
            why = self._refuse_key(incoming)
            if why is None and has_place(self.work.state, wish):  # do not call an agent that is rejected in any case
                why = await self._refuse_endpoint(message)
            return NotAdmitted(reject(message, why)) if why else wish
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
        """Why a referee may not register. The key shows that the operator trusts it with matches."""
        if self._referee_key is None or not isinstance(incoming.message, RefereeRegisterRequest):
            return None
        return None if is_equal(incoming.auth_token, self._referee_key) else KEY_MISSING

    def _known_as(self, incoming: Incoming) -> Address | UnsetType:
        """The agent whose token came with a registration, which need not name its sender."""
        agent = authenticate(self.work.state, None, incoming.auth_token)
        return UNSET if isinstance(agent, LeagueError) else agent

    async def _refuse_endpoint(self, message: LeagueRegisterRequest | RefereeRegisterRequest) -> str | None:
        """Why an agent cannot be called at its endpoint. If wanted, the manager calls it there to verify it."""
        meta = message.meta
        why = await refusal_at_registration(meta.contact_endpoint, self.settings.reach)
        if why is None and self.is_own(meta.contact_endpoint):
            why = "it is the endpoint of the league manager"
        if why is not None:
            return f"{UNREACHABLE}: {why}"
        seconds = CHALLENGE_SECONDS * self.work.keeper.time_scale
        if self._verifies and not await self.agent.calls.challenge(meta.contact_endpoint, claim_of(message), seconds):
            return f"{UNREACHABLE}: no agent of that name answers there"
        return None

    def _may_start(self, incoming: Incoming) -> bool:
        is_admin = self._admin_token is not None and is_equal(incoming.auth_token, self._admin_token)
        return is_admin or is_from_this_machine(incoming)

    # the public page

    def board(self, round_id: int | None = None) -> Scoreboard:
        """The scoreboard with one round, or with all rounds of a small league."""
        state = self.work.state
        is_small = len(state.players) <= MOST_IN_CROSS_TABLE and state.total_rounds > 0
        return self._scoreboard(range(1, state.total_rounds + 1) if is_small else (round_id or state.round_id,))

    def whole_board(self) -> Scoreboard:
        """The scoreboard with all rounds, unless the league is too large for a report."""
        state = self.work.state
        is_small = matches(len(state.players)) <= MOST_REPORTED
        return self._scoreboard(range(1, state.total_rounds + 1) if is_small else ())

    def _scoreboard(self, rounds: Iterable[int]) -> Scoreboard:
        return self._records.scoreboard(self.work.state, rounds, self.agent.contacts)

    def routes(self) -> Sequence[BaseRoute]:
        return page_routes(self.board, self.whole_board, self._changes)

    def stop(self) -> None:
        super().stop()
        self._changes.close()

    def hint(self) -> str | None:
        state = self.work.state
        if state.phase is Phase.LEAGUE_COMPLETE:
            return f"The league {state.league_id} is over."
        if state.phase is not Phase.ACCEPTING_REGISTRATIONS:
            return None
        if (expected := state.options.expected_players) is not None:
            return f"The league begins by itself when {expected} players and a referee have registered."
        return f"Start the league with: turnstile league start --manager {self.endpoint}"

    def health(self) -> Mapping[str, Any]:
        state = self.work.state
        return {
            "state": state.phase,
            "league": json_value(status_of(state)),
            "players": len(state.players),
            "referees": sum(referee.is_up for referee in state.referees),
        }


def has_place(state: State, wish: LeagueRegisterRequest | RefereeRegisterRequest) -> bool:
    """Whether the league accepts this registration."""
    step = manager.step(state, wish)
    sent = [effect.message for effect in step.effects if isinstance(effect, Send)] if isinstance(step, Step) else []
    return not any(getattr(each, "status", None) == Registration.REJECTED for each in sent)
