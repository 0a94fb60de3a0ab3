"""Bots for Up-Down."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, prod
from random import Random

from turnstile.games.updown.cards import DECK, HEIGHT, Card, Hand, Suit
from turnstile.games.updown.hand import beats, best_of
from turnstile.games.updown.moves import PlaceBet, PlayCard, StartGame
from turnstile.games.updown.rounds import RoundState, points
from turnstile.games.updown.state import View
from turnstile.kernel import PlayerId
from turnstile.studies.updown import cards_played, lacking_suits

Action = StartGame | PlaceBet | PlayCard

OTHER_SUIT_IS_LED = 0.75
TRUMPS = 0.3  # how often a card of the mesa's suit wins by trumping; found by playing thousands of matches


def counter(view: View, actions: Sequence[Action], rng: Random) -> Action:
    """Count the unseen cards, and choose the action that most likely meets the bet.

    A card wins if no rival beats it. The chance that a rival holds a better card follows from the number of unseen
    cards and the size of its hand. The chances of single cards give the chances of winning none, one, two, ... hands. A
    bet is worth its points times its chance; a card is worth the chance that the bet is met after playing it.
    """
    count = _count(view, actions[0].player)
    return max(actions, key=lambda action: _worth(count, action))


@dataclass(frozen=True, slots=True)
class Count:
    """What a player that counts cards knows."""

    me: PlayerId
    round: RoundState
    held: Hand
    wanted: int
    """How many hands are still to be won to meet the bet."""
    out: Mapping[Suit, Sequence[Card]]
    """The unseen cards: the rivals hold some of them, the others are not dealt."""
    sizes: Mapping[PlayerId, int]
    """How many cards each rival holds."""
    lacking: Mapping[PlayerId, set[Suit]]
    """The suits that each player is known to lack."""


def _count(view: View, me: PlayerId) -> Count:
    current = view.current_round
    assert current is not None, "the table starts the match, so there is something to bet or to play"
    mine = next(player for player in view.players if player.id == me)
    held = mine.hand or ()
    seen = {current.mesa, *held, *(played.card for played in cards_played(current))}
    return Count(
        me=me,
        round=current,
        held=held,
        wanted=(mine.bet or 0) - mine.hands_won,
        out={suit: [card for card in DECK if card.suit is suit and card not in seen] for suit in Suit},
        sizes={player.id: player.hand_size for player in view.players if player.id != me},
        lacking=lacking_suits(current),
    )


def _worth(count: Count, action: Action) -> tuple[float, int]:
    """What an action is worth. Of cards with equal worth, it prefers to play the higher one."""
    if isinstance(action, PlaceBet):
        leads = count.round.betting_order[1] == count.me
        won = spread([_wins_later(count, card, leads) for card in count.held])
        return points(action.bet, action.bet) * won[action.bet], 0
    assert isinstance(action, PlayCard)
    wins = _wins_now(count, action.card)
    rest = spread([_wins_later(count, card, False) for card in count.held if card != action.card])
    return wins * _at(rest, count.wanted - 1) + (1 - wins) * _at(rest, count.wanted), HEIGHT[action.card.rank]


def spread(chances: Sequence[float]) -> list[float]:
    """How likely it is that none, one, two, ... of independent events happen, from the chance of each."""
    likely = [1.0]
    for chance in chances:
        happens = [0.0, *(chance * each for each in likely)]
        likely = [yes + (1 - chance) * no for yes, no in zip(happens, [*likely, 0.0], strict=True)]
    return likely


def _at(likely: Sequence[float], number: int) -> float:
    return likely[number] if 0 <= number < len(likely) else 0.0


def _wins_now(count: Count, card: Card) -> float:
    """The chance that a card, played now, wins this hand: it is the best so far, and no later player beats it."""
    hand = count.round.current_hand
    assert hand is not None
    mesa = count.round.mesa.suit
    if hand.cards_played and not beats(card, best_of(hand.cards_played, mesa).card, mesa):
        return 0.0
    after = hand.hand_order[hand.current_player_index + 1 :]
    return prod(1 - _is_beaten(count, card, hand.pinta or card.suit, rival) for rival in after)


def _wins_later(count: Count, card: Card, leads: bool) -> float:
    """The chance that a card wins a later hand: its suit is led, and no rival beats it.

    A card of the mesa's suit that would be beaten then may still trump another suit.
    """
    size = len(count.held)
    stands = prod(1 - _is_beaten(count, card, card.suit, rival) for rival in count.sizes)
    if card.suit is count.round.mesa.suit:
        return stands if size == 1 else TRUMPS + (1 - TRUMPS) * stands
    return stands if leads and size == 1 else (1 - OTHER_SUIT_IS_LED**size) * stands


def _is_beaten(count: Count, card: Card, pinta: Suit, rival: PlayerId) -> float:
    """The chance that a rival beats a card: with a better one of the pinta or, without the pinta, with a trump."""
    mesa = count.round.mesa.suit
    total, size = sum(map(len, count.out.values())), count.sizes[rival]
    lacking = count.lacking[rival]
    following = 0 if pinta in lacking else len(count.out[pinta])
    better = sum(beats(other, card, mesa) for other in count.out[pinta]) if following else 0
    trumps = 0 if mesa in lacking or mesa is pinta else sum(beats(other, card, mesa) for other in count.out[mesa])
    ways = comb(total, size)
    has_better = 1 - comb(total - better, size) / ways
    trumps_in = (comb(total - following, size) - comb(total - following - trumps, size)) / ways
    return has_better + trumps_in


bots = {"counter": counter}
