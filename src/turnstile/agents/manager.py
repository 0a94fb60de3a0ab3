"""The league manager as a process: who may register, who may ask and report, and who may start the league."""

import hmac
from collections.abc import Callable, Mapping, Sequence
from ipaddress import ip_address
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace
from starlette.routing import BaseRoute

from turnstile.agents.addresses import THIS_MACHINE, admitted, refusal
from turnstile.agents.board import Board, Health
from turnstile.agents.bulletin import Bulletin
from turnstile.agents.challenge import claim_of
from turnstile.agents.envelope import Identity, new_conversation, plain
from turnstile.agents.exchange import Reply
from turnstile.agents.host import CannotStart, Host, Settings
from turnstile.agents.incoming import Incoming
from turnstile.agents.keeper import Keeper
from turnstile.agents.ledger import table_of
from turnstile.agents.page import routes as page_routes
from turnstile.agents.rpc import Fault
from turnstile.agents.sections import MOST_IN_CROSS_TABLE
from turnstile.agents.server import REGISTRATION
from turnstile.agents.showing import health_of, shown
from turnstile.agents.work import Answer, Work
from turnstile.kernel.chance import new_seed
from turnstile.kernel.effects import Send
from turnstile.kernel.machine import Rejection, Step
from turnstile.kernel.values import Event, PlayerId, wire_name
from turnstile.league.errors import LeagueErrorName, league_error, number_of
from turnstile.league.management import LeagueError, RefereeRegisterRequest, RefereeRegisterResponse, StartLeague
from turnstile.league.manager import manager, new
from turnstile.league.manager_calls import failure_of, resumed
from turnstile.league.manager_queries import status_of
from turnstile.league.manager_register import authenticate, is_member, manager_proof
from turnstile.league.manager_state import JSON_RPC_ERRORS, Options, Phase, State, player_id
from turnstile.league.messages import (
    LeagueMessage,
    LeagueQuery,
    LeagueRegisterRequest,
    LeagueRegisterResponse,
    MatchResultReport,
    PlayerMeta,
)
from turnstile.league.words import LEAGUE_MANAGER, Address, MatchId, RefereeId, Registration, player_address
from turnstile.store.log import Instant
from turnstile.store.protocol import Store

TABLE = table_of("manager")
CHALLENGE_SECONDS = 3.0
MOST_BYTES = 16 * 1024  # of a registration without JSON-RPC
UNREACHABLE = "Endpoint unreachable"
NOT_ALLOWED = "The league is started from its own machine, or with the token of who runs it."


class ManagerWork(Work[State]):
    """The league. It calls everybody, each in the order in which things happened."""

    errors = JSON_RPC_ERRORS

    def __init__(self, keeper: Keeper[State], happened: Callable[[Event, State], None]) -> None:
        super().__init__(keeper)
        self._happened = happened

    def endpoint_of(self, state: State, to: str) -> str | None:
        role, _, agent = to.partition(":")
        if role == "player":
            place = state.player_at(PlayerId(agent))
            return None if place is None else state.players[place].contact_endpoint
        place = state.referee_at(RefereeId(agent))
        return None if place is None else state.referees[place].contact_endpoint

    def conversation_of(self, state: State, send: Send) -> str:
        return new_conversation()

    def failure_of(self, state: State, send: Send) -> Event | None:
        return failure_of(state, send)

    def reply_to(self, message: LeagueMessage, step: Step[State]) -> Answer | None:
        """A LEAGUE_ERROR may answer anything; it travels as the error of the exchange."""
        sent = [effect.message for effect in step.effects if isinstance(effect, Send)]
        told = next((each for each in sent if isinstance(each, LeagueError)), None)
        return super().reply_to(message, step) if told is None else _fault(told, message)

    def after(self, event: Event, came_of_it: Step[State] | Rejection) -> None:
        if isinstance(came_of_it, Step):
            self._happened(event, came_of_it.state)


class Refused(msgspec.Struct, frozen=True):
    """Somebody is not let through, and what it is told."""

    reply: Answer


