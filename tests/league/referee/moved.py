"""A referee in matches of other games than Even/Odd, in the notation of `refereed`."""

from typing import Any

from msgspec import Raw

from tests.league.matches import MATCH, A, B, assignment
from tests.league.referee.refereed import idle, taken
from turnstile.kernel import PlayerId, Rejection, Seed, Send, Step
from turnstile.league.protocol.messages import (
    GameJoinAck,
    GameMoveCall,
    GameMoveResponse,
    LeagueQueryResponse,
)
from turnstile.league.protocol.values import MoveData
from turnstile.league.protocol.words import Awaited
from turnstile.league.referee.boards import options_of
from turnstile.league.referee.calls import expiry_of
from turnstile.league.referee.machine import referee
from turnstile.league.referee.state import Seat, State

SEED = Seed("1")


def joined(game: str) -> State:
    state = taken(idle(), assignment(game, SEED)).state
    for player in (A, B):
        state = taken(state, GameJoinAck(match_id=MATCH, player_id=player, accept=True)).state
    return state


def asking(game: str = "e-card") -> Step[State]:
    return taken(joined(game), LeagueQueryResponse(success=True))


def seat(state: State, player: PlayerId) -> Seat:
    found = state.seat_of(player)
    assert found is not None
    return found


def answer(state: State, player: PlayerId, option: int = 0, number: int | None = None) -> GameMoveResponse:
    """What a player says to its present question: one of its options."""
    assert state.board is not None
    choice = options_of(state.board, player)[option]
    return saying(player, choice, seat(state, player).move_number if number is None else number)


def saying(player: PlayerId, choice: Raw, number: int | None) -> GameMoveResponse:
    return GameMoveResponse(match_id=MATCH, player_id=player, move_number=number, move_data=MoveData(choice=choice))


def is_silent(state: State, player: PlayerId) -> Any:
    return expiry_of(state, seat(state, player), Awaited.GAME_MOVE_RESPONSE)


def refused(state: State, event: Any) -> str:
    after = referee.step(state, event)
    assert isinstance(after, Rejection), after
    return after.code


def calls(step: Step[State]) -> list[GameMoveCall]:
    said = [effect.message for effect in step.effects if isinstance(effect, Send)]
    return [message for message in said if isinstance(message, GameMoveCall)]


def result_of(state: State) -> tuple[str, str | None, str]:
    assert state.result is not None
    return state.result.status, state.result.winner_player_id, state.result.reason
