"""What the players of 66 may do, in the order of the phases of a match. `rules` decides whether it is allowed."""

from typing import Annotated

from msgspec.structs import force_setattr

from turnstile.games.sixtysix.cards import PLACES, Index
from turnstile.kernel.marks import SEATED, Combination
from turnstile.kernel.values import Move


class StartGame(Move, frozen=True):
    """The match begins; the first seat sends it."""


class TakeCardFromDeck(Move, frozen=True):
    pass


class ReplaceCardByDiscarded(Move, frozen=True):
    card_index: Index


class ShowCards(Move, frozen=True):
    """A claim that these cards are identical. The indexes come in any order, and the event keeps them sorted.

    So a claim has one form, in a record and in a list of actions.
    """

    card_indexes: Annotated[tuple[int, ...], Combination(PLACES, fewest=2)]

    def __post_init__(self) -> None:
        force_setattr(self, "card_indexes", tuple(sorted(self.card_indexes)))


class StopRound(Move, frozen=True):
    pass


class ReplaceCardFromDeck(Move, frozen=True):
    card_index: Index


class Discard(Move, frozen=True):
    pass


class PeekOwnCard(Move, frozen=True):
    card_index: Index


class PeekAnothersCard(Move, frozen=True):
    another_player_index: Annotated[int, SEATED]
    card_index: Index


class ExchangeCards(Move, frozen=True):
    card_index: Index
    another_player_index: Annotated[int, SEATED]
    another_player_card_index: Index


class ReplaceCardsFromDeck(Move, frozen=True):
    pass


class ReplaceCardsByDiscarded(Move, frozen=True):
    pass


class StartNextRound(Move, frozen=True):
    """The next round begins; the player who starts it sends this."""


POWERS: dict[int, type[Move]] = {
    **dict.fromkeys((7, 8), PeekOwnCard),
    **dict.fromkeys((9, 10), PeekAnothersCard),
    **dict.fromkeys((11, 12), ExchangeCards),
}
"""What must be done when a card with this value is discarded straight from the deck."""
