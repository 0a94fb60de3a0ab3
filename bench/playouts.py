"""Random matches of any game: the same events through `apply`, through `step`, chosen from `actions`, and with `view`.

Matches are recorded once, at fixed seeds, with the smallest company. `playout` makes the same choices again by asking
the game what is legal before every event, which is what a simulation of random bots does. `views` also makes the view
of the player who moves, which is what bots and learners need.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from bench.harness import Contest, Contestant, Run
from turnstile.kernel import AnyGame, Event, Move, PlayerId, Rejection, Seed
from turnstile.registry import find_game

EVENTS = 1_500  # about as many in each contest, however long a match is


@dataclass(frozen=True, slots=True)
class Recorded:
    """A match before its first event, what happened in it, and the number that its choices came from."""

    start: Any
    events: tuple[Event, ...]
    number: int


Play = Callable[[AnyGame, Recorded], Iterator[Any]]
"""Plays a match again; gives the state after every event."""


def contest_of(name: str) -> Contest:
    game = find_game(name)
    assert game is not None
    matches = recorded(game)
    return Contest(
        name=f"{name} playouts",
        title=f"{game.title}, random playouts",
        unit="event",
        units=sum(len(match.events) for match in matches),
        baseline="apply",
        contestants=(
            _contestant("apply", "the same events through apply: states alone", through_apply, game, matches),
            _contestant("step", "the same events through step: trace and messages, too", through_step, game, matches),
            _contestant("playout", "the same events, each chosen from all that is legal", playout, game, matches),
            _contestant("views", "the same, and the view of the player who moves", playout_with_views, game, matches),
        ),
    )


def recorded(game: AnyGame) -> tuple[Recorded, ...]:
    matches: list[Recorded] = []
    while sum(len(match.events) for match in matches) < EVENTS:
        number = len(matches)
        start = game.new(players(game), game.options(), Seed(f"bench {number}"))
        assert not isinstance(start, Rejection)
        matches.append(Recorded(start, tuple(event for event, _ in chosen(game, start, number)), number))
    return tuple(matches)


def players(game: AnyGame) -> tuple[PlayerId, ...]:
    return tuple(PlayerId(f"player {seat}") for seat in range(1, game.seats[0] + 1))


def chosen(game: AnyGame, state: Any, number: int) -> Iterator[tuple[Event, Any]]:
    """A random match: each event, and the state it led to."""
    rng, company = Random(number), players(game)
    while game.outcome(state) is None:
        event = game.dealer(state)
        if event is None:
            event = rng.choice(next(found for found in (game.actions(state, who) for who in company) if found))
        state = game.machine.apply(state, event)
        yield event, state


def through_apply(game: AnyGame, match: Recorded) -> Iterator[Any]:
    apply, state = game.machine.apply, match.start
    for event in match.events:
        state = apply(state, event)
        yield state


def through_step(game: AnyGame, match: Recorded) -> Iterator[Any]:
    step, state = game.machine.step, match.start
    for event in match.events:
        taken = step(state, event)
        assert type(taken) is not Rejection
        state = taken.state  # type: ignore[union-attr]
        yield state


def playout(game: AnyGame, match: Recorded) -> Iterator[Any]:
    for _, state in chosen(game, match.start, match.number):
        yield state


def playout_with_views(game: AnyGame, match: Recorded) -> Iterator[Any]:
    before = match.start
    for event, state in chosen(game, match.start, match.number):
        if isinstance(event, Move):
            game.view(before, event.player)
        before = state
        yield state


def _contestant(name: str, about: str, play: Play, game: AnyGame, matches: tuple[Recorded, ...]) -> Contestant:
    def trail() -> Iterator[Any]:
        for match in matches:
            yield from play(game, match)

    def prepare() -> Run:
        return lambda: sum(1 for _ in trail())

    return Contestant(name=name, about=about, trail=trail, prepare=prepare)
