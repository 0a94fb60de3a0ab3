"""Who plays whom: everybody meets everybody once, in as few rounds as that takes. The circle method.

All but the last player sit in a circle, which turns by one place each round; the last one, or the bye when their number
is odd, is met by whoever has come to the top. Whoever sits `k` places after the top meets whoever sits `k` places
before it. So every match can be named without a list of them: nothing of the schedule needs to be kept.
"""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def rounds(players: int) -> int:
    """How many rounds a league of so many players has; without an opponent there is none."""
    return 0 if players < 2 else _circle(players)


def matches(players: int) -> int:
    """How many matches a league has in all."""
    return players * (players - 1) // 2


def matches_a_round(players: int) -> int:
    return players // 2


def pairings(players: Sequence[T], round_id: int) -> tuple[tuple[T, T], ...]:
    """The matches of a round, Player A first, in the order of their numbers."""
    count = len(players)
    pairs = (pairing(count, round_id, number) for number in range(1, matches_a_round(count) + 1))
    return tuple((players[a], players[b]) for a, b in pairs)


def pairing(players: int, round_id: int, number: int) -> tuple[int, int]:
    """The places of Player A and Player B in the list of players, in one match of a round.

    Whoever comes after the top is Player A, so that in a whole turn of the circle everybody is A as often as B. The
    last player, who is outside, is A in every other round.
    """
    circle = _circle(players)
    top, steps = round_id - 1, number - 1 if players % 2 == 0 else number
    if steps == 0:
        return (players - 1, top) if round_id % 2 == 0 else (top, players - 1)
    return (top + steps) % circle, (top - steps) % circle


def number_of(players: int, round_id: int, place: int) -> int | None:
    """The number of the match that a player has in a round; `None` where it sits out."""
    circle, is_even = _circle(players), players % 2 == 0
    if place == circle:
        return 1
    after = (place - (round_id - 1)) % circle
    steps = min(after, circle - after)
    if steps == 0 and not is_even:
        return None
    return steps + 1 if is_even else steps


def _circle(players: int) -> int:
    """How many sit in the circle. Of an even number one stays outside; of an odd one nobody: the bye does."""
    return players - 1 if players % 2 == 0 else players
