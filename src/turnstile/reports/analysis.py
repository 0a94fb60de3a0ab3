"""Counts matches: who wins, who beats whom, at which seat, with which scores, how long, and ratings on the way.

The matches pass by one at a time and are not kept, so a file of any length needs little memory. Of a tournament, the
sums of every deal are kept: its matches belong together, so an interval is one over deals.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from turnstile.kernel import Value
from turnstile.lab.contests.paired import mean_share
from turnstile.lab.results import Header, ResultLine, part_ahead
from turnstile.lab.statistics import Rate, wilson, wilson_interval
from turnstile.reports.rating_curves import RatingCurve, RatingCurves


class Standing(Value, frozen=True):
    """How a participant did over all its matches, at all its seats."""

    name: str
    played: int
    """At how many seats it sat: more than matches, if it sat at several seats of one match."""
    alone: Rate
    """How often it won alone."""
    shared: int
    """How often it shared the win. Without winners, all share it."""
    mean_share: float
    mean_score: float | None


class Pairing(Value, frozen=True):
    """How often one participant came out ahead of another. An equal place counts half."""

    name: str
    against: str
    matches: int
    rate: float
    low: float
    high: float


class SeatRate(Value, frozen=True):
    """How often a seat won alone. `name` is the participant, or `None` for all."""

    seat: int
    name: str | None
    rate: Rate


class Analysis(Value, frozen=True):
    """All that a report shows. `turnstile report --json` prints it."""

    kind: str
    game: str
    matches: int
    deals: int
    """How many deals were played by several seatings; 0 where every match has its own."""
    players: int
    names: tuple[str, ...]
    """The participants, the strongest first."""
    standings: tuple[Standing, ...]
    shared: Rate
    """Matches with several winners or none."""
    ratings: tuple[RatingCurve, ...]
    rated_matches: int
    pairings: tuple[Pairing, ...]
    seats: tuple[SeatRate, ...]
    are_seats_fixed: bool
    """Whether every participant always sat at the same seat: then a seat says nothing that its participant does not."""
    facts: dict[str, Rate]
    scores: dict[str, dict[float, int]]
    """For each participant, how often it had each score."""
    lengths: dict[int, int]
    """How often a match had so many moves."""

    @property
    def has_several_seats(self) -> bool:
        """Whether a participant sat at several seats of one match: then its rates are those of a seat."""
        return len(self.names) < self.players


@dataclass(slots=True)
class _Mean:
    """The mean of parts from 0 to 1, with its interval: over deals where there are deals, otherwise by Wilson."""

    total: float = 0.0
    count: int = 0
    deals: dict[int, tuple[float, int]] = field(default_factory=dict)

    def add(self, part: float, deal: int | None) -> None:
        self.total += part
        self.count += 1
        if deal is not None:
            total, count = self.deals.get(deal, (0.0, 0))
            self.deals[deal] = total + part, count + 1

    @property
    def mean(self) -> float:
        return self.total / self.count

    @property
    def interval(self) -> tuple[float, float]:
        if not self.deals:
            return wilson_interval(self.mean, self.count)
        found = mean_share([total / count for total, count in self.deals.values()])
        return min(self.mean, found.low), max(self.mean, found.high)


@dataclass(slots=True)
class _Counts:
    """What is counted of one participant, or of one seat."""

    alone: _Mean = field(default_factory=_Mean)
    shared: int = 0
    share: float = 0.0

    def add(self, share: float, deal: int | None) -> None:
        self.alone.add(share == 1, deal)
        self.share += share
        self.shared += 0 < share < 1

    @property
    def rate(self) -> Rate:
        """How often it won alone."""
        return Rate(int(self.alone.total), self.alone.count, self.alone.mean, *self.alone.interval)


@dataclass(slots=True)
class Counting:
    """Counts matches one by one."""

    matches: int = 0
    shared: int = 0
    names: defaultdict[str, _Counts] = field(default_factory=lambda: defaultdict(_Counts))
    seats: defaultdict[tuple[int, str | None], _Counts] = field(default_factory=lambda: defaultdict(_Counts))
    pairs: defaultdict[tuple[str, str], _Mean] = field(default_factory=lambda: defaultdict(_Mean))
    deals: set[int] = field(default_factory=set)
    scores: defaultdict[str, Counter[float]] = field(default_factory=lambda: defaultdict(Counter))
    lengths: Counter[int] = field(default_factory=Counter)
    facts: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    ratings: RatingCurves = field(default_factory=RatingCurves)

    def add(self, match: ResultLine) -> None:
        self.matches += 1
        self.shared += len(match.winners) != 1
        shares = match.shares
        for seat, (name, share) in enumerate(zip(match.seats, shares, strict=True)):
            self.names[name].add(share, match.deal)
            self.seats[seat, None].add(share, match.deal)
            self.seats[seat, name].add(share, match.deal)
            if match.scores:
                self.scores[name][match.scores[seat]] += 1
        self._add_pairs(match)
        if match.deal is not None:
            self.deals.add(match.deal)
        if match.moves is not None:
            self.lengths[match.moves] += 1
        for fact, (times, chances) in match.facts.items():
            counted = self.facts[fact]
            counted[0] += times
            counted[1] += chances
        self.ratings.add(match)

    def _add_pairs(self, match: ResultLine) -> None:
        placed = list(zip(match.seats, match.places, strict=True))
        for name, place in placed:
            for other, other_place in placed:
                if name != other:
                    self.pairs[name, other].add(part_ahead(place, other_place), match.deal)


def analyse(header: Header, matches: Iterable[ResultLine]) -> Analysis:
    """Counts all matches. There must be at least one."""
    counted = Counting()
    for match in matches:
        counted.add(match)
    names = tuple(sorted(counted.names, key=lambda name: (-counted.ratings.mu(name), name)))
    return Analysis(
        kind=header.kind,
        game=header.game,
        matches=counted.matches,
        deals=len(counted.deals),
        players=header.players,
        names=names,
        standings=tuple(_standing(name, counted) for name in names),
        shared=wilson(counted.shared, counted.matches),
        ratings=counted.ratings.curves(names),
        rated_matches=counted.ratings.matches,
        pairings=tuple(
            _pairing(one, other, counted.pairs[one, other])
            for one in names
            for other in names
            if (one, other) in counted.pairs
        ),
        seats=tuple(
            SeatRate(seat, name, counts.rate)
            for (seat, name), counts in sorted(counted.seats.items(), key=lambda item: (item[0][0], item[0][1] or ""))
        ),
        are_seats_fixed=len(counted.names) > 1 and len(counted.seats) == len(counted.names) + header.players,
        facts={fact: wilson(times, chances) for fact, (times, chances) in counted.facts.items()},
        scores={name: dict(sorted(counted.scores[name].items())) for name in names if name in counted.scores},
        lengths=dict(sorted(counted.lengths.items())),
    )


def _standing(name: str, counted: Counting) -> Standing:
    counts, scores = counted.names[name], counted.scores.get(name)
    total = None if not scores else sum(score * times for score, times in scores.items())
    return Standing(
        name=name,
        played=counts.alone.count,
        alone=counts.rate,
        shared=counts.shared,
        mean_share=counts.share / counts.alone.count,
        mean_score=None if total is None else total / counts.alone.count,
    )


def _pairing(name: str, other: str, ahead: _Mean) -> Pairing:
    return Pairing(name, other, ahead.count, ahead.mean, *ahead.interval)
