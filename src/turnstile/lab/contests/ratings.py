"""Ratings of bots with openskill, the model that also rates players on a server.

A rating is updated match by match, so the order of the matches matters a little. They are rated in an order that is
drawn from the seed: the same matches always give the same ratings, and no bot is rated by its last opponent.
"""

from collections.abc import Sequence
from random import Random
from statistics import fmean

from openskill.models import PlackettLuce

from turnstile.kernel import Seed, Value
from turnstile.kernel.chance import derive
from turnstile.lab.contests.contest import Played
from turnstile.lab.statistics import Z95


class BotRating(Value, frozen=True):
    """How strong a bot is thought to be: `mu`, give or take; low to high is its 95 % interval."""

    mu: float
    sigma: float
    low: float
    high: float


def rate_bots(bots: Sequence[str], matches: Sequence[Played], seed: Seed) -> dict[str, BotRating]:
    """The ratings of all bots after all matches."""
    model = PlackettLuce()  # for two players as for many, with ties
    ratings = dict.fromkeys(bots, (model.mu, model.sigma))
    for match in Random(derive(seed, "order of ratings")).sample(matches, len(matches)):
        teams = [[model.rating(*ratings[bot])] for bot in match.seats]
        after = model.rate(teams, ranks=[float(place) for place in match.places])
        for bot in set(match.seats):
            own = [new for name, (new,) in zip(match.seats, after, strict=True) if name == bot]
            ratings[bot] = (
                fmean(each.mu for each in own),
                fmean(each.sigma for each in own),
            )  # it may have several seats
    return {bot: _interval(*rating) for bot, rating in ratings.items()}


def _interval(mu: float, sigma: float) -> BotRating:
    return BotRating(mu, sigma, mu - Z95 * sigma, mu + Z95 * sigma)
