"""The rounds of Up-Down: their sizes, the bets, the points, and what a round in play and a finished round hold."""

from collections.abc import Sequence
from typing import Annotated

from turnstile.games.updown.cards import DECK, Card, Hand
from turnstile.games.updown.hand import HandResult, HandState
from turnstile.kernel.game import Players
from turnstile.kernel.marks import SEATED, Within
from turnstile.kernel.values import PlayerId, Value

SEATS = range(2, 11)
LARGEST_ROUND = (len(DECK) - 1) // SEATS[0]
POINTS_FOR_THE_BET = 10
POINTS_A_HAND = 2

Hands = Annotated[int, Within(0, LARGEST_ROUND)]
"""How many hands of a round: a bet, or what a player won."""

RoundSize = Annotated[int, Within(1, LARGEST_ROUND)]


class PlayerState(Value, frozen=True):
    """A player: what it holds, its bet and the hands it has won in this round, and its points of all rounds."""

    id: PlayerId
    hand: Hand
    bet: Hands | None
    hands_won: Hands
    score: int


class PlayerView(Value, frozen=True):
    """A player as another player sees it. The hand is `None` unless it is the viewer's own; its size is public."""

    id: PlayerId
    hand: Hand | None
    hand_size: Hands
    bet: Hands | None
    hands_won: Hands
    score: int


class RoundState(Value, frozen=True):
    """The round that is being played. `betting_order` is PS1, PS2, ...; all of it is public."""

    round_number: int
    cards_per_player: RoundSize
    mesa: Card
    starting_player_id: PlayerId
    betting_order: Players
    current_betting_index: int
    current_hand: HandState | None
    completed_hands: tuple[HandResult, ...]


class PlayerResult(Value, frozen=True):
    """A player's points in a round, and its points in all rounds up to this one."""

    player_id: PlayerId
    bet: Hands
    hands_won: Hands
    points: Annotated[int, Within(0, POINTS_FOR_THE_BET + POINTS_A_HAND * LARGEST_ROUND)]
    score: int


class RoundResult(Value, frozen=True):
    round_number: int
    cards_per_player: RoundSize
    mesa: Card
    starting_player_id: PlayerId
    results: Annotated[tuple[PlayerResult, ...], SEATED]
    completed_hands: tuple[HandResult, ...]


def largest_round(players: int) -> int:
    """How many cards each player can have when one more is needed for the mesa."""
    return (len(DECK) - 1) // players


def up_and_down(size: int) -> tuple[int, ...]:
    """The sizes of the rounds: 1, 2, ..., size, ..., 2, 1."""
    return (*range(1, size), *range(size, 0, -1))


def forbidden_bet(current: RoundState, players: Sequence[PlayerState]) -> int | None:
    """The bet that would make the sum of all bets equal to the round size, when the last player is to bet.

    At most one bet is forbidden and a round has at least one card, so of the bets 0 to X at least one is always left.
    """
    if current.current_betting_index < len(current.betting_order) - 1:
        return None
    return current.cards_per_player - sum(player.bet or 0 for player in players)


def points(bet: int, hands_won: int) -> int:
    """Ten points and two for each hand won, if the player won exactly as many as it bet; else nothing."""
    return POINTS_FOR_THE_BET + POINTS_A_HAND * hands_won if bet == hands_won else 0


def result_of(player: PlayerState) -> PlayerResult:
    assert player.bet is not None, "all players have bet"
    gained = points(player.bet, player.hands_won)
    return PlayerResult(player.id, player.bet, player.hands_won, gained, player.score + gained)


def exchange(players: tuple[PlayerState, ...], before: PlayerState, after: PlayerState) -> tuple[PlayerState, ...]:
    """The players in their seats, one of them changed."""
    seated = list(players)
    seated[seated.index(before)] = after
    return tuple(seated)
