"""A match of 66 as a value: its phases, its state, and what one player sees of it."""

from enum import StrEnum
from functools import cache
from typing import Annotated

from turnstile.games.sixtysix.cards import DECK, HAND_SIZE, Face, Hand, Index, Seat, SeatField
from turnstile.games.sixtysix.scores import HIGHEST_SCORE, LIMIT
from turnstile.kernel.chance import Commitment, Seed
from turnstile.kernel.game import Players
from turnstile.kernel.marks import SEATED, AtMost, Within
from turnstile.kernel.values import Value

# words


class Phase(StrEnum):
    """The states of the spec's diagram under their own names; NOT_STARTED is its initial state."""

    NOT_STARTED = "NOT_STARTED"
    ROUND_STARTING = "ROUND_STARTING"
    READY_FOR_TURN = "READY_FOR_TURN"
    DECK_CARD_TAKEN = "DECK_CARD_TAKEN"
    REPLACING_CARD_FROM_DECK = "REPLACING_CARD_FROM_DECK"
    DISCARDING = "DISCARDING"
    DISCARDED = "discarded"
    PEEKING_OWN_CARD = "PEEKING_OWN_CARD"
    PEEKING_ANOTHERS_CARD = "PEEKING_ANOTHERS_CARD"
    EXCHANGING_CARDS = "EXCHANGING_CARDS"
    REPLACING_CARD_BY_DISCARDED = "REPLACING_CARD_BY_DISCARDED"
    ROUND_STOPPING = "ROUND_STOPPING"
    SHOWING_CARDS = "SHOWING_CARDS"
    COMPARING_CARDS = "comparing_cards"
    REPLACING_CARDS = "replacing_cards"
    REPLACING_MULTIPLE_CARDS_FROM_DECK = "REPLACING_MULTIPLE_CARDS_FROM_DECK"
    REPLACING_MULTIPLE_CARDS_BY_DISCARDED = "REPLACING_MULTIPLE_CARDS_BY_DISCARDED"
    TURN_DONE = "turn_done"
    ROUND_DONE = "round_done"
    ROUND_FINISHED = "ROUND_FINISHED"
    GAME_FINISHED = "GAME_FINISHED"


class Code(StrEnum):
    """Why 66 refuses a move. Codes are protocol: add to them, never rename one."""

    ACKS_MISSING = "AcksMissing"
    UNKNOWN_PLAYER = "UnknownPlayer"
    NOT_YOUR_TURN = "NotYourTurn"
    ALREADY_STOPPED = "AlreadyStopped"
    WRONG_POWER = "WrongPower"
    NO_SUCH_PLAYER = "NoSuchPlayer"
    NOT_ANOTHERS_CARD = "NotAnothersCard"
    NO_SUCH_CARD = "NoSuchCard"
    TOO_FEW_CARDS = "TooFewCards"
    REPEATED_CARD = "RepeatedCard"


# values


class Place(Value, frozen=True):
    """Where a card lies: whose hand, and which place of the row, from 0."""

    player_index: SeatField
    card_index: Index


class Round(Value, frozen=True):
    """A finished round: how many turns it had, who stopped it, and the points of each seat."""

    turn_count: int
    stopper: SeatField | None
    scores: Annotated[tuple[Annotated[int, Within(0, HIGHEST_SCORE)], ...], SEATED]


class Options(Value, frozen=True):
    """66 has none."""


class State(Value, frozen=True):
    """The whole match. Tuples with one item for each player are in seat order; the top of a pile comes last.

    `turn` is the seat that acts now: before the match the first seat, which starts it, and between rounds the next
    starter. `taken` is a card that was drawn from the deck and not laid yet. `touched` are the places of the last
    action (for shown cards that were replaced: where they lay); all players are told them. `turn_count` counts the
    finished turns of this round, `rounds` are the finished rounds, `totals` their sums.
    """

    phase: Phase
    players: Players
    seed: Seed
    commitment: Commitment
    deck: tuple[int, ...]
    discarded: tuple[int, ...]
    hands: tuple[Hand, ...]
    taken: int | None
    touched: tuple[Place, ...]
    turn: Seat
    starter: Seat
    stopper: Seat | None
    turn_count: int
    totals: tuple[int, ...]
    rounds: tuple[Round, ...]

    @property
    def seats(self) -> tuple[Seat, ...]:
        return first_seats(len(self.players))

    def seat_after(self, seat: Seat) -> Seat:
        return Seat((seat + 1) % len(self.players))

    @property
    def taken_card(self) -> int:
        assert self.taken is not None, "a card was taken from the deck"
        return self.taken

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        return tuple(map(len, self.hands))

    @property
    def touched_indexes(self) -> tuple[int, ...]:
        return tuple([place.card_index for place in self.touched])

    @property
    def touched_values(self) -> tuple[int, ...]:
        """The values at the touched places. They are meaningless once shown cards are replaced."""
        return tuple([self.hands[place.player_index][place.card_index].value for place in self.touched])

    @property
    def is_identical(self) -> bool:
        """Whether the cards that were shown all have one value."""
        return len({self.hands[place.player_index][place.card_index].value for place in self.touched}) == 1


@cache
def first_seats(count: int) -> tuple[Seat, ...]:
    """The seats of so many players, in order."""
    return tuple(map(Seat, range(count)))


class Sight(Value, frozen=True):
    """A card of a hand as one player knows it: no value if it has not seen it. Who has seen it is public."""

    value: Face | None
    seen_by: tuple[SeatField, ...]


class View(Value, frozen=True):
    """The match as one player sees it, at the seat `player_index`; a spectator has no seat and has seen no card.

    `seen` has every card of every hand, with its value if this player has seen it: its own first two, those it peeked
    at, drew and kept, or took from the discard pile, and those that others showed or took from the pile, wherever they
    were moved since. The whole discard pile is open, because all of it was announced. `taken` is the card that this
    player has drawn. `is_identical` is the result of a claim, until the next action.
    """

    phase: Phase
    players: Players
    player_index: SeatField | None
    commitment: Commitment
    turn: SeatField
    starter: SeatField
    stopper: SeatField | None
    turn_count: int
    deck_size: Annotated[int, Within(0, len(DECK))]
    discarded: tuple[Face, ...]
    discarded_value: Face | None
    hand_sizes: Annotated[tuple[Annotated[int, Within(0, HAND_SIZE)], ...], SEATED]
    seen: Annotated[tuple[Annotated[tuple[Sight, ...], AtMost(HAND_SIZE)], ...], SEATED]
    taken: Face | None
    touched: Annotated[tuple[Place, ...], AtMost(HAND_SIZE)]
    is_identical: bool | None
    totals: Annotated[tuple[Annotated[int, Within(0, LIMIT + HIGHEST_SCORE)], ...], SEATED]
    rounds: tuple[Round, ...]