class ManagerIdentity(Identity):
    """Who the manager is. To every agent it shows the proof that this agent was given, and to others nothing."""

    __slots__ = ("_proof_for",)

    def __init__(self, proof_for: Callable[[str], str | None]) -> None:
        super().__init__(LEAGUE_MANAGER)
        self._proof_for = proof_for

    def token_for(self, to: str | None) -> str | None:
        return None if to is None else self._proof_for(to)


class ManagerHost(Host):
    """A league manager. When the league is over it goes on answering questions, unless it `ends_with_league`."""

    role = "manager"
    takes = (LeagueRegisterRequest, RefereeRegisterRequest, StartLeague, LeagueQuery, MatchResultReport)
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
        ends_with_league: bool = False,
    ) -> None:
        """`players`: names and endpoints of those that cannot register themselves.

        `verifies_endpoints`: whether whoever registers must answer at its address; by default, if the league is more
        than local. `admin_token`: who shows it may start the league from anywhere. Raises `CannotStart`.
        """
        super().__init__(settings)
        for name, endpoint in players:
            if why := refusal(endpoint, settings.reach):
                raise CannotStart(f"The player {name} cannot be called at {endpoint}: {why}.")
        self.who = ManagerIdentity(self._proof_for)
        self._options = replace(options, trusts_repeats=options.trusts_repeats and settings.reach == THIS_MACHINE)
        self._players = players
        self._verifies = settings.reach != THIS_MACHINE if verifies_endpoints is None else verifies_endpoints
        self._admin_token = admin_token
        self._ends_with_league = ends_with_league
        self._keeper: Keeper[State] | None = None
        self._reports: dict[MatchId, MatchResultReport] = {}
        self._bulletin = Bulletin()

    # its beginning

    async def restore(self, store: Store) -> str | None:
        self._keeper = await Keeper.restore(store, TABLE, manager, is_open=_is_open, watch=self._watched)
        return None if self._keeper is None else self._keeper.about(str)

    async def begin(self, endpoint: str) -> None:
        self.agent.journal.agent = LEAGUE_MANAGER
        keeper = self._keeper or await Keeper.begin(
            self.agent.store,
            TABLE,
            manager,
            new(self._options, new_seed()),
            pace=self.settings.pace,
            is_open=_is_open,
            about=endpoint,
        )
        self.work = ManagerWork(keeper, self._happened)
        self.agent.take_up(self.work, resumed(keeper.state))
        if keeper.state.phase is Phase.ACCEPTING_REGISTRATIONS:
            await self._enter_players()
        self._noticed(keeper.state)

    async def _enter_players(self) -> None:
        """Those that are listed take part without asking for it."""
        for name, endpoint in self._players:
            meta = PlayerMeta(
                display_name=name, version="0.0.0", game_types=(self._options.game_type,), contact_endpoint=endpoint
            )
            await self.agent.bring(self.work, LeagueRegisterRequest(player_meta=meta))

    # its life

    def _watched(self, at: Instant, event: Event, came_of_it: Step[State] | Rejection) -> None:
        """The log is read again: what was reported is not in the state any more."""
        if isinstance(came_of_it, Step):
            self._file(event)

    def _happened(self, event: Event, state: State) -> None:
        self._file(event)
        self._bulletin.changed()
        self._noticed(state)

    def _file(self, event: Event) -> None:
        """Of what was reported of a match the first counts: a repeat has changed nothing."""
        if isinstance(event, MatchResultReport):
            self._reports.setdefault(event.match_id, event)

    def _noticed(self, state: State) -> None:
        if state.phase is Phase.LEAGUE_COMPLETE and self._ends_with_league:
            self.agent.start(self._end_when_told())

    async def _end_when_told(self) -> None:
        """Everybody has been told that the league is over, as far as they can be."""
        await self.agent.all_called()
        self.end()

    def _proof_for(self, agent: str) -> str | None:
        state = self.work.state
        return manager_proof(state, Address(agent)) if is_member(state, agent) else None

    async def handle(self, incoming: Incoming) -> Reply:
        """First who, then what: whoever is let through is dealt with by the machine."""
        by = incoming.sender or incoming.peer
        believed = await self._believed(incoming)
        if isinstance(believed, Refused):
            self.agent.turned_down(incoming.message, by, believed.reply)
            return believed.reply
        return await self.agent.exchange(self.work, believed, by)

    async def _believed(self, incoming: Incoming) -> LeagueMessage | Refused:
        """The message, from whom it really is; or why nobody may say this."""
        message = incoming.message
        if isinstance(message, LeagueRegisterRequest | RefereeRegisterRequest):
            why = await self._refuse_endpoint(message)
            return Refused(_rejected(message, why)) if why else replace(message, known_as=self._known_as(incoming))
        if isinstance(message, StartLeague):
            if self._may_start(incoming):
                return message
            return Refused(_fault(league_error(LeagueErrorName.AUTH_TOKEN_INVALID, NOT_ALLOWED), message))
        assert isinstance(message, LeagueQuery | MatchResultReport), "a manager takes nothing else"
        agent = authenticate(self.work.state, incoming.sender, incoming.auth_token)
        return Refused(_fault(agent, message)) if isinstance(agent, LeagueError) else replace(message, sender=agent)

    def _known_as(self, incoming: Incoming) -> Address | UnsetType:
        """Whose token is shown by somebody who registers, and so may have no address yet."""
        agent = authenticate(self.work.state, None, incoming.auth_token)
        return UNSET if isinstance(agent, LeagueError) else agent

    async def _refuse_endpoint(self, message: LeagueRegisterRequest | RefereeRegisterRequest) -> str | None:
        """Why whoever registers cannot be called where it says; it is called there to see, if that is wanted."""
        meta = message.player_meta if isinstance(message, LeagueRegisterRequest) else message.referee_meta
        why = await admitted(meta.contact_endpoint, self.settings.reach)
        if why is not None:
            return f"{UNREACHABLE}: {why}"
        seconds = CHALLENGE_SECONDS * self.work.keeper.pace
        if self._verifies and not await self.agent.challenge(meta.contact_endpoint, claim_of(message), seconds):
            return f"{UNREACHABLE}: nobody of that name answers there"
        return None

    def _may_start(self, incoming: Incoming) -> bool:
        shown = incoming.auth_token or ""
        if self._admin_token is not None and hmac.compare_digest(shown.encode(), self._admin_token.encode()):
            return True
        return incoming.peer != "" and ip_address(incoming.peer).is_loopback

    # what everybody may see

    def board(self, round_id: int | None = None) -> Board:
        """The board with one round, or with all of a small league."""
        state = self.work.state
        some = range(1, state.total_rounds + 1) if len(state.players) <= MOST_IN_CROSS_TABLE else ()
        return shown(state, some or (round_id or state.round_id,), self._reports, self._agents(state))

    def whole_board(self) -> Board:
        state = self.work.state
        return shown(state, range(1, state.total_rounds + 1), self._reports, self._agents(state))

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

    def health(self) -> Mapping[str, Any]:
        state = self.work.state
        return {
            "state": state.phase,
            "league": plain(status_of(state)),
            "players": len(state.players),
            "referees": sum(referee.is_up for referee in state.referees),
        }


def _is_open(state: State) -> bool:
    return state.phase is not Phase.LEAGUE_COMPLETE


def _fault(told: LeagueError, message: LeagueMessage) -> Fault:
    told = replace(told, original_message_type=wire_name(type(message)))
    return Fault(number_of(told.error_code), told.error_name, told)


def _rejected(message: LeagueRegisterRequest | RefereeRegisterRequest, why: str) -> LeagueMessage:
    kind = LeagueRegisterResponse if isinstance(message, LeagueRegisterRequest) else RefereeRegisterResponse
    return kind(status=Registration.REJECTED, reason=why)
