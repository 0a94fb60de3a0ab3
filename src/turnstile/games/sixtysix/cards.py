"""The cards of 66: what is in the deck, who has seen which card of a hand, and the notation for both."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Annotated, NewType, TypeVar

from turnstile.kernel.marks import SEATED, Among
from turnstile.kernel.values import Value

T = TypeVar("T")

Seat = NewType("Seat", int)
"""Where a player sits, from 0: the `playerIndex` of the messages."""

SeatField = Annotated[Seat, SEATED]
"""A field of a view that holds a seat."""

LOWEST, HIGHEST = 0, 13
COPIES = {LOWEST: 2, **dict.fromkeys(range(1, HIGHEST), 4), HIGHEST: 2}
DECK = tuple(value for value, copies in COPIES.items() for _ in range(copies))
HAND_SIZE = 4
PLACES = range(HAND_SIZE)

Index = Annotated[int, Among(PLACES)]
"""A place in the row of a hand, from 0. A row never grows."""

Face = Annotated[int, Among(range(LOWEST, HIGHEST + 1))]
"""The value of a card in a view."""


class Card(Value, frozen=True):
    """A card that lies face down in a hand, and the seats that have seen it, in ascending order.

    Every look at a card is announced, so all players know who has seen it. Every move of a card is announced, too. So a
    player who has seen a card knows it wherever it goes, by exchange or when a row closes up, until it is discarded.
    """

    value: int
    seen_by: tuple[Seat, ...] = ()

    def shown_to(self, seats: tuple[Seat, ...]) -> "Card":
        """This card, seen by these seats as well."""
        seen_by = together(self.seen_by, seats)
        return self if seen_by == self.seen_by else Card(self.value, seen_by)


@lru_cache(maxsize=4096)
def together(some: tuple[Seat, ...], others: tuple[Seat, ...]) -> tuple[Seat, ...]:
    """All of these seats, in ascending order. Cached, because there are few seats."""
    return tuple(sorted({*some, *others}))


Hand = tuple[Card, ...]


def hand(text: str) -> Hand:
    """A hand in short notation, each card with the seats that have seen it: `hand("5:0 13:01 7")`."""
    return tuple(_card(*word.split(":")) for word in text.split())


def notation(cards: Sequence[Card]) -> str:
    """The short notation of a hand: `notation(hand("5:0 7")) == "5:0 7"`."""
    return " ".join(f"{card.value}:{''.join(map(str, card.seen_by))}".rstrip(":") for card in cards)


def _card(value: str, seats: str = "") -> Card:
    return Card(int(value), tuple(Seat(int(seat)) for seat in seats))


def total(cards: Iterable[Card]) -> int:
    """What a hand counts: the sum of its values."""
    return sum([card.value for card in cards])


def put(row: Sequence[T], index: int, item: T) -> tuple[T, ...]:
    """The row with `item` in the place `index`."""
    changed = list(row)
    changed[index] = item
    return tuple(changed)


def close_up(cards: Hand, indexes: Sequence[int], card: Card) -> Hand:
    """The hand with `card` in the place of the lowest of `indexes`; the others are gone and the row closes up."""
    lowest, *gone = sorted(indexes)
    return tuple([held for index, held in enumerate(put(cards, lowest, card)) if index not in gone])
