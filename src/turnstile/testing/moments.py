"""Moments to test: states of matches in progress, sampled evenly for every resting phase and every observer."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from math import inf
from random import Random
from typing import Any, NamedTuple, NoReturn, TypeVar

from turnstile.kernel import AnyGame, Arm, Disarm, Event, PlayerId, Players, Rejection, Seed, Step
from turnstile.testing.strategies import NAMES

T = TypeVar("T")

MOST_MATCHES = 300
LONGEST_MATCH = 300  # events
ENOUGH = 12  # moments for each spot; then no more matches are played
MOMENTS = 60  # kept for each spot
LOOKS = 5  # events that are tried out to find one that leads to a rare phase


class Spot(NamedTuple):
    """A phase of the match and an observer's seat, from 0; a spectator has no seat."""

    phase: StrEnum
    seat: int | None

    def __str__(self) -> str:
        return f"{self.phase}, {'spectator' if self.seat is None else f'seat {self.seat + 1}'}"


@dataclass(frozen=True, slots=True)
class Moment:
    """A state of a match that is not over, and how to reach it again."""

    state: Any
    players: Players
    origin: str

    def observer(self, spot: Spot) -> PlayerId | None:
        return None if spot.seat is None else self.players[spot.seat]


def open_phases(game: AnyGame) -> list[StrEnum]:
    """The phases in which an open match waits for something."""
    return list(
        dict.fromkeys(row.phase for row in game.machine.rows if row.event and row.phase not in game.machine.ends)
    )


def spots(game: AnyGame, seats: range) -> list[Spot]:
    """Every spot that must be tested, with these numbers of players."""
    return [Spot(phase, seat) for phase in open_phases(game) for seat in (*range(seats[-1]), None)]


def moments(game: AnyGame, seats: range) -> dict[Spot, list[Moment]]:
    """Moments from random matches with these numbers of players, until every spot has enough or there are many matches.

    A spot that comes up more often keeps an even sample of its moments.
    """
    return _moments(replace(game, view=_no_view), seats)


def _no_view(state: Any, player: PlayerId | None) -> NoReturn:
    raise AssertionError("Playing a match must not call `view`.")


@lru_cache(maxsize=8)  # every leak test needs them; a game's `view` makes no difference to its matches
def _moments(game: AnyGame, seats: range) -> dict[Spot, list[Moment]]:
    rng = Random(f"moments of {game.name}")
    found: dict[Spot, list[Moment]] = {spot: [] for spot in spots(game, seats)}
    met: Counter[Spot] = Counter()
    for number in range(MOST_MATCHES):
        size = seats[-1] if number % 2 else seats[number // 2 % len(seats)]  # only a full table has all the seats
        players = NAMES[:size]
        for state, origin in played(game, players, Seed(f"match {number}"), met, rng):
            for seat in (*range(len(players)), None):
                spot = Spot(state.phase, seat)
                met[spot] += 1
                keep(found[spot], met[spot], Moment(state, players, origin), rng)
        if number >= len(seats) and all(len(kept) >= ENOUGH for kept in found.values()):
            break
    return found


def keep(kept: list[T], met: int, moment: T, rng: Random) -> None:
    """Add the moment, or replace another one, so that all moments met are equally likely to stay."""
    if len(kept) < MOMENTS:
        kept.append(moment)
    elif (place := rng.randrange(met)) < MOMENTS:
        kept[place] = moment


def played(game: AnyGame, players: Players, seed: Seed, met: Counter[Spot], rng: Random) -> Iterator[tuple[Any, str]]:
    """The states of one random match, in which every other event is chosen to lead to a phase that is rare so far.

    Events that are offered and then refused are skipped: another test finds those.
    """
    state = game.new(players, game.options(), seed)
    assert not isinstance(state, Rejection), state.sentence
    armed: dict[str, Event] = {}
    for number in range(LONGEST_MATCH):
        if game.outcome(state) is not None:
            return
        yield state, f"{len(players)} players, seed {seed!r}, after {number} events"
        possible = [*game.offered(state), *armed.values()]
        tried = [any_kind(possible, rng) for _ in range(rng.choice((1, LOOKS)) if possible else 0)]
        steps = [(event, step) for event in tried if isinstance(step := game.machine.step(state, event), Step)]
        if steps:
            event, step = min(steps, key=lambda each: times_met(game, each[1].state, met))
            state, armed = step.state, _timers(armed, event, step)


def _timers(armed: dict[str, Event], event: Event, step: Step[Any]) -> dict[str, Event]:
    """The timers that run after a step, with their events; without one that has just run out."""
    running = {timer: brings for timer, brings in armed.items() if brings is not event}
    for effect in step.effects:
        if isinstance(effect, Arm):
            running[effect.timer] = effect.event
        elif isinstance(effect, Disarm):
            running.pop(effect.timer, None)
    return running


def times_met(game: AnyGame, state: Any, met: Counter[Spot]) -> float:
    """How often this phase, or the one that the dealer leads to, has been met; infinite for an end."""
    if game.outcome(state) is not None:
        return inf
    due = game.dealer(state)
    after = state if due is None else game.machine.apply(state, due)
    ahead = state if isinstance(after, Rejection) else after
    return min(met[Spot(state.phase, None)], met[Spot(ahead.phase, None)])


def any_kind(events: list[Event], rng: Random) -> Event:
    """One of these events, with every *kind* equally likely, so that rare kinds come up as well."""
    kind = rng.choice(list(dict.fromkeys(map(type, events))))
    return rng.choice([event for event in events if type(event) is kind])
