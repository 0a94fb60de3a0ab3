"""Ratings of the bots of a contest.

The order of the matches matters a little to a rating. They are rated in an order that is drawn from the seed: the same
matches always give the same ratings, and no bot is rated by its last opponent.
"""

from collections.abc import Sequence
from random import Random

from turnstile.kernel import Seed
from turnstile.kernel.chance import derive
from turnstile.lab.contests.contest import Played
from turnstile.lab.ratings import Rating, Ratings


def rate_bots(bots: Sequence[str], matches: Sequence[Played], seed: Seed) -> dict[str, Rating]:
    """The ratings of all bots after all matches."""
    ratings = Ratings(bots)
    for match in Random(derive(seed, "order of ratings")).sample(matches, len(matches)):
        ratings.rate(match.seats, match.places)
    return {bot: ratings[bot] for bot in bots}
