"""Posted answers to a referee, as far as its state tells: which call a player is to answer, and what a post would do.

Whether a post is believed is the host's to decide: it knows how the exchange of each call has ended.
"""

from typing import NamedTuple

from turnstile.kernel.effects import Send
from turnstile.kernel.machine import Rejection, Step
from turnstile.kernel.values import PlayerId, wire_name
from turnstile.league.protocol.messages import (
    REPLIES,
    ChooseParityResponse,
    GameError,
    GameJoinAck,
    GameMoveResponse,
    GameOverAck,
)
from turnstile.league.protocol.words import Awaited, player_address
from turnstile.league.referee.calls import asked_for
from turnstile.league.referee.machine import referee
from turnstile.league.referee.state import Phase, State

PostedAnswer = GameJoinAck | ChooseParityResponse | GameMoveResponse | GameOverAck
"""What a player may answer with a request of its own."""


class PlayerCall(NamedTuple):
    """One call to a player. A call that is repeated is another one, about the same question."""

    player_id: PlayerId
    waiting_for: Awaited
    move_number: int
    retry_count: int

    def is_about_the_same(self, other: "PlayerCall") -> bool:
        return self[:-1] == other[:-1]


def awaited_call(state: State, player: PlayerId) -> PlayerCall | None:
    """The call that a player is to answer now; `None` when nothing is awaited from it."""
    seat, awaited = state.seat_of(player), _awaited(state)
    if seat is None or awaited is None or not seat.is_awaited:
        return None
    return PlayerCall(player, awaited, seat.move_number, seat.retry_count)


def _awaited(state: State) -> Awaited | None:
    """What the players are waited for in the phase of a match."""
    match state.phase:
        case Phase.WAITING_FOR_PLAYERS:
            return Awaited.GAME_JOIN_ACK
        case Phase.COLLECTING_CHOICES if state.standings is not None:
            return asked_for(state)
        case Phase.NOTIFYING_PLAYERS:
            return Awaited.GAME_OVER_ACK
        case _:
            return None


def call_made(state: State, send: Send) -> PlayerCall | None:
    """The call to a player that is made with this message, by a referee in this state; `None` for any other message."""
    player = next((seat.player_id for seat in state.seats if player_address(seat.player_id) == send.to), None)
    call = None if player is None else awaited_call(state, player)
    reply = REPLIES.get(type(send.message))
    return call if call is not None and reply is not None and wire_name(reply) == call.waiting_for else None


def complaint(state: State, answer: PostedAnswer) -> Rejection | Step[State] | None:
    """What is wrong with an answer: it would be rejected, or lead to a step in which its player is told off.

    `None` for one that the referee would take without a word.
    """
    result = referee.step(state, answer)
    if isinstance(result, Rejection):
        return result
    sent = (effect.message for effect in result.effects if isinstance(effect, Send))
    return result if any(isinstance(message, GameError) for message in sent) else None
