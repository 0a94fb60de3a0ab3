"""A player as a process: its machine, its strategy and its history."""

import asyncio
from typing import Any

from msgspec.structs import replace

from turnstile.agents.player.accounts import decision_of, of_league, of_match
from turnstile.agents.player.failures import HAS_FAILED
from turnstile.agents.player.history import history_path, merge
from turnstile.agents.player.mail import with_addresses, with_time_left
from turnstile.agents.process.calls import ALL_TRIES
from turnstile.agents.process.journal import Level
from turnstile.agents.process.logs import PLAYERS
from turnstile.agents.process.manager_auth import BAD_TOKEN, comes_within, is_by_manager
from turnstile.agents.process.process import AgentProcess, Settings
from turnstile.agents.process.running import RunningMachine
from turnstile.agents.process.runtime import DONE
from turnstile.agents.strategies.games import games_for_two
from turnstile.agents.strategies.program import Failed
from turnstile.agents.strategies.strategies import Strategy, default_of, find_strategy
from turnstile.agents.wire.envelope import ignored, utc_now
from turnstile.agents.wire.exchange import Reply
from turnstile.agents.wire.incoming import Incoming
from turnstile.durable.timed_keeper import TimedKeeper
from turnstile.kernel.chance import Seed, new_seed
from turnstile.kernel.machine import Rejection, Step
from turnstile.kernel.values import Event, wire_name
from turnstile.league.player.machine import WHY, decision_event, is_believed, new, resumed, wanted
from turnstile.league.player.match import FALLBACK, refuse_invitation
from turnstile.league.player.state import (
    BETWEEN_MATCHES,
    IN_MATCH,
    JSON_RPC_ERRORS,
    ChoiceMade,
    Code,
    MoveMade,
    Options,
    Phase,
    PlayedMatch,
    PlayerTimeout,
    Question,
    ShutdownInitiated,
    State,
)
from turnstile.league.protocol import messages
from turnstile.league.protocol.management import LeagueError
from turnstile.league.protocol.words import (
    DEFAULT_LEAGUE,
    LEAGUE_MANAGER,
    Awaited,
    player_address,
)
from turnstile.league.trust import FROM_MANAGER
from turnstile.store.protocol import Store

WITH_MATCH = (*IN_MATCH, Phase.MATCH_COMPLETE)
STRANGER = Rejection("WrongKey", "This is not said with the key of the match.")
ERRORS: dict[str, int] = {STRANGER.code: 4001, **{code.value: number for code, number in JSON_RPC_ERRORS.items()}}
LATE = {
    Awaited.CHOOSE_PARITY_RESPONSE: f"The strategy was late: the player has said {FALLBACK.value}.",
    Awaited.GAME_MOVE_RESPONSE: "The strategy was late: the player has made its first move.",
}
"""What is noted of a choice that the player had to make by itself."""
DECISIONS = (ChoiceMade, MoveMade, PlayerTimeout)
"""The events by which a player decides: its strategy's answer, or the end of its own countdown."""
NOT_REGISTERED = Rejection(Code.IGNORED, WHY[Phase.UNREGISTERED])
TAKES_ANY = "A player that is started with --accept-unannounced takes such an invitation."
BEFORE_LEAGUE = (Phase.UNREGISTERED, Phase.REGISTERING)
EARLY_SECONDS = 1.0  # by which the manager's first words may overtake its answer to the registration
MOST_EARLY = 16


class RunningPlayer(RunningMachine[State]):
    """The player's machine. It calls only the league manager; all other messages are answers."""

    errors = ERRORS
    later = (messages.GameInvitation, messages.ChooseParityCall, messages.GameMoveCall)

    @property
    def match_id(self) -> str | None:
        state = self.state
        return state.match.match_id if state.match is not None and state.phase in WITH_MATCH else None

    def level_of(self, refused: Rejection) -> Level:
        """The specification wants an error for what is not valid, and for any league message before registration."""
        is_error = self.state.phase is Phase.UNREGISTERED or refused.code in self.errors
        return Level.ERROR if is_error else Level.WARNING


