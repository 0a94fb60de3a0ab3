"""The running machine of a match, with its posts and its transcript."""

from collections.abc import Callable

from turnstile.agents.process.running import Answer, OutgoingCall, RunningMachine
from turnstile.agents.referee.posts import Posts, Standing
from turnstile.agents.referee.transcript import Transcript
from turnstile.agents.wire.envelope import ignored, new_conversation
from turnstile.agents.wire.incoming import Incoming
from turnstile.agents.wire.replies import Answered, Receipt
from turnstile.agents.wire.rpc import Fault
from turnstile.durable.timed_keeper import Refuse, TimedKeeper
from turnstile.kernel.effects import Send
from turnstile.kernel.machine import Rejection, Step
from turnstile.kernel.values import Event, PlayerId
from turnstile.league.protocol.messages import ChooseParityResponse, GameError, LeagueMessage
from turnstile.league.protocol.words import JSON_RPC_ERRORS, LEAGUE_MANAGER, Address, ErrorName, player_address
from turnstile.league.referee.posts import PostedAnswer, call_made, complaint
from turnstile.league.referee.state import Code, MatchAssigned, State
from turnstile.league.trust import is_equal, match_conversation

NO_RECEIPT = Rejection(Code.IGNORED, "A post without proof counts only if the player has given a receipt for its call.")
BAD_POST = Rejection(Code.IGNORED, "The answer is not valid, and does not prove that it was asked for.")
FIRST_COUNTS = ignored("The first answer counts.")


class RunningMatch(RunningMachine[State]):
    """The machine of a match, with its assignment, its posts and its transcript."""

    def __init__(
        self,
        keeper: TimedKeeper[State],
        manager: str,
        transcript: Transcript,
        noticed: Callable[["RunningMatch"], None],
        take_post: Callable[["RunningMatch", PostedAnswer], None],
    ) -> None:
        """`take_post` is called with a post that has waited for the exchange of its player to end."""
        super().__init__(keeper, self._after, manager=manager)
        self.transcript = transcript
        self.posts = Posts()
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

    @property
    def match_id(self) -> str | None:
        return self.given.match.match_id

    def endpoint_of(self, to: str) -> str | None:
        return self._endpoints.get(to) or super().endpoint_of(to)

    def token_for(self, to: str) -> str | None:
        """A player is shown its own key to this match."""
        return self._keys.get(Address(to))

    def _after(self, event: Event, result: Step[State] | Rejection) -> None:
        if isinstance(result, Step):
            self.transcript.add(self.keeper.changed, event, result)
            self._noticed(self)

    # conversations

    def conversation_with(self, to: str) -> str:
        """One for the whole match with each player; every question to the manager has its own.

        Only the referee and this player know it: a post that shows it was asked for.
        """
        if to == LEAGUE_MANAGER:
            return new_conversation()
        return match_conversation(self.given.seed, self.given.match.match_id, to)

    # posts

    def proven_player(self, post: Incoming) -> PlayerId | None:
        """The player whose conversation a post shows: the post is from this player, whatever ids it gives."""
        expected = {player: self.conversation_with(player_address(player)) for player in self._players}
        return next((player for player, its in expected.items() if is_equal(post.conversation_id, its)), None)

    def call_begins(self, call: OutgoingCall[State]) -> None:
        if (made := call_made(call.send)) is not None:
            self.posts.call_begins(made)

    def call_ends(self, call: OutgoingCall[State], answer: Answered | None) -> None:
        """A post without proof that has waited for this is taken now, if nothing came but a receipt."""
        if (made := call_made(call.send)) is None:
            return
        is_receipt = isinstance(answer, Receipt) and answer.announces_a_post
        self.posts.call_ends(self.state, made, Standing.RECEIPT if is_receipt else Standing.CLOSED)
        post = self.posts.release(self.state, made.player_id)
        if post is not None:
            self._take_post(self, post)

    def refuse_unproven(self, post: PostedAnswer) -> Refuse[State]:
        """Why a post without proof is rejected, in the state in which it would be taken."""

        def refuse(state: State) -> Rejection | None:
            if self.posts.standing_of(state, post.player_id) is not Standing.RECEIPT:
                return NO_RECEIPT
            return BAD_POST if complaint(state, post) is not None else None

        return refuse

    def reply_to_unproven(self, post: PostedAnswer) -> Answer | None:
        """The answer to an invalid post without proof; `None` if the post is valid.

        The post may not be from the player: so it costs no retry, and leads to no GAME_ERROR.
        """
        wrong = complaint(self.state, post)
        if wrong is None:
            return None
        return ignored(wrong.sentence) if isinstance(wrong, Rejection) else self.reply_to(post, wrong) or FIRST_COUNTS

    def reply_to(self, message: LeagueMessage, step: Step[State]) -> Answer | None:
        """The answer to an invalid post is the error that the player is sent, too.

        A choice that replaces an earlier one leads to a warning, but counts: it is answered like any other choice.
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
    """Whether the choice of this answer is the one that counts now."""
    seat = state.seat_of(answer.player_id)
    return seat is not None and seat.choice is not None and seat.choice.value == answer.parity_choice
