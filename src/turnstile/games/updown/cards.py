"""The 52 cards of Up-Down: suits, ranks, the deck and their short notation. `hand` decides which card wins."""

from collections.abc import Iterable
from enum import StrEnum

from turnstile.kernel.values import Value


class Suit(StrEnum):
    CLUBS = "clubs"
    DIAMONDS = "diamonds"
    HEARTS = "hearts"
    SPADES = "spades"


class Rank(StrEnum):
    """From the lowest to the highest."""

    TWO = "2"
    THREE = "3"
    FOUR = "4"
    FIVE = "5"
    SIX = "6"
    SEVEN = "7"
    EIGHT = "8"
    NINE = "9"
    TEN = "10"
    JACK = "J"
    QUEEN = "Q"
    KING = "K"
    ACE = "A"


HEIGHT = {rank: height for height, rank in enumerate(Rank)}


class Card(Value, frozen=True):
    suit: Suit
    rank: Rank


Hand = tuple[Card, ...]

DECK = tuple(Card(suit, rank) for suit in Suit for rank in Rank)
"""Every card once, suit by suit, from the lowest rank to the highest. A hand is sorted in this order."""

LETTERS = {suit.value[0].upper(): suit for suit in Suit}


def card(text: str) -> Card:
    """A card in short notation, its rank and the letter of its suit: `card("10H")` is the ten of hearts."""
    if text[-1:] not in LETTERS:
        raise ValueError(f"{text!r} does not end with the letter of a suit: {', '.join(LETTERS)}")
    return Card(LETTERS[text[-1]], Rank(text[:-1]))


def hand(text: str) -> Hand:
    """Cards in short notation: `hand("2C 10H AS")`."""
    return tuple(card(word) for word in text.split())


def notation(cards: Iterable[Card]) -> str:
    """The short notation of cards: `notation(hand("2C 10H AS")) == "2C 10H AS"`."""
    return " ".join(f"{each.rank}{each.suit[0].upper()}" for each in cards)
