"""What the players of Up-Down may do. `rules` decides whether it is allowed."""

from typing import Annotated

from turnstile.games.updown.cards import Card
from turnstile.games.updown.rounds import LARGEST_ROUND
from turnstile.kernel.marks import Among
from turnstile.kernel.values import Move


class StartGame(Move, frozen=True, tag="START_GAME"):
    """The admin starts the match."""


class PlaceBet(Move, frozen=True, tag="PLACE_BET"):
    """How many hands of this round a player says it will win."""

    bet: Annotated[int, Among(range(LARGEST_ROUND + 1))]


class PlayCard(Move, frozen=True, tag="PLAY_CARD"):
    card: Card
