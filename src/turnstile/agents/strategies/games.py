"""The games of the league: Even/Odd, and every installed game for two players that needs no timers of its own."""

from functools import cache

from turnstile.kernel.chance import Seed
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import PlayerId
from turnstile.league.protocol.words import GAME_TYPE
from turnstile.league.referee.boards import open_board
from turnstile.registry import names

ANY_TWO = PlayerId("P01"), PlayerId("P02")


@cache
def games_for_two() -> tuple[str, ...]:
    """Their names in league.v2, Even/Odd first."""
    others = [name for name in names() if not isinstance(open_board(name, ANY_TWO, Seed("any")), Rejection)]
    return GAME_TYPE, *others
