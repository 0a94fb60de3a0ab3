"""The leak tests, for any game whose study has `redraw`. They print what they compared, and require a minimum.

*Forward pairs* start from a state and from the same state with everything hidden from the observer redrawn, and let the
same things happen in both. They find a view, a list of actions, a message or a refusal that depends on a secret. *Trace
pairs* start from one state, and let another player do one of two things, or draw one number differently. They find a
message that reveals what was done or drawn. Every choice comes from a fixed seed, so a run can be repeated.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import cycle, islice
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from turnstile.kernel import AnyGame, AnyStudy, Event, Move, PlayerId, Rejection, Seed, Step, encode
from turnstile.testing.draws import drawn_again, drawn_differently
from turnstile.testing.leaks import Eyes, compare, eyes_on, forward, knows_the_same, looks_alike, received
from turnstile.testing.moments import Moment, Spot, any_kind, moments
from turnstile.testing.strategies import NAMES, values

PAIRS = 12  # pairs of different worlds for each spot; fewer is a failure
TRIES = 20  # moments that are asked for another world, for one pair
CHOICE = 4  # moments from which the one with the most hidden in it is taken
WORLDS = 3  # tries for another world of one moment
LENGTH = 4  # steps that a pair is followed
ATTEMPTS = 6  # moves of each sort that an observer tries in a state
TRACED = 24  # moments of each phase at which players do one thing or another
MOST_SECRETS = 40  # trace pairs for each spot; there is no need for more
REACH = 8  # steps after a moment in which something may be drawn
DRAWS = 12  # tries to draw something that stays secret, in one step


class TooFew(AssertionError):
    """The tests had too little to compare, so passing would prove nothing."""


class Overlooked(AssertionError):
    """`redraw` keeps something that the player was never shown, so the tests would not look for it."""


@dataclass(slots=True)
class Counts:
    """What was compared, spot by spot."""

    pairs: Counter[Spot] = field(default_factory=Counter)
    """Pairs of different worlds."""
    steps: Counter[Spot] = field(default_factory=Counter)
    """Pairs that were followed through at least one step, and still differed after it."""
    hidden: dict[Spot, Counter[str]] = field(default_factory=dict)
    """In which fields of the state the worlds differed, and how often."""
    nothing_hidden: list[Spot] = field(default_factory=list)
    """Spots where the study says that the observer sees everything, and `redraw` agrees."""

    def add(self, spot: Spot, fields: Sequence[str], followed: int) -> None:
        self.pairs[spot] += 1
        self.steps[spot] += followed > 0
        self.hidden.setdefault(spot, Counter()).update(fields)

    def __str__(self) -> str:
        lines = [
            f"{spot}: {count} pairs, {self.steps[spot]} followed; hidden: "
            + ", ".join(f"{name} {times}" for name, times in sorted(self.hidden[spot].items()))
            for spot, count in self.pairs.items()
        ]
        return "\n".join([*lines, *(f"{spot}: nothing is hidden" for spot in self.nothing_hidden)])


# forward pairs


def forward_pairs(game: AnyGame, study: AnyStudy, seats: range | None = None) -> Counts:
    """Compares PAIRS pairs of different worlds for every resting phase and every observer."""
    counts = Counts()
    found = moments(game, seats or _seats(game))
    rng = Random(f"forward pairs of {game.name}")
    pools = {spot: cycle(rng.sample(kept, len(kept))) for spot, kept in found.items()}
    for _ in range(PAIRS):  # one pair for each spot in turn, so that a leak anywhere is found soon
        for spot, pool in pools.items():
            if world := _richest_world(game, study, spot, pool, rng):
                _compare_worlds(game, study, spot, world, counts, rng)
    _demand(study, found, counts)
    return counts


@dataclass(frozen=True, slots=True)
class World:
    """A moment, the same in another world, the fields in which they differ, and how many events both allow."""

    moment: Moment
    other: Any
    fields: Sequence[str]
    common: int

    def wealth(self) -> tuple[int, bool]:
        """How much there is to compare."""
        return len(self.fields), self.common > 0


def _compare_worlds(game: AnyGame, study: AnyStudy, spot: Spot, world: World, counts: Counts, rng: Random) -> None:
    moment = world.moment
    eyes = eyes_on(game, study, moment.observer(spot), _attempts(game, moment, rng))
    with _located(moment):
        followed = forward(eyes, moment.state, world.other, lambda one, two: _in_both(game, one, two, rng), LENGTH)
    counts.add(spot, world.fields, followed)


def _richest_world(game: AnyGame, study: AnyStudy, spot: Spot, pool: Iterator[Moment], rng: Random) -> World | None:
    """Of a few moments that have another world, the one with the most to compare."""
    found: list[World] = []
    for moment in islice(pool, TRIES):
        world = _another_world(game, study, moment, spot, rng)
        found += [world] if world.fields else []
        if len(found) == CHOICE:
            break
    return max(found, key=World.wealth, default=None)


def _another_world(game: AnyGame, study: AnyStudy, moment: Moment, spot: Spot, rng: Random) -> World:
    """Of a few worlds that the observer may not tell from this one, the one that differs in most."""
    assert study.redraw is not None
    state, worlds = moment.state, list[World]()
    for _ in range(WORLDS):
        other = study.redraw(state, moment.observer(spot), Seed(f"world {rng.random()}"))
        worlds.append(World(moment, other, differing_fields(state, other), len(_common(game, state, other))))
    return max(worlds, key=World.wealth)


def differing_fields(one: Any, two: Any) -> list[str]:
    """The fields of a state that are not the same in both worlds."""
    return [name for name in one.__struct_fields__ if getattr(one, name) != getattr(two, name)]


def _common(game: AnyGame, one: Any, two: Any) -> list[tuple[Event, Event]]:
    """What can happen in both worlds. The dealer does in each what is due there."""
    due, due_there = game.dealer(one), game.dealer(two)
    offered = game.offered(two)
    both: list[tuple[Event, Event]] = [(event, event) for event in game.offered(one) if event in offered]
    return [(due, due_there), *both] if due is not None and due_there is not None else both


def _in_both(game: AnyGame, one: Any, two: Any, rng: Random) -> tuple[Event, Event] | None:
    events = _common(game, one, two)
    if not events:
        return None
    chosen = any_kind([here for here, _ in events], rng)
    return next(pair for pair in events if pair[0] == chosen)


def _demand(study: AnyStudy, found: dict[Spot, list[Moment]], counts: Counts) -> None:
    for spot, kept in found.items():
        if not kept:
            raise TooFew(f"{spot}: no random match came here, so nothing was compared.")
        if counts.pairs[spot] >= PAIRS:
            continue
        if counts.pairs[spot] or not all(study.sees_everything(each.state, each.observer(spot)) for each in kept):
            raise TooFew(
                f"{spot}: {counts.pairs[spot]} pairs of different worlds, and {PAIRS} are demanded. Let `redraw` draw "
                f"all that this observer may not know, or let `sees_everything` say that there is nothing.\n{counts}"
            )
        counts.nothing_hidden.append(spot)


# trace pairs


def trace_pairs(game: AnyGame, study: AnyStudy, seats: range | None = None) -> Counts:
    """Compare steps that differ in another player's move or in a draw, for every observer who must not know it."""
    counts = Counts()
    seats = seats or _seats(game)
    rng = Random(f"trace pairs of {game.name}")
    _deals(game, study, seats, counts, rng)
    for spot, kept in moments(game, seats).items():
        for number, moment in enumerate(kept if spot.seat is None else ()):
            with _located(moment):
                if number < TRACED:
                    _secret_moves(game, study, moment, counts, rng)
                _secret_draws(game, study, moment, counts, rng)
    return counts


