"""How the hands of 66 change: cards are dealt, seen, swapped and replaced."""

from collections.abc import Sequence

from msgspec.structs import replace

from turnstile.games.sixtysix.cards import HAND_SIZE, Card, Hand, Seat, close_up, put
from turnstile.games.sixtysix.state import Place, State


def deal_hand(cards: Sequence[int]) -> Hand:
    """A hand of the first of these cards, which no player has seen."""
    return tuple([Card(value) for value in cards[:HAND_SIZE]])


def look_at_own_first_two(held: Hand, seat: Seat) -> Hand:
    """The hand after its owner has looked at its first two cards."""
    return (*[card.shown_to((seat,)) for card in held[:2]], *held[2:])


def _with_card(hands: tuple[Hand, ...], seat: Seat, index: int, card: Card) -> tuple[Hand, ...]:
    return put(hands, seat, put(hands[seat], index, card))


def show_touched(state: State, eyes: tuple[Seat, ...]) -> State:
    """The seats `eyes` have seen the cards that the last action touched."""
    hands = list(state.hands)
    for place in state.touched:
        seat, index = place.player_index, place.card_index
        hands[seat] = put(hands[seat], index, hands[seat][index].shown_to(eyes))
    return replace(state, hands=tuple(hands))


def swap_card(state: State, index: int, card: Card, pile: Sequence[int]) -> State:
    """`card` replaces a card of the active player, which goes face up on the pile."""
    gone = state.hands[state.turn][index].value
    hands = _with_card(state.hands, state.turn, index, card)
    return replace(state, hands=hands, discarded=(*pile, gone), touched=(Place(state.turn, index),))


def replace_shown(state: State, card: Card, pile: Sequence[int]) -> State:
    """The shown cards go face up on the pile. `card` takes the lowest of their places, and the row closes up."""
    held = close_up(state.hands[state.turn], state.touched_indexes, card)
    hands = put(state.hands, state.turn, held)
    return replace(state, hands=hands, discarded=(*pile, *state.touched_values))


def exchange(state: State, mine: Place, theirs: Place) -> State:
    """Two cards change places. Seats that have seen one of them know it in its new place."""
    given = state.hands[mine.player_index][mine.card_index]
    got = state.hands[theirs.player_index][theirs.card_index]
    hands = _with_card(state.hands, mine.player_index, mine.card_index, got)
    hands = _with_card(hands, theirs.player_index, theirs.card_index, given)
    return replace(state, hands=hands, touched=(mine, theirs))