class PlayerProcess(AgentProcess):
    """A player. It ends when the league does, or when it cannot register."""

    role = "player"
    takes = (
        messages.RoundAnnouncement,
        messages.GameInvitation,
        messages.ChooseParityCall,
        messages.GameMoveCall,
        messages.GameOver,
        messages.GameError,
        messages.LeagueStandingsUpdate,
        messages.RoundCompleted,
        messages.LeagueCompleted,
        LeagueError,
    )

    def __init__(
        self,
        settings: Settings,
        strategy: str = "random",
        *,
        seed: Seed | None = None,
        accepts_unannounced: bool = False,
    ) -> None:
        """Raises `UnknownStrategy`. With a seed of its own a player chooses the same again in the same matches."""
        super().__init__(settings)
        self._seed = seed
        self._strategy_name = strategy
        self._strategy: Strategy = find_strategy(strategy, seed or Seed("-"))
        self._accepts_unannounced = accepts_unannounced
        self._keeper: TimedKeeper[State] | None = None
        self._thinking: tuple[tuple[str, int], asyncio.Task[None]] | None = None
        self._kept_matches: tuple[PlayedMatch, ...] = ()
        self._registered = asyncio.Event()
        self._early: list[Incoming] = []
        """Messages in the manager's name that came before the answer to the registration."""
        self._has_missed = False
        """There were more of them than are kept."""
        self._round_known: int | None = None
        """The latest round that the player has heard of."""

    # its beginning

    async def restore(self, store: Store) -> str | None:
        self._keeper = await TimedKeeper.restore(store, self._log, PLAYERS)
        return None if self._keeper is None else self._keeper.state.meta.contact_endpoint

    async def begin(self, endpoint: str) -> None:
        is_new = self._keeper is None
        keeper = self._keeper or await self._first(endpoint)
        self._strategy = find_strategy(self._strategy_name, self._seed or keeper.state.seed, self._heard)
        self.work = RunningPlayer(keeper, self._after, manager=self.settings.manager)
        self._introduce(keeper.state)
        self._round_known = None if keeper.state.round is None else keeper.state.round.round_id
        self._keep_history(keeper.state)
        self.agent.take_up(self.work, resumed(keeper.state))
        if keeper.state.phase is Phase.LEAGUE_COMPLETE:
            self.end()
        elif keeper.state.phase not in BEFORE_LEAGUE and not is_new:
            self.agent.start(self._come_back(keeper.state))
        wish = wanted(keeper.state)
        if wish is not None:
            self._grant(wish)

    async def _first(self, endpoint: str) -> TimedKeeper[State]:
        options = Options(
            display_name=self.settings.name,
            game_types=games_for_two(),
            contact_endpoint=endpoint,
            accepts_unannounced=self._accepts_unannounced,
            registration_secret=new_seed(),
        )
        start = new(options, self._seed or new_seed())
        return await TimedKeeper.begin(self.agent.store, self._log, PLAYERS, start, time_scale=self.settings.time_scale)

    async def _come_back(self, state: State) -> None:
        """Register once more, for example after a restart: the manager repeats what the player may have missed.

        A manager that cannot be reached may be restarting as well: it is asked again after pauses.
        """
        request, time_scale = messages.LeagueRegisterRequest(player_meta=state.meta), self.work.keeper.time_scale
        ask = self.agent.calls.ask_until_answered
        await ask(self.settings.manager, LEAGUE_MANAGER, request, time_scale, tries=ALL_TRIES)

    # its life

    async def handle(self, incoming: Incoming) -> Reply:
        message, by = incoming.message, incoming.origin
        if self.work.state.phase is Phase.UNREGISTERED:
            return await self.agent.exchange(self.work, message, by, lambda _: NOT_REGISTERED)
        if isinstance(message, FROM_MANAGER):
            is_known = await comes_within(EARLY_SECONDS * self.work.keeper.time_scale, self._registered)
            if not is_known:
                return self._keep_for_later(incoming)
        return await self._handle_registered(incoming)

    def is_from_its_manager(self, incoming: Incoming) -> bool:
        state = self.work.state
        return state.player_id is not None and is_by_manager(incoming, state.manager_proof)

    async def _handle_registered(self, incoming: Incoming) -> Reply:
        """Let the machine take a message. The manager must prove its identity, a referee must show the match's key."""
        message = with_addresses(self.work.state, incoming.message, is_signed=incoming.sender is not None)
        message = with_time_left(message, utc_now(), self.work.keeper.time_scale)
        if isinstance(message, FROM_MANAGER) and not is_by_manager(incoming, self.work.state.manager_proof):
            return self.agent.turn_down(message, incoming.origin, BAD_TOKEN)

        def refuse(state: State) -> Rejection | None:
            is_stranger = isinstance(message, messages.FromReferee) and not is_believed(
                state, message, incoming.auth_token
            )
            return STRANGER if is_stranger else None

        return await self.agent.exchange(self.work, message, incoming.origin, refuse)

    def _keep_for_later(self, incoming: Incoming) -> Reply:
        """Keep a message until the answer to the registration says how the manager proves its identity."""
        if len(self._early) == MOST_EARLY:
            self._has_missed = True
            return self.agent.turn_down(incoming.message, incoming.origin, ignored(WHY[Phase.REGISTERING]))
        self._early.append(incoming)
        what = f"{wire_name(type(incoming.message))} from {incoming.origin}"
        self.agent.journal.warning(f"{what} came before the registration was complete: kept until then.")
        return DONE

    async def _catch_up(self, early: list[Incoming], state: State) -> None:
        for incoming in early:
            await self._handle_registered(incoming)
        if self._has_missed:
            await self._come_back(state)

    def _after(self, event: Event, result: Step[State] | Rejection) -> None:
        if isinstance(result, Rejection):
            if isinstance(event, messages.GameInvitation) and would_take_any(self.work.state, event):
                self.agent.journal.note(f"{result.sentence} {TAKES_ANY}", event.match_id)
            return
        state = result.state
        self._introduce(state)
        self._warn_of_sitting_out(state)
        if state.match is not None and state.match.has_answered and isinstance(event, DECISIONS):
            self.agent.journal.decision(state.match.match_id, decision_of(state.match))
        if state.history and state.history[-1] not in self._kept_matches:
            self._tell_of_match(state.history[-1], event)
        self._keep_history(state)
        if isinstance(event, PlayerTimeout) and event.waiting_for in LATE:
            self.agent.journal.critical(LATE[event.waiting_for], event.match_id)
        if self._thinking is not None and state.phase is not Phase.CHOOSING_PARITY:
            self._thinking[1].cancel()  # it is too late, or there is nothing more to choose
            self._thinking = None
        if isinstance(event, messages.LeagueCompleted):
            self.agent.journal.over("League", None, of_league(state, event))
        if state.failure is not None:
            self.end(state.failure)
        elif state.phase is Phase.LEAGUE_COMPLETE:
            if not state.has_shut_down:
                self._start_event(ShutdownInitiated())
            self.end()
        elif (wish := wanted(state)) is not None:
            self._grant(wish)

    def _warn_of_sitting_out(self, state: State) -> None:
        """Transition 3. A round without a match for this player is worth a line, once."""
        number = None if state.round is None else state.round.round_id
        if number != self._round_known and state.phase is Phase.REGISTERED:
            self.agent.journal.warning(f"Round {number} has no match for this player: it sits out.")
        self._round_known = number

    def _tell_of_match(self, played: PlayedMatch, event: Event) -> None:
        """Log how a match ended, and whether its referee has kept its word."""
        self.agent.journal.over("Match", played.match_id, of_match(played, event))
        if played.is_unreadable is True:
            self.agent.journal.note("The result cannot be read: the match is kept without one.", played.match_id)
        if played.is_fair is False:
            self.agent.meter.unfair_draws += 1
            self.agent.journal.note(f"The draw was NOT fair: {played.referee} has not kept its word.", played.match_id)

    def _introduce(self, state: State) -> None:
        """Who the player is, as soon as it knows."""
        if state.player_id is not None:
            self.who.sender, self.who.auth_token = player_address(state.player_id), state.auth_token
            self.agent.journal.agent = state.player_id
            self._registered.set()
            early, self._early = self._early, []
            if early:
                self.agent.start(self._catch_up(early, state))

    def _grant(self, wish: Event | Question) -> None:
        """Do what only the host can do for a player."""
        if isinstance(wish, Question):
            asked = wish.match_id, 0 if wish.move is None else wish.move.number
            if self._thinking is None or self._thinking[0] != asked:
                task = self.agent.start(self._think(wish))
                self._thinking = None if task is None else (asked, task)
        else:
            self._start_event(wish)

    def _start_event(self, event: Event) -> None:
        self.agent.start(self.agent.bring(self.work, event))

    async def _think(self, question: Question) -> None:
        """Ask the strategy. One that fails costs its choice, and nothing else; so does a bug in how it is asked."""
        try:
            choice = await self._strategy(question)
        except Exception as fault:
            why = str(fault) if isinstance(fault, Failed) else f"{type(fault).__name__}: {fault}"
            self.agent.journal.critical(f"{HAS_FAILED}{why}", question.match_id)
            choice = default_of(question)
        await self.agent.bring(self.work, decision_event(question, choice))

    def _heard(self, said: str, question: Question) -> None:
        for line in said.splitlines():
            self.agent.journal.strategy_output(line, question.match_id)

    def _keep_history(self, state: State) -> None:
        """Matches that are over are written down when there is a new one, and once more after a restart."""
        if state.player_id is None or state.history is self._kept_matches:
            return
        path = history_path(self.settings.data, state.player_id)
        if path is None:
            self.agent.journal.note(f"No history is kept: {state.player_id!r} is not a valid folder name.")
        else:
            me, name = state.player_id, state.meta.display_name
            league, history = state.league_id or DEFAULT_LEAGUE, state.history
            self.agent.files.put(path, lambda: merge(path, me, name, league, history))
        self._kept_matches = state.history

    def health(self) -> dict[str, Any]:
        state = self.work.state
        return {"state": state.phase, "statistics": state.statistics, "matches_played": state.statistics.played}


def would_take_any(state: State, invitation: messages.GameInvitation) -> bool:
    """Whether an invitation is turned down only because its match was not announced."""
    would_be = replace(state, accepts_unannounced=True)
    return state.phase in BETWEEN_MATCHES and refuse_invitation(would_be, invitation) is None
