"""What the players of E-Card are told."""

from turnstile.games.ecard.cards import Hand
from turnstile.games.ecard.state import Pair, Roles
from turnstile.kernel.chance import Commitment, Seed
from turnstile.kernel.values import ByPlayer, Message, PlayerId


class MatchStarted(Message, frozen=True):
    roles: Roles
    commitment: Commitment


class RoundSetUp(Message, frozen=True):
    """A decisive round (from 1) is about to begin; the hand is the receiver's own."""

    round: int
    roles: Roles
    hand: Hand


class OpponentPicked(Message, frozen=True):
    """The other player has laid a card face down."""


class PairRevealed(Message, frozen=True):
    pair: Pair
    score: ByPlayer[int]


class SideSwitched(Message, frozen=True):
    """A new side (from 1) begins, with the roles switched."""

    side: int
    roles: Roles


class TieBreak(Message, frozen=True):
    """Six to six: one extra decisive round, in the same roles, decides the match."""

    score: ByPlayer[int]


class MatchFinished(Message, frozen=True):
    """The match is over; the seed shows that the first emperor was drawn as promised."""

    winner: PlayerId
    score: ByPlayer[int]
    seed: Seed


EcardMessage = MatchStarted | RoundSetUp | OpponentPicked | PairRevealed | SideSwitched | TieBreak | MatchFinished