def _secret_moves(game: AnyGame, study: AnyStudy, moment: Moment, counts: Counts, rng: Random) -> None:
    """Each player who has a choice does one thing, or another."""
    for player in moment.players:
        if len(moves := game.actions(moment.state, player)) > 1:
            one, two = (game.machine.step(moment.state, move) for move in rng.sample(moves, 2))
            observers = [other for other in (*moment.players, None) if other != player]
            _judge_steps(game, study, moment, observers, (one, two), counts, rng)


def _secret_draws(game: AnyGame, study: AnyStudy, moment: Moment, counts: Counts, rng: Random) -> None:
    """The match goes on until something is drawn, and one of the numbers drawn is another one."""
    if (found := _next_draw(game, moment, rng)) is None:
        return
    drawing, event = found
    for steps in _with_another_draw(lambda: game.machine.step(drawing.state, event), rng):
        _judge_steps(game, study, drawing, [*drawing.players, None], steps, counts, rng)


def _next_draw(game: AnyGame, moment: Moment, rng: Random) -> tuple[Moment, Event] | None:
    """The next moment of a random match at which something is drawn, and by which event; `None` if that is not soon."""
    state = moment.state
    for number in range(REACH):
        if game.outcome(state) is not None or not (offered := game.offered(state)):
            return None
        event = any_kind(offered, rng)
        with drawn_again() as draws:
            step = game.machine.step(state, event)
        if draws:
            return Moment(state, moment.players, f"{moment.origin} and {number} more"), event
        state = step.state if isinstance(step, Step) else state
    return None


def _with_another_draw(do: Callable[[], Any], rng: Random) -> Iterator[tuple[Any, Any]]:
    """The same thing done as it is, and done with one of its numbers drawn differently."""
    with drawn_again() as draws:
        honest = do()
    for _ in range(DRAWS if draws else 0):
        with drawn_again(drawn_differently(draws, rng)):
            other = do()
        yield honest, other


