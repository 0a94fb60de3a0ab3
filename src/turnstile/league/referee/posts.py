"""Answers that players post to a referee: which call a player is to answer, and whether an answer is valid.

The host decides whether it believes a post: it knows how the exchange of each call has ended.
"""

from typing import NamedTuple

from turnstile.kernel.effects import Send
from turnstile.kernel.machine import Rejection, Step
from turnstile.kernel.values import PlayerId
from turnstile.league.protocol.messages import (
    ChooseParityResponse,
    GameError,
    GameJoinAck,
    GameMoveResponse,
    GameOverAck,
)
from turnstile.league.protocol.words import LEAGUE_MANAGER, MAX_RETRIES, Awaited, DeliveryFailed
from turnstile.league.referee.calls import awaited_of
from turnstile.league.referee.machine import referee
from turnstile.league.referee.state import State

PostedAnswer = GameJoinAck | ChooseParityResponse | GameMoveResponse | GameOverAck
"""The answers that a player may post, as a request to the referee."""


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
    seat, awaited = state.seat_of(player), awaited_of(state)
    if seat is None or awaited is None or not seat.is_awaited:
        return None
    return PlayerCall(player, awaited, seat.move_number, seat.retry_count)


def call_made(send: Send) -> PlayerCall | None:
    """The call to a player that is made with this message; `None` for a message that no player answers."""
    failed = send.on_failure
    if not isinstance(failed, DeliveryFailed) or failed.to == LEAGUE_MANAGER:
        return None
    player = PlayerId(failed.to.partition(":")[2])
    return PlayerCall(player, failed.waiting_for, *divmod(failed.retry_count, MAX_RETRIES + 1))


def complaint(state: State, answer: PostedAnswer) -> Rejection | Step[State] | None:
    """What is wrong with an answer: it would be rejected, or lead to a step that sends a GAME_ERROR.

    `None` for a valid answer.
    """
    result = referee.step(state, answer)
    if isinstance(result, Rejection):
        return result
    sent = (effect.message for effect in result.effects if isinstance(effect, Send))
    return result if any(isinstance(message, GameError) for message in sent) else None
