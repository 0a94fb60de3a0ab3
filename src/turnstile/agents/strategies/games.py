"""Which games an agent can take part in: Even/Odd, and every installed game for two that needs no timers of its own."""

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
    """Their names, as league.v2 calls them; Even/Odd first."""
    others = [name for name in names() if not isinstance(open_board(name, ANY_TWO, Seed("any")), Rejection)]
    return GAME_TYPE, *others
