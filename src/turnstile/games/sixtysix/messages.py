"""What the players of 66 are told, in the order of the phases of a match. Who is told what: docs/games/66.md.

A `player_index` is the seat of the player who acts; a `discarded_value` is what now lies on top of the discard pile.
"""

from turnstile.games.sixtysix.cards import Seat
from turnstile.kernel.chance import Commitment, Seed
from turnstile.kernel.values import Message

Indexes = tuple[int, ...]


# phase A: a round starts


class GameState(Message, frozen=True):
    """The cards are dealt. `player_index` is the receiver's own seat; the commitment is to the seed of the match."""

    deck_size: int
    discarded_value: int
    hand_sizes: tuple[int, ...]
    player_index: Seat
    commitment: Commitment


class FirstTwoCards(Message, frozen=True):
    """The receiver's own cards 0 and 1."""

    value1: int
    value2: int


# phase B: a turn begins


class NextTurn(Message, frozen=True):
    player_index: Seat


class YourTurn(Message, frozen=True):
    """It is the receiver's turn."""


# phase C: a card is chosen, a claim made or the round stopped


class TookDeckCard(Message, frozen=True):
    """For the player who drew only."""

    value: int
    deck_size: int


class CardReplacedByDiscarded(Message, frozen=True):
    player_index: Seat
    card_index: int
    discarded_value: int


class ReplacedCardByDiscarded(Message, frozen=True):
    card_index: int
    discarded_value: int


class IdenticalCardsShown(Message, frozen=True):
    player_index: Seat
    card_indexes: Indexes
    value: int


class ShowedIdenticalCards(Message, frozen=True):
    card_indexes: Indexes


class DifferentCardsShown(Message, frozen=True):
    player_index: Seat
    card_indexes: Indexes
    values: tuple[int, ...]


class ShowedDifferentCards(Message, frozen=True):
    """The claim has failed; its maker is not told the values."""

    card_indexes: Indexes


class StopInitiated(Message, frozen=True):
    player_index: Seat


class InitiatedStop(Message, frozen=True):
    """The receiver has stopped the round."""


# phase D: the card from the deck is kept or discarded, and a discarded 7 to 12 is used


class CardReplacedFromDeck(Message, frozen=True):
    player_index: Seat
    card_index: int
    discarded_value: int


class ReplacedCardFromDeck(Message, frozen=True):
    card_index: int
    discarded_value: int


class CardDiscarded(Message, frozen=True):
    player_index: Seat
    discarded_value: int


class DiscardedCard(Message, frozen=True):
    """The receiver has discarded a plain card."""

    discarded_value: int


class PeekingOwnCard(Message, frozen=True):
    """The receiver has discarded a 7 or 8 and must look at a card of its own."""

    discarded_value: int


class OwnCardPeeked(Message, frozen=True):
    player_index: Seat
    card_index: int


class OwnCard(Message, frozen=True):
    card_index: int
    value: int


class PeekingAnothersCard(Message, frozen=True):
    """The receiver has discarded a 9 or 10 and must look at a card of another player."""

    discarded_value: int


class AnothersCardPeeked(Message, frozen=True):
    player_index: Seat
    another_player_index: Seat
    card_index: int


class AnothersCard(Message, frozen=True):
    another_player_index: Seat
    card_index: int
    value: int


class ExchangingCards(Message, frozen=True):
    """The receiver has discarded an 11 or 12 and must exchange one of its cards for one of another player."""

    discarded_value: int


class CardsExchanged(Message, frozen=True):
    player_index: Seat
    card_index: int
    another_player_index: Seat
    another_player_card_index: int


class ExchangedCards(Message, frozen=True):
    card_index: int
    another_player_index: Seat
    another_player_card_index: int


# phase E: cards that were shown are replaced


class CardsReplacedFromDeck(Message, frozen=True):
    player_index: Seat
    card_indexes: Indexes
    discarded_value: int


class ReplacedCardsFromDeck(Message, frozen=True):
    """No player is told the value of the card from the deck, not even its new owner."""

    card_indexes: Indexes
    discarded_value: int


class CardsReplacedByDiscarded(Message, frozen=True):
    player_index: Seat
    card_indexes: Indexes
    discarded_value: int


class ReplacedCardsByDiscarded(Message, frozen=True):
    card_indexes: Indexes
    discarded_value: int


# final phase


class RoundFinished(Message, frozen=True):
    """How many turns the round had, what it brought each seat, and who starts the next one."""

    turn_count: int
    scores: tuple[int, ...]
    total_scores: tuple[int, ...]
    next_player_index: Seat


class GameFinished(Message, frozen=True):
    """How many rounds there were and what they brought; the seed shows that every deal was as promised."""

    round_count: int
    scores: tuple[int, ...]
    total_scores: tuple[int, ...]
    seed: Seed


SixtySixMessage = (
    GameState | FirstTwoCards | NextTurn | YourTurn
    | TookDeckCard | CardReplacedByDiscarded | ReplacedCardByDiscarded
    | IdenticalCardsShown | ShowedIdenticalCards | DifferentCardsShown | ShowedDifferentCards
    | StopInitiated | InitiatedStop
    | CardReplacedFromDeck | ReplacedCardFromDeck | CardDiscarded | DiscardedCard
    | PeekingOwnCard | OwnCardPeeked | OwnCard
    | PeekingAnothersCard | AnothersCardPeeked | AnothersCard
    | ExchangingCards | CardsExchanged | ExchangedCards
    | CardsReplacedFromDeck | ReplacedCardsFromDeck | CardsReplacedByDiscarded | ReplacedCardsByDiscarded
    | RoundFinished | GameFinished
)  # fmt: skip
