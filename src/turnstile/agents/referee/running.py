"""One match of a referee at work: whom it calls, whom it believes, and the file that tells of it."""

from collections.abc import Callable

from turnstile.agents.process.keeper import MachineKeeper, Refuse
from turnstile.agents.process.running import Answer, RunningMachine
from turnstile.agents.referee.posts import Posts, Standing
from turnstile.agents.referee.transcript import Transcript
from turnstile.agents.wire.envelope import ignored, new_conversation
from turnstile.agents.wire.incoming import Incoming
from turnstile.agents.wire.replies import Answered, Receipt
from turnstile.agents.wire.rpc import Fault
from turnstile.kernel.effects import Send
from turnstile.kernel.machine import Rejection, Step
from turnstile.kernel.values import Event, PlayerId
from turnstile.league.protocol.messages import ChooseParityResponse, GameError, LeagueMessage, LeagueQuery
from turnstile.league.protocol.words import JSON_RPC_ERRORS, LEAGUE_MANAGER, Address, ErrorName, player_address
from turnstile.league.referee import registrar
from turnstile.league.referee.calls import failure_of
from turnstile.league.referee.posts import PostedAnswer, call_made, complaint
from turnstile.league.referee.state import Code, MatchAssigned, State
from turnstile.league.trust import is_equal, match_conversation

NO_RECEIPT = Rejection(Code.IGNORED, "Nobody answers for a player that has not given a receipt for its call.")
BAD_POST = Rejection(Code.IGNORED, "The referee would complain about this, and it does not show that it was asked for.")
FIRST_COUNTS = ignored("The first answer counts.")


class RunningRegistrar(RunningMachine[registrar.State]):
    """The registration of a referee."""

    def __init__(
        self,
        keeper: MachineKeeper[registrar.State],
        manager: str,
        noticed: Callable[[registrar.State], None],
        key: str = "",
    ) -> None:
        super().__init__(keeper)
        self._manager = manager
        self._key = key
        self._noticed = noticed

    def endpoint_of(self, state: registrar.State, to: str) -> str | None:
        return self._manager

    def conversation_of(self, state: registrar.State, send: Send) -> str:
        return new_conversation()

    def token_of(self, state: registrar.State, send: Send) -> str | None:
        return self._key or None

    def failure_of(self, state: registrar.State, send: Send) -> Event | None:
        return registrar.failure_of(state)

    def after(self, event: Event, result: Step[registrar.State] | Rejection) -> None:
        if isinstance(result, Step):
            self._noticed(result.state)


class RunningMatch(RunningMachine[State]):
    """A match: its machine, what it was assigned, and its transcript."""

    def __init__(
        self,
        keeper: MachineKeeper[State],
        manager: str,
        transcript: Transcript,
        noticed: Callable[["RunningMatch"], None],
        take_post: Callable[["RunningMatch", PostedAnswer], None],
    ) -> None:
        """`take_post` is given a post that has waited for the exchange of its player to end."""
        super().__init__(keeper)
        self.transcript = transcript
        self.posts = Posts()
        self._manager = manager
        self._noticed = noticed
        self._take_post = take_post
        match = self.given.match
        self._players = (match.player_a_id, match.player_b_id)
        self._endpoints: dict[str, str | None] = {
            player_address(match.player_a_id): match.player_a_endpoint,
            player_address(match.player_b_id): match.player_b_endpoint,
        }
        self._keys = {player_address(each): match.key_of(each) for each in self._players}

    @property
    def given(self) -> MatchAssigned:
        return self.transcript.given

    def match_of(self, state: State) -> str | None:
        return self.given.match.match_id

    def endpoint_of(self, state: State, to: str) -> str | None:
        return self._manager if to == LEAGUE_MANAGER else self._endpoints.get(to)

    def token_of(self, state: State, send: Send) -> str | None:
        """A player is shown the key of its own in this match."""
        return self._keys.get(Address(send.to))

    def failure_of(self, state: State, send: Send) -> Event | None:
        return failure_of(state, send)

    def faulted(self, state: State, send: Send) -> Event | None:
        """A manager that will not tell the standings is not waited for."""
        return failure_of(state, send) if isinstance(send.message, LeagueQuery) else None

    def after(self, event: Event, result: Step[State] | Rejection) -> None:
        if isinstance(result, Step):
            self.transcript.add(self.keeper.changed, event, result)
            self._noticed(self)

    # conversations

    def conversation_of(self, state: State, send: Send) -> str:
        """One for the whole match with each player; every question to the manager has its own."""
        return new_conversation() if send.to == LEAGUE_MANAGER else self.conversation_with(send.to)

    def conversation_with(self, player: str) -> str:
        """The id that only the referee and this player know: a post that shows it was asked for."""
        return match_conversation(self.given.seed, self.given.match.match_id, player)

    # posts

    def proven_player(self, post: Incoming) -> PlayerId | None:
        """The player whose conversation a post shows: it is this player's, whatever ids it gives."""
        expected = {player: self.conversation_with(player_address(player)) for player in self._players}
        return next((player for player, its in expected.items() if is_equal(post.conversation_id, its)), None)

    def call_begins(self, state: State, send: Send) -> None:
        if (call := call_made(state, send)) is not None:
            self.posts.call_begins(call)

    def call_ends(self, state: State, send: Send, answer: Answered | None) -> None:
        """A post without proof that has waited for this is taken now, if nothing came but a receipt."""
        if (call := call_made(state, send)) is None:
            return
        is_receipt = isinstance(answer, Receipt) and answer.announces_a_post
        self.posts.call_ends(self.state, call, Standing.RECEIPT if is_receipt else Standing.CLOSED)
        post = self.posts.release(self.state, call.player_id)
        if post is not None:
            self._take_post(self, post)

    def refuse_unproven(self, post: PostedAnswer) -> Refuse[State]:
        """Why a post without proof is not taken, in the state in which it would be."""

        def refuse(state: State) -> Rejection | None:
            if self.posts.standing_of(state, post.player_id) is not Standing.RECEIPT:
                return NO_RECEIPT
            return BAD_POST if complaint(state, post) is not None else None

        return refuse

    def reply_to_unproven(self, post: PostedAnswer) -> Answer | None:
        """What a post without proof is answered that the referee would complain about; the player hears nothing of it.

        It may be anybody's: so it costs no retry, and leads to no GAME_ERROR.
        """
        wrong = complaint(self.state, post)
        if wrong is None:
            return None
        return ignored(wrong.sentence) if isinstance(wrong, Rejection) else self.reply_to(post, wrong) or FIRST_COUNTS

    def reply_to(self, message: LeagueMessage, step: Step[State]) -> Answer | None:
        """Who posts something that the referee complains about is told so in its exchange, too.

        A choice that replaces an earlier one is warned of, and counts: it is answered like any other that does.
        """
        sent = (effect.message for effect in step.effects if isinstance(effect, Send))
        complaint = next((each for each in sent if isinstance(each, GameError)), None)
        if complaint is None or complaint.affected_player != getattr(message, "player_id", None):
            return None
        if isinstance(message, ChooseParityResponse) and _counts(step.state, message):
            return None
        code = JSON_RPC_ERRORS.get(ErrorName(complaint.error_name))
        return ignored(complaint.error_name) if code is None else Fault(code, complaint.error_name)


def _counts(state: State, answer: ChooseParityResponse) -> bool:
    """Whether what a player has chosen is its choice now."""
    seat = state.seat_of(answer.player_id)
    return seat is not None and seat.choice is not None and seat.choice.value == answer.parity_choice
