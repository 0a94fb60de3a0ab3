"""A race between actions: all of them are tried in the same imagined states, and those that fall behind drop out.

The actions meet the same hidden cards and the same luck, so that even small differences between them show early. The
first action is the favourite: another one wins only if it is better beyond doubt.
"""

from collections.abc import Iterator, Sequence
from math import inf, sqrt
from random import Random
from typing import Any

from turnstile.bots.search.budget import spend
from turnstile.bots.search.playouts import Playouts
from turnstile.kernel import Move

BATCH = 10  # states between two looks at the race: a few states alone prove nothing
DROP_OUT = 3.0  # an action drops out when it is behind the leader by this many standard errors
DOUBT = 2.0  # the favourite wins unless the leader is ahead of it by this many standard errors


def choose_by_race(
    playouts: Playouts, view: Any, actions: Sequence[Move], states: Iterator[Any], left: Iterator[object], rng: Random
) -> Move:
    """The action that wins the race. The favourite is what the heuristic would choose."""
    guide, player = playouts.guide, actions[0].player
    race = Race(guide.heuristic(view, actions, rng), guide.shortlist(view, actions))
    while len(race.runners) > 1 and spend(left, len(race.runners)):
        state, luck = next(states), rng.getrandbits(64)
        race.add([playouts.reward(state, (action,), Random(luck))[player] for action in race.runners])
    return race.winner()


class Race:
    """The rewards of each action in each imagined state so far."""

    def __init__(self, favourite: Move, others: Sequence[Move]) -> None:
        self.favourite = favourite
        self.runners = [favourite, *(action for action in others if action != favourite)]
        self.rewards: dict[Move, list[float]] = {action: [] for action in self.runners}

    def add(self, rewards: Sequence[float]) -> None:
        """Add what each runner, in order, has reached in one more state. After each batch, losers drop out."""
        for action, reward in zip(self.runners, rewards, strict=True):
            self.rewards[action].append(reward)
        if len(self.rewards[self.runners[0]]) % BATCH == 0:
            leader = self.leader()
            self.runners = [action for action in self.runners if self.lead(leader, action) <= DROP_OUT]

    def leader(self) -> Move:
        """The runner with the highest reward so far; of equal ones the first."""
        return max(self.runners, key=lambda action: sum(self.rewards[action]))

    def winner(self) -> Move:
        """The leader, or the favourite while it may well be as good."""
        leader = self.leader()
        is_close = self.favourite in self.runners and self.lead(leader, self.favourite) <= DOUBT
        return self.favourite if is_close else leader

    def lead(self, leader: Move, other: Move) -> float:
        """By how many standard errors the leader is ahead of another runner."""
        leads = [ours - theirs for ours, theirs in zip(self.rewards[leader], self.rewards[other], strict=True)]
        mean = sum(leads) / max(1, len(leads))
        if mean <= 0 or len(leads) == 1:
            return 0.0
        error = sqrt(sum([(lead - mean) ** 2 for lead in leads]) / (len(leads) - 1) / len(leads))
        return mean / error if error else inf
