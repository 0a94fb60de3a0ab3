"""Contests: several contestants do the same work, and a moody machine is equally moody to all of them.

A round lets every contestant run once, in an order that rotates. What counts is CPU time, unless a contest is about
something else. Contestants are compared within a round, where they met the same conditions; the median of those ratios
is the figure to quote. Nobody is timed before all have shown, step by step, that they do the same work.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from math import inf
from statistics import median, quantiles

from bench.gauges import CPU, Cost, Gauge, Run
from turnstile.kernel import Value

__all__ = ["Absent", "Aim", "Contest", "Contestant", "Disagreement", "Result", "Run", "Score", "agree", "measure"]

Samples = dict[str, list[Cost]]

WHOLE = 1_000_000_000  # nanoseconds in a second, bytes in a gigabyte


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """One way to do the work of a contest."""

    name: str
    about: str
    """What it is, in a few words; for a library, with its version."""
    trail: Callable[[], Iterable[object]]
    """Where it stands after every unit of the work, in words that all contestants share."""
    prepare: Callable[[], Run]
    """Sets out a fresh run, which does all of the work and tells where it ended. Only the run is timed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """What a contestant's time should be, as a multiple of the baseline's."""

    contestant: str
    sentence: str
    at_least: float = 0.0
    at_most: float = inf


class Absent(Value, frozen=True):
    """A contestant that could not come, and how to bring it."""

    name: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """The same work for every contestant: `units` times a `unit`, an event say."""

    name: str
    title: str
    unit: str
    units: int
    baseline: str
    contestants: Sequence[Contestant]
    absent: Sequence[Absent] = ()
    aims: Sequence[Aim] = ()
    gauge: Gauge = CPU
    rounds: int | None = None
    """How many rounds are enough, where each of them takes long."""
    close: Callable[[], None] = lambda: None
    """Puts away what the contest was held with: files, servers."""


class Spread(Value, frozen=True):
    """The middle of many samples and the quartiles around it."""

    lower: float
    median: float
    upper: float


class Score(Value, frozen=True):
    """How a contestant did: what a unit cost, by the contest's gauge, and that as a multiple of the baseline's."""

    name: str
    about: str
    rate: float
    """Units a second, or a gigabyte."""
    cost: Spread
    """Nanoseconds a unit, or bytes."""
    ratio: Spread
    cpu: Spread
    """Nanoseconds of CPU time a unit, whatever the contest is about."""


class Verdict(Value, frozen=True):
    """What became of an aim; nothing is known where its contestant was absent."""

    sentence: str
    ratio: float | None
    is_met: bool | None


class Result(Value, frozen=True):
    """A contest that is over."""

    name: str
    title: str
    unit: str
    baseline: str
    gauge: str
    measure: str
    """What a cost is counted in."""
    whole: str
    """What a thousand million of that are."""
    rounds: int
    scores: tuple[Score, ...]
    absent: tuple[Absent, ...]
    aims: tuple[Verdict, ...]


class Disagreement(Exception):
    """Two contestants did different work, so that comparing their times would mean nothing."""


def measure(contest: Contest, rounds: int) -> Result:
    """Who needs how much, once it is certain that all do the same."""
    agree(contest)
    samples: Samples = {contestant.name: [] for contestant in contest.contestants}
    with _collector_minding_only_the_runs():
        for number in range(rounds if contest.contestants else 0):
            for contestant in _rotated(contest.contestants, number):
                samples[contestant.name].append(_measured(contest, contestant))
    return Result(
        name=contest.name,
        title=contest.title,
        unit=contest.unit,
        baseline=contest.baseline,
        gauge=contest.gauge.name,
        measure=contest.gauge.unit,
        whole=contest.gauge.whole,
        rounds=rounds,
        scores=(scores := tuple(_score(contestant, samples, contest) for contestant in contest.contestants)),
        absent=tuple(contest.absent),
        aims=tuple(_verdict(aim, scores) for aim in contest.aims),
    )


def agree(contest: Contest) -> None:
    """Raises `Disagreement` unless all contestants go the same way and end where the baseline ends."""
    if not contest.contestants:
        return
    first, *others = sorted(contest.contestants, key=lambda contestant: contestant.name != contest.baseline)
    expected_end = _measured(contest, first).end
    for other in others:
        for number, (expected, seen) in enumerate(zip_longest(first.trail(), other.trail()), start=1):
            _same(expected, seen, f"after {contest.unit} {number}, {other.name} differs from {first.name}")
        _same(
            expected_end,
            _measured(contest, other).end,
            f"at the end of the run, {other.name} differs from {first.name}",
        )


def _same(expected: object, seen: object, difference: str) -> None:
    if expected != seen:
        raise Disagreement(f"{difference}: {seen} instead of {expected}")


def _rotated(contestants: Sequence[Contestant], number: int) -> Sequence[Contestant]:
    first = number % len(contestants)
    return (*contestants[first:], *contestants[:first])


def _measured(contest: Contest, contestant: Contestant) -> Cost:
    run = contestant.prepare()
    gc.collect()  # nobody cleans up after somebody else
    return contest.gauge.measure(run)


@contextmanager
def _collector_minding_only_the_runs() -> Iterator[None]:
    """Cleaning up one's own garbage is part of the work and stays in; walking all modules that are loaded is not."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _score(contestant: Contestant, samples: Samples, contest: Contest) -> Score:
    costs = [cost.amount / contest.units for cost in samples[contestant.name]]
    of_baseline = [cost.amount / contest.units for cost in samples[contest.baseline]]
    return Score(
        name=contestant.name,
        about=contestant.about,
        rate=WHOLE / median(costs),
        cost=_spread(costs),
        ratio=_spread([cost / other for cost, other in zip(costs, of_baseline, strict=True)]),
        cpu=_spread([cost.cpu / contest.units for cost in samples[contestant.name]]),
    )


def _spread(samples: Sequence[float]) -> Spread:
    if len(samples) == 1:
        return Spread(samples[0], samples[0], samples[0])
    lower, _, upper = quantiles(samples, n=4, method="inclusive")
    return Spread(lower, median(samples), upper)


def _verdict(aim: Aim, scores: Sequence[Score]) -> Verdict:
    for score in scores:
        if score.name == aim.contestant:
            ratio = score.ratio.median
            return Verdict(aim.sentence, ratio, aim.at_least <= ratio <= aim.at_most)
    return Verdict(aim.sentence, None, None)
