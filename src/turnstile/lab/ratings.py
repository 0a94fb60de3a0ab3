"""Ratings with openskill, the model that also rates players on a server. They are updated match by match."""

from collections.abc import Sequence
from statistics import fmean

from openskill.models import PlackettLuce

from turnstile.kernel import Value
from turnstile.lab.statistics import Z95


class Rating(Value, frozen=True):
    """How strong a participant is thought to be: `mu`, give or take; low to high is its 95 % interval."""

    mu: float
    sigma: float
    low: float
    high: float


class Ratings:
    """The ratings of all participants. All begin equal."""

    def __init__(self) -> None:
        self._model = PlackettLuce()  # for two players as for many, with ties
        self._start = _rating(self._model.mu, self._model.sigma)
        self._by_name: dict[str, Rating] = {}

    def __getitem__(self, name: str) -> Rating:
        """The rating of a participant; that of a newcomer, if it has played no match."""
        return self._by_name.get(name, self._start)

    def rate(self, seats: Sequence[str], places: Sequence[int]) -> None:
        """Rate a match: who sat at each seat, and the place of each seat, from 1.

        A participant that sat at several seats gets the mean of their ratings.
        """
        teams = [[self._model.rating(self[name].mu, self[name].sigma)] for name in seats]
        after = self._model.rate(teams, ranks=[float(place) for place in places])
        for name in set(seats):
            own = [new for seated, (new,) in zip(seats, after, strict=True) if seated == name]
            self._by_name[name] = _rating(fmean(each.mu for each in own), fmean(each.sigma for each in own))


def _rating(mu: float, sigma: float) -> Rating:
    return Rating(mu, sigma, mu - Z95 * sigma, mu + Z95 * sigma)
