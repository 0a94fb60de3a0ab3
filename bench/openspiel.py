"""OpenSpiel's `oh_hell`, spoken to in the words of Up-Down: the same cards, the same order of play.

Up-Down's first hand is led by the second bettor, oh_hell's by the first, so a round is held against two games: in one
the bettors come in the same order, in the other the leader is the same.
"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

from turnstile.games.updown.cards import DECK, Card, card

SUITS, RANKS = 4, 13
TEN = {"T": "10"}


@cache
def oh_hell(players: int, tricks: int) -> Any:
    """The game with so many players and cards each; raises ImportError where OpenSpiel is not installed."""
    return import_module("pyspiel").load_game(
        f"oh_hell(players={players},num_suits={SUITS},num_cards_per_suit={RANKS},num_tricks_fixed={tricks})"
    )


def dealt(players: int, tricks: int, hands: Sequence[Sequence[Card]], mesa: Card, last_bettor: int) -> Any:
    """A round after its deal, before the first bet. OpenSpiel's dealer is the one who bets last."""
    state = oh_hell(players, tricks).new_initial_state()
    _apply(state, str(tricks))
    _apply(state, str(last_bettor))
    for number in range(tricks):
        for held in hands:
            _apply(state, name(held[number]))
    _apply(state, name(mesa))
    return state


def name(each: Card) -> str:
    """A card as OpenSpiel writes it: `HT` is the ten of hearts."""
    rank = "T" if each.rank == "10" else each.rank
    return f"{each.suit[0].upper()}{rank}"


def legal(state: Any) -> dict[str, int]:
    """What may be done now, by its name."""
    who = state.current_player()
    return {state.action_to_string(who, action): action for action in state.legal_actions()}


def card_named(text: str) -> Card:
    return card(TEN.get(text[1], text[1]) + text[0])


def play(state: Any, each: Card) -> None:
    _apply(state, name(each))


def bet(state: Any, number: int) -> None:
    _apply(state, str(number))


def _apply(state: Any, what: str) -> None:
    state.apply_action(legal(state)[what])


assert all(card_named(name(each)) == each for each in DECK)
