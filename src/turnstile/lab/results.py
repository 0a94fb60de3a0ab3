"""The file of results: lines of JSON, a header and one line for each match. Simulations and tournaments write it.

The format is in docs/simulations.md. A reader ignores fields that it does not know, so a writer may add some.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import msgspec

from turnstile.kernel.game import places

VERSION = 1


class Header(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The first line: what was played."""

    kind: str
    """`simulation` or `tournament`."""
    version: int
    """Of the format."""
    game: str
    game_version: int
    options: dict[str, Any]
    bots: tuple[str, ...]
    """In a simulation, the bot at each seat. In a tournament, all bots."""
    players: int
    """How many play a match."""
    seed: str
    matches: int | None = None
    """How many matches a simulation was to have."""
    deals: int | None = None
    """How many deals a tournament was to have. Each is played in several seatings."""
    hidden_information: bool = False
    """Whether the file says more about a match than its players saw."""


class ResultLine(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A finished match."""

    seats: tuple[str, ...]
    """Who sat at each seat: in a simulation a bot and the number of its seat, in a contest a bot."""
    winners: tuple[int, ...]
    """The seats of the winners, from 0. Several share the win; none is a draw."""
    scores: tuple[float, ...]
    """The score at each seat; empty if the game has none."""
    moves: int | None = None
    match: int | None = None
    """The number of a match of a simulation, from 1."""
    deal: int | None = None
    seating: int | None = None
    """Of a match of a contest, from 0."""
    facts: dict[str, tuple[int, int]] = {}
    """What the game's study counts: how often each fact was true, and out of how many times."""

    @property
    def is_sound(self) -> bool:
        """Whether its seats, winners and scores fit together."""
        seats = len(self.seats)
        return seats > 0 and all(0 <= seat < seats for seat in self.winners) and len(self.scores) in (0, seats)

    @property
    def places(self) -> tuple[int, ...]:
        return places_of_seats(self.winners, self.scores, len(self.seats))

    @property
    def shares(self) -> tuple[float, ...]:
        return shares(self.winners, len(self.seats))


def places_of_seats(winners: Collection[int], scores: Sequence[float], seats: int) -> tuple[int, ...]:
    """The place of each seat, from 1; see `turnstile.kernel.game.places`."""
    found = places(range(seats), winners, dict(enumerate(scores)))
    return tuple(found[seat] for seat in range(seats))


def part_ahead(place: int, other: int) -> float:
    """How far one place counts as ahead of another: 1 or 0, and a half for the same place."""
    return (1 + (place < other) - (place > other)) / 2


def shares(winners: Collection[int], seats: int) -> tuple[float, ...]:
    """The part of the win that each seat has: the winners share it; without winners, all seats do."""
    sharing = winners or range(seats)
    return tuple(1 / len(sharing) if seat in sharing else 0.0 for seat in range(seats))


def write_lines(values: Iterable[Header | ResultLine]) -> bytes:
    """The lines. The facts keep the order in which the game's study tells them."""
    return b"".join(msgspec.json.encode(value) + b"\n" for value in values)
