"""Two bots in the matches that they played with each other, and whether their difference is certain."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from turnstile.kernel import Value
from turnstile.lab.contests.contest import Contest
from turnstile.lab.contests.paired import Mean, holm, mean_of, mean_share, paired_p
from turnstile.lab.results import ResultLine, part_ahead

CERTAIN = 0.05
"""The largest corrected p-value of a difference that is called certain."""


class PairResult(Value, frozen=True):
    """Two bots in the matches that they played with each other.

    `ahead` is how often `bot` came out ahead of `other`; an equal place counts half. `score_difference` is how many
    points more it had. `p` is the probability of such a difference between equal bots, `corrected_p` the same after the
    correction for all pairs.
    """

    bot: str
    other: str
    matches: int
    ahead: Mean
    score_difference: Mean
    p: float
    corrected_p: float
    is_certain: bool


def whole_deals(contest: Contest, matches: Sequence[ResultLine]) -> Sequence[ResultLine]:
    """The matches of all deals that every seating has played."""
    return matches[: len(matches) // len(contest.seatings) * len(contest.seatings)]


def pair_results(pairs: Sequence[tuple[str, str]], matches: Sequence[ResultLine]) -> tuple[PairResult, ...]:
    """The results of these pairs, as far as they have met. The matches are in the order of deals."""
    met = {pair: meeting for pair in pairs if (meeting := _meeting(*pair, matches)).matches}
    p_values = {pair: paired_p([2 * share - 1 for share in meeting.shares()]) for pair, meeting in met.items()}
    corrected = holm(p_values)
    return tuple(
        PairResult(
            bot=pair[0],
            other=pair[1],
            matches=meeting.matches,
            ahead=mean_share(meeting.shares()),
            score_difference=mean_of(meeting.differences()),
            p=p_values[pair],
            corrected_p=corrected[pair],
            is_certain=corrected[pair] < CERTAIN,
        )
        for pair, meeting in met.items()
    )


@dataclass(slots=True)
class _Meeting:
    """What came of the matches between two bots, by deal."""

    matches: int = 0
    ahead: defaultdict[int | None, list[float]] = field(default_factory=lambda: defaultdict(list))
    points: defaultdict[int | None, list[float]] = field(default_factory=lambda: defaultdict(list))

    def shares(self) -> list[float]:
        return [fmean(shares) for shares in self.ahead.values()]

    def differences(self) -> list[float]:
        return [fmean(points) for points in self.points.values()]


def _meeting(bot: str, other: str, matches: Sequence[ResultLine]) -> _Meeting:
    meeting = _Meeting()
    for match in matches:
        if bot not in match.seats or other not in match.seats:
            continue
        meeting.matches += 1
        places = match.places
        for mine, theirs in _seat_pairs(bot, other, match.seats):
            meeting.ahead[match.deal].append(part_ahead(places[mine], places[theirs]))
            meeting.points[match.deal].append(match.scores[mine] - match.scores[theirs])
    return meeting


def _seat_pairs(bot: str, other: str, seats: Sequence[str]) -> Iterator[tuple[int, int]]:
    for mine, name in enumerate(seats):
        if name == bot:
            yield from ((mine, theirs) for theirs, rival in enumerate(seats) if rival == other)
