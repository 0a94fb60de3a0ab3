"""Ratings with openskill, match by match, and how they change on the way."""

from collections.abc import Sequence
from statistics import fmean

from openskill.models import PlackettLuce

from turnstile.kernel import Value
from turnstile.lab.results import ResultLine
from turnstile.lab.statistics import Z95

MOST_MATCHES = 20_000  # an update takes 30 microseconds, and ratings settle long before
MOST_POINTS = 100  # of a curve


class RatingPoint(Value, frozen=True):
    """A rating after some matches, with the 95 % interval in which the model expects it."""

    matches: int
    rating: float
    low: float
    high: float


class RatingCurve(Value, frozen=True):
    name: str
    points: tuple[RatingPoint, ...]


class RatingCurves:
    """The ratings of all participants. All begin equal. Winners take the first place, all others the second."""

    def __init__(self) -> None:
        self.matches = 0
        self._model = PlackettLuce()
        self._ratings: dict[str, tuple[float, float]] = {}
        self._points: dict[str, list[RatingPoint]] = {}
        self._every = 1

    def mu(self, name: str) -> float:
        return self._ratings.get(name, (self._model.mu, self._model.sigma))[0]

    def add(self, match: ResultLine) -> None:
        """Rates a match, unless it is one participant against itself or enough matches have been rated."""
        if self.matches == MOST_MATCHES or len(set(match.seats)) == 1:
            return
        start = (self._model.mu, self._model.sigma)
        for name in match.seats:
            if name not in self._ratings:
                self._ratings[name] = start
                self._points[name] = [_point(0, *start)]
        teams = [[self._model.rating(*self._ratings[name])] for name in match.seats]
        after = self._model.rate(teams, ranks=[1.0 if share else 2.0 for share in match.shares])
        for name in set(match.seats):
            own = [new for seat, (new,) in zip(match.seats, after, strict=True) if seat == name]
            # one that sat at several seats gets the mean of their ratings
            self._ratings[name] = fmean(each.mu for each in own), fmean(each.sigma for each in own)
        self.matches += 1
        if self.matches % self._every == 0:
            self._keep()

    def curves(self, names: Sequence[str]) -> tuple[RatingCurve, ...]:
        """A curve for each participant that was rated, up to the last rated match."""
        rated = [name for name in names if name in self._ratings]
        if rated and self.matches % self._every:
            self._keep()
        return tuple(RatingCurve(name, tuple(self._points[name])) for name in rated)

    def _keep(self) -> None:
        """Adds a point to every curve. When curves are too long, every other point goes."""
        for name, points in self._points.items():
            points.append(_point(self.matches, *self._ratings[name]))
        if self.matches // self._every >= MOST_POINTS:
            self._every *= 2
            for name, points in self._points.items():
                self._points[name] = [point for point in points if point.matches % self._every == 0]


def _point(matches: int, mu: float, sigma: float) -> RatingPoint:
    return RatingPoint(matches, mu, mu - Z95 * sigma, mu + Z95 * sigma)
