"""Ratings with openskill, match by match, and how they change on the way."""

from collections.abc import Sequence

from turnstile.kernel import Value
from turnstile.lab.ratings import Rating, Ratings
from turnstile.lab.results import ResultLine

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
    """The ratings of all participants on the way through the matches."""

    def __init__(self) -> None:
        self.matches = 0
        self._ratings = Ratings()
        self._points: dict[str, list[RatingPoint]] = {}
        self._every = 1

    def mu(self, name: str) -> float:
        return self._ratings[name].mu

    def add(self, match: ResultLine) -> None:
        """Rates a match, unless it is one participant against itself or enough matches have been rated."""
        if self.matches == MOST_MATCHES or len(set(match.seats)) == 1:
            return
        for name in match.seats:
            if name not in self._points:
                self._points[name] = [_point(0, self._ratings[name])]
        self._ratings.rate(match.seats, match.places)
        self.matches += 1
        if self.matches % self._every == 0:
            self._keep()

    def curves(self, names: Sequence[str]) -> tuple[RatingCurve, ...]:
        """A curve for each participant that was rated, up to the last rated match."""
        rated = [name for name in names if name in self._points]
        if rated and self.matches % self._every:
            self._keep()
        return tuple(RatingCurve(name, tuple(self._points[name])) for name in rated)

    def _keep(self) -> None:
        """Adds a point to every curve. When curves are too long, every other point goes."""
        for name, points in self._points.items():
            points.append(_point(self.matches, self._ratings[name]))
        if self.matches // self._every >= MOST_POINTS:
            self._every *= 2
            for name, points in self._points.items():
                self._points[name] = [point for point in points if point.matches % self._every == 0]


def _point(matches: int, rating: Rating) -> RatingPoint:
    return RatingPoint(matches, rating.mu, rating.low, rating.high)
