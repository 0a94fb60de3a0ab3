"""What a player is told when it is asked: for its choice in Even/Odd, or for a move in any other game.

A game's views and moves are carried as JSON, just as the game writes them: only the game knows what they mean.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Raw

from turnstile.kernel.chance import Commitment
from turnstile.kernel.values import Malformed, PlayerId, decode, encode
from turnstile.league.protocol.words import LeagueValue, Number


class PlayerStandings(LeagueValue, frozen=True, kw_only=True):
    wins: int = 0
    losses: int = 0
    draws: int = 0
    points: int = 0


class ChoiceContext(LeagueValue, frozen=True, kw_only=True):
    """What a player is told before it chooses. `commitment` binds the referee to the seed of the draw."""

    opponent_id: PlayerId
    round_id: Number
    your_standings: PlayerStandings = PlayerStandings()
    commitment: Commitment | None = None


class MoveContext(ChoiceContext, frozen=True, kw_only=True):
    """What a player is told before it moves: the same, and the match as this player sees it."""

    view: Raw


class MoveRequest(LeagueValue, frozen=True, kw_only=True):
    """A question: every move that is legal for this player now, and what it sees."""

    move_type: str
    """The kind of move that is wanted, as the game calls it; `any` where several kinds are legal."""
    valid_options: tuple[Raw, ...]
    context: MoveContext


class MoveData(LeagueValue, frozen=True, kw_only=True):
    """An answer: one of the options."""

    move_type: str | None = None
    choice: Raw


def option_meant(options: Sequence[Raw], choice: Raw) -> int | None:
    """Which option says the same as this choice, however each is written; `None` where none does."""
    chosen = _plain(choice)
    if chosen is None:
        return None
    return next((number for number, option in enumerate(options) if _plain(option) == chosen), None)


def _plain(written: Raw) -> bytes | None:
    """One way to write it: no blanks, and the fields of an object in order. `None` where it cannot be read."""
    try:
        return encode(decode(bytes(written), Any))
    except Malformed:
        return None
