"""Situations of random matches of every installed game, for tests of what is made from views and actions."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from turnstile.kernel import AnyGame, Move, PlayerId, Players, Rejection, Seed
from turnstile.lab.environment.task import settle
from turnstile.registry import find_game, names

MATCHES = 6
MOST_MOVES = 60  # of a match; the situations of a longer one are much like those before


def installed(name: str) -> AnyGame:
    game = find_game(name)
    assert game is not None
    return game


GAMES = [installed(name) for name in names()]
COMPANIES = [(game, count) for game in GAMES for count in sorted({game.seats[0], game.seats[len(game.seats) // 2]})]
"""Every game, with the fewest players and with more, if it takes more."""


@dataclass(frozen=True)
class Situation:
    """A player who may move, and the moves it is offered."""

    players: Players
    player: PlayerId
    state: Any
    moves: tuple[Move, ...]


@cache
def situations(game: AnyGame, count: int, names: str = "player") -> tuple[Situation, ...]:
    """Every decision of some random matches. Players with other names play the same matches."""
    players = tuple(PlayerId(f"{names} {seat}") for seat in range(count))
    return tuple(situation for number in range(MATCHES) for situation in _match(game, players, number))


def _match(game: AnyGame, players: Players, number: int) -> Iterator[Situation]:
    rng = Random(number)
    state = settle(game, game.new(players, game.options(), Seed(f"situation {number}")))
    for _ in range(MOST_MOVES):
        if game.outcome(state) is not None:
            return
        player, moves = game.next_to_act(state)
        yield Situation(players, player, state, moves)
        after = game.machine.apply(state, rng.choice(moves))
        assert not isinstance(after, Rejection)
        state = settle(game, after)
