"""Posts without proof: which seat of a match they may speak for, by how the exchanges of its calls went.

An answer counts when it comes in the exchange of its call, or shows the conversation id of the player. A post that
shows none counts for a seat that has answered its present call with nothing but a receipt. While the exchange of the
call is open the post waits: some players post first, and give the receipt afterwards. The whole table is in
docs/league-wire.md.

Exchanges do not outlive the process, and so nothing of this is stored: after a restart the calls are made again.
"""

from enum import Enum, auto

from turnstile.kernel.values import PlayerId
from turnstile.league.referee.posts import PlayerCall, PostedAnswer, awaited_call
from turnstile.league.referee.state import State


class Standing(Enum):
    """How far a player has answered the call that it is to answer now."""

    OPEN = auto()
    """Its exchange is open, or the call is just being made."""
    RECEIPT = auto()
    """It has given a receipt, and its answer may be posted."""
    CLOSED = auto()
    """It has answered, or cannot be reached, or has answered with an error; or nothing is awaited from it."""


class Posts:
    """The exchanges of one match, and the posts that wait for them to end."""

    def __init__(self) -> None:
        self._open: list[PlayerCall] = []
        self._ended: dict[PlayerId, tuple[PlayerCall, Standing]] = {}
        """The latest call to each player whose exchange has ended while it was to be answered, and how it ended."""
        self._waiting: dict[PlayerId, PostedAnswer] = {}

    def call_begins(self, call: PlayerCall) -> None:
        self._open.append(call)

    def call_ends(self, state: State, call: PlayerCall, standing: Standing) -> None:
        """The exchange of a call is over. How, matters only if it is still the call that its player is to answer."""
        self._open.remove(call)
        if awaited_call(state, call.player_id) == call:
            self._ended[call.player_id] = (call, standing)

    def standing_of(self, state: State, player: PlayerId) -> Standing:
        call = awaited_call(state, player)
        if call is None:
            return Standing.CLOSED
        if any(call.is_about_the_same(each) for each in self._open):
            return Standing.OPEN
        latest, standing = self._ended.get(player, (None, Standing.OPEN))
        return standing if latest == call else Standing.OPEN

    def speaker_of(self, state: State, named: PlayerId) -> PlayerId:
        """The player that a post without proof speaks for, by the player that it names.

        An id that no player of the match has is of the sender's own making: it stands for the one player that has given
        a receipt. Where there is none, or two, it stands for itself.
        """
        if state.seat_of(named) is not None:
            return named
        receipts = [
            seat.player_id for seat in state.seats if self.standing_of(state, seat.player_id) is Standing.RECEIPT
        ]
        return receipts[0] if len(receipts) == 1 else named

    def hold(self, answer: PostedAnswer) -> None:
        """Let a post wait until the exchange of its player is over. Of several the latest waits."""
        self._waiting[answer.player_id] = answer

    def release(self, state: State, player: PlayerId) -> PostedAnswer | None:
        """The post that has waited for the exchange of this player, if that is over now."""
        is_open = self.standing_of(state, player) is Standing.OPEN
        return None if is_open else self._waiting.pop(player, None)
