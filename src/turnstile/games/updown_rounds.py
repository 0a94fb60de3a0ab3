"""What a match of Up-Down consists of: players, the hand and the round being played, and those that are over."""

from turnstile.games.updown_cards import Card, Hand, Suit
from turnstile.kernel.game import Players
from turnstile.kernel.values import PlayerId, Value


class PlayerState(Value, frozen=True):
    """A player: what it holds, its bet and the hands it has won in this round, and its points of all rounds."""

    id: PlayerId
    hand: Hand
    bet: int | None
    hands_won: int
    score: int


class PlayedCard(Value, frozen=True):
    player_id: PlayerId
    card: Card


class HandState(Value, frozen=True):
    """The hand that is being played. The pinta is the suit of its first card; `hand_order` is PH1, PH2, ..."""

    hand_number: int
    cards_played: tuple[PlayedCard, ...]
    pinta: Suit | None
    current_player_index: int
    hand_order: Players


class HandResult(Value, frozen=True):
    hand_number: int
    cards_played: tuple[PlayedCard, ...]
    pinta: Suit
    winner_id: PlayerId


class RoundState(Value, frozen=True):
    """The round that is being played. `betting_order` is PS1, PS2, ...; all of it is public."""

    round_number: int
    cards_per_player: int
    mesa: Card
    starting_player_id: PlayerId
    betting_order: Players
    current_betting_index: int
    current_hand: HandState | None
    completed_hands: tuple[HandResult, ...]


class PlayerResult(Value, frozen=True):
    """What a round brought a player, and its points of all rounds up to this one."""

    player_id: PlayerId
    bet: int
    hands_won: int
    points: int
    score: int


class RoundResult(Value, frozen=True):
    round_number: int
    cards_per_player: int
    mesa: Card
    starting_player_id: PlayerId
    results: tuple[PlayerResult, ...]
    completed_hands: tuple[HandResult, ...]
