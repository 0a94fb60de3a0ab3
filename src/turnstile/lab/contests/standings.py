"""From the matches of a tournament to its standings: ratings, wins, seats, and all pairs."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from statistics import fmean

from turnstile.kernel import Value
from turnstile.lab.contests.contest import Contest
from turnstile.lab.contests.paired import Mean, mean_share
from turnstile.lab.contests.pairs import PairResult, pair_results, whole_deals
from turnstile.lab.ratings import Rating, Ratings
from turnstile.lab.results import ResultLine


class BotResult(Value, frozen=True):
    """One bot in a contest. `wins` is its part of the wins: a shared win counts in part."""

    bot: str
    matches: int
    rating: Rating
    wins: Mean
    wins_by_seat: tuple[Mean, ...]
    mean_score: float


class SeatResult(Value, frozen=True):
    """What a seat is worth: the part of the wins of all bots on it."""

    seat: int
    wins: Mean


class Standings(Value, frozen=True):
    """A contest in numbers: the bots, best first, and all pairs. Only whole deals are counted."""

    deals: int
    matches: int
    bots: tuple[BotResult, ...]
    pairs: tuple[PairResult, ...]
    seats: tuple[SeatResult, ...]


def standings_of(contest: Contest, matches: Sequence[ResultLine]) -> Standings:
    """The standings after at least one whole deal."""
    whole = whole_deals(contest, matches)
    ratings = Ratings()
    for match in whole:
        ratings.rate(match.seats, match.places)
    results = [_bot_result(bot, ratings[bot], whole, len(contest.players)) for bot in contest.bots]
    return Standings(
        deals=len(whole) // len(contest.seatings),
        matches=len(whole),
        bots=tuple(sorted(results, key=lambda each: -each.rating.mu)),
        pairs=pair_results(list(combinations(contest.bots, 2)), whole),
        seats=tuple(SeatResult(seat + 1, _wins(whole, [seat])) for seat in range(len(contest.players))),
    )


def _bot_result(bot: str, rating: Rating, matches: Sequence[ResultLine], players: int) -> BotResult:
    own = [match for match in matches if bot in match.seats]
    scores = [score for match in own for name, score in zip(match.seats, match.scores, strict=True) if name == bot]
    return BotResult(
        bot=bot,
        matches=len(own),
        rating=rating,
        wins=_wins(own, range(players), bot),
        wins_by_seat=tuple(_wins(own, [seat], bot) for seat in range(players)),
        mean_score=fmean(scores),
    )


def _wins(matches: Sequence[ResultLine], seats: Sequence[int], bot: str | None = None) -> Mean:
    """The part of the wins on these seats, of one bot or of all, by deal."""
    by_deal: defaultdict[int | None, list[float]] = defaultdict(list)
    for match in matches:
        shares = match.shares
        by_deal[match.deal] += [shares[seat] for seat in seats if bot in (None, match.seats[seat])]
    return mean_share([fmean(shares) for shares in by_deal.values() if shares])
