"""Contests: several contestants do the same work, and a moody machine is equally moody to all of them.

A round lets every contestant run once, in an order that rotates, and only CPU time counts. Contestants are compared
within a round, where they met the same conditions; the median of those ratios is the figure to quote. Nobody is timed
before all have shown, step by step, that they do the same work.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from math import inf
from statistics import median, quantiles
from time import process_time_ns

from turnstile.kernel import Value

Run = Callable[[], object]
Samples = dict[str, list[float]]

NANOSECONDS = 1_000_000_000  # in a second


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


class Spread(Value, frozen=True):
    """The middle of many samples and the quartiles around it."""

    lower: float
    median: float
    upper: float


class Score(Value, frozen=True):
    """How a contestant did: nanoseconds of CPU time for a unit, and that as a multiple of the baseline's."""

    name: str
    about: str
    per_second: float
    nanoseconds: Spread
    ratio: Spread


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
    rounds: int
    scores: tuple[Score, ...]
    absent: tuple[Absent, ...]
    aims: tuple[Verdict, ...]


class Disagreement(Exception):
    """Two contestants did different work, so that comparing their times would mean nothing."""


def measure(contest: Contest, rounds: int) -> Result:
    """Who needs how much CPU time, once it is certain that all do the same."""
    agree(contest)
    samples: Samples = {contestant.name: [] for contestant in contest.contestants}
    with _collector_minding_only_the_runs():
        for number in range(rounds):
            for contestant in _rotated(contest.contestants, number):
                samples[contestant.name].append(_timed(contestant.prepare()) / contest.units)
    scores = tuple(_score(contestant, samples, contest.baseline) for contestant in contest.contestants)
    verdicts = tuple(_verdict(aim, scores) for aim in contest.aims)
    return Result(
        contest.name, contest.title, contest.unit, contest.baseline, rounds, scores, tuple(contest.absent), verdicts
    )


def agree(contest: Contest) -> None:
    """Raises `Disagreement` unless all contestants go the same way and end where the baseline ends."""
    first, *others = sorted(contest.contestants, key=lambda contestant: contestant.name != contest.baseline)
    expected_end = first.prepare()()
    for other in others:
        for number, (expected, seen) in enumerate(zip_longest(first.trail(), other.trail()), start=1):
            _same(expected, seen, f"after {contest.unit} {number}, {other.name} differs from {first.name}")
        _same(expected_end, other.prepare()(), f"at the end of the run, {other.name} differs from {first.name}")


def _same(expected: object, seen: object, difference: str) -> None:
    if expected != seen:
        raise Disagreement(f"{difference}: {seen} instead of {expected}")


def _rotated(contestants: Sequence[Contestant], number: int) -> Sequence[Contestant]:
    first = number % len(contestants)
    return (*contestants[first:], *contestants[:first])


def _timed(run: Run) -> int:
    gc.collect()  # nobody cleans up after somebody else
    start = process_time_ns()
    run()
    return process_time_ns() - start


@contextmanager
def _collector_minding_only_the_runs() -> Iterator[None]:
    """Cleaning up one's own garbage is part of the work and stays in; walking all modules that are loaded is not."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _score(contestant: Contestant, samples: Samples, baseline: str) -> Score:
    times = samples[contestant.name]
    ratios = [time / of_baseline for time, of_baseline in zip(times, samples[baseline], strict=True)]
    return Score(contestant.name, contestant.about, NANOSECONDS / median(times), _spread(times), _spread(ratios))


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
