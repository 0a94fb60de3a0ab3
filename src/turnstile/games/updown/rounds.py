"""What a match of Up-Down consists of: its players, the round that is being played, and the rounds that are over."""

from turnstile.games.updown.cards import Card, Hand
from turnstile.games.updown.hand import HandResult, HandState
from turnstile.kernel.game import Players
from turnstile.kernel.values import PlayerId, Value


class PlayerState(Value, frozen=True):
    """A player: what it holds, its bet and the hands it has won in this round, and its points of all rounds."""

    id: PlayerId
    hand: Hand
    bet: int | None
    hands_won: int
    score: int


class PlayerView(Value, frozen=True):
    """A player in somebody's eyes. The hand is `None` where it is not for these eyes; its size is public."""

    id: PlayerId
    hand: Hand | None
    hand_size: int
    bet: int | None
    hands_won: int
    score: int


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
