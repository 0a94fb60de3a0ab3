"""The cards of E-Card: which beats which, the two full hands, and their short notation."""

from collections.abc import Sequence
from enum import StrEnum


class Card(StrEnum):
    EMPEROR = "E"
    CITIZEN = "C"
    SLAVE = "S"


BEATS = {Card.EMPEROR: Card.CITIZEN, Card.CITIZEN: Card.SLAVE, Card.SLAVE: Card.EMPEROR}

Hand = tuple[Card, ...]


def hand(text: str) -> Hand:
    """A hand in short notation: `hand("ECC")`."""
    return tuple(Card(letter) for letter in text)


def notation(cards: Sequence[Card]) -> str:
    """The short notation of a hand: `notation(hand("ECC")) == "ECC"`."""
    return "".join(cards)


def without(held: Hand, card: Card | None) -> Hand:
    """The hand without one card, which it must hold."""
    gone = held.index(card)
    return held[:gone] + held[gone + 1 :]


EMPEROR_HAND = hand("ECCCC")
SLAVE_HAND = hand("SCCCC")
