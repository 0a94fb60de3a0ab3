"""The schedule: every player meets every other player once, in as few rounds as possible (the circle method).

All players but the last sit in a circle, which turns by one place each round. The last player, or the bye when their
number is odd, meets the player at the top. The player `k` places after the top meets the player `k` places before it.
So any match can be computed, and the schedule need not be stored.
"""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def rounds(players: int) -> int:
    """The number of rounds in a league of this many players."""
    return 0 if players < 2 else _circle(players)


def matches(players: int) -> int:
    """The number of matches in a league."""
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

    The player after the top is Player A, so that in a whole turn of the circle every player is A as often as B. The
    last player, outside the circle, is A in every other round.
    """
    circle = _circle(players)
    top, steps = round_id - 1, number - 1 if players % 2 == 0 else number
    if steps == 0:
        return (players - 1, top) if round_id % 2 == 0 else (top, players - 1)
    return (top + steps) % circle, (top - steps) % circle


def number_of(players: int, round_id: int, place: int) -> int | None:
    """The number of a player's match in a round; `None` if it sits out."""
    circle, is_even = _circle(players), players % 2 == 0
    if place == circle:
        return 1
    after = (place - (round_id - 1)) % circle
    steps = min(after, circle - after)
    if steps == 0 and not is_even:
        return None
    return steps + 1 if is_even else steps


def _circle(players: int) -> int:
    """The number of players in the circle. If it is even, one stays outside; if it is odd, the bye does."""
    return players - 1 if players % 2 == 0 else players
