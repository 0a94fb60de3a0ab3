"""Bots for 66."""

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

from turnstile.games.sixtysix.cards import DECK
from turnstile.games.sixtysix.moves import (
    POWERS,
    Discard,
    ExchangeCards,
    PeekAnothersCard,
    PeekOwnCard,
    ReplaceCardByDiscarded,
    ReplaceCardFromDeck,
    ReplaceCardsByDiscarded,
    ReplaceCardsFromDeck,
    ShowCards,
    StopRound,
    TakeCardFromDeck,
)
from turnstile.games.sixtysix.state import Sight, View
from turnstile.kernel import Move

# All worths are in points. They were tuned by letting bots with different values play each other.
KEPT = 0.5  # the expected value of a card that its owner has seen and kept, relative to an unseen card
OWN_PEEK = 1.5  # what it is worth to see an unknown card of the own hand
ANOTHERS_PEEK = 0.5
COMMON_TURN = 4.0  # what a turn saves without a pair
HOPE = 0.5  # how much of a pair's worth counts before it is shown: another player may stop the round
LAST_TURN = 4.5  # what another player saves in the one turn it has after a stop
LOW = 5.0  # with a hand this low it stops, whatever the others may hold
NEVER, AT_ONCE = -1000.0, 1000.0


def attentive(view: View, actions: Sequence[Move], rng: Random) -> Move:
    """Remember every seen card, expect all others to be average, and choose the action that saves most points.

    An action is worth the value that leaves the hand minus the value that comes in, plus a little for what it reveals.
    The bot stops the round when its hand should stay the lowest through the last turns of all others.
    """
    if len(actions) == 1:
        return actions[0]
    table = Table(view)
    worths = [table.worth(action) for action in actions]
    best = max(worths)
    return rng.choice([action for action, worth in zip(actions, worths, strict=True) if worth == best])


class Table:
    """What an attentive player concludes from its view."""

    def __init__(self, view: View) -> None:
        assert view.player_index is not None
        assert view.discarded_value is not None
        self.view, self.me, self.top = view, view.player_index, view.discarded_value
        self.known = [sight.value for sight in view.seen[self.me]]
        self.unseen = unseen(view)
        self.mean = sum(value * copies for value, copies in self.unseen.items()) / max(1, self.unseen.total())
        self.hands = [[self.expected(sight, seat) for sight in row] for seat, row in enumerate(view.seen)]
        self.hand = self.hands[self.me]
        self.is_last_turn = view.stopper is not None

    def expected(self, sight: Sight, owner: int) -> float:
        """The expected value of a card: its value if known, else the mean, or less if its owner knows and keeps it."""
        if sight.value is not None:
            return sight.value
        return self.mean * KEPT if owner in sight.seen_by else self.mean

    def worth(self, action: Move) -> float:
        return WORTHS[type(action)](self, action) if type(action) in WORTHS else 0.0

    # a turn

    def of_taking(self, action: TakeCardFromDeck) -> float:
        """The mean, over all cards that may come, of the best use of each."""
        highest = max(self.hand)
        best = [max(highest - value, self.power(value)) * copies for value, copies in self.unseen.items()]
        return sum(best) / max(1, self.unseen.total())

    def of_discarded(self, action: ReplaceCardByDiscarded) -> float:
        return self.replaced(action.card_index, self.top)

    def of_showing(self, action: ShowCards) -> float:
        """Cards are shown only when all of them are known and identical."""
        return self.claim([self.known[index] for index in action.card_indexes])

    def of_stopping(self, action: StopRound) -> float:
        mine = sum(self.hand)
        others = min(sum(hand) for seat, hand in enumerate(self.hands) if seat != self.me)
        return AT_ONCE if mine <= max(LOW, others - LAST_TURN) else NEVER

    # with a card in hand

    def of_keeping(self, action: ReplaceCardFromDeck) -> float:
        assert self.view.taken is not None
        return self.replaced(action.card_index, self.view.taken)

    def of_discarding(self, action: Discard) -> float:
        assert self.view.taken is not None
        return self.power(self.view.taken)

    def replaced(self, index: int, value: int) -> float:
        """The value that leaves minus the value that comes, plus the change in the worth of a pair to show later."""
        saved = self.hand[index] - value
        if self.is_last_turn:
            return saved
        after = [*self.known[:index], value, *self.known[index + 1 :]]
        return saved + HOPE * (self.pair(after) - self.pair(self.known))

    def pair(self, known: Sequence[int | None]) -> float:
        """What the best claim with these cards would save, compared with an ordinary turn."""
        copies = Counter(value for value in known if value is not None)
        claims = [self.claim([value] * count) for value, count in copies.items() if count > 1]
        return max([0.0, *(claim - COMMON_TURN for claim in claims)])

    def claim(self, values: Sequence[int | None]) -> float:
        first = values[0]
        if first is None or any(value != first for value in values):
            return NEVER
        return first * len(values) - min(self.top, self.mean)

    # powers

    def power(self, value: int) -> float:
        """What it is worth to discard this card and use its power, if it has one."""
        power = POWERS.get(value)
        if power is ExchangeCards:
            others = [card for seat, hand in enumerate(self.hands) if seat != self.me for card in hand]
            return max(self.hand) - min(others)
        if power is None or self.is_last_turn:
            return 0.0
        if power is PeekOwnCard:
            return OWN_PEEK if None in self.known else 0.0
        return ANOTHERS_PEEK

    def of_own_peek(self, action: PeekOwnCard) -> float:
        return float(self.known[action.card_index] is None)

    def of_anothers_peek(self, action: PeekAnothersCard) -> float:
        """Prefer the unknown card that is expected to be lowest."""
        sight = self.view.seen[action.another_player_index][action.card_index]
        return NEVER if sight.value is not None else -self.hands[action.another_player_index][action.card_index]

    def of_exchanging(self, action: ExchangeCards) -> float:
        return self.hand[action.card_index] - self.hands[action.another_player_index][action.another_player_card_index]

    # after a claim

    def of_blind_replacement(self, action: ReplaceCardsFromDeck) -> float:
        return -self.mean

    def of_open_replacement(self, action: ReplaceCardsByDiscarded) -> float:
        return float(-self.top)


WORTHS: dict[type[Move], Callable[..., float]] = {
    TakeCardFromDeck: Table.of_taking,
    ReplaceCardByDiscarded: Table.of_discarded,
    ShowCards: Table.of_showing,
    StopRound: Table.of_stopping,
    ReplaceCardFromDeck: Table.of_keeping,
    Discard: Table.of_discarding,
    PeekOwnCard: Table.of_own_peek,
    PeekAnothersCard: Table.of_anothers_peek,
    ExchangeCards: Table.of_exchanging,
    ReplaceCardsFromDeck: Table.of_blind_replacement,
    ReplaceCardsByDiscarded: Table.of_open_replacement,
}


def unseen(view: View) -> Counter[int]:
    """How many cards of each value this player has not seen: in the deck and in hands."""
    left = Counter(DECK)
    left.subtract(view.discarded)
    left.subtract(sight.value for row in view.seen for sight in row if sight.value is not None)
    if view.taken is not None:
        left[view.taken] -= 1
    return +left


bots = {"attentive": attentive}
