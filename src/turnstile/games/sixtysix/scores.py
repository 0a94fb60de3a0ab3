"""The points of 66: what a round brings each seat, and who wins the match."""

from collections.abc import Sequence

from turnstile.games.sixtysix.cards import DECK, HAND_SIZE, Hand, Seat, total
from turnstile.kernel.game import Outcome, Players
from turnstile.kernel.values import ByPlayer

FAILED_STOP = 10  # what a stopper pays on top of its hand when another player holds less
LIMIT = 66
HIGHEST_SCORE = sum(sorted(DECK)[-HAND_SIZE:]) + FAILED_STOP  # of one seat in one round


def round_scores(hands: Sequence[Hand], stopper: Seat | None) -> tuple[int, ...]:
    """The sum of each hand. The stopper scores 0 when no one holds less, otherwise its sum plus 10."""
    sums = [total(held) for held in hands]
    if stopper is not None:
        sums[stopper] = 0 if sums[stopper] == min(sums) else sums[stopper] + FAILED_STOP
    return tuple(sums)


def lowest_total(players: Players, totals: Sequence[int]) -> Outcome:
    """The lowest total wins; equal totals share the win."""
    scores = ByPlayer(zip(players, totals, strict=True))
    return Outcome(tuple([player for player in players if scores[player] == min(totals)]), scores)
