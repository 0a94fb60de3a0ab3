"""Bots for Up-Down."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb, prod, sqrt
from random import Random

from turnstile.bots.guide import GameBots, Guide, Shares, shares_by_score
from turnstile.games.updown.cards import HEIGHT, Card, Hand, Suit
from turnstile.games.updown.hand import beats, best_of
from turnstile.games.updown.moves import PlaceBet, PlayCard, StartGame
from turnstile.games.updown.rounds import RoundState, points
from turnstile.games.updown.state import State, View
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
    if len(actions) == 1:
        return actions[0]
    count = _count(view, actions[0].player)
    if bets := [action for action in actions if isinstance(action, PlaceBet)]:
        worths = bet_worths(count)
        return max(bets, key=lambda action: worths[action.bet])
    cards = [action for action in actions if isinstance(action, PlayCard)]
    later = {card: _wins_later(count, card, False) for card in count.held}
    return max(cards, key=lambda action: _card_worth(count, action.card, later))


@dataclass(frozen=True, slots=True)
class Count:
    """What a player that counts cards knows."""

    me: PlayerId
    round: RoundState
    held: Hand
    wanted: int
    """How many hands are still to be won to meet the bet."""
    out: Mapping[Suit, set[int]]
    """The heights of the unseen cards: the rivals hold some of these cards, the others are not dealt."""
    total: int
    """How many cards are unseen."""
    sizes: Mapping[PlayerId, int]
    """How many cards each rival holds."""
    lacking: Mapping[PlayerId, set[Suit]]
    """The suits that each player is known to lack."""


def _count(view: View, me: PlayerId) -> Count:
    current = view.current_round
    assert current is not None, "the table starts the match, so there is something to bet or to play"
    mine = next(player for player in view.players if player.id == me)
    held = mine.hand or ()
    out = heights_out([current.mesa, *held, *(played.card for played in cards_played(current))])
    return Count(
        me=me,
        round=current,
        held=held,
        wanted=(mine.bet or 0) - mine.hands_won,
        out=out,
        total=sum(map(len, out.values())),
        sizes={player.id: player.hand_size for player in view.players if player.id != me},
        lacking=lacking_suits(current),
    )


def heights_out(seen: Iterable[Card]) -> Mapping[Suit, set[int]]:
    """The heights of all cards but the seen ones, by suit."""
    out = {suit: set(HEIGHT.values()) for suit in Suit}
    for card in seen:
        out[card.suit].discard(HEIGHT[card.rank])
    return out


def bet_worths(count: Count) -> list[float]:
    """What each bet, from 0 on, is worth: its points times the chance that it is met."""
    leads = count.round.betting_order[1] == count.me
    won = spread([_wins_later(count, card, leads) for card in count.held])
    return [points(bet, bet) * chance for bet, chance in enumerate(won)]


def _card_worth(count: Count, card: Card, later: Mapping[Card, float]) -> tuple[float, int]:
    """The chance that the bet is met after playing a card. Of cards with equal worth, it prefers the higher one."""
    wins = _wins_now(count, card)
    rest = spread([chance for other, chance in later.items() if other != card])
    return wins * _at(rest, count.wanted - 1) + (1 - wins) * _at(rest, count.wanted), HEIGHT[card.rank]


def spread(chances: Sequence[float]) -> list[float]:
    """How likely it is that none, one, two, ... of independent events happen, from the chance of each."""
    likely = [1.0]
    for chance in chances:
        happens = [0.0, *[chance * each for each in likely]]
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
    return prod([1 - _is_beaten(count, card, hand.pinta or card.suit, rival) for rival in after])


def _wins_later(count: Count, card: Card, leads: bool) -> float:
    """The chance that a card wins a later hand: its suit is led, and no rival beats it.

    A card of the mesa's suit that would be beaten then may still trump another suit.
    """
    size = len(count.held)
    stands = prod([1 - _is_beaten(count, card, card.suit, rival) for rival in count.sizes])
    if card.suit is count.round.mesa.suit:
        return stands if size == 1 else TRUMPS + (1 - TRUMPS) * stands
    return stands if leads and size == 1 else (1 - OTHER_SUIT_IS_LED**size) * stands


def _is_beaten(count: Count, card: Card, pinta: Suit, rival: PlayerId) -> float:
    """The chance that a rival beats a card: with a better one of the pinta or, without the pinta, with a trump."""
    mesa = count.round.mesa.suit
    total, size = count.total, count.sizes[rival]
    lacking = count.lacking[rival]
    following = 0 if pinta in lacking else len(count.out[pinta])
    better = _better(count, card, pinta) if following else 0
    trumps = 0 if mesa in lacking or mesa is pinta else _better(count, card, mesa)
    ways = comb(total, size)
    has_better = 1 - comb(total - better, size) / ways
    trumps_in = (comb(total - following, size) - comb(total - following - trumps, size)) / ways
    return has_better + trumps_in


def _better(count: Count, card: Card, suit: Suit) -> int:
    """How many unseen cards of a suit, which is the pinta or the mesa's, beat a card."""
    if card.suit is suit:
        height = HEIGHT[card.rank]
        return len([other for other in count.out[suit] if other > height])
    return len(count.out[suit]) if suit is count.round.mesa.suit else 0


# the guide for `search`

ROUND_SCALE = 7.0  # the lead, in points, that wins three matches of four when one round is left
CARE = 3.0  # how strictly bets are believed to follow `bet_worths`
LEAST_WORTH = 0.001  # of the best bet: any bet is possible


def prospects(state: State, moves: int) -> Shares | None:
    """When a round has been dealt: the chance of each player by its lead. Each round left makes a lead worth less."""
    if state.current_round is None or state.current_round.current_betting_index > 0:
        return None
    scale = ROUND_SCALE * sqrt(len(state.round_sequence) - len(state.completed_rounds))
    return shares_by_score({player.id: player.score for player in state.players}, scale)


def plausibility(state: State, player: PlayerId) -> float:
    """Players bet what their cards are worth, so a hand is as plausible as the bet that was made on it."""
    current = state.current_round
    assert current is not None, "a player that decides has cards"
    played = cards_played(current)
    likely = 1.0
    for rival in state.players:
        if rival.id != player and rival.bet is not None:
            dealt = (*rival.hand, *(each.card for each in played if each.player_id == rival.id))
            worths = bet_worths(_count_before_betting(state, current, rival.id, dealt))
            likely *= max(LEAST_WORTH, worths[rival.bet] / max(worths)) ** CARE
    return likely


def _count_before_betting(state: State, current: RoundState, bettor: PlayerId, dealt: Hand) -> Count:
    """What a player knew when it bet on this hand."""
    out = heights_out([current.mesa, *dealt])
    return Count(
        me=bettor,
        round=current,
        held=dealt,
        wanted=0,
        out=out,
        total=sum(map(len, out.values())),
        sizes={player.id: current.cards_per_player for player in state.players if player.id != bettor},
        lacking={player.id: set() for player in state.players},
    )


bots = GameBots({"counter": counter}, Guide(heuristic=counter, prospects=prospects, plausibility=plausibility))
