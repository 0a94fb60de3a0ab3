"""Bots for 66."""

from collections.abc import Callable, Sequence
from math import ceil, exp, sqrt
from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from turnstile.bots.guide import GameBots, Guide, Shares, shares_by_score
from turnstile.games.sixtysix.cards import COPIES, Card, Hand, Seat, put, total
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
from turnstile.games.sixtysix.scores import LIMIT
from turnstile.games.sixtysix.state import Phase, Place, Sight, State, View
from turnstile.kernel import Move, PlayerId

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
        self.unseen_count = max(1, sum(self.unseen))
        self.mean = sum([value * copies for value, copies in enumerate(self.unseen)]) / self.unseen_count
        self.hands = [[self.expected(sight, seat) for sight in row] for seat, row in enumerate(view.seen)]
        self.hand = self.hands[self.me]
        self.is_last_turn = view.stopper is not None
        self.has_pair = any(value is not None and self.known.count(value) > 1 for value in self.known)
        self.hoped = 0.0 if self.is_last_turn else self.pair(self.known)

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
        best = [max(highest - value, self.power(value)) * copies for value, copies in enumerate(self.unseen) if copies]
        return sum(best) / self.unseen_count

    def of_discarded(self, action: ReplaceCardByDiscarded) -> float:
        return self.replaced(action.card_index, self.top)

    def of_showing(self, action: ShowCards) -> float:
        return self.claim([self.known[index] for index in action.card_indexes]) if self.has_pair else NEVER

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
        return saved + HOPE * (self.pair(after) - self.hoped)

    def pair(self, known: Sequence[int | None]) -> float:
        """What the best claim with these cards would save, compared with an ordinary turn."""
        best = 0.0
        for value in known:
            if value is not None and (copies := known.count(value)) > 1:
                best = max(best, self.saving(value, copies) - COMMON_TURN)
        return best

    def claim(self, values: Sequence[int | None]) -> float:
        """What it saves to show these cards, if all of them are known and identical."""
        first = values[0]
        return NEVER if first is None or values.count(first) < len(values) else self.saving(first, len(values))

    def saving(self, value: int, copies: int) -> float:
        """What it saves to show so many identical cards: they leave, and the better of two cards comes."""
        return value * copies - min(self.top, self.mean)

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


def unseen(view: View) -> list[int]:
    """How many cards of each value, from 0 on, this player has not seen: in the deck and in hands."""
    left = list(COPIES.values())
    for value in view.discarded:
        left[value] -= 1
    for row in view.seen:
        for sight in row:
            if sight.value is not None:
                left[sight.value] -= 1
    if view.taken is not None:
        left[view.taken] -= 1
    return left


# the guide for `search`

LOOKAHEAD = 4  # moves of each player; then a round that goes on is judged by its hands
CARE = (0.0, 0.11, 0.19, 0.22, 0.24, 0.26, 0.29, 0.31, 0.33, 0.34, 0.35)
"""How strongly players prefer low cards, by their turns in this round. Fitted to the cards that `attentive` keeps."""
LEAST_LEFT = 0.15  # of a match: the next round decides nearly all


class Weights(NamedTuple):
    """What decides a match in the middle of a round, in points of the total score."""

    point: float
    """A point in a hand. It is not a whole one: hands still change, and the best one scores nothing."""
    card: float
    unknown: float
    """A card that its owner has not seen."""
    turn: float
    """What it is worth to have the turn."""
    lead: float
    """The lead over one other player that wins three matches of four, at the start of a match."""


FITTED = {
    2: Weights(0.5, 2.4, 2.1, 1.4, 33.0),
    3: Weights(0.35, 1.6, 1.0, 0.9, 19.0),
    4: Weights(0.3, 1.8, 1.1, 0.8, 14.0),
    5: Weights(0.35, 1.6, 1.2, 0.9, 11.5),
}
"""By the number of players, from 1,200 to 1,500 matches of `attentive` each: the most likely weights, given who won."""


