"""Why a move in 66 is refused: the wrong player, the wrong power, or cards that are not there."""

from collections.abc import Sequence

from turnstile.games.sixtysix.cards import Seat
from turnstile.games.sixtysix.moves import POWERS
from turnstile.games.sixtysix.state import Code, State
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import Move, wire_name


def refuse_player(state: State, event: Move) -> Rejection | None:
    """Why this player may not act now."""
    active = state.players[state.turn]
    if event.player == active:
        return None
    if event.player not in state.players:
        return Rejection(Code.UNKNOWN_PLAYER, f"{event.player} has no seat in this match.")
    return Rejection(Code.NOT_YOUR_TURN, f"It is for {active} to act now; wait for your turn.")


def refuse_power(state: State, event: Move) -> Rejection | None:
    value = state.discarded[-1]
    if POWERS[value] is type(event):
        return None
    return Rejection(Code.WRONG_POWER, f"The {value} you have discarded asks for {wire_name(POWERS[value])}.")


def refuse_other(state: State, seat: Seat) -> Rejection | None:
    if not 0 <= seat < len(state.players):
        return Rejection(
            Code.NO_SUCH_PLAYER, f"There is no such player; indexes go from 0 to {len(state.players) - 1}."
        )
    if seat == state.turn:
        return Rejection(Code.NOT_ANOTHERS_CARD, "This is your own hand; choose a card of another player.")
    return None


def refuse_cards(state: State, seat: Seat, *indexes: int) -> Rejection | None:
    size = len(state.hands[seat])
    if min(indexes) >= 0 and max(indexes) < size:
        return None
    return Rejection(Code.NO_SUCH_CARD, f"There is no such card; the indexes of this hand go from 0 to {size - 1}.")


def refuse_claim(indexes: Sequence[int]) -> Rejection | None:
    if len(indexes) < 2:
        return Rejection(Code.TOO_FEW_CARDS, "Show two cards at least.")
    if len(set(indexes)) < len(indexes):
        return Rejection(Code.REPEATED_CARD, "Name each card that you show once.")
    return None
