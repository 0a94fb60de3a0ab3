"""Who sits where: the seatings of a contest. Every deal is played once by each of them."""

from collections.abc import Iterator, Sequence
from itertools import chain, combinations

Seating = tuple[str, ...]
"""The name of the bot on each seat."""


def tournament_seatings(bots: Sequence[str], players: int) -> tuple[Seating, ...]:
    """All combinations of bots that fill the seats, each with all its rotations, in both directions.

    With more bots than seats, each combination of different bots. With fewer, every bot has as many seats as any other
    or one more, in every way. A bot sits on each seat equally often. For two and three players these are all orders.
    """
    return tuple(dict.fromkeys(chain.from_iterable(map(_rotations, _companies(bots, players)))))


def arena_seatings(bots: Sequence[str], players: int) -> tuple[Seating, ...]:
    """The first bot against each of the others. It sits on each seat in turn, and the other bot has all other seats."""
    first, *others = bots
    return tuple(
        (other,) * seat + (first,) + (other,) * (players - 1 - seat) for other in others for seat in range(players)
    )


def seatings_of_company(bots: Sequence[str], players: int) -> int:
    """How many seatings of a tournament the same bots share: how many matches of a deal they play with each other."""
    return len(set(_rotations(next(_companies(bots, players)))))


def _companies(bots: Sequence[str], players: int) -> Iterator[Seating]:
    if len(bots) >= players:
        yield from combinations(bots, players)
        return
    rounds, extra = divmod(players, len(bots))
    for more in combinations(bots, extra):
        yield tuple(chain.from_iterable([bot] * (rounds + (bot in more)) for bot in bots))


def _rotations(company: Seating) -> Iterator[Seating]:
    for order in (company, company[::-1]):
        yield from (order[turn:] + order[:turn] for turn in range(len(order)))