def _judge_steps(
    game: AnyGame,
    study: AnyStudy,
    moment: Moment,
    observers: Sequence[PlayerId | None],
    steps: tuple[Step[Any] | Rejection, Step[Any] | Rejection],
    counts: Counts,
    rng: Random,
) -> None:
    """Compare two steps from one state for every observer who must not know which of them was taken."""
    one, two = steps
    if isinstance(one, Rejection) or isinstance(two, Rejection) or one.state == two.state:
        return
    if game.outcome(one.state) or game.outcome(two.state):
        return
    attempts = _attempts(game, moment, rng)
    for observer in observers:
        spot = Spot(moment.state.phase, None if observer is None else moment.players.index(observer))
        if counts.pairs[spot] >= MOST_SECRETS:
            continue
        eyes = eyes_on(game, study, observer, attempts)
        gets = [received(eyes, moment.state, step) for step in (one, two)]
        if _is_secret(study, eyes, observer, (one.state, two.state), gets):
            followed = forward(eyes, one.state, two.state, lambda here, there: _in_both(game, here, there, rng), LENGTH)
            counts.add(spot, differing_fields(one.state, two.state), followed)


def _is_secret(
    study: AnyStudy, eyes: Eyes, observer: PlayerId | None, states: tuple[Any, Any], gets: Sequence[object]
) -> bool:
    """Whether the observer must not know which of two different states it is in; then it must have got the same."""
    if knows_the_same(study, observer, *states):
        compare(eyes, gets[0], gets[1], "when something else was done or drawn in secret")
        return True
    if encode(gets[0]) == encode(gets[1]):
        raise Overlooked(
            f"{eyes.name} nothing of a difference in {', '.join(differing_fields(*states))}, and `redraw` keeps it as "
            f"if {observer or 'a spectator'} could know."
        )
    return False


def _deals(game: AnyGame, study: AnyStudy, seats: range, counts: Counts, rng: Random) -> None:
    """A match that is dealt before its first event, dealt a little differently."""
    for number in range(PAIRS):
        players, seed = NAMES[: seats[number % len(seats)]], Seed(f"deal {number}")
        for one, two in _with_another_draw(lambda: game.new(players, game.options(), seed), rng):  # noqa: B023
            if one == two:
                continue
            moment = Moment(one, players, f"{len(players)} players, seed {seed!r}, before the first event")
            for seat, observer in enumerate((*players, None)):
                eyes = eyes_on(game, study, observer, _attempts(game, moment, rng))
                with _located(moment):
                    if _is_secret(study, eyes, observer, (one, two), [eyes.sight(one), eyes.sight(two)]):
                        spot = Spot(one.phase, None if observer is None else seat)
                        counts.add(spot, differing_fields(one, two), 0)


# the law of redraw


def redraw_laws(game: AnyGame, study: AnyStudy, seats: range | None = None) -> None:
    """What is redrawn depends on nothing hidden, the seed included, and agrees with what `imagine` makes of a view."""
    assert study.redraw is not None
    one, other = Seed("one"), Seed("another")
    for spot, kept in moments(game, seats or _seats(game)).items():
        for moment in kept[:PAIRS]:
            state, observer = moment.state, moment.observer(spot)
            redrawn = study.redraw(state, observer, one)
            again = study.redraw(redrawn, observer, other) == study.redraw(state, observer, other)
            with _located(moment):
                assert again, "`redraw` depends on something hidden"
                assert redrawn == state or not study.sees_everything(state, observer), "`redraw` finds something hidden"
                if study.imagine is not None:
                    imagined = study.imagine(game.view(state, observer), observer, one)
                    assert looks_alike(game, study, observer, imagined, state), "`imagine` contradicts `redraw`"
    _seeds(game, study, seats or _seats(game))


def _seeds(game: AnyGame, study: AnyStudy, seats: range) -> None:
    """The same deal from two seeds: an observer who cannot see which it is may not know it."""
    for size in seats:
        players = NAMES[:size]
        with drawn_again() as draws:
            one = game.new(players, game.options(), Seed("one"))
        with drawn_again(draws):
            two = game.new(players, game.options(), Seed("two"))
        for observer in (*players, None):
            eyes = eyes_on(game, study, observer)
            if one != two:
                _is_secret(study, eyes, observer, (one, two), [eyes.sight(one), eyes.sight(two)])


# helpers


def _seats(game: AnyGame) -> range:
    return range(game.seats[0], min(game.seats[-1], len(NAMES)) + 1)


def _attempts(game: AnyGame, moment: Moment, rng: Random) -> list[Move]:
    """Moves for an observer to try: some of any form, and some that a player may make now."""
    anything = _any_moves(game.machine.events)
    offered = [event for event in game.offered(moment.state) if isinstance(event, Move)]
    return [each for some in (anything, offered) for each in rng.sample(some, min(ATTEMPTS, len(some)))]


@cache
def _any_moves(kinds: tuple[type[Event], ...]) -> list[Move]:
    """Moves of all these kinds in any form that their types allow, always the same."""
    found: list[Move] = []

    @settings(max_examples=100, database=None, derandomize=True, phases=[Phase.generate], deadline=None,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(st.tuples(*(values(kind, NAMES[:1]) for kind in kinds if issubclass(kind, Move))))
    def gather(moves: tuple[Move, ...]) -> None:
        found.extend(moves)

    gather()
    return list(dict.fromkeys(found))


@contextmanager
def _located(moment: Moment) -> Iterator[None]:
    """Add the place to a failure."""
    try:
        yield
    except AssertionError as fault:
        fault.add_note(f"Found in a match of {moment.origin}; every run of this test comes there.")
        raise
