"""What the players of Up-Down are told."""

from turnstile.games.updown.cards import Card, Hand
from turnstile.games.updown.hand import HandResult
from turnstile.games.updown.rounds import PlayerResult
from turnstile.kernel.chance import Commitment, Seed
from turnstile.kernel.game import Players
from turnstile.kernel.values import ByPlayer, Message, PlayerId


class GameStarted(Message, frozen=True):
    player_order: Players
    round_sequence: tuple[int, ...]
    commitment: Commitment


class RoundDealt(Message, frozen=True):
    """A round begins with its betting; the hand is the receiver's own."""

    round_number: int
    cards_per_player: int
    mesa: Card
    betting_order: Players
    hand: Hand


class BetPlaced(Message, frozen=True):
    player_id: PlayerId
    bet: int


class CardPlayed(Message, frozen=True):
    player_id: PlayerId
    card: Card


class HandCompleted(Message, frozen=True):
    """A hand is over; its winner leads the next one."""

    result: HandResult


class RoundCompleted(Message, frozen=True):
    round_number: int
    results: tuple[PlayerResult, ...]


class GameCompleted(Message, frozen=True):
    """The match is over; the seed shows that the order and every deal were drawn as promised."""

    winners: Players
    scores: ByPlayer[int]
    seed: Seed


UpDownMessage = GameStarted | RoundDealt | BetPlaced | CardPlayed | HandCompleted | RoundCompleted | GameCompleted