def shortlist(view: View, actions: Sequence[Move]) -> Sequence[Move]:
    """The best action of each kind: the bot judges well which card to use, and less well when to do what.

    To stop the round is always worth a try.
    """
    table = Table(view)
    best: dict[type[Move], tuple[float, Move]] = {}
    for action in actions:
        worth = table.worth(action)
        if type(action) not in best or worth > best[type(action)][0]:
            best[type(action)] = worth, action
    return [action for worth, action in best.values() if worth > NEVER or isinstance(action, StopRound)]


def prospects(state: State, moves: int) -> Shares | None:
    """After a round, or at the start of a later turn: the chance of each player by its lead.

    A round that goes on is judged by the hands, because its end depends mostly on luck. The closer the end of the
    match, the more a lead is worth.
    """
    weights = FITTED[len(state.players)]
    if state.phase is Phase.ROUND_FINISHED:
        scores: Sequence[float] = state.totals
    elif state.phase is Phase.READY_FOR_TURN and state.stopper is None and moves >= LOOKAHEAD * len(state.players):
        scores = expected_totals(state, weights)
    else:
        return None
    scale = weights.lead * sqrt(max(LEAST_LEFT, 1 - max(state.totals) / LIMIT))
    return shares_by_score({player: -score for player, score in zip(state.players, scores, strict=True)}, scale)


def expected_totals(state: State, weights: Weights) -> list[float]:
    """What each seat should have after this round, but for a constant.

    A low hand, few cards and known cards are good, and it is good to have the turn.
    """
    totals = [
        before + expected_score(held, seat, weights)
        for seat, (before, held) in enumerate(zip(state.totals, state.hands, strict=True))
    ]
    totals[state.turn] -= weights.turn
    return totals


def expected_score(held: Hand, owner: int, weights: Weights) -> float:
    """What a hand should score, but for a constant."""
    unknown = sum([owner not in card.seen_by for card in held])
    return weights.point * total(held) + weights.card * len(held) + weights.unknown * unknown


def plausibility(state: State, player: PlayerId) -> float:
    """Players discard high cards that they know: the longer the round, the lower are the known cards that they keep."""
    seat = state.players.index(player)
    kept = sum(
        card.value
        for owner, held in enumerate(state.hands)
        for card in held
        if owner != seat and owner in card.seen_by and seat not in card.seen_by
    )
    turns = ceil(state.turn_count / len(state.players))
    return exp(-CARE[min(turns, len(CARE) - 1)] * kept)


def vary(state: State, player: PlayerId, rng: Random) -> State:
    """Cut the deck, and exchange a card that the player has not seen, of a hand, for another one of a hand or the deck.

    Cards that were shown as identical stay so.
    """
    seat = state.players.index(player)
    claimed = state.touched if state.phase is Phase.REPLACING_CARDS else ()
    hidden = [
        place
        for owner, held in enumerate(state.hands)
        for index, card in enumerate(held)
        if seat not in card.seen_by and (place := Place(Seat(owner), index)) not in claimed
    ]
    cut = rng.randrange(len(state.deck) + 1)
    deck, hands = state.deck[cut:] + state.deck[:cut], state.hands
    if hidden:
        place, number = rng.choice(hidden), rng.randrange(len(deck) + len(hidden))
        if number < len(deck):
            hands = with_value(hands, place, deck[number])
            deck = put(deck, number, value_at(state.hands, place))
        else:
            other = hidden[number - len(deck)]
            hands = with_value(hands, place, value_at(hands, other))
            hands = with_value(hands, other, value_at(state.hands, place))
    return replace(state, deck=deck, hands=hands)


def value_at(hands: Sequence[Hand], place: Place) -> int:
    return hands[place.player_index][place.card_index].value


def with_value(hands: Sequence[Hand], place: Place, value: int) -> tuple[Hand, ...]:
    """The hands with another value at a place. The same players have seen the card there."""
    held = hands[place.player_index]
    card = Card(value, held[place.card_index].seen_by)
    return put(hands, place.player_index, put(held, place.card_index, card))


bots = GameBots(
    {"attentive": attentive},
    Guide(heuristic=attentive, shortlist=shortlist, prospects=prospects, plausibility=plausibility, vary=vary),
)
